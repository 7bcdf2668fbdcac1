"""The numbers of flash placement: each is refused when it is read, and the message tells where it is."""

from __future__ import annotations

import re
import shutil

import pytest

from unison.config import DEFAULTS_FILE, read_defaults
from unison.errors import UnisonError
from unison.paths import CALIBRATION
from unison.traces.calibration import load_calibration


def with_value(text: str, name: str, value: str) -> str:
    """The text of a constants file in which one table has another value."""
    changed, count = re.subn(
        rf"(\[{re.escape(name)}\]\nvalue = )(\[[^\]]*\]|[^\n]*)", rf"\g<1>{value}", text, count=1
    )
    assert count == 1
    return changed


@pytest.mark.parametrize(
    ("name", "value", "told"),
    [
        ("flash_load.slos", '["tight", "tight"]', "found tight, tight, expected each once"),
        ("flash_load.tpot_ms", "[60]", "found 60.0, expected 2, one for each of flash_load.slos"),
        ("flash_load.tpot_ms", "[100, 60]", "expected each above the one before it"),
        ("flash_load.tpot_quantile", "1", "found 1.0, expected below 1"),
        ("flash_node.models", '["a", "a"]', "found a, a, expected each once"),
        ("flash_node.weight_bytes", "[1]", "found 1, expected 2, one for each of flash_node.models"),
        ("flash_node.hbm_sites", "[1, 8]", "found 8, expected at most 7"),
        ("flash_node.hbm_sites", "[2, 2]", "expected each above the one before it"),
        ("flash_node.chained_sites", "9", "found 9, expected at most flash_node.memory_sites 8"),
        ("flash_policy.output_edges", "[600, 1]", "found 600, 1, expected each above the one before it"),
        ("flash_policy.waited_s", "[0, 60, 30]", "found 0, 60, 30, expected each above the one before it"),
        ("flash_policy.lru_k_sweep", "[1, 1]", "expected each once"),
        ("flash_study.warm_share", '"1"', "found 1, expected below 1"),
        ("flash_study.seeds", "[1, 1]", "found 1, 1, expected each once"),
        ("flash_study.margins", '[1, "2/2"]', "found 1, 1, expected each once"),
        ("flash_study.user_delay_log_sd", "[-1]", "found -1.0, expected at least 0 and at most 5"),
    ],
)
def test_a_constant_out_of_range_is_refused(tmp_path, name, value, told):
    path = tmp_path / "defaults.toml"
    path.write_text(with_value(DEFAULTS_FILE.read_text(encoding="utf-8"), name, value), encoding="utf-8")
    with pytest.raises(UnisonError) as refused:
        read_defaults(path)
    assert str(refused.value).startswith(f"{path}: {name}: ")
    assert told in str(refused.value)


@pytest.mark.parametrize(
    ("name", "value", "told"),
    [
        ("chunk_tokens", "0", "found 0, expected at least 1"),
        ("chunk_tokens", "-1", "found -1, expected at least 1"),
        ("chunk_tokens", '"many"', "found 'many', expected a number at least 1"),
        ("mixed.session_shares", "[0, 0, 0]", "found (0, 0, 0), expected at least one above 0"),
        ("mixed.session_shares", "[-1, 3, 7]", "found -1, expected at least 0"),
        ("mixed.session_shares", "[1, 2]", "found (1, 2), expected a list of 3 whole numbers"),
        ("temporal.user_delay_log_sd", "-1", "found -1, expected at least 0 and at most 5"),
        ("temporal.tool_gap_log_sd", "nan", "found nan, expected at least 0 and at most 5"),
        ("inter_worker.pace_log_sd", "-0.5", "found -0.5, expected at least 0 and at most 5"),
        ("worker.record_share", "1.5", "found 1.5, expected at least 0 and at most 1"),
        ("temporal.reasoning_permille", "[660, 1000]", "found 1000, expected at least 0 and at most 999"),
        ("published.worker_spread", "[23_600, 3_700]", "expected none below the one before it"),
        ("published.worker_spread", "[23_600]", "found (23600,), expected a list of 2 whole numbers"),
        ("chatbot.context_tokens", "[2_800, 500]", "expected none below the one before it"),
        ("worker.turns", "[1, 2]", "found (1, 2), expected a list of 15 whole numbers"),
        ("worker.turns", "[0" + ", 1" * 14 + "]", "found 0, expected at least 1"),
    ],
)
def test_a_number_of_the_corpora_out_of_range_is_refused(tmp_path, name, value, told):
    shutil.copytree(CALIBRATION, tmp_path, dirs_exist_ok=True)
    path = tmp_path / "flash.toml"
    path.write_text(with_value(path.read_text(encoding="utf-8"), name, value), encoding="utf-8")
    with pytest.raises(UnisonError) as refused:
        load_calibration(tmp_path)
    assert str(refused.value).startswith(f"{path}: flash.{name}: ")
    assert told in str(refused.value)
