"""Results on real traces, end to end on small made-up inputs."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from support.sessions import make_corpus

from unison.config import load_defaults
from unison.errors import UnisonError
from unison.experiments.contenders import contenders
from unison.experiments.real import real_cells, real_table
from unison.report.figures import read_csv, rounded
from unison.report.plots.real_gain import MIN_SESSIONS, SHOWN, plot_real_gain, real_gain_data
from unison.report.real import NOT_REPLAYABLE, NOT_RERUN, RealStatus, reproduce_real
from unison.report.tables import read_table
from unison.traces.library import load_corpus
from unison.traces.schema import write_corpus

DEFAULTS = load_defaults("smoke")
LARGE = 2 * MIN_SESSIONS


def table(sessions: int = 4, *, timed: bool = True, seed: int = 0) -> pd.DataFrame:
    """A common table of sessions of 2 to 6 turns."""
    rng = np.random.default_rng(seed)
    rows: list[dict[str, Any]] = []
    for session in range(sessions):
        for turn in range(int(rng.integers(2, 7))):
            row = {"session_id": f"s{session}", "turn": turn, "prompt_tokens": 100 + 50 * turn}
            times = {"service_s": 1.5, "gap_s": float(rng.exponential(20)) if turn else None}
            rows.append(row | {"output_tokens": 10, "tool": "bash"} | (times if timed else {}))
    return pd.DataFrame(rows)


def files_of(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


def digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def run(folder: Path, out: Path) -> dict[str, RealStatus]:
    return {status.corpus: status for status in reproduce_real(folder, out, DEFAULTS)}


@pytest.fixture(scope="module")
def three(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path, dict[str, RealStatus]]:
    """Inputs of three kinds, and what one run made of them."""
    folder, out = (tmp_path_factory.mktemp(name) for name in ("in", "out"))
    table(LARGE).to_csv(folder / "my logs.csv", index=False)
    table(timed=False).to_parquet(folder / "untimed.parquet")
    gaps = np.random.default_rng(2).exponential(30, 36) + 0.1
    write_corpus(
        make_corpus([4] * MIN_SESSIONS + [3] * 3, gaps_s=gaps, name="imported"), folder / "a.parquet"
    )
    (folder / "notes.txt").write_text("not a corpus", encoding="utf-8")
    (folder / ".half.parquet").write_bytes(b"PAR1")
    return folder, out, run(folder, out)


@pytest.fixture
def inputs(tmp_path: Path) -> Path:
    """A folder with one small table: too few sessions for a figure, so that a run is quick."""
    folder = tmp_path / "in"
    folder.mkdir()
    table().to_csv(folder / "one.csv", index=False)
    return folder


# --- what a run makes -----------------------------------------------------------------------------------


def test_every_corpus_has_a_status_with_the_sha256_of_its_file(three):
    folder, _, statuses = three
    assert statuses == {
        "imported": RealStatus("imported", digest(folder / "a.parquet"), "new"),
        "my_logs": RealStatus("my_logs", digest(folder / "my logs.csv"), "new"),
        "untimed": RealStatus("untimed", digest(folder / "untimed.parquet"), NOT_REPLAYABLE),
    }


def test_products_are_the_cells_the_inputs_the_table_and_the_figure(three):
    assert set(files_of(three[1])) == {
        "imported_cells.csv", "my_logs_cells.csv", "real_inputs.csv", "real_inputs.md", "real_tab02.csv",
        "real_tab02.md", "real_gain.csv", "real_gain.png", "real_gain.svg",
    }  # fmt: skip


def test_inputs_are_recorded_with_their_sha256(three):
    folder, out, _ = three
    rows = read_table("real_inputs", out=out).set_index("corpus")
    assert rows.index.tolist() == ["imported", "my_logs", "untimed"]
    assert rows["sha256"].tolist() == [
        digest(folder / name) for name in ("a.parquet", "my logs.csv", "untimed.parquet")
    ]
    assert rows["sessions"].tolist() == [MIN_SESSIONS + 3, LARGE, 4]
    assert rows["sessions_replayed"].tolist() == [MIN_SESSIONS + 3, LARGE, 0]


def test_cells_are_those_of_the_experiment(three):
    folder, out, _ = three
    for name, path in (("imported", "a.parquet"), ("my_logs", "my logs.csv")):
        expected = rounded(real_cells(load_corpus(folder / path), DEFAULTS))
        pd.testing.assert_frame_equal(read_csv(out / f"{name}_cells.csv"), expected)


def test_combined_table_is_made_from_all_cells(three):
    _, out, _ = three
    cells = pd.concat([read_csv(out / f"{name}_cells.csv") for name in ("imported", "my_logs")])
    found = read_table("real_tab02", out=out)
    pd.testing.assert_frame_equal(found, rounded(real_table(cells)))
    assert len(found) == 2 * len(contenders())
    assert f"{100 * DEFAULTS.statistics.confidence:g} % interval" in (out / "real_tab02.md").read_text(
        "utf-8"
    )


def test_figure_shows_the_corpora_with_enough_sessions(three):
    data = read_csv(three[1] / "real_gain.csv")
    assert set(data["corpus"]) == {"imported", "my_logs"}
    assert set(data["policy"]) == set(SHOWN)
    cells = pd.concat([read_csv(three[1] / f"{name}_cells.csv") for name in ("imported", "my_logs")])
    cells.loc[cells["corpus"] == "imported", "sessions"] = MIN_SESSIONS - 1
    assert set(real_gain_data(cells)["corpus"]) == {"my_logs"}


def test_no_path_of_an_input_reaches_a_product(three):
    folder, out, _ = three
    for name, content in files_of(out).items():
        assert str(folder).encode() not in content, name
        assert b"my logs.csv" not in content, name


def test_two_runs_give_identical_bytes(three, tmp_path: Path):
    folder, out, _ = three
    run(folder, tmp_path / "again")
    assert files_of(tmp_path / "again") == files_of(out)


def test_any_number_of_corpora_has_a_panel_each():
    data = pd.DataFrame(
        [
            {"corpus": f"c{c}", "envelope": f"x{e}", "live_share": float(e), "policy": policy}
            | {"gain_pp": 1.0, "low_pp": 0.5, "high_pp": 1.5}
            for c in range(5) for policy in SHOWN for e in (1, 2)
        ]
    )  # fmt: skip
    shown = [axes for axes in plot_real_gain(data).axes if axes.axison]
    assert [axes.get_title() for axes in shown] == [f"c{c}" for c in range(5)]
    assert all(len(axes.get_lines()) == len(SHOWN) + 1 for axes in shown)


# --- a second run ---------------------------------------------------------------------------------------


def test_same_inputs_are_identical_and_leave_every_byte(inputs: Path, tmp_path: Path):
    run(inputs, tmp_path / "out")
    before = files_of(tmp_path / "out")
    assert run(inputs, tmp_path / "out")["one"].status == "identical"
    assert files_of(tmp_path / "out") == before


def test_other_input_of_the_same_name_is_changed(inputs: Path, tmp_path: Path):
    first = run(inputs, tmp_path / "out")["one"]
    table(seed=3).to_csv(inputs / "one.csv", index=False)
    second = run(inputs, tmp_path / "out")["one"]
    assert second.status == "changed"
    assert second.sha256 == digest(inputs / "one.csv") != first.sha256
    assert read_table("real_inputs", out=tmp_path / "out")["sha256"].tolist() == [second.sha256]


def test_absent_input_is_kept_and_said_to_be_not_re_run(inputs: Path, tmp_path: Path):
    out = tmp_path / "out"
    first = run(inputs, out)["one"]
    cells = (out / "one_cells.csv").read_bytes()
    (inputs / "one.csv").unlink()
    table(seed=4).to_parquet(inputs / "two.parquet")
    statuses = run(inputs, out)
    assert [status.status for status in statuses.values()] == ["new", NOT_RERUN]
    assert statuses["one"].sha256 == first.sha256
    assert (out / "one_cells.csv").read_bytes() == cells
    assert list(dict.fromkeys(read_table("real_tab02", out=out)["corpus"])) == ["one", "two"]
    assert read_table("real_inputs", out=out)["corpus"].tolist() == ["one", "two"]


def test_cells_of_an_input_that_lost_its_times_are_removed(inputs: Path, tmp_path: Path):
    out = tmp_path / "out"
    table(seed=4).to_csv(inputs / "two.csv", index=False)
    run(inputs, out)
    table(timed=False).to_csv(inputs / "one.csv", index=False)
    assert run(inputs, out)["one"].status == NOT_REPLAYABLE
    assert set(read_table("real_tab02", out=out)["corpus"]) == {"two"}


def test_untimed_corpora_alone_make_only_the_list_of_inputs(tmp_path: Path):
    table(timed=False).to_csv(tmp_path / "one.csv", index=False)
    assert run(tmp_path, tmp_path / "out")["one"].status == NOT_REPLAYABLE
    assert set(files_of(tmp_path / "out")) == {"real_inputs.csv", "real_inputs.md"}


def test_too_few_sessions_make_no_figure_and_remove_an_old_one(inputs: Path, tmp_path: Path):
    out = tmp_path / "out"
    out.mkdir()
    for suffix in ("csv", "png", "svg"):
        (out / f"real_gain.{suffix}").write_bytes(b"old")
    run(inputs, out)
    assert not list(out.glob("real_gain.*"))
    assert (out / "real_tab02.md").is_file()


# --- what it refuses ------------------------------------------------------------------------------------


def refusal(folder: Path, out: Path) -> str:
    """The error of a run that must leave `out` as it is."""
    before = files_of(out) if out.is_dir() else None
    with pytest.raises(UnisonError) as caught:
        reproduce_real(folder, out, DEFAULTS)
    assert (files_of(out) if out.is_dir() else None) == before
    return str(caught.value)


def test_missing_folder_is_an_error(tmp_path: Path):
    assert refusal(tmp_path / "none", tmp_path / "out").startswith(f"{tmp_path / 'none'}: no such folder")


def test_folder_without_corpora_is_an_error(tmp_path: Path):
    (tmp_path / "notes.txt").write_text("none here", encoding="utf-8")
    assert f"{tmp_path}: holds no .parquet or .csv file" in refusal(tmp_path, tmp_path / "out")


@pytest.mark.parametrize("name", ["a_broken.csv", "z_broken.csv", "z_broken.parquet"])
def test_broken_file_is_named_and_nothing_is_written(name: str, inputs: Path, tmp_path: Path):
    (inputs / name).write_bytes(b"garbage\n")
    assert str(inputs / name) in refusal(inputs, tmp_path / "out")


def test_broken_file_leaves_an_earlier_run_as_it_is(inputs: Path, tmp_path: Path):
    run(inputs, tmp_path / "out")
    table(seed=3).to_csv(inputs / "one.csv", index=False)
    (inputs / "z_broken.csv").write_bytes(b"garbage\n")
    assert str(inputs / "z_broken.csv") in refusal(inputs, tmp_path / "out")


def test_corpus_that_cannot_be_replayed_is_named_and_nothing_is_written(inputs: Path, tmp_path: Path):
    nothing = table()
    nothing[["prompt_tokens", "output_tokens"]] = 0
    nothing.to_csv(inputs / "z.csv", index=False)
    told = refusal(inputs, tmp_path / "out")
    assert told.startswith(f"{inputs / 'z.csv'}: ")
    assert "0.0 mean live tokens" in told


def test_two_files_of_one_corpus_are_both_named(inputs: Path, tmp_path: Path):
    write_corpus(make_corpus([2, 3], name="one"), inputs / "other.parquet")
    told = refusal(inputs, tmp_path / "out")
    assert str(inputs / "one.csv") in told
    assert str(inputs / "other.parquet") in told
    assert "'one'" in told


def test_two_tables_whose_names_become_one_are_both_named(inputs: Path, tmp_path: Path):
    for name in ("my logs.csv", "my_logs.parquet"):
        frame = table()
        frame.to_csv(inputs / name, index=False) if name.endswith("csv") else frame.to_parquet(inputs / name)
    told = refusal(inputs, tmp_path / "out")
    assert str(inputs / "my logs.csv") in told
    assert str(inputs / "my_logs.parquet") in told


@pytest.mark.parametrize("name", ["../up", "a b", "", "007", "1e5", "true", "x" * 65])
def test_corpus_whose_name_would_not_survive_is_refused(name: str, tmp_path: Path):
    (tmp_path / "in").mkdir()
    write_corpus(make_corpus([2, 3], name=name), tmp_path / "in" / "a.parquet")
    assert f"a corpus called {name!r}" in refusal(tmp_path / "in", tmp_path / "out")


def test_name_of_a_synthetic_corpus_is_refused(tmp_path: Path):
    table().to_csv(tmp_path / "gaia-qwen3.csv", index=False)
    assert "'gaia-qwen3' is a synthetic corpus" in refusal(tmp_path, tmp_path / "out")


def test_products_cannot_go_where_a_file_is(inputs: Path, tmp_path: Path):
    (tmp_path / "file").write_bytes(b"")
    for out in (tmp_path / "file", tmp_path / "file" / "out"):
        assert refusal(inputs, out).startswith(f"{out}: no folder can be made there")
