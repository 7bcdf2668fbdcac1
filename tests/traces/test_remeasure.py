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


def write(folder, name, rows):
    table = pd.DataFrame(rows, columns=COLUMNS).assign(agent_role="main")
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
    write(tmp_path, "claude_code_weka_half", sorted(weka, key=lambda row: row[:2]))
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
    with pytest.raises(UnisonError, match=r"swebench_mini_gemini3pro\.parquet: no such file"):
        remeasure(tmp_path, LEVELS)
