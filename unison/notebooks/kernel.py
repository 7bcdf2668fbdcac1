"""The kernel of a notebook run: this very Python, whatever is installed or configured on the machine."""

from __future__ import annotations

import os
import signal
import sys
from typing import Any, ClassVar

from jupyter_client.kernelspec import KernelSpec, KernelSpecManager
from jupyter_client.manager import AsyncKernelManager
from traitlets import default


class PrivateSpecs(KernelSpecManager):
    """The one kernel there is, under every name: ``sys.executable``."""

    def get_kernel_spec(self, kernel_name: str) -> KernelSpec:
        """Its spec, without looking at installed ones."""
        argv = [sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}"]
        return KernelSpec(argv=argv, display_name="Python 3", language="python", name=kernel_name)


class PrivateKernelManager(AsyncKernelManager):
    """A kernel manager that starts `PrivateSpecs` and can kill what it started."""

    started: ClassVar[list[PrivateKernelManager]] = []

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.started.append(self)

    @default("kernel_spec_manager")
    def _kernel_spec_manager_default(self) -> KernelSpecManager:
        return PrivateSpecs(parent=self)

    @classmethod
    def kill_all(cls) -> None:
        """Kill each kernel's process group."""
        for manager in cls.started:
            pid = getattr(manager.provisioner, "pid", None)
            if pid is not None:
                try:
                    os.killpg(pid, signal.SIGKILL)
                except (ProcessLookupError, PermissionError):
                    continue
