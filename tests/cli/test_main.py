"""The command line: help, errors in one line, exit statuses, lazy commands, and JSON by its schema."""

from __future__ import annotations

import importlib
import json
import subprocess
import sys

import click
import jsonschema
import pytest
from click.testing import CliRunner

import unison
from unison.cli import COMMANDS, main
from unison.cli.group import LazyCommand, LazyGroup
from unison.cli.output import show_json, show_table
from unison.config import load_defaults
from unison.errors import UnisonError
from unison.policies import registry
from unison.schemas import load_schema, schema_names


def run(*arguments: str, program: click.Command = main) -> tuple[int, str, str]:
    result = CliRunner().invoke(program, list(arguments))
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result.exit_code, result.stdout, result.stderr


@pytest.fixture
def faulty(monkeypatch: pytest.MonkeyPatch):
    """A program whose only command does what is given."""

    def program(action) -> LazyGroup:
        module = type(sys)("faulty_command")
        module.faulty_command = click.command("faulty")(action)
        monkeypatch.setitem(sys.modules, "faulty_command", module)
        lazy = {"faulty": LazyCommand("faulty_command", "faulty_command", "Fails.")}
        return LazyGroup("unison", lazy=lazy)

    return program


def test_version_is_the_packages():
    assert run("--version") == (0, f"unison, version {unison.__version__}\n", "")


@pytest.mark.parametrize("arguments", [(), ("--help",)])
def test_help_lists_every_command(arguments: tuple[str, ...]):
    status, out, err = run(*arguments)
    assert (status, err) == (0, "")
    for name, entry in COMMANDS.items():
        assert f"  {name} " in out
        assert entry.summary[:30] in out


@pytest.mark.parametrize("name", COMMANDS)
def test_every_listed_command_exists(name: str):
    entry = COMMANDS[name]
    command = getattr(importlib.import_module(entry.module), entry.attribute)
    assert isinstance(command, click.Command)
    status, out, _ = run(name, "--help")
    assert status == 0
    assert out.startswith(f"Usage: unison {name}")


def test_help_imports_nothing_heavy():
    code = (
        "import sys, unison.cli\n"
        "try: unison.cli.main(['--help'])\n"
        "except SystemExit: pass\n"
        "heavy = {'numpy', 'pandas', 'numba', 'matplotlib', 'pyarrow', 'unison.config'} & set(sys.modules)\n"
        "sys.exit(f'imported {sorted(heavy)}' if heavy else 0)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_an_unknown_command_names_the_nearest():
    status, out, err = run("polices")
    assert (status, out) == (2, "")
    assert err.startswith("unison: error: unknown command 'polices'; did you mean 'policies'?")
    assert err.count("\n") == 1


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("--nope",), "unison: error: No such option '--nope'; see unison --help\n"),
        (("policies", "--format", "xml"), "unison: error: Invalid value for '--format': 'xml' is not one of"),
        (
            ("policies", "more"),
            "unison: error: Got unexpected extra argument (more); see unison policies --help",
        ),
    ],
)
def test_a_usage_error_is_one_line_with_status_2(arguments: tuple[str, ...], told: str):
    status, out, err = run(*arguments)
    assert (status, out) == (2, "")
    assert err.startswith(told)
    assert err.count("\n") == 1


def test_a_user_error_is_one_line_without_traceback(faulty):
    def action() -> None:
        raise UnisonError("file.parquet: row 3:\n  no such column")

    status, out, err = run("faulty", program=faulty(action))
    assert (status, out, err) == (2, "", "unison: error: file.parquet: row 3: no such column\n")


def test_an_interrupt_exits_with_130(faulty):
    def action() -> None:
        raise KeyboardInterrupt

    status, _, err = run("faulty", program=faulty(action))
    assert status == 130
    assert err.strip() == "unison: interrupted"


def test_a_fault_of_the_program_keeps_its_traceback(faulty):
    def action() -> None:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        run("faulty", program=faulty(action))


@pytest.mark.parametrize(("returned", "status"), [(None, 0), (0, 0), (3, 3), (True, 0), ("text", 0)])
def test_a_command_may_return_its_exit_status(faulty, returned: object, status: int):
    assert run("faulty", program=faulty(lambda: returned))[0] == status


def test_a_command_may_exit_with_a_status(faulty):
    assert run("faulty", program=faulty(lambda: click.get_current_context().exit(5)))[0] == 5


def test_a_missing_module_stops_only_its_own_command():
    lazy = {
        "gone": LazyCommand("unison.cli.gone_command", "gone_command", "Is not there."),
        "policies": COMMANDS["policies"],
    }
    program = LazyGroup("unison", lazy=lazy)
    status, _, err = run("gone", program=program)
    assert status == 2
    assert err == (
        "unison: error: the command 'gone' is not installed (unison.cli.gone_command is missing); "
        "install unison again\n"
    )
    assert run("policies", program=program)[0] == 0
    assert run("--help", program=program)[0] == 0


def test_a_module_that_a_command_lacks_is_not_mistaken_for_the_command(monkeypatch, tmp_path):
    (tmp_path / "broken_command.py").write_text("import no_such_module_at_all\n", encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    program = LazyGroup("unison", lazy={"broken": LazyCommand("broken_command", "broken_command", "Broken.")})
    with pytest.raises(ModuleNotFoundError, match="no_such_module_at_all"):
        run("broken", program=program)


def test_main_without_standalone_mode_raises(faulty):
    def action() -> None:
        raise UnisonError("told")

    with pytest.raises(UnisonError, match="told"):
        faulty(action).main(["faulty"], standalone_mode=False)


@pytest.mark.parametrize("lines", [1, 100_000])
def test_a_closed_pipe_is_silent(lines: int):
    code = (
        "import sys, click, time\n"
        "from unison.cli.group import LazyCommand, LazyGroup\n"
        "@click.command('loud')\n"
        "def loud():\n"
        "    sys.stdin.read()\n"
        f"    for _ in range({lines}): print('line')\n"
        "LazyGroup('unison', lazy={'loud': LazyCommand('__main__', 'loud', 'Loud.')})(['loud'])\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        process.stdin.close()
        assert process.stderr.read() == b""
        assert process.wait(timeout=60) == 141


def test_policies_json_follows_its_schema():
    status, out, err = run("policies", "--format", "json")
    assert (status, err) == (0, "")
    listed = json.loads(out)
    jsonschema.validate(listed, load_schema("policies"))
    assert [entry["name"] for entry in listed] == [entry.name for entry in registry.all_policies()]


@pytest.fixture
def one_policy(monkeypatch: pytest.MonkeyPatch) -> None:
    """A registry with one stateful policy in it."""
    monkeypatch.setattr(registry, "_POLICIES", {})
    register = registry.policy(
        "made.up", title="the largest", citation="none", info=registry.InfoClass.F2, sees_completion=True,
        is_stateful=True, theta_s="timeout.theta_s", sweep="timeout.sweep_s",
    )  # fmt: skip
    register(lambda signals: None)


@pytest.mark.usefixtures("one_policy")
def test_policies_json_describes_the_registry():
    listed = json.loads(run("policies", "--format", "json")[1])
    jsonschema.validate(listed, load_schema("policies"))
    defaults = load_defaults().timeout
    assert listed == [
        {
            "name": "made.up",
            "title": "the largest",
            "citation": "none",
            "info": "F2",
            "sees_completion": True,
            "is_stateful": True,
            "is_ablation": False,
            "parameters": {"theta_s": defaults.theta_s, "sweep": list(defaults.sweep_s)},
        }
    ]


@pytest.mark.usefixtures("one_policy")
def test_policies_table_describes_the_registry():
    header, row = run("policies")[1].splitlines()
    assert header.split("  ")[0] == "name"
    assert row.split()[:4] == ["made.up", "F2", "seen", "stateful"]
    assert row.split()[4] == f"theta_s={load_defaults().timeout.theta_s:g}"
    assert header.index("evicts first") == row.index("the largest")


@pytest.mark.parametrize("name", schema_names())
def test_every_schema_is_valid_and_described(name: str):
    schema = load_schema(name)
    jsonschema.Draft202012Validator.check_schema(schema)
    assert schema["title"].startswith("unison ")


def test_an_unknown_schema_names_the_nearest():
    with pytest.raises(UnisonError, match=r"unknown schema 'policy'; did you mean 'policies'"):
        load_schema("policy")


def test_json_output_refuses_nan():
    with pytest.raises(ValueError, match="not JSON compliant"):
        show_json({"hit_rate": float("nan")})


def test_a_table_is_aligned(capsys: pytest.CaptureFixture[str]):
    show_table(("a", "long"), [("wide cell", 1), ("x", 22)])
    assert capsys.readouterr().out == "a          long\nwide cell  1\nx          22\n"


@pytest.mark.parametrize(
    ("arguments", "option"),
    [
        (("replay", "--policy", "lru", "--policy", "spear"), "--policy"),
        (("replay", "--tide", "--no-tide"), "--tide"),
        (("policies", "--format", "json", "--format=json"), "--format"),
    ],
)
def test_an_option_given_twice_is_refused(arguments: tuple[str, ...], option: str):
    status, out, err = run(*arguments)
    assert (status, out) == (2, "")
    told = f"unison: error: {option} is given 2 times; give it once; see unison {arguments[0]} --help\n"
    assert err == told


def test_an_option_that_may_be_repeated_is_taken():
    status, _, err = run("reproduce", "--only", "none", "--only", "nothing")
    assert status == 2
    assert "unknown figure, table or notebook 'none'" in err
