"""Building a simulation of one configuration, once: it is kept under the hash of what it is made of."""

from __future__ import annotations

import hashlib
import os
import shlex
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path

from unison.errors import UnisonError
from unison.files import atomic_path
from unison.paths import BUILD
from unison.rtl.config import Config
from unison.rtl.cosim.toolchain import Toolchain
from unison.rtl.csr_map import registers
from unison.rtl.csr_types import Address, Kind

SHIM = Path(__file__).with_name("shim.cpp")
FOLDER = BUILD / "rtl" / "cosim"
TOP = "unison_top"
PREFIX = "Vunison"
VERILATOR_FLAGS = ("--cc", "-O3", "--x-assign", "unique", "--x-initial", "unique", "-Wno-fatal")
COMPILER_FLAGS = ("-std=c++17", "-O1", "-fPIC", "-fno-strict-aliasing", "-w")
DEFINITIONS = {
    "VERILATOR": 1,
    "VM_COVERAGE": 0,
    "VM_SC": 0,
    "VM_TIMING": 0,
    "VM_TRACE_FST": 0,
    "VM_TRACE_SAIF": 0,
}
LIMIT_SECONDS = 600.0
"""Limit of one run of Verilator or of the compiler, which take seconds."""

SHIM_ADDRESSES = (
    Address.STATUS,
    Address.EV_ARG,
    Address.EV_DATA,
    Address.EV_DATA_HI,
    Address.EV_PUSH,
    Address.RSP_INFO,
    Address.RSP_DATA,
    Address.RSP_POP,
    Address.PERF_BUSY_CYCLES,
)
SHIM_BITS = ("BUSY", "EV_FULL", "RSP_FULL", "RSP_EMPTY")


def build_simulation(
    tools: Toolchain, config: Config, sources: Sequence[Path], *, trace: bool = False, folder: Path = FOLDER
) -> Path:
    """The shared library that simulates some Verilog; built if it is not there.

    Parameters
    ----------
    tools : Toolchain
    config : Config
        Of the Verilog.
    sources : sequence of pathlib.Path
        Verilog files with the module `TOP`.
    trace : bool
        Able to write waveforms, which makes it slower.
    folder : pathlib.Path
        Where built libraries are kept.

    Raises
    ------
    UnisonError
        If Verilator or the compiler fails, with the end of what it said.
    """
    definitions = {
        **DEFINITIONS,
        **_shim_definitions(config),
        "VM_TRACE": int(trace),
        "VM_TRACE_VCD": int(trace),
    }
    flags = [*VERILATOR_FLAGS, *(["--trace"] if trace else [])]
    texts = [path.read_bytes() for path in (*sources, SHIM)]
    library = folder / f"{_key(tools.identity, flags, COMPILER_FLAGS, definitions, *texts)}.so"
    if library.exists():
        return library
    runtime = _runtime(tools, folder, trace=trace)
    with tempfile.TemporaryDirectory(prefix="unison-") as name:
        work = Path(name)
        _verilate(tools, sources, flags, work)
        unit = work / "unit.cpp"
        parts = sorted(path.name for path in work.glob(f"{PREFIX}*.cpp"))
        unit.write_text("".join(f'#include "{part}"\n' for part in parts), encoding="utf-8")
        shim = work / "shim.cpp"
        shim.write_bytes(SHIM.read_bytes())
        with atomic_path(library) as temporary:
            _compile(tools, definitions, ["-I", work, unit, shim, *runtime, "-shared", "-pthread"], temporary)
    return library


def _shim_definitions(config: Config) -> dict[str, int]:
    """What shim.cpp takes from the register map."""
    status = next(register for register in registers(config) if register.address == Address.STATUS)
    return {
        **{f"UNISON_{address.name}": int(address) for address in SHIM_ADDRESSES},
        **{f"UNISON_{name}_BIT": status.field(name).low for name in SHIM_BITS},
        "UNISON_DONE": int(Kind.DONE),
    }


def _runtime(tools: Toolchain, folder: Path, *, trace: bool) -> list[Path]:
    """Verilator's own C++ sources, compiled once for all simulations."""
    names = ["verilated.cpp", "verilated_threads.cpp", *(["verilated_vcd_c.cpp"] if trace else [])]
    objects = []
    for name in names:
        source = tools.root / "include" / name
        key = _key(tools.identity, COMPILER_FLAGS, DEFINITIONS, int(trace), source.read_bytes())
        target = folder / "runtime" / f"{source.stem}-{key}.o"
        if not target.exists():
            definitions = {**DEFINITIONS, "VM_TRACE": int(trace), "VM_TRACE_VCD": int(trace)}
            with atomic_path(target) as temporary:
                _compile(tools, definitions, ["-c", source], temporary)
        objects.append(target)
    return objects


def _verilate(tools: Toolchain, sources: Sequence[Path], flags: Sequence[str], work: Path) -> None:
    names = ["--prefix", PREFIX, "--top-module", TOP]
    command: list[str | Path] = [tools.verilator, *flags, *names, "-Mdir", work, *sources]
    _run(command, {**os.environ, "VERILATOR_ROOT": str(tools.root)})


def _compile(
    tools: Toolchain, definitions: dict[str, int], arguments: Sequence[str | Path], output: Path
) -> None:
    include = tools.root / "include"
    paths: list[str | Path] = ["-I", include, "-I", include / "vltstd"]
    defines = [f"-D{name}={value}" for name, value in definitions.items()]
    _run([*tools.compiler, *COMPILER_FLAGS, *defines, *paths, *arguments, "-o", output])
    if not output.exists():
        raise UnisonError(
            f"{shlex.join(tools.compiler)} ended without an error but made no output; name a C++ compiler "
            "with CXX=..., or leave CXX unset"
        )


def _run(command: Sequence[str | Path], environment: dict[str, str] | None = None) -> None:
    try:
        done = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            env=environment,
            timeout=LIMIT_SECONDS,
        )
    except subprocess.TimeoutExpired:
        raise UnisonError(
            f"{Path(command[0]).name} did not end within {LIMIT_SECONDS:g} s; name another C++ compiler with "
            "CXX=..., or leave CXX unset"
        ) from None
    if done.returncode:
        said = " / ".join(done.stdout.splitlines()[-12:])
        said = said or "it said nothing; another C++ compiler is named with CXX=..."
        raise UnisonError(f"{Path(command[0]).name} failed: {said} (exit status {done.returncode})")


def _key(*parts: object) -> str:
    found = hashlib.sha256()
    for part in parts:
        data = part if isinstance(part, bytes) else repr(part).encode()
        found.update(len(data).to_bytes(8, "big") + data)
    return found.hexdigest()[:24]
