"""Measuring the calibration again, on small tables worked by hand."""

from dataclasses import replace

import pandas as pd
import pytest

from unison.errors import UnisonError
from unison.traces.calibration import Calibration, Quantity
from unison.traces.remeasure import differences, remeasure

COLUMNS = (
    "session_id",
    "turn",
    "gap_s",
    "service_s",
    "prompt_tokens",
    "new_prompt_tokens",
    "output_tokens",
    "tool",
)
LEVELS = (0, 500, 1000)


ROLES = {"c": "sub:Explore", "d": "sub:Explore", "e": "sub:Plan"}


def write(folder, name, rows):
    table = pd.DataFrame(rows, columns=COLUMNS)
    table["agent_role"] = table["session_id"].map(lambda session: ROLES.get(session, "main"))
    table.to_parquet(folder / f"{name}.parquet")


@pytest.fixture
def traces(tmp_path):
    write(
        tmp_path,
        "swebench_mini_gemini3pro",
        [
            ("a", 0, None, 1.0, 100, 100, 10, ""),
            ("a", 1, 0.2, 3.0, 130, 30, 30, "bash:cat"),  # result 130 - 100 - 10 = 20
            ("a", 2, 0.2, 2.0, 155, 25, 20, ""),  # result 155 - 130 - 30 = -5, taken as 0
            ("b", 0, None, 4.0, 200, 200, 40, ""),
        ],
    )
    write(
        tmp_path,
        "claude_code_spotter",
        [
            ("a", 0, None, 1.0, 1, 1, 1, ""),
            ("a", 1, 0.004, 1.0, 2, 1, 1, "Read"),
            ("a", 2, 0.006, 1.0, 3, 1, 1, "Read"),
            ("a", 3, 2.0, 1.0, 3, 1, 1, "Bash"),
            ("a", 4, 3.0, 1.0, 3, 1, 1, "WebFetch"),
            ("a", 5, 60.0, 1.0, 3, 1, 1, "Task"),
        ],
    )
    weka = [(s, 0, None, 1.0, 100, 100, 1, "") for s in "ab"]
    weka += [("a", t, 1.0, 1.0, 100 + t, 1, 1, "tool_result") for t in (1, 2)]
    weka += [("b", t, 8.0, 1.0, 100 + t, 1, 1, "tool_result") for t in (1, 2)]
    weka += [("b", 3, 50.0, 1.0, 51, 17, 1, "user_text")]  # 102 to 51 tokens, a third of them new
    weka += [
        ("c", 0, None, 1.0, 50, 50, 5, ""),
        ("c", 1, 2.0, 1.0, 75, 25, 7, "tool_result"),  # 75 - 50 - 5 = 20 new; lives 1 + 2 + 1 = 4 s
        ("d", 0, None, 3.0, 60, 60, 8, ""),
        ("d", 1, 9.0, 4.0, 98, 38, 9, "tool_result"),  # 98 - 60 - 8 = 30 new; lives 3 + 9 + 4 = 16 s
        ("e", 0, None, 8.0, 70, 70, 3, ""),  # lives 8 s
    ]
    write(tmp_path, "claude_code_weka_half", sorted(weka, key=lambda row: row[:2]))
    write(
        tmp_path,
        "taubench_airline_gpt4o_notime",
        [
            ("a", 0, None, None, 100, 100, 1, ""),
            ("a", 1, None, None, 130, 30, 2, "user"),
            ("a", 2, None, None, 150, 20, 3, "book_reservation"),
            ("b", 0, None, None, 102, 102, 4, ""),
        ],
    )
    return tmp_path


def test_swe_numbers(traces):
    found = remeasure(traces, LEVELS)
    assert found["swe.turns"] == (1, 2, 3)
    assert found["swe.first_prompt_tokens"] == (100, 150, 200)
    assert found["swe.output_tokens"] == (10, 25, 40)
    assert found["swe.result_tokens"] == (0, 10, 20)
    assert found["swe.service_us"] == (1_000_000, 2_500_000, 4_000_000)
    assert found["swe.service_output_rank_correlation"] == 1.0
    assert found["swe.tools.bash:other.share"] == 2


def test_waits_by_kind_of_tool(traces):
    found = remeasure(traces, LEVELS)
    assert found["gaps.read"] == (4_000, 5_000, 6_000)
    assert found["gaps.exec"] == (2_000_000,) * 3
    assert found["gaps.web"] == (3_000_000,) * 3
    assert found["gaps.research"] == (60_000_000,) * 3


def test_shrinks_and_the_session_share(traces):
    found = remeasure(traces, LEVELS)
    assert found["common.shrink.share"] == 0.2
    assert found["common.shrink.prompt_permille"] == (500,) * 3
    assert found["common.shrink.new_permille"] == (333,) * 3
    # Sessions wait 1 s and 8 s without exception: all the variance is between them.
    assert found["gaia.session_share"] == 1.0


def test_sub_agents(traces):
    found = remeasure(traces, LEVELS)
    assert found["flash.worker.turns"] == (1, 2, 2)
    assert found["flash.worker.first_prompt_tokens"] == (50, 60, 70)
    assert found["flash.worker.result_tokens"] == (20, 25, 30)
    assert found["flash.worker.output_tokens"] == (3, 7, 9)
    assert found["flash.worker.returned_tokens"] == (3, 7, 9)
    assert found["flash.worker.gap_us"] == (2_000_000, 5_500_000, 9_000_000)
    # In powers of 2 lives are 2, 4 and 3: the mean of each kind is 3, and explains nothing.
    assert found["flash.worker.record_share"] == 0.0


def test_agents_with_a_user(traces):
    found = remeasure(traces, LEVELS)
    # The first message counts: 2 messages and 1.
    assert found["flash.temporal.user_turns"] == (1, 2, 2)
    assert found["flash.temporal.first_prompt_tokens"] == (100, 101, 102)
    assert found["flash.temporal.result_tokens"] == (20, 25, 30)
    assert found["flash.temporal.output_tokens"] == (1, 2, 4)


def test_a_table_without_sub_agents_is_told(traces):
    path = traces / "claude_code_weka_half.parquet"
    pd.read_parquet(path).assign(agent_role="main").to_parquet(path)
    with pytest.raises(UnisonError, match="no sub-agent"):
        remeasure(traces, LEVELS)


def test_differences_name_the_number_and_both_values(traces):
    quantities = {
        name: Quantity(value, "unit", "source", "measured on public traces")
        for name, value in remeasure(traces, LEVELS).items()
    }
    quantities["common.levels"] = Quantity(LEVELS, "permille", "source", "assumed")
    count = len(quantities) - 1
    assert differences(traces, Calibration(quantities)) == (count, [])
    quantities["swe.turns"] = replace(quantities["swe.turns"], value=(1, 2, 4))
    assert differences(traces, Calibration(quantities)) == (
        count,
        ["swe.turns: measured (1, 2, 3), data/calibration has (1, 2, 4)"],
    )


def test_a_missing_table_is_told(tmp_path):
    with pytest.raises(UnisonError, match=r"claude_code_weka_half\.parquet: no such file"):
        remeasure(tmp_path, LEVELS)
