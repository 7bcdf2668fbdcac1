"""The cache of compiled kernels does not outlive an edit of any of their sources."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

from unison import paths
from unison.checks.failed import CheckFailed

_HELPER = """\
from unison.replay.jit import helper

@helper
def step(x):
    return x + {step}
"""
_KERNEL = """\
from unison.replay.helping import step
from unison.replay.jit import kernel

@kernel
def run(x):
    return step(x)
"""
_COPIED = ("__init__.py", "paths.py", "replay/__init__.py", "replay/jit.py")


def small_package(folder: Path) -> Path:
    """A copy of what compiles the kernels, with a kernel that adds 1 by a helper in another file.

    Parameters
    ----------
    folder : pathlib.Path
        Empty.

    Returns
    -------
    pathlib.Path
        Its sources of replay/.
    """
    replay = folder / "unison" / "replay"
    replay.mkdir(parents=True)
    for name in _COPIED:
        shutil.copy(paths.ROOT / "unison" / name, folder / "unison" / name)
    (replay / "helping.py").write_text(_HELPER.format(step=1), encoding="utf-8")
    (replay / "small.py").write_text(_KERNEL, encoding="utf-8")
    return replay


def check_compiled(folder: Path) -> None:
    """Compile the kernel of a `small_package`, let its helper add 2, and run it again.

    Raises
    ------
    CheckFailed
        If the kernel still adds 1.
    """
    shutil.rmtree(folder / "build", ignore_errors=True)
    for step in (1, 2):
        source = folder / "unison" / "replay" / "helping.py"
        source.write_text(_HELPER.format(step=step), encoding="utf-8")
        found = _run(folder)
        if found != str(step):
            raise CheckFailed(
                f"the compiled kernel adds {found} where its source adds {step}: it is older than the source"
            )


def _run(folder: Path) -> str:
    """What the kernel makes of 0, in a process of its own."""
    environment = {k: v for k, v in os.environ.items() if not k.startswith("NUMBA_")}
    done = subprocess.run(
        [sys.executable, "-B", "-c", "from unison.replay.small import run; print(run(0))"],
        cwd=folder,
        env=environment | {"PYTHONPATH": str(folder)},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise RuntimeError(f"the small package does not run: {done.stderr[-500:]}")
    return done.stdout.strip()
