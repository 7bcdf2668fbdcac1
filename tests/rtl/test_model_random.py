"""Random runs: they follow from their seed, and reach every status and corner that they are there for."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

import numpy as np
import pytest

from unison.rtl.config import Config, default_config
from unison.rtl.cosim.operations import Code, answer
from unison.rtl.csr_types import Address, Kind, Opcode, Status
from unison.rtl.model import Event, IpModel, engine_for
from unison.rtl.random_events import MOST_CAPACITY, Segment, random_segments
from unison.rtl.random_operations import OperationSource, random_operations

CONFIG = default_config("score_scan", 4)


def segments(seeds: range, config: Config = CONFIG) -> list[Segment]:
    return [part for seed in seeds for part in random_segments(config, np.random.SeedSequence(seed))]


@pytest.fixture(scope="module")
def many() -> list[Segment]:
    """Segments of 40 runs."""
    return segments(range(40))


def test_a_run_follows_from_its_seed() -> None:
    for first, second in zip(segments(range(2)), segments(range(2)), strict=True):
        assert first.settings == second.settings
        assert np.array_equal(first.events.data, second.events.data)
        assert first.expected.first_difference(second.expected) is None
    one, other = (random_operations(CONFIG, np.random.SeedSequence(5), 300) for _ in range(2))
    assert one == other


def test_the_expected_responses_are_the_model_s() -> None:
    engine = engine_for(CONFIG)
    for part in segments(range(1)):
        engine.commit(part.settings)
        engine.tide_enabled, engine.guard_enabled = part.tide, part.guard
        found = [response for event in part.events.events() for response in engine.run(event)]
        assert len(found) == len(part.expected)
        assert all(response == part.expected[at] for at, response in enumerate(found))


def test_every_status_and_kind_of_response_occurs(many: list[Segment]) -> None:
    responses = [part.expected[at] for part in many for at in range(len(part.expected))]
    kinds = Counter(response.kind for response in responses)
    statuses = Counter(response.status for response in responses if response.kind == Kind.DONE)
    assert set(kinds) == set(Kind)
    assert set(statuses) == set(Status)
    assert statuses[Status.OK] > len(responses) / 2


def test_every_opcode_succeeds_and_fails(many: list[Segment]) -> None:
    seen: set[tuple[int, bool]] = set()
    for part in many:
        done = [r for r in (part.expected[i] for i in range(len(part.expected))) if r.kind == Kind.DONE]
        for event, response in zip(part.events.events(), done, strict=True):
            seen.add((event.opcode, response.status == Status.OK))
    assert seen >= {(int(op), True) for op in Opcode}
    assert seen >= {(int(op), False) for op in set(Opcode) - {Opcode.DMA_DONE}}


def test_the_corners_of_settings_occur(many: list[Segment]) -> None:
    contract = CONFIG.contract
    settings = [part.settings for part in many]
    assert {0, MOST_CAPACITY} <= {s.capacity[0] for s in settings}
    assert {0, 1, (1 << 32) - 1} <= {s.dma_rate for s in settings}
    assert any(set(s.hazard) == {0} for s in settings)
    assert any(set(s.hazard) == {contract.lambda_h} for s in settings)
    assert {(part.tide, part.guard) for part in many} == {
        (a, b) for a in (False, True) for b in (False, True)
    }


def test_the_corners_of_events_occur(many: list[Segment]) -> None:
    events = [event for part in many for event in part.events.events()]
    gaps = {event.data for event in events if event.opcode in (Opcode.GAP_END, Opcode.SLOT_ALLOC)}
    assert {0, 1, CONFIG.contract.largest_gap} <= gaps
    assert any(event.slot >= CONFIG.sessions for event in events)
    assert any(event.opcode == Opcode.REQUEST and not event.data for event in events)


def test_a_swap_of_two_sessions_occurs(many: list[Segment]) -> None:
    pairs = 0
    for part in many:
        texts = [str(part.expected[at]) for at in range(len(part.expected))]
        pairs += sum(" 1->0 " in a and " 0->1 " in b for a, b in pairwise(texts))
    assert pairs > 10


def test_all_completed_and_all_alike_occur() -> None:
    completed = alike = False
    for seed in range(30):
        engine = engine_for(CONFIG)
        for part in random_segments(CONFIG, np.random.SeedSequence(seed)):
            engine.commit(part.settings)
            engine.tide_enabled, engine.guard_enabled = part.tide, part.guard
            for event in part.events.events():
                engine.run(event)
                held = [slot for slot in engine.slots if slot.is_candidate]
                completed |= len(held) == len(engine.slots) and all(slot.dead for slot in held)
                alike |= len(held) > 1 and len({slot.key for slot in held}) == 1 and not held[0].dead
    assert completed
    assert alike


def test_accesses_reach_full_fifos_errors_and_resets() -> None:
    operations = random_operations(CONFIG, np.random.SeedSequence(3), 4000)
    model = IpModel(CONFIG)
    seen: Counter[str] = Counter()
    for before, op in zip([None, *operations], operations, strict=False):
        answers = answer(model, [op])
        error = bool(answers.error[0])
        seen["waiting"] += model.is_waiting
        seen["full"] += error and op.address == Address.EV_PUSH and op.code == Code.WRITE and model.is_waiting
        seen["unready"] += error and op.address == Address.EV_PUSH and not model.is_waiting
        seen["empty"] += error and op.address == Address.RSP_POP
        seen["bad"] += error and op.address % 4 != 0
        seen["mid-scan"] += op.code == Code.RESET and before is not None and before.code == Code.IDLE
        seen["refused"] += bool(model.read(Address.STATUS).data & 1 << 7)
        seen["interrupt"] += op.code == Code.PIN and bool(answers.data[0])
        seen["undefined"] += op.code == Code.READ and not answers.mask[0]
    assert {name for name, count in seen.items() if not count} == set()


def test_operations_end_at_rest() -> None:
    source = OperationSource(CONFIG, np.random.Generator(np.random.PCG64(1)))
    source.draw(500)
    assert not source.model.is_waiting
    assert source.model.read(Address.RSP_INFO).data == 0
    assert len(source.operations) >= 500


def test_events_of_any_width_fit_their_registers() -> None:
    events = [event for part in segments(range(3)) for event in part.events.events()]
    assert all(Event.from_words(e.argument, e.data, e.identity) == e for e in events)
