"""Executing one notebook with papermill, and rendering what came of it."""

from __future__ import annotations

from pathlib import Path

from nbclient.exceptions import CellTimeoutError, DeadKernelError
from papermill import execute_notebook
from papermill.exceptions import PapermillExecutionError
from traitlets.config import Config

from unison.errors import UnisonError
from unison.files import write_text
from unison.notebooks.job import Job
from unison.notebooks.kernel import PrivateKernelManager
from unison.notebooks.parameters import INJECTED_TAG
from unison.notebooks.render import to_html, to_markdown
from unison.notebooks.series import read_notebook

START_TIMEOUT_S = 120
IOPUB_TIMEOUT_S = 60


def execute(job: Job) -> None:
    """Execute a notebook and write ``executed.ipynb``, ``page.md`` and ``page.html`` into the job's folder.

    Raises
    ------
    UnisonError
        If a cell raises or takes too long, the kernel dies, or an output cannot be rendered.
    """
    source, folder = Path(job.notebook), Path(job.folder)
    executed = folder / "executed.ipynb"
    try:
        notebook = execute_notebook(
            str(source),
            str(executed),
            job.parameters,
            cwd=str(source.parent),
            progress_bar=False,
            start_timeout=START_TIMEOUT_S,
            execution_timeout=job.cell_timeout_s,
            iopub_timeout=IOPUB_TIMEOUT_S,
            kernel_manager_class=PrivateKernelManager,
            config=Config(PrivateKernelManager={"connection_file": str(folder / "kernel.json")}),
        )
    except PapermillExecutionError as error:
        where = _cell_name(source, executed)
        raise UnisonError(f"{where} raised {error.ename}: {error.evalue}") from error
    except CellTimeoutError as error:
        where = _cell_name(source, executed)
        raise UnisonError(f"{where} took longer than {job.cell_timeout_s:g} s and was stopped") from error
    except DeadKernelError as error:
        where = _cell_name(source, executed)
        raise UnisonError(f"{where}: the kernel died ({_exit_reason()})") from error
    except RuntimeError as error:
        raise UnisonError(f"notebook {source.name}: its kernel did not start ({error})") from error
    write_text(folder / "page.md", to_markdown(notebook, source.stem))
    write_text(folder / "page.html", to_html(notebook, source.stem))


def _cell_name(source: Path, executed: Path) -> str:
    """The last cell that papermill notes as begun, as ``notebook 01_x.ipynb, code cell 3``."""
    code = [c for c in read_notebook(executed)["cells"] if c["cell_type"] == "code"]
    numbered = [c for c in code if INJECTED_TAG not in c["metadata"].get("tags", [])]
    begun = [c["metadata"].get("papermill", {}).get("start_time") is not None for c in numbered]
    return f"notebook {source.name}, code cell {sum(begun)}"


def _exit_reason() -> str:
    """How the kernel's process ended."""
    process = getattr(PrivateKernelManager.started[-1].provisioner, "process", None)
    code = process.poll() if process is not None else None
    if code is not None and code < 0:
        return f"killed by signal {-code}; with signal 9 this is often a lack of memory"
    return f"exit status {code}" if code is not None else "no exit status"
