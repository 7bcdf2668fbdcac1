"""The cosimulation: every variant against its model, what a fault leaves behind, and the command."""

from __future__ import annotations

import json
import re
import tempfile
from pathlib import Path

import jsonschema
import numpy as np
import pytest
from click.testing import CliRunner

from unison.cli import main
from unison.errors import UnisonError
from unison.files import write_text
from unison.paths import ROOT
from unison.rtl.config import VARIANTS, Config, default_config
from unison.rtl.cosim import cell, compare
from unison.rtl.cosim.compare import Bench, Run, Tally, compare_operations, require_configuration
from unison.rtl.cosim.failure import explain_operations, explain_run
from unison.rtl.cosim.operations import PIN, RESET, Op, Operations, configure
from unison.rtl.cosim.shrinking import shrink
from unison.rtl.cosim.simulation import Hung, Simulation
from unison.rtl.cosim.toolchain import Toolchain
from unison.rtl.csr_types import Address, Opcode
from unison.rtl.driver import drive, envelope_of, source_of
from unison.rtl.generate import render_ip
from unison.rtl.model import Event, Settings
from unison.rtl.random_events import Segment, random_segments
from unison.rtl.random_operations import random_operations
from unison.rtl.streams import EventStream, ResponseStream
from unison.schemas import load_schema
from unison.traces.library import load_corpus

N = 16
CORPUS, ENVELOPE = "gaia-gemma4", "edge"


def seeds(n: int) -> list[np.random.SeedSequence]:
    return np.random.SeedSequence(11).spawn(n)


# --- every variant against its model --------------------------------------------------------------------


@pytest.mark.parametrize("variant", VARIANTS)
def test_the_verilog_answers_a_corpus_as_the_replay_does(benches: dict[str, Bench], variant: str) -> None:
    bench = benches[variant]
    require_configuration(bench)
    found = cell.cosimulate(bench, source_of(load_corpus(CORPUS), bench.config), ENVELOPE)
    assert found.result == cell.PASSED
    assert found.failure is None
    assert found.tally.events > 3900
    assert found.tally.responses > found.tally.events
    assert found.tally.decisions > 1000
    assert found.tally.event_worst >= found.tally.decision_worst > 0


@pytest.mark.parametrize("variant", VARIANTS)
def test_the_verilog_answers_random_events_as_the_model_does(benches: dict[str, Bench], variant: str) -> None:
    total = Tally()
    for seed in seeds(4):
        total.add(
            compare.compare(
                benches[variant], Run("random", random_segments(default_config(variant, N), seed))
            )
        )
    assert total.mismatches == 0
    assert total.events > 2000


@pytest.mark.parametrize("variant", VARIANTS)
def test_the_verilog_answers_random_accesses_as_the_model_does(
    benches: dict[str, Bench], variant: str
) -> None:
    bench = benches[variant]
    total = Tally()
    for seed in seeds(2):
        total.add(compare_operations(bench, random_operations(bench.config, seed, 800)))
    assert total.mismatches == 0
    assert total.accesses > 1600


def test_events_pushed_one_at_a_time_are_answered_alike(benches: dict[str, Bench]) -> None:
    bench = benches["score_scan"]
    run = Run("random", random_segments(bench.config, seeds(1)[0]))
    slow, fast = (compare.compare(bench, run, serial=serial) for serial in (True, False))
    assert (slow.mismatches, fast.mismatches) == (0, 0)
    assert slow.event_worst > fast.event_worst == 0
    assert slow.cycles > fast.cycles


def test_the_mean_event_is_no_longer_than_the_worst(benches: dict[str, Bench]) -> None:
    # no room for anything: every event takes about as long, and the cycles of the commit would tip the mean
    bench = benches["score_scan"]
    times = cell.latencies(cell.cosimulate(bench, source_of(load_corpus(CORPUS), bench.config), "1,1").tally)
    assert 0 < times["event_mean_cycles"] <= times["event_worst_cycles"]


def test_the_cycles_of_events_leave_out_those_of_commits(benches: dict[str, Bench]) -> None:
    bench = benches["score_scan"]
    parts = random_segments(bench.config, seeds(1)[0])
    empty = [Segment(p.settings, p.tide, p.guard, EventStream.of([]), ResponseStream.of([])) for p in parts]
    with bench.simulation() as simulation:
        _, tally = compare.answers_of(simulation, empty, serial=True)
        assert simulation.read(Address.PERF_BUSY_CYCLES) > 0
    assert (tally.events, tally.busy_cycles) == (0, 0)


def test_a_decision_takes_a_scan(benches: dict[str, Bench]) -> None:
    # UNISON eq. (23)-(26): N + 5 cycles a scan in the paper's family; a tree takes about log2 N
    for variant, worst in {"scan_div": N + 5, "score_scan": N + 3, "score_tree": 12}.items():
        bench = benches[variant]
        source = source_of(load_corpus(CORPUS), bench.config)
        run = Run.of_vector(drive(source, envelope_of(source, ENVELOPE, bench.config), bench.config))
        assert 0 < compare.compare(bench, run).decision_worst <= worst


def test_what_has_no_reset_may_start_from_any_bits(benches: dict[str, Bench]) -> None:
    bench = benches["score_tree"]
    (part, *_) = random_segments(bench.config, seeds(1)[0])
    answers = []
    for seed in (1, 2, 3):
        with Simulation(bench.library, bench.config, seed=seed) as simulation:
            answers.append(compare.answers_of(simulation, [part])[0][0])
    assert all(other.first_difference(answers[0]) is None for other in answers)


# --- the bridge -----------------------------------------------------------------------------------------


def test_single_transfers(benches: dict[str, Bench]) -> None:
    bench = benches["score_scan"]
    with bench.simulation() as simulation:
        simulation.operate(Operations.of([RESET]))
        assert simulation.read(Address.VERSION) == bench.config.hash32
        with pytest.raises(UnisonError, match="reading 0x01c answered PSLVERR"):
            simulation.read(0x01C)
        answers = simulation.operate(Operations.of([Op.write(Address.ID, 1), Op.read(Address.ID), PIN]))
        assert answers.error.tolist() == [True, False, False]
        assert answers.data.tolist() == [0, 0x554E4953, 0]
        before = simulation.cycles
        simulation.read(Address.ID)
        assert simulation.cycles > before


def test_a_push_that_is_refused_ends_a_stream(benches: dict[str, Bench]) -> None:
    events = EventStream.of([Event(Opcode.DMA_DONE)])
    with benches["score_scan"].simulation() as simulation:
        simulation.operate(Operations.of([RESET]))
        with pytest.raises(Hung, match="answered PSLVERR after 1 of 1 events") as caught:
            simulation.stream(events)
        assert len(caught.value.answered) == 0


def test_other_verilog_is_not_taken_for_the_configuration(benches: dict[str, Bench]) -> None:
    bench = benches["score_scan"]
    other = Bench(bench.tools, default_config("score_scan", N, event_depth=16), bench.sources)
    with pytest.raises(UnisonError, match="generate it again"):
        require_configuration(other)


def test_settings_are_written_and_read_back(benches: dict[str, Bench]) -> None:
    bench = benches["scan_div_lut"]
    settings = Settings((5, 6), 7, 8, hazard=tuple(range(50)), penalties=tuple(range(100, 150)))
    with bench.simulation() as simulation:
        ops = [RESET, *configure(bench.config, settings, tide=True, guard=False)]
        assert not simulation.operate(Operations.of(ops)).error.any()
        assert [simulation.read(a) for a in (Address.CAP_SRAM, Address.CAP_HBM, Address.DMA_DIV)] == [5, 6, 8]
        assert simulation.read(Address.HAZARD + 4 * 49) == 49
        assert simulation.read(Address.PENALTY + 8 * 49) == 149
        assert simulation.read(Address.CTRL) == 1


# --- faults ---------------------------------------------------------------------------------------------


@pytest.fixture
def faulty(tools: Toolchain, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Bench:
    """Verilog that takes opcode 9 for COMPLETE, in folders with a space."""
    folder = tmp_path / "a b"
    (folder / "tmp").mkdir(parents=True)
    monkeypatch.setattr(tempfile, "tempdir", str(folder / "tmp"))
    config = default_config("score_scan", 4)
    changes = 0
    sources = []
    for name, text in render_ip(config).items():
        if name.endswith(".v"):
            text, count = re.subn(r"(OP_COMPLETE\s*=\s*4'd)7\b", r"\g<1>9", text)
            changes += count
            write_text(folder / name, text)
            sources.append(folder / name)
    assert changes == 1
    return Bench(tools, config, sources)


def test_a_fault_is_found_shrunk_and_described(faulty: Bench, tmp_path: Path) -> None:
    found = [random_segments(faulty.config, seed) for seed in seeds(3)]
    failing = next(parts for parts in found if compare.compare(faulty, Run("random", parts)).mismatches)
    events = sum(len(part.events) for part in failing)
    kept = explain_run(faulty, failing, tmp_path / "run")
    # a COMPLETE of a slot that is held is enough; or an event with opcode 9
    assert kept <= 2 < events
    assert re.search(r"^  (COMPLETE|OPCODE 9)", (tmp_path / "run" / "events.txt").read_text(), re.MULTILINE)
    responses = (tmp_path / "run" / "responses.txt").read_text()
    assert re.search(r"^! DONE .* \| DONE .*$", responses, re.MULTILINE)
    assert "PERF_EVENTS" in (tmp_path / "run" / "registers.txt").read_text()
    assert (tmp_path / "run" / "wave.vcd").read_text().startswith("$version")

    operations = next(
        drawn
        for drawn in (random_operations(faulty.config, seed, 800) for seed in seeds(30))
        if compare_operations(faulty, drawn).mismatches
    )
    kept = explain_operations(faulty, operations, tmp_path / "operations")
    assert kept < len(operations)
    text = (tmp_path / "operations" / "operations.txt").read_text()
    assert "WRITE EV_PUSH" in text
    assert re.search(r"^! READ \w+ \| 0x\w+ \| 0x\w+$", text, re.MULTILINE)


def test_missing_and_surplus_responses_count_as_mismatches() -> None:
    def stream(*words: int) -> ResponseStream:
        return ResponseStream.of([(word, 0) for word in words])  # type: ignore[list-item]

    assert compare.count_differences(stream(1, 2, 3), stream(1, 2, 3)) == 0
    assert compare.count_differences(stream(1, 5), stream(1, 2, 3)) == 2
    assert compare.count_differences(stream(1, 2, 3), stream()) == 3


def test_wrong_expectations_are_counted(benches: dict[str, Bench]) -> None:
    bench = benches["score_scan"]
    (part, *_) = random_segments(bench.config, seeds(1)[0])
    data = part.expected.data.copy()
    data[[3, 7]] ^= 1
    wrong = Segment(
        part.settings, part.tide, part.guard, part.events, ResponseStream(part.expected.info, data)
    )
    assert compare.compare(bench, Run("wrong", [wrong])).mismatches == 2


def test_nothing_compared_is_no_pass() -> None:
    assert cell.Cell(Config(), CORPUS, ENVELOPE, Tally()).result == cell.FAILED
    assert cell.Cell(Config(), CORPUS, ENVELOPE, Tally(events=1, mismatches=1)).result == cell.FAILED
    assert cell.Cell(Config(), CORPUS, ENVELOPE, Tally(events=1)).result == cell.PASSED


def test_tallies_add_and_keep_the_worst() -> None:
    total = Tally(events=2, decision_worst=9)
    total.add(Tally(events=3, decision_worst=4, event_worst=5))
    assert (total.events, total.decision_worst, total.event_worst) == (5, 9, 5)
    timed = cell.latencies(
        Tally(events=2, busy_cycles=600, decisions=4, decision_cycles=600, decision_worst=300)
    )
    # at 150 MHz: 600 / 4 / 150 = 1 us, 300 / 150 = 2 us, 600 / 2 / 150 = 2 us
    assert (timed["decision_mean_us"], timed["decision_worst_us"], timed["event_mean_us"]) == (1, 2, 2)


# --- shrinking ------------------------------------------------------------------------------------------


def test_what_is_needed_is_kept_in_order() -> None:
    assert shrink(list(range(100)), lambda kept: {17, 60, 99} <= set(kept)) == [17, 60, 99]


def test_a_single_item_can_be_enough() -> None:
    assert shrink(list(range(64)), lambda kept: 5 in kept) == [5]


def test_shrinking_ends_after_so_many_trials() -> None:
    calls: list[int] = []

    def fails(kept: list[int]) -> bool:
        calls.append(len(kept))
        return len(kept) > 40

    kept = shrink(list(range(1000)), fails, trials=30)
    assert len(calls) == 30
    assert 40 < len(kept) < 1000


# --- the command ----------------------------------------------------------------------------------------


def test_the_command_prints_what_it_measured(benches: dict[str, Bench]) -> None:
    del benches  # built already
    arguments = ["rtl", "cosim", "--variant", "score_tree", "--sessions", "16"]
    arguments += ["--corpus", CORPUS, "--envelope", ENVELOPE]
    result = CliRunner().invoke(main, [*arguments, "--format", "json"])
    document = json.loads(result.stdout)
    jsonschema.validate(document, load_schema("rtl_cosim"))
    assert (result.exit_code, document["result"], document["mismatches"]) == (0, "PASS", 0)
    assert document["configuration"] == f"0x{default_config('score_tree', 16).hash32:08x}"
    table = CliRunner().invoke(main, arguments).stdout
    assert re.search(r"^result +PASS$", table, re.MULTILINE)


def test_the_help_lists_the_variants_and_says_what_is_counted() -> None:
    for name in ("cosim", "generate"):
        told = " ".join(CliRunner().invoke(main, ["rtl", name, "--help"]).stdout.split())
        assert f"Micro-architecture: {', '.join(VARIANTS)}." in told
    told = " ".join(CliRunner().invoke(main, ["rtl", "cosim", "--help"]).stdout.split())
    for counted in ("Events", "Responses", "Decisions", "Mismatches", "Cycles"):
        assert f"{counted}: " in told


def test_the_command_fails_with_a_mismatch(tools: Toolchain, monkeypatch: pytest.MonkeyPatch) -> None:
    del tools
    monkeypatch.setattr(cell, "compare", lambda *_, **__: Tally(events=5, mismatches=2))
    monkeypatch.setattr(cell, "require_configuration", lambda bench: None)
    described: list[Path] = []
    monkeypatch.setattr(cell, "explain_run", lambda bench, parts, folder, **_: described.append(folder))
    arguments = ["rtl", "cosim", "--variant", "score_tree", "--sessions", "16"]
    arguments += ["--corpus", CORPUS, "--envelope", ENVELOPE]
    result = CliRunner().invoke(main, [*arguments, "--format", "json"])
    document = json.loads(result.stdout)
    jsonschema.validate(document, load_schema("rtl_cosim"))
    assert (result.exit_code, document["result"], document["mismatches"]) == (1, "FAIL", 2)
    assert document["failure"] == "build/rtl/failures/score_tree-16-gaia-gemma4-edge"
    assert [ROOT / document["failure"]] == described


def test_the_command_writes_the_verilog(tmp_path: Path) -> None:
    arguments = [
        "rtl",
        "generate",
        "--variant",
        "score_scan",
        "--sessions",
        "32",
        "-o",
        str(tmp_path / "a b"),
    ]
    result = CliRunner().invoke(main, arguments)
    assert result.exit_code == 0, result.output
    texts = render_ip(default_config("score_scan", 32))
    assert {path.name for path in (tmp_path / "a b").iterdir()} == set(texts)
    assert (tmp_path / "a b" / "unison_top.v").read_text() == texts["unison_top.v"]


@pytest.mark.parametrize(
    ("option", "value", "error"),
    [
        ("--variant", "score_tre", "did you mean 'score_tree'"),
        ("--sessions", "48", "the nearest valid value is 32"),
        ("--envelope", "edgy", "did you mean 'edge'"),
    ],
)
def test_the_command_refuses_in_one_line(option: str, value: str, error: str) -> None:
    given = {"--variant": "score_scan", "--sessions": "16", "--corpus": CORPUS, "--envelope": ENVELOPE}
    words = [word for pair in (given | {option: value}).items() for word in pair]
    result = CliRunner().invoke(main, ["rtl", "cosim", *words])
    assert result.exit_code == 2
    assert result.stderr.count("\n") == 1
    assert error in result.stderr
