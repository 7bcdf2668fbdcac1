"""Saving a figure: the SVG, the PNG and the CSV of exactly what it shows, the same bytes on every run."""

from __future__ import annotations

import base64
import io
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from unison.errors import UnisonError
from unison.files import atomic_path
from unison.report.style import figure_style

DIGITS = 6
"""Significant digits kept by `rounded` unless told: coarse enough to hide the last bits of a platform."""

MOST_DIGITS = 9


@dataclass(frozen=True)
class SavedFigure:
    """A figure on disk; as the last expression of a cell it shows itself.

    Attributes
    ----------
    stem : str
        File name without suffix.
    folder : pathlib.Path
        Where ``stem.svg``, ``stem.png`` and ``stem.csv`` are.
    caption : str
        One or two sentences: what it shows, with corpus, seed and profile.
    alt : str
        What a reader who cannot see it needs to know.
    """

    stem: str
    folder: Path
    caption: str
    alt: str

    def _repr_mimebundle_(self, **_: Any) -> tuple[dict[str, str], dict[str, Any]]:
        """The picture for Jupyter, with its stem so that the rendered Markdown links the file."""
        png = (self.folder / f"{self.stem}.png").read_bytes()
        data = {"image/png": base64.b64encode(png).decode(), "text/plain": f"{self.stem}: {self.caption}"}
        facts = {"stem": self.stem, "caption": self.caption, "alt": self.alt}
        return data, {"unison": facts, "image/png": {"alt": self.alt}}


def rounded(frame: pd.DataFrame, digits: int = DIGITS) -> pd.DataFrame:
    """The frame with floats rounded to significant digits, so that its CSV reads back as the same numbers.

    Parameters
    ----------
    frame : pandas.DataFrame
        Any columns; only floats change. Negative zero becomes zero.
    digits : int
        Significant digits, 1 to `MOST_DIGITS`.

    Returns
    -------
    pandas.DataFrame
        A new frame with a plain index 0, 1, 2, ...
    """
    if not 1 <= digits <= MOST_DIGITS:
        raise UnisonError(
            f"rounded: digits={digits} is not allowed; give 1 to {MOST_DIGITS} significant digits"
        )
    result = frame.reset_index(drop=True).copy()
    for name in result.columns:
        if result[name].dtype.kind == "f":
            values = result[name].to_numpy(dtype=np.float64)
            result[name] = [float(f"{v:.{digits - 1}e}") + 0.0 for v in values]
    return result


def csv_text(frame: pd.DataFrame) -> str:
    """The frame as CSV: no index, Unix line ends, the shortest digits that read back, empty where missing."""
    return str(frame.to_csv(index=False, lineterminator="\n"))


def read_csv(path: Path | io.StringIO) -> pd.DataFrame:
    """The frame that `csv_text` wrote, number for number."""
    return pd.read_csv(path, float_precision="round_trip", keep_default_na=False, na_values=[""])


def save_figure(
    figure: Figure, stem: str, data: pd.DataFrame, *, out: Path, caption: str, alt: str
) -> SavedFigure:
    """Write ``stem.svg``, ``stem.png`` and ``stem.csv``, then close the figure.

    All three are made before the first is written, and each replaces its predecessor whole. They hold no
    date, software version, host or path.

    Parameters
    ----------
    figure : matplotlib.figure.Figure
        Drawn from `data`.
    stem : str
        As ``fig05_hit_rate``; the same stem in notebooks, claims and commands.
    data : pandas.DataFrame
        Exactly what is plotted, in tidy form, rounded with `rounded`.
    out : pathlib.Path
        Folder.
    caption, alt : str
        See `SavedFigure`. `alt` goes into the SVG's ``<desc>`` and the PNG's ``Description``.

    Returns
    -------
    SavedFigure

    Raises
    ------
    UnisonError
        If `data` is empty, unrounded, or does not survive its CSV; nothing is written then.
    """
    table = _checked_csv(stem, data)
    if not alt.strip() or not caption.strip():
        raise UnisonError(
            f"figure {stem!r}: caption and alt text are needed; say in a sentence what it shows"
        )
    try:
        files = {"svg": _svg(figure, stem, alt), "png": _png(figure, stem, alt), "csv": table.encode()}
    finally:
        plt.close(figure)
    for suffix, content in files.items():
        with atomic_path(Path(out) / f"{stem}.{suffix}") as temporary:
            temporary.write_bytes(content)
    return SavedFigure(stem, Path(out), caption, alt)


def _checked_csv(stem: str, data: pd.DataFrame) -> str:
    """The CSV of a figure's data, after checking that it says the same as the data."""
    if data.empty:
        raise UnisonError(f"figure {stem!r}: its data frame is empty; there is nothing to plot")
    for name in data.columns:
        column = data[name]
        if column.dtype.kind == "f" and not rounded(column.to_frame(), MOST_DIGITS)[name].equals(
            column.reset_index(drop=True)
        ):
            raise UnisonError(
                f"figure {stem!r}, column {name!r}: numbers with more than {MOST_DIGITS} significant digits "
                "differ between machines; draw the figure from rounded(frame) and save that frame"
            )
    text = csv_text(data)
    back = read_csv(io.StringIO(text))
    for name in data.columns:
        if _values(back[str(name)]) != _values(data[name]):
            raise UnisonError(
                f"figure {stem!r}, column {name!r}: its values change when its CSV is read again; "
                "use plain numbers, booleans or text that is neither a number nor empty"
            )
    return text


def _values(column: pd.Series) -> list[object]:
    """The values, with one marker for everything missing."""
    return [None if missing else value for value, missing in zip(column, column.isna(), strict=True)]


def _svg(figure: Figure, stem: str, alt: str) -> bytes:
    buffer = io.StringIO()
    with figure_style():
        figure.savefig(buffer, format="svg", metadata={"Title": stem, "Date": None, "Creator": None})
    title = f"<title>{stem}</title>"
    described = buffer.getvalue().replace(title, f"{title}\n <desc>{escape(alt)}</desc>", 1)
    return described.encode()


def _png(figure: Figure, stem: str, alt: str) -> bytes:
    buffer = io.BytesIO()
    with figure_style():
        figure.savefig(buffer, format="png", metadata={"Software": None, "Title": stem, "Description": alt})
    return buffer.getvalue()
