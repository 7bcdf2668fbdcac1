"""Compilation of the kernels, with a cache that no edit can leave stale."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

import numba

from unison.paths import BUILD

_Kernel = TypeVar("_Kernel", bound=Callable)
_NJIT: Any = numba.njit  # its stubs know neither the options nor the settings used here
_CONFIG: Any = numba.config
# No kernel allocates, so none needs numba's reference counts (_nrt), which would cost most of the time.
_PLAIN = {"nogil": True, "error_model": "numpy", "_nrt": False}
_HERE = Path(__file__).resolve().parent


@cache
def source_hash() -> str:
    """Hash of this folder's sources, which decide what the kernels compute, and of numba's version."""
    digest = hashlib.sha256(numba.__version__.encode())
    for source in sorted(_HERE.glob("*.py")):
        digest.update(source.read_bytes())
    return digest.hexdigest()[:16]


def kernel(function: _Kernel) -> _Kernel:
    """Compile a function that Python calls; its compiled form is cached under the hash of all kernel sources.

    numba's own cache looks only at the file of the function called, so that an edit of a helper in another
    file would go unnoticed; a folder a hash does not have that flaw.
    """
    _CONFIG.CACHE_DIR = str(BUILD / "numba" / source_hash())
    compiled: _Kernel = _NJIT(cache=True, **_PLAIN)(function)
    return compiled


def helper(function: _Kernel) -> _Kernel:
    """Compile a function that only kernels call: inlined, without a wrapper for Python or its own cache."""
    bare = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True, "forceinline": True}
    compiled: _Kernel = _NJIT(**bare, **_PLAIN)(function)
    return compiled
