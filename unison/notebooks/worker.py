"""The process that executes one notebook: ``python -m unison.notebooks.worker JOB.json``.

It writes ``executed.ipynb``, ``page.html`` and ``page.md`` into the job's folder, then ``result.json``. When
its standard input closes, because the process that started it has ended, it kills its kernel and ends.
"""

from __future__ import annotations

import json
import os
import sys
import threading
from pathlib import Path

from unison.errors import UnisonError
from unison.files import write_text
from unison.notebooks.job import Job


def main(job_path: Path) -> None:
    """Run the job and write its result: an empty object, or the message of what went wrong."""
    threading.Thread(target=_end_with_parent, daemon=True).start()
    _skip_uri_grammar()
    from unison.notebooks.execute import execute

    job = Job.read(job_path)
    try:
        execute(job)
        result: dict[str, str] = {}
    except UnisonError as error:
        result = {"error": str(error)}
    write_text(Path(job.folder) / "result.json", json.dumps(result))


def _skip_uri_grammar() -> None:
    """Keep jsonschema from an optional check of URIs, whose grammar takes seconds to compile on import."""
    sys.modules["rfc3987_syntax"] = None  # type: ignore[assignment]


def _end_with_parent() -> None:
    """Wait for the end of standard input, then end this process and its kernel."""
    os.read(sys.stdin.fileno(), 1)
    from unison.notebooks.kernel import PrivateKernelManager

    PrivateKernelManager.kill_all()
    os._exit(1)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
