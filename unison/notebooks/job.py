"""What passes from the process that runs a series to the one that executes a notebook."""

from __future__ import annotations

import json
import os
from dataclasses import asdict, dataclass
from pathlib import Path

from unison.files import write_text
from unison.notebooks.parameters import Value

WORKER = "unison.notebooks.worker"
"""The module that executes a notebook and renders its page."""

_DROPPED = (
    "JUPYTER_PATH",
    "JUPYTER_CONFIG_PATH",
    "JUPYTER_DEFAULT_PROVISIONER",
    "MATPLOTLIBRC",
    "MPLBACKEND",
    "PYTHONSTARTUP",
)


def private_environment(home: Path) -> dict[str, str]:
    """This process's environment with every Jupyter, IPython and matplotlib folder moved below `home`.

    Sets hash in one order and progress bars are off.

    Parameters
    ----------
    home : pathlib.Path
        A folder of build/.
    """
    kept = {name: value for name, value in os.environ.items() if name not in _DROPPED}
    return kept | {
        "JUPYTER_CONFIG_DIR": str(home / "config"),
        "JUPYTER_DATA_DIR": str(home / "data"),
        "JUPYTER_RUNTIME_DIR": str(home / "runtime"),
        "JUPYTER_PLATFORM_DIRS": "1",
        "IPYTHONDIR": str(home / "ipython"),
        "MPLCONFIGDIR": str(home / "matplotlib"),
        "PYTHONHASHSEED": "0",
        "TQDM_DISABLE": "1",
        "PYDEVD_DISABLE_FILE_VALIDATION": "1",
    }


@dataclass(frozen=True)
class Job:
    """What a worker is asked to do.

    Attributes
    ----------
    notebook : str
        Path of the source.
    folder : str
        Where to write.
    parameters : dict of str to Value
        Checked values.
    cell_timeout_s : float
        Longest time one cell may take [s].
    """

    notebook: str
    folder: str
    parameters: dict[str, Value]
    cell_timeout_s: float

    @classmethod
    def read(cls, path: Path) -> Job:
        """The job written by `write`."""
        return cls(**json.loads(path.read_text(encoding="utf-8")))

    def write(self, path: Path) -> None:
        """Write the job as JSON."""
        write_text(path, json.dumps(asdict(self)))
