"""``unison replay``: the table and the JSON, every way to name an envelope, and errors in one line."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import jsonschema
import numpy as np
import pytest
from click.testing import CliRunner
from support import logs
from support.sessions import make_corpus

from unison.cli import main
from unison.config import load_defaults
from unison.device import costs_for
from unison.experiments.runner import DEFAULT_MODEL, Evaluator
from unison.metrics import METRICS
from unison.replay.envelope import parse_envelope
from unison.schemas import load_schema
from unison.traces.schema import write_corpus
from unison.traces.synthetic import CORPORA, base_schedule, synthesize

NAME = "gaia-gemma4"


def run(*arguments: Any) -> tuple[int, str, str]:
    result = CliRunner().invoke(main, ["replay", *map(str, arguments)])
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result.exit_code, result.stdout, result.stderr


def replayed(*arguments: Any, corpus: object = NAME, policy: str = "lru") -> dict[str, Any]:
    """The JSON of a replay that must succeed and follow the published schema."""
    status, out, err = run("--corpus", corpus, "--policy", policy, "--format", "json", *arguments)
    assert (status, err) == (0, "")
    document: dict[str, Any] = json.loads(out)
    jsonschema.validate(document, load_schema("replay"))
    return document


def refusal(*arguments: Any) -> str:
    """The error of a replay that must fail in one line with status 2."""
    given = [*map(str, arguments)]
    for option, value in (("--corpus", NAME), ("--policy", "lru")):
        if option not in given:
            given += [option, value]
    status, out, err = run(*given)
    assert (status, out) == (2, "")
    assert err.startswith("unison: error: ")
    assert err.count("\n") == 1
    assert "Traceback" not in err
    return err


@pytest.fixture
def imported(tmp_path: Path) -> Path:
    """A corpus file: three sessions with times, one without, one of unknown end."""
    gaps = [5.0, 20.0, 1.0, 60.0, -1.0, 3.0, 4.0]
    path = tmp_path / "mine.parquet"
    write_corpus(make_corpus([3, 3, 2, 3], [1, 0, 1, -1], gaps_s=gaps, name="mine"), path)
    return path


# --- what is printed ------------------------------------------------------------------------------------


def test_json_is_the_replay_measured():
    document = replayed("--envelope", "client", "--tide", policy="spear")
    trace = base_schedule(synthesize(NAME))
    envelope = parse_envelope("client", model="gemma4")
    expected = Evaluator()(trace, "spear", envelope, tide=True)
    assert {entry.name: document[entry.name] for entry in METRICS} == {
        entry.name: expected[entry.name] for entry in METRICS
    }
    assert document["promotions"] > 0


def test_json_says_what_was_replayed():
    document = replayed("--load", 2, "--seed", 3, policy="timeout")
    trace = base_schedule(synthesize(NAME), load=2, seed=3)
    about = {name: value for name, value in document.items() if name not in {e.name for e in METRICS}}
    assert about == {
        "corpus": NAME,
        "sessions": 128,
        "turns": trace.corpus.n_turns,
        "sessions_left_out": 0,
        "completion_unknown": 0,
        "max_live": trace.max_live,
        "mean_live_tokens": trace.mean_live_tokens,
        "load": 2.0,
        "seed": 3,
        "model": "gemma4",
        "envelope": load_defaults().replay.envelope,
        "capacity_tokens": [12_000, 48_000],
        "slots": load_defaults().replay.slots,
        "policy": "timeout",
        "parameters": {"theta_s": 60},
        "info": "F1",
        "sees_completion": False,
        "tide": False,
    }


def test_table_shows_every_setting_and_every_metric_with_unit_and_meaning():
    document = replayed()
    status, out, err = run("--corpus", NAME, "--policy", "lru")
    assert (status, err) == (0, "")
    settings, metrics = out.split("\n\n")
    names = {entry.name for entry in METRICS}
    lines = settings.splitlines()
    assert lines[0].split() == ["setting", "value"]
    assert [line.split()[0] for line in lines[1:]] == [name for name in document if name not in names]
    rows = metrics.splitlines()
    assert rows[0].split() == ["metric", "value", "unit", "meaning"]
    for row, entry in zip(rows[1:], METRICS, strict=True):
        name, value, unit, meaning = row.split(maxsplit=3)
        assert (name, unit, meaning) == (entry.name, entry.unit, entry.meaning)
        assert float(value) == pytest.approx(document[name], rel=1e-5)


def test_two_runs_print_the_same():
    arguments = ("--corpus", NAME, "--policy", "spear", "--tide", "--format", "json")
    assert run(*arguments) == run(*arguments)


def test_help_shows_every_default():
    status, out, _ = run("--help")
    assert status == 0
    words = " ".join(out.split())
    defaults = load_defaults().replay
    for default in (defaults.envelope, str(defaults.slots), "no-tide", "1.0", "0", "table"):
        assert f"[default: {default}]" in words
    assert f"{DEFAULT_MODEL} for an imported one" in words


def test_defaults_are_those_that_the_help_shows():
    defaults = load_defaults().replay
    plain = replayed()
    told = replayed(
        "--envelope", defaults.envelope, "--slots", defaults.slots, "--load", 1, "--seed", 0, "--no-tide",
        "--model", "gemma4",
    )  # fmt: skip
    assert plain == told


# --- corpora --------------------------------------------------------------------------------------------


def test_corpus_file_is_replayed_with_what_was_left_out(imported: Path):
    document = replayed(corpus=imported)
    assert document["corpus"] == "mine"
    assert (document["sessions"], document["turns"]) == (3, 9)
    assert (document["sessions_left_out"], document["completion_unknown"]) == (1, 1)
    assert document["model"] == DEFAULT_MODEL


def test_common_table_is_replayed_too(tmp_path: Path):
    columns = logs.table_columns() | {"gap_s": [0.0, 1.0, 0.0, 1.0]}
    (tmp_path / "logs.csv").write_bytes(logs.table_csv(columns))
    assert replayed(corpus=tmp_path / "logs.csv")["sessions"] == 2


def test_one_session_of_one_turn_is_replayed(tmp_path: Path):
    write_corpus(make_corpus([1]), tmp_path / "one.parquet")
    document = replayed(corpus=tmp_path / "one.parquet")
    assert (document["hit_rate"], document["miss_first_turn"]) == (0, 1)


# --- envelopes ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", load_defaults().envelope.names)
def test_envelope_by_name(name: str):
    document = replayed("--envelope", name)
    expected = parse_envelope(name, model="gemma4")
    assert document["envelope"] == name
    assert document["capacity_tokens"] == [tier.capacity_tokens for tier in expected.tiers]


@pytest.mark.parametrize(
    ("text", "capacities"), [("12000,48000", [12_000, 48_000]), ("500", [500]), ("1_000, 0,7", [1000, 0, 7])]
)
def test_envelope_in_tokens(text: str, capacities: list[int]):
    assert replayed("--envelope", text)["capacity_tokens"] == capacities


def test_envelope_as_a_share_of_the_live_tokens_at_load_1():
    live = base_schedule(synthesize(NAME)).mean_live_tokens
    for load in (1, 4):
        document = replayed("--envelope", "x1/4", "--load", load)
        total = math.floor(live / 4)
        assert sum(document["capacity_tokens"]) == total
        assert document["capacity_tokens"][0] == total // 5


def test_envelope_in_bytes_of_the_model():
    for model in ("gemma4", "qwen3"):
        tokens = [size * 2**30 // costs_for(model).kv_bytes_per_token for size in (1, 4)]
        document = replayed("--envelope", "1 GiB,4 GiB", "--model", model)
        assert document["capacity_tokens"] == tokens
        assert document["model"] == model


# --- options --------------------------------------------------------------------------------------------


def test_tide_moves_tokens_only_when_asked():
    assert replayed("--no-tide", policy="spear")["moved_tokens"] == 0
    document = replayed("--tide", policy="spear")
    assert document["tide"] is True
    assert document["moved_tokens"] > 0


def test_fewer_slots_hit_less():
    one, many = replayed("--slots", 1, "--envelope", "cxl"), replayed("--slots", 10**12, "--envelope", "cxl")
    assert (one["slots"], many["slots"]) == (1, 10**12)
    assert one["hit_rate"] < many["hit_rate"]


def test_load_shortens_the_spacing_and_lengthens_the_queue():
    light, heavy = replayed("--load", 1), replayed("--load", 8)
    assert heavy["max_live"] > light["max_live"]
    assert heavy["ttft_p99_s"] > light["ttft_p99_s"]


def test_seed_changes_the_schedule():
    assert replayed("--seed", 1)["mean_live_tokens"] != replayed("--seed", 2)["mean_live_tokens"]


def test_model_prices_a_token_and_nothing_else():
    own, other = replayed(), replayed("--model", "devstral")
    assert other["model"] == "devstral"
    assert other["amat_ns"] != own["amat_ns"]
    assert other["hit_rate"] == own["hit_rate"]


def test_set_gives_a_policy_its_parameters():
    document = replayed("--set", "theta_s=0.5", policy="timeout")
    assert document["parameters"] == {"theta_s": 0.5}
    assert document["miss_timeout"] > replayed(policy="timeout")["miss_timeout"]


def test_set_keeps_whole_numbers_whole_and_may_be_repeated():
    document = replayed("--set", "max_hops=2", "--set", "tau=0", policy="cachescout")
    assert document["parameters"]["max_hops"] == 2
    assert isinstance(document["parameters"]["max_hops"], int)
    assert document["parameters"]["tau"] == 0.0


# --- errors ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("--corpus", "gaia-gema4"), "unknown corpus 'gaia-gema4'; did you mean 'gaia-gemma4'"),
        (("--policy", "belaty"), "unknown policy 'belaty'; did you mean 'belady'"),
        (("--envelope", "edgy"), "unknown envelope 'edgy'; did you mean 'edge'"),
        (("--envelope", ""), "unknown envelope ''"),
        (("--envelope", "1,2,3,4"), "4 tiers, expected 1 to 3"),
        (("--envelope", "-5,10"), "capacities and shares are 0 or more"),
        (("--envelope", "12000;48000"), "Give a name, S,H in tokens"),
        (("--envelope", "x1/0"), "division by 0"),
        (("--envelope", "1 GiB,4000"), "not all in GiB or MiB"),
        (("--model", "qwen"), "unknown model 'qwen'; did you mean 'qwen3'"),
        (("--model", ""), "unknown model ''"),
        (("--load", "fast"), "'fast' is not a valid float"),
        (("--load", "0"), "load must be finite and above 0, at most 1e+06; given 0.0"),
        (("--load", "-1"), "load must be finite and above 0"),
        (("--load", "nan"), "load must be finite and above 0"),
        (("--load", "inf"), "load must be finite and above 0"),
        (("--slots", "0"), "0 slots, expected at least 1"),
        (("--slots", "many"), "'many' is not a valid integer"),
        (("--seed", "-1"), "seed must be at least 0; given -1"),
        (("--seed", "1.5"), "'1.5' is not a valid integer"),
        (("--format", "xml"), "'xml' is not one of 'table', 'json'"),
        (("--tides",), "No such option '--tides'"),
        (("--set", "theta_s=1"), "unknown parameter of policy lru 'theta_s'. Allowed: (it has none)"),
        (("--policy", "timeout", "--set", "theta=1"), "'theta'; did you mean 'theta_s'"),
        (("--policy", "timeout", "--set", "theta_s"), "--set 'theta_s': expected NAME=NUMBER"),
        (("--policy", "timeout", "--set", "theta_s="), "found '', expected a finite number"),
        (("--policy", "timeout", "--set", "theta_s=soon"), "found 'soon', expected a finite number"),
        (("--policy", "timeout", "--set", "theta_s=nan"), "found 'nan', expected a finite number"),
        (("--policy", "timeout", "--set", "theta_s=inf"), "found 'inf', expected a finite number"),
        (("--policy", "timeout", "--set", "theta_s=-1"), "theta_s must be above 0"),
        (("--policy", "timeout", "--set", "theta_s=1", "--set", "theta_s=2"), "theta_s is given twice"),
        (("--policy", "spear", "--set", "tide=1"), "unknown parameter of policy spear 'tide'"),
        (("--policy", "spear", "--set", "hazard=1"), "unknown parameter of policy spear 'hazard'"),
        (("--policy", "spear", "--set", "signals=1"), "unknown parameter of policy spear 'signals'"),
        (("--policy", "cachescout", "--set", "max_hops=1.5"), "found '1.5', expected a whole number"),
        (("--policy", "cachescout", "--set", "max_hops=0"), "max_hops must be at least 1"),
    ],
)
def test_mistake_is_told_in_one_line(arguments: tuple[str, ...], told: str):
    assert told in refusal(*arguments)


@pytest.mark.parametrize("missing", ["--corpus", "--policy"])
def test_corpus_and_policy_are_needed(missing: str):
    given = {"--corpus": NAME, "--policy": "lru"}
    del given[missing]
    status, _, err = run(*[part for pair in given.items() for part in pair])
    assert status == 2
    assert f"Missing option '{missing}'" in err
    assert err.count("\n") == 1


def test_missing_file_is_told_with_the_names_there_are(tmp_path: Path):
    told = refusal("--corpus", tmp_path / "none.parquet")
    assert f"{tmp_path / 'none.parquet'}: no such file" in told
    assert all(name in told for name in CORPORA)


def test_folder_is_not_a_corpus(tmp_path: Path):
    assert f"{tmp_path}: a folder" in refusal("--corpus", tmp_path)


def test_text_file_is_not_a_corpus(tmp_path: Path):
    path = tmp_path / "notes.txt"
    path.write_text("these are\nnotes\n", encoding="utf-8")
    assert f"{path}: neither made by `unison import` nor a clean common table" in refusal("--corpus", path)


def test_dirty_table_is_told_with_its_first_problem(tmp_path: Path):
    columns = logs.table_columns()
    columns["output_tokens"][2] = 0.5
    path = tmp_path / "dirty.csv"
    path.write_bytes(logs.table_csv(columns))
    assert "line 4, field output_tokens: found 0.5" in refusal("--corpus", path)


def test_corpus_without_times_cannot_be_replayed(tmp_path: Path):
    write_corpus(make_corpus([2, 2], gaps_s=-1, services_s=-1, name="untimed"), tmp_path / "a.parquet")
    told = refusal("--corpus", tmp_path / "a.parquet")
    assert "corpus 'untimed': no session has both gaps and service times" in told


def test_share_of_a_corpus_without_tokens_is_an_error(tmp_path: Path):
    corpus = make_corpus([2, 2])
    for column in (corpus.prompt_tokens, corpus.new_prompt_tokens, corpus.output_tokens):
        column[:] = 0
    assert np.all(corpus.length == 0)
    write_corpus(corpus, tmp_path / "a.parquet")
    assert "0.0 mean live tokens" in refusal("--corpus", tmp_path / "a.parquet", "--envelope", "x1/4")
    assert replayed(corpus=tmp_path / "a.parquet")["amat_ns"] == 0
