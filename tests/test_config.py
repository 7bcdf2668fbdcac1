"""Constants: the file holds each once with unit, source and status, and mistakes are told."""

from __future__ import annotations

import dataclasses
import tomllib
from fractions import Fraction
from pathlib import Path

import pytest

from unison.config import DEFAULTS_FILE, DeviceModel, load_defaults, read_defaults
from unison.constants import STATUSES, Bounds, Constant, read_constant, read_record
from unison.errors import UnisonError


@pytest.fixture
def edited(tmp_path: Path):
    """Reads the defaults file after a replacement in its text."""

    def read(old: str, new: str, profile: str = "full"):
        text = DEFAULTS_FILE.read_text(encoding="utf-8")
        assert text.count(old) >= 1
        path = tmp_path / "defaults.toml"
        path.write_text(text.replace(old, new, 1), encoding="utf-8")
        return read_defaults(path, profile)

    return read


def test_published_constants_are_the_papers():
    defaults = load_defaults()
    assert (defaults.spear.alpha, defaults.spear.epsilon, defaults.spear.max_turn) == (0.3, 0.01, 50)
    assert defaults.spear.penalty_s == 500.0
    assert defaults.replay.slots == 64
    assert defaults.envelope.total_tokens == 60_000
    assert defaults.statistics.folds == 5
    assert dataclasses.astuple(defaults.cachescout) == (0.01, 0.1, 6, 0.005, 0.01)


def test_values_have_the_declared_types():
    defaults = load_defaults()
    assert isinstance(defaults.spear.penalty_s, float)
    assert defaults.timeout.sweep_s == (5.0, 15.0, 30.0, 60.0, 300.0)
    assert defaults.envelope.live_shares == tuple(
        Fraction(share) for share in ("1/8", "1/4", "1/2", "3/4", "1", "3/2")
    )


def test_every_constant_has_unit_source_and_known_status():
    for constant in load_defaults().constants.values():
        assert constant.unit
        assert len(constant.source) > 8
        assert constant.status in STATUSES


def test_defaults_are_read_once_and_cannot_be_changed():
    defaults = load_defaults()
    assert load_defaults() is defaults
    with pytest.raises(dataclasses.FrozenInstanceError):
        defaults.spear.alpha = 0.5  # type: ignore[misc]
    with pytest.raises(TypeError):
        defaults.constants["spear.alpha"] = None  # type: ignore[index]


def test_smoke_profile_overrides_only_what_it_names():
    full, smoke = load_defaults(), load_defaults("smoke")
    overridden = tomllib.loads(DEFAULTS_FILE.read_text(encoding="utf-8"))["profile"]["smoke"]
    assert smoke.load.factors == tuple(overridden["load.factors"])
    for name, constant in full.constants.items():
        same = smoke.constants[name] == constant
        assert same == (name not in overridden)
    assert smoke.constants["load.factors"].source == "profile smoke"


def test_unknown_profile_names_the_nearest():
    with pytest.raises(UnisonError, match="unknown profile 'smoek'; did you mean 'smoke'"):
        load_defaults("smoek")


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("[spear.alpha]", "[spear.alphax]", r"unknown constant 'alphax'; did you mean 'alpha'"),
        ("[spear.alpha]", "[spaer.alpha]", r"unknown section 'spaer'; did you mean 'spear'"),
        ('unit = "s"', 'units = "s"', r"spear.penalty_s: unknown key 'units'; did you mean 'unit'"),
        ('source = "UNISON, eq. 6"\n', "", r"spear.epsilon: source is missing"),
        ('source = "UNISON, eq. 6"', 'source = ""', r"spear.epsilon: source is missing"),
        ('source = "UNISON, eq. 6"', "source = 6", r"spear.epsilon: source must be text"),
        ('unit = "turns"\n', "", r"spear.max_turn: unit is missing"),
        (
            'status = "published"',
            'status = "publishedd"',
            r"unknown status 'publishedd'; did you mean 'published'",
        ),
        ("value = 0.3\n", "value = 1.5\n", r"spear.alpha: found 1.5, expected above 0 and at most 1"),
        ("value = 0.3\n", "value = 0\n", r"spear.alpha: found 0.0, expected above 0"),
        ("value = 0.3\n", "value = nan\n", r"spear.alpha: expected float; found nan"),
        ("value = 0.3\n", "value = true\n", r"spear.alpha: expected float; found True"),
        ("value = 50\n", "value = 50.0\n", r"spear.max_turn: expected int; found 50.0"),
        ("value = [5, 15, 30, 60, 300]", "value = []", r"timeout.sweep_s: expected a list"),
        (
            "value = [5, 15, 30, 60, 300]",
            "value = [5, -1]",
            r"timeout.sweep_s: found -1.0, expected at least 0",
        ),
        ('value = "1/5"', 'value = "1/0"', r"envelope.sram_share: expected a fraction"),
        ('value = "1/5"', 'value = "a fifth"', r"envelope.sram_share: expected a fraction"),
        ('value = "1/5"', "value = 0.2", r"envelope.sram_share: expected Fraction; found 0.2"),
        ('value = "edge"', 'value = "edgee"', r"unknown envelope 'edgee'; did you mean 'edge'"),
        ('"client", "work', '"edge", "work', r"envelope.names: .* each name once"),
        ("60_000", "60_001", r"envelope.total_tokens: must be a multiple of 2"),
        ("value = 4\n", "value = 3\n", r"load.headline: found 3, expected one of load.factors"),
        ('"load.factors" = [1, 4]', '"load.factor" = [1]', r"did you mean 'load.factors'"),
        ("[spear.alpha]", "[spear]\nmore = 1\n[spear.alpha]", r"spear.more: expected a table"),
        ("[spear.alpha]", "[spear.alpha", r"not valid TOML"),
        ("# Every", "tide = 3\n# Every", r"defaults.toml"),
    ],
)
def test_a_mistake_in_the_file_is_told(edited, old: str, new: str, told: str):
    with pytest.raises(UnisonError, match=told):
        edited(old, new)


def test_a_missing_constant_is_told(edited):
    with pytest.raises(UnisonError, match=r"tide.max_swaps is missing"):
        edited(
            '[tide.max_swaps]\nvalue = 1\nunit = "swaps per gap"\n'
            'source = "The single-pass hardware loop; UNISON does not state it"\nstatus = "assumed"\n',
            "",
        )


def test_a_profile_cannot_leave_the_range(edited):
    with pytest.raises(UnisonError, match=r"statistics.resamples: found 0, expected at least 1"):
        edited('"statistics.resamples" = 100', '"statistics.resamples" = 0', profile="smoke")


def test_a_missing_file_is_told(tmp_path: Path):
    with pytest.raises(UnisonError, match=r"nowhere.toml: no such file"):
        read_defaults(tmp_path / "nowhere.toml")


def test_a_device_made_by_hand_is_checked_too():
    with pytest.raises(UnisonError, match=r"DeviceModel.hbm_bytes_per_s: found 0, expected at least 1"):
        dataclasses.replace(load_defaults().device, hbm_bytes_per_s=0)
    assert isinstance(load_defaults().device, DeviceModel)


def test_a_constant_must_be_a_table():
    with pytest.raises(UnisonError, match=r"file: a.b: expected a table"):
        read_constant("a.b", 3, "file")


def test_bounds_read_as_a_sentence():
    assert str(Bounds(1)) == "at least 1"
    assert str(Bounds(0, 1, above=True)) == "above 0 and at most 1"


def test_a_record_of_text_keeps_it():
    entry = Constant("x.name", "edge", "name", "here", "assumed")
    record = read_record(_Named, {"name": entry}, "file", "x")
    assert record == _Named("edge")
    with pytest.raises(UnisonError, match=r"x.name: expected str; found 3"):
        read_record(_Named, {"name": dataclasses.replace(entry, value=3)}, "file", "x")


@dataclasses.dataclass(frozen=True)
class _Named:
    name: str
