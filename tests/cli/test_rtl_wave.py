"""`unison rtl wave`: WaveJSON or a picture of one simulated event."""

import json

import pytest
from click.testing import CliRunner

from unison.cli import main
from unison.experiments import fig11_timing
from unison.rtl.config import default_config
from unison.rtl.cosim.toolchain import Skipped, find_toolchain
from unison.rtl.csr_types import Kind
from unison.rtl.model import engine_for
from unison.rtl.streams import EventStream, modelled

SMALL = ["rtl", "wave", "--variant", "score_scan", "--sessions", "4", "-o"]


@pytest.fixture
def tools() -> None:
    found = find_toolchain()
    if isinstance(found, Skipped):
        pytest.skip(found.reason)


def test_both_forms_have_the_lanes_and_the_victim(tools, tmp_path):
    del tools
    paths = tmp_path / "new" / "place.json", tmp_path / "place.svg"
    for path in paths:
        result = CliRunner().invoke(main, [*SMALL, str(path)], catch_exceptions=False)
        assert (result.exit_code, result.stdout) == (0, f"{path}\n")
    lanes = {lane["name"]: lane for lane in json.loads(paths[0].read_text())["signal"]}
    assert list(lanes) == ["clock", *(signal.label for signal in fig11_timing.SIGNALS)]
    assert len({len(lane["wave"]) for lane in lanes.values()}) == 1
    (victim,) = lanes["victim"]["data"]
    drawn = paths[1].read_text()
    assert drawn.startswith("<svg")
    assert f">{victim}<" in drawn


def test_without_a_compiler_nothing_is_written(tmp_path, monkeypatch):
    monkeypatch.setattr(fig11_timing, "find_toolchain", lambda: Skipped("no C++ compiler"))
    result = CliRunner().invoke(main, [*SMALL, str(tmp_path / "place.json")])
    assert (result.exit_code, result.stdout) == (3, "SKIPPED: no C++ compiler\n")
    assert not list(tmp_path.iterdir())


def test_a_folder_that_is_a_file_is_refused_in_one_line(tools, tmp_path):
    del tools
    (tmp_path / "file").write_text("x")
    result = CliRunner().invoke(main, [*SMALL, str(tmp_path / "file" / "place.json")])
    assert result.exit_code == 2
    assert result.stderr.count("\n") == 1
    assert str(tmp_path / "file") in result.stderr


@pytest.mark.parametrize("sessions", [4, 64, 256, 1024])
def test_the_scene_evicts_one_session_at_every_size(sessions):
    config = default_config("score_scan", sessions)
    settings, fill, last = fig11_timing._scene(config)
    answers = modelled(engine_for(config, settings), EventStream.of([*fill, last]))
    told = [answers[len(answers) - 2], answers[len(answers) - 1]]
    assert [answer.kind for answer in told] == [Kind.VICTIM, Kind.DONE]


def test_another_suffix_is_refused(tmp_path):
    result = CliRunner().invoke(main, [*SMALL, str(tmp_path / "place.png")])
    assert result.exit_code == 2
    assert "must end with .json or .svg" in result.stderr
