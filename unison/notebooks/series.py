"""The series of notebooks: which there are, in order, and what each declares about itself.

A notebook declares its products and its expected run time once, in its own metadata::

    "unison": {"products": ["fig02_gaps", "tab01_corpora"], "minutes": {"smoke": 0.2, "full": 1.5}}

Every command reads it from there. A product is the stem of a figure (``fig``: .svg, .png, .csv) or of a
table (``tab``, or ``claims``, the ledger: .csv, .md), and only one notebook makes it. A notebook that reads
the tables of the others says ``"reads_products": true``: it runs after them, again whenever one of them
changed, and finds their folder in its parameter ``figures_dir``. One that depends on something outside the
package and data/ names it, ``"outside": ["figures/rtl"]``: it runs again when that changed.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from unison.errors import UnisonError, unknown_name
from unison.notebooks.parameters import Notebook

PROFILES = ("smoke", "full")
SHARED_PARAMETERS = ("profile", "corpus", "out_dir")
"""Parameters of type str that every notebook declares; `corpus` empty means the synthetic corpora."""

OUTSIDE = ("figures/rtl", "C++ compiler")
"""What a notebook may depend on besides the package and data/: the committed results of the hardware, and
whether there is a compiler."""

SUFFIXES = {"fig": (".svg", ".png", ".csv"), "tab": (".csv", ".md"), "claims": (".csv", ".md")}
"""Files of a product by the letters that its stem begins with."""

_STEM = re.compile(r"(?P<kind>fig|tab)\d\d(_[a-z0-9]+)*|claims")
_FILE = re.compile(r"\d\d_[a-z0-9_]+\.ipynb")


@dataclass(frozen=True)
class Entry:
    """One notebook of the series.

    Attributes
    ----------
    path : pathlib.Path
        Its source.
    products : tuple of str
        Stems of the figures and tables it writes.
    minutes : dict of str to float
        Expected run time [min] by profile.
    reads_products : bool
        Whether it reads the tables that the other notebooks make.
    outside : tuple of str
        Those of `OUTSIDE` that it depends on.
    """

    path: Path
    products: tuple[str, ...]
    minutes: dict[str, float]
    reads_products: bool = False
    outside: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """File name without suffix, as ``03_evaluate_policies``."""
        return self.path.stem

    @property
    def files(self) -> list[str]:
        """Names of the files it writes, in order."""
        return [stem + suffix for stem in self.products for suffix in SUFFIXES[_kind(stem)]]


def read_notebook(path: Path) -> Notebook:
    """A notebook file, read as JSON.

    Raises
    ------
    UnisonError
        If it is missing or is no notebook of format 4.
    """
    if not path.is_file():
        raise UnisonError(f"notebook {path.name}: no such file in {path.parent.name}/; check the name")
    try:
        notebook: Notebook = json.loads(path.read_text(encoding="utf-8"))
        version = notebook["nbformat"]
        for cell in notebook["cells"]:
            cell["source"] = "".join(cell["source"])
            cell["metadata"], cell["cell_type"]
        notebook["metadata"]
    except (ValueError, KeyError, TypeError) as error:
        raise UnisonError(
            f"notebook {path.name}: not a valid notebook ({error!r}); save it from Jupyter"
        ) from error
    if version != 4:
        raise UnisonError(f"notebook {path.name}: notebook format {version}; save it in format 4")
    return notebook


def entry_of(path: Path, notebook: Notebook) -> Entry:
    """What a notebook's metadata declares.

    Raises
    ------
    UnisonError
        If products or minutes are missing, or anything is malformed.
    """
    meta: Any = notebook["metadata"].get("unison", {})
    products, minutes = meta.get("products"), meta.get("minutes")
    if not isinstance(products, list) or not all(isinstance(p, str) and _STEM.fullmatch(p) for p in products):
        raise UnisonError(
            f"{path.name}: metadata unison.products is {products!r}; "
            "give a list of stems such as fig02_gaps or tab02_main (may be empty)"
        )
    if len(set(products)) != len(products):
        raise UnisonError(f"{path.name}: metadata unison.products names a stem twice; name each once")
    if not isinstance(minutes, dict) or not all(_is_minutes(minutes.get(profile)) for profile in PROFILES):
        raise UnisonError(
            f"{path.name}: metadata unison.minutes is {minutes!r}; "
            f"give the expected minutes of each profile: {', '.join(PROFILES)}"
        )
    reads = meta.get("reads_products", False)
    if not isinstance(reads, bool):
        raise UnisonError(f"{path.name}: metadata unison.reads_products is {reads!r}; give true or false")
    outside = meta.get("outside", [])
    if not isinstance(outside, list) or not all(name in OUTSIDE for name in outside):
        raise UnisonError(
            f"{path.name}: metadata unison.outside is {outside!r}; give a list of {', '.join(OUTSIDE)}"
        )
    expected = {profile: float(minutes[profile]) for profile in PROFILES}
    return Entry(path, tuple(products), expected, reads, tuple(outside))


def load_series(folder: Path) -> list[Entry]:
    """The notebooks ``NN_name.ipynb`` of a folder, in order of their numbers.

    Raises
    ------
    UnisonError
        If there is none, a name is not of that form, or two notebooks make the same product.
    """
    entries = []
    makers: dict[str, str] = {}
    for path in sorted(folder.glob("*.ipynb")):
        if not _FILE.fullmatch(path.name):
            raise UnisonError(f"{path.name}: notebooks are called NN_name.ipynb in lower case; rename it")
        entry = entry_of(path, read_notebook(path))
        for stem in entry.products:
            if stem in makers:
                raise UnisonError(
                    f"{stem}: declared by {makers[stem]} and {path.name}; one notebook makes a product"
                )
            makers[stem] = path.name
        entries.append(entry)
    if not entries:
        raise UnisonError(f"no notebook in {folder.name}/; it should hold NN_name.ipynb files")
    return entries


def select(series: Sequence[Entry], only: Sequence[str]) -> list[Entry]:
    """The notebooks that make the named products, in the order of the series.

    Parameters
    ----------
    series : sequence of Entry
    only : sequence of str
        Stems (``tab02_main``), their short forms (``tab02``), notebook names or their numbers (``03``);
        empty selects all.

    Raises
    ------
    UnisonError
        If a name is none of these; the message names the nearest.
    """
    wanted: set[str] = set()
    for name in only:
        hits = {entry.name for entry in series if name in _names(entry)}
        if not hits:
            raise unknown_name(
                "figure, table or notebook", name, {n for entry in series for n in _names(entry)}
            )
        wanted |= hits
    return [entry for entry in series if not only or entry.name in wanted]


def short(stem: str) -> str:
    """The short form of a stem, as ``tab02``: what ``make`` calls it."""
    return stem.split("_")[0]


def _names(entry: Entry) -> set[str]:
    """Everything that `select` takes for this notebook."""
    return {entry.name, short(entry.name), *entry.products, *map(short, entry.products)}


def _kind(stem: str) -> str:
    """What a stem begins with, a key of `SUFFIXES`."""
    match = _STEM.fullmatch(stem)
    return (match and match["kind"]) or stem


def _is_minutes(value: object) -> bool:
    return type(value) in (int, float) and float(str(value)) > 0
