"""The strict runner: a notebook makes all it declares, or nothing and an error that names the cell."""

import contextlib
import json
import os
import time
from pathlib import Path

import pytest

from unison.errors import UnisonError
from unison.notebooks.layout import Layout
from unison.notebooks.runner import NotebookRun, checked_parameters, run_notebook
from unison.notebooks.series import entry_of, read_notebook

FAILURES = {
    "exits": "import os\nos._exit(3)",
    "killed": "import os, signal\nos.kill(os.getpid(), signal.SIGKILL)",
    "raises": "1 / 0",
    "hangs": "import time\ntime.sleep(100)",
    "wrong": "import pathlib\npathlib.Path(out_dir, 'tab99_stray.csv').write_text('')",
}
CELL_TIMEOUT_S = 4.0
AT_ONCE = 3


@pytest.fixture(scope="module")
def failures(project: Path, make_notebook) -> dict[str, tuple[str, float]]:
    """The message of each failing notebook, and the seconds it took; run side by side."""
    waiting, running, ended = list(FAILURES), {}, {}
    layout = Layout.under(project / "out")
    while waiting or running:
        while waiting and len(running) < AT_ONCE:
            kind = waiting.pop(0)
            path = project / "failing" / f"01_{kind}.ipynb"
            make_notebook(path, "before = 1", FAILURES[kind], "after = 2", products=["tab01_facts"])
            entry = entry_of(path, read_notebook(path))
            run = NotebookRun.start(entry, checked_parameters(entry, {}), layout, CELL_TIMEOUT_S)
            running[kind] = (run, time.monotonic())
        time.sleep(0.05)
        for kind, (run, begun) in list(running.items()):
            if not run.is_running():
                with pytest.raises(UnisonError) as caught:
                    run.publish()
                ended[kind] = (str(caught.value), time.monotonic() - begun)
                del running[kind]
    assert not layout.figures.exists()
    assert not layout.executed.exists()
    return ended


@pytest.mark.parametrize(
    ("kind", "reason"), [("exits", "exit status 3"), ("killed", "signal 9")], ids=["exits", "killed"]
)
def test_a_dying_kernel_is_an_error_within_30_seconds(failures, kind: str, reason: str) -> None:
    message, seconds = failures[kind]
    assert f"notebook 01_{kind}.ipynb, code cell 3: the kernel died" in message
    assert reason in message
    assert seconds < 30


def test_an_exception_names_notebook_cell_and_error(failures) -> None:
    assert (
        "notebook 01_raises.ipynb, code cell 3 raised ZeroDivisionError: division by zero"
        in failures["raises"][0]
    )


def test_a_hung_cell_is_stopped(failures) -> None:
    message, seconds = failures["hangs"]
    assert "notebook 01_hangs.ipynb, code cell 3 took longer than 4 s" in message
    assert seconds < 60


def test_products_that_are_not_as_declared_are_an_error(failures) -> None:
    message = failures["wrong"][0]
    assert "did not write tab01_facts.csv, tab01_facts.md; wrote undeclared tab99_stray.csv" in message


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"profil": "full"}, r"01_a.ipynb 'profil'; did you mean 'profile'.*scale: float"),
        ({"scale": "2"}, r"01_a.ipynb: parameter 'scale' is '2' of type str; allowed: float"),
        ({"out_dir": "x"}, r"'out_dir' is set by the runner"),
    ],
)
def test_wrong_parameters_are_errors_before_anything_runs(
    tmp_path: Path, make_notebook, parameters: dict, message: str
) -> None:
    path = make_notebook(tmp_path / "01_a.ipynb", "x = 1")
    with pytest.raises(UnisonError, match=message):
        run_notebook(path, parameters, Layout.under(tmp_path / "out"))
    assert not (tmp_path / "out").exists()


@pytest.fixture(scope="module")
def kernel_facts(project: Path, make_notebook) -> dict:
    """What a notebook sees of its kernel on a machine with hostile user configuration."""
    hostile = project / "hostile"
    (hostile / "profile_default" / "startup").mkdir(parents=True)
    (hostile / "profile_default" / "startup" / "leak.py").write_text("leaked = True\n")
    spec = hostile / "kernels" / "python3"
    spec.mkdir(parents=True)
    (spec / "kernel.json").write_text(
        json.dumps({"argv": ["/bin/false"], "display_name": "x", "language": "python"})
    )
    cell = (
        "import json, os, pathlib, sys\n"
        "facts = {'python': sys.executable, 'leaked': 'leaked' in globals()}\n"
        "facts |= {'scale': scale, 'cwd': os.getcwd()}\n"
        "text = json.dumps(facts)\n"
        "[pathlib.Path(out_dir, f'tab01_facts.{s}').write_text(text) for s in ('csv', 'md')];"
    )
    path = make_notebook(project / "sees" / "01_kernel.ipynb", cell, products=["tab01_facts"])
    layout = Layout.under(project / "seen")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("IPYTHONDIR", str(hostile))
        patch.setenv("JUPYTER_PATH", str(hostile))
        patch.setenv("MPLBACKEND", "no-such-backend")
        executed = run_notebook(path, {"scale": 2}, layout)
    assert executed == layout.executed / "01_kernel.ipynb"
    return json.loads((layout.figures / "tab01_facts.csv").read_text())


def test_the_kernel_is_this_python_whatever_is_installed(kernel_facts: dict) -> None:
    assert Path(kernel_facts["python"]).samefile(os.sys.executable)
    assert kernel_facts["leaked"] is False


def test_given_values_reach_the_notebook_with_their_declared_type(kernel_facts: dict) -> None:
    assert repr(kernel_facts["scale"]) == "2.0"


def test_the_notebook_runs_in_its_own_folder(kernel_facts: dict, project: Path) -> None:
    assert Path(kernel_facts["cwd"]).samefile(project / "sees")


def test_the_source_is_not_touched(kernel_facts: dict, project: Path) -> None:
    notebook = read_notebook(project / "sees" / "01_kernel.ipynb")
    assert all(not cell.get("outputs") for cell in notebook["cells"])


def test_stopping_a_run_ends_its_kernel(project: Path, make_notebook) -> None:
    # A match that takes ages and holds the interpreter's lock, so that the kernel cannot end by itself.
    cell = (
        "import os, pathlib, re\npathlib.Path(out_dir, 'pid').write_text(str(os.getpid()))\n"
        "re.match('(a+)+$', 'a' * 50 + 'b')"
    )
    path = make_notebook(project / "slow" / "01_slow.ipynb", cell)
    entry = entry_of(path, read_notebook(path))
    run = NotebookRun.start(entry, {}, Layout.under(project / "slow" / "out"))
    pid_file = run.folder / "figures" / "pid"
    deadline = time.monotonic() + 60
    while not (pid_file.is_file() and pid_file.read_text()):
        assert run.is_running()
        assert time.monotonic() < deadline
        time.sleep(0.05)
    kernel = int(pid_file.read_text())
    assert run.process.stdin is not None
    run.process.stdin.close()  # all that is left of a parent that was killed
    run.process.wait(15)
    deadline = time.monotonic() + 15
    with contextlib.suppress(ProcessLookupError):
        while Path(f"/proc/{kernel}/stat").read_text().split(") ")[1][0] != "Z":
            os.kill(kernel, 0)
            assert time.monotonic() < deadline, "the kernel outlived its run"
            time.sleep(0.05)


def test_a_second_run_in_the_same_place_is_refused(tmp_path: Path, make_notebook) -> None:
    path = make_notebook(tmp_path / "01_a.ipynb")
    layout = Layout.under(tmp_path / "out")
    with layout.locked(), pytest.raises(UnisonError, match="another run is writing"):
        run_notebook(path, {}, layout)


def test_what_a_killed_process_left_half_written_is_swept_away(tmp_path: Path) -> None:
    layout = Layout.under(tmp_path)
    layout.figures.mkdir(parents=True)
    dead = layout.figures / ".fig01_x.4194305.tmp.svg"  # above the largest process id there can be
    alive = layout.figures / f".fig01_x.{os.getppid()}.tmp.svg"
    for path in (dead, alive, layout.figures / ".gitkeep"):
        path.write_text("")
    with layout.locked():
        assert sorted(path.name for path in layout.figures.iterdir()) == sorted([alive.name, ".gitkeep"])
