"""save_figure and rounded: what is written, and that it is the same every time."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from unison.errors import UnisonError
from unison.report import SavedFigure, figure_style, new_figure, policy_line, read_table, rounded, save_figure

DRAW = """
import sys
from pathlib import Path
import numpy as np, pandas as pd
from unison.report import *
data = rounded(pd.DataFrame({"load": np.arange(1, 6), "hit_rate": np.sqrt(np.arange(1, 6)) / 3}))
with figure_style():
    figure, axes = new_figure()
    axes.plot(data["load"], data["hit_rate"], **policy_line("lru"))
    axes.scatter(data["load"], data["hit_rate"] / 2, clip_on=True)
    axes.fill_between(data["load"], 0, data["hit_rate"], hatch="//")
    axes.set(xlabel="Load factor", ylabel="Hit rate", ylim=(0, 1))
    direct_labels(axes)
save_figure(figure, "fig99_demo", data, out=Path(sys.argv[1]), caption="Demo.", alt="Rises < 1 & slows – é.")
"""


@pytest.fixture(scope="module")
def drawings(tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, bytes]]:
    """The files that two processes with different hash seeds write."""
    folders = [tmp_path_factory.mktemp("drawn") for _ in range(2)]
    processes = []
    for seed, folder in enumerate(folders, start=1):
        environment = {**os.environ, "PYTHONHASHSEED": str(seed), "SOURCE_DATE_EPOCH": str(seed)}
        processes.append(subprocess.Popen([sys.executable, "-c", DRAW, str(folder)], env=environment))
    assert [process.wait() for process in processes] == [0, 0]
    return [{path.name: path.read_bytes() for path in folder.iterdir()} for folder in folders]


@pytest.fixture
def drawn(drawings: list[dict[str, bytes]]) -> dict[str, bytes]:
    return drawings[0]


def save(out: Path, data: pd.DataFrame, **options: str) -> SavedFigure:
    with figure_style():
        figure, axes = new_figure()
        axes.plot(range(3), range(3), **policy_line("spear"))
    words = {"caption": "A line.", "alt": "A rising line."} | options
    return save_figure(figure, "fig01_line", data, out=out, **words)


def test_another_process_with_another_hash_seed_writes_the_same_bytes(
    drawings: list[dict[str, bytes]],
) -> None:
    assert sorted(drawings[0]) == ["fig99_demo.csv", "fig99_demo.png", "fig99_demo.svg"]
    assert drawings[0] == drawings[1]


def test_svg_holds_alt_text_and_no_date_software_or_fonts(drawn: dict[str, bytes]) -> None:
    svg = drawn["fig99_demo.svg"].decode()
    assert "<desc>Rises &lt; 1 &amp; slows – é.</desc>" in svg
    assert "<title>fig99_demo</title>" in svg
    assert "dc:date" not in svg
    assert "Matplotlib" not in svg
    assert "matplotlib.org" not in svg
    assert "<text" not in svg


def test_png_holds_alt_text_and_nothing_else(drawn: dict[str, bytes], tmp_path: Path) -> None:
    path = tmp_path / "p.png"
    path.write_bytes(drawn["fig99_demo.png"])
    with Image.open(path) as image:
        image.load()
        assert dict(image.text) == {"Title": "fig99_demo", "Description": "Rises < 1 & slows – é."}


def test_csv_reads_back_as_exactly_what_was_plotted(tmp_path: Path) -> None:
    data = rounded(
        pd.DataFrame({"policy": ["lru", "spear", "NA"], "n": [1, 2, 3], "x": [1 / 3, np.nan, 1e-9 / 7]})
    )
    save(tmp_path, data)
    pd.testing.assert_frame_equal(read_table("fig01_line", out=tmp_path), data)


@given(st.lists(st.floats(allow_nan=True, allow_infinity=False), min_size=1), st.integers(1, 9))
def test_rounding_twice_changes_nothing(values: list[float], digits: int) -> None:
    frame = pd.DataFrame({"x": np.array(values)})
    with np.errstate(over="ignore"):
        once = rounded(frame, digits)
    if np.isfinite(once["x"]).equals(np.isfinite(frame["x"])):
        pd.testing.assert_frame_equal(rounded(once, digits), once)


def test_rounded_keeps_digits_integers_and_drops_the_sign_of_zero() -> None:
    frame = rounded(pd.DataFrame({"x": [1234567.89, -0.0], "n": [1234567, 2]}), 3)
    assert frame["x"].tolist() == [1230000.0, 0.0]
    assert not np.signbit(frame["x"][1])
    assert frame["n"].tolist() == [1234567, 2]


@pytest.mark.parametrize(
    ("column", "message"),
    [([1 / 3, 0.0], "rounded"), (["", "a"], "CSV"), (["1", "2"], "CSV")],
    ids=["unrounded", "empty text", "text that is a number"],
)
def test_data_that_its_csv_would_change_is_refused_and_nothing_written(
    tmp_path: Path, column: list, message: str
) -> None:
    with pytest.raises(UnisonError, match=f"fig01_line.*column 'x'.*{message}"):
        save(tmp_path, pd.DataFrame({"x": column}))
    assert list(tmp_path.iterdir()) == []


def test_empty_data_or_a_missing_alt_text_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UnisonError, match="empty"):
        save(tmp_path, pd.DataFrame({"x": []}))
    with pytest.raises(UnisonError, match="alt text"):
        save(tmp_path, pd.DataFrame({"x": [1]}), alt=" ")


def test_a_figure_that_cannot_be_drawn_leaves_the_old_files(tmp_path: Path) -> None:
    data = pd.DataFrame({"x": [1]})
    save(tmp_path, data)
    before = {path: path.read_bytes() for path in tmp_path.iterdir()}
    figure, axes = new_figure()
    axes.set_title(r"$\nosuchmacro$")
    with pytest.raises(ValueError, match="nosuchmacro"):
        save_figure(figure, "fig01_line", data + 1, out=tmp_path, caption="c", alt="a")
    assert {path: path.read_bytes() for path in tmp_path.iterdir()} == before


def test_jupyter_shows_the_picture_with_its_stem(tmp_path: Path) -> None:
    data, facts = save(tmp_path, pd.DataFrame({"x": [1]}))._repr_mimebundle_()
    assert set(data) == {"image/png", "text/plain"}
    assert facts["unison"] == {"stem": "fig01_line", "caption": "A line.", "alt": "A rising line."}
