"""What the site is made from: the products of one run of the series, and the project's documents."""

from __future__ import annotations

import posixpath
import re
from dataclasses import dataclass
from pathlib import Path

from unison.errors import UnisonError
from unison.notebooks.layout import Layout, shown
from unison.notebooks.series import read_notebook
from unison.site.api import Api
from unison.site.markup import Context, plain

FIGURE_FILES = (".svg", ".png", ".csv", ".md")

DOCUMENTS = {
    "README.md": ("readme.html", "README"),
    "ARTIFACT.md": ("artifact.html", "For evaluators"),
    "data/README.md": ("data.html", "Data"),
    "CHANGELOG.md": ("changelog.html", "Changes"),
}
"""Documents of the project that are pages: their address and their name in the navigation."""

_TITLE = re.compile(r"^# +(.+)$", re.MULTILINE)


@dataclass(frozen=True)
class Notebook:
    """One executed notebook.

    Attributes
    ----------
    name : str
        As ``03_evaluate_policies``.
    text : str
        Its Markdown.
    written : str
        The Markdown cells of its source, joined: what its author wrote, against what a run computed.
    """

    name: str
    text: str
    written: str

    @property
    def address(self) -> str:
        """Its page."""
        return f"{self.name}.html"

    @property
    def number(self) -> str:
        """As ``03``."""
        return self.name.split("_")[0]

    @property
    def title(self) -> str:
        """Its first heading, with the number."""
        found = _TITLE.search(self.text)
        return plain(found.group(1)) if found else self.name


@dataclass(frozen=True)
class Sources:
    """Everything that a site shows.

    Attributes
    ----------
    root : pathlib.Path
        Of the project, for its documents.
    figures : pathlib.Path
        Folder of figures and tables.
    notebooks : tuple of Notebook
        In order.
    api : Api
        The package's interface.
    """

    root: Path
    figures: Path
    notebooks: tuple[Notebook, ...]
    api: Api

    @classmethod
    def of(cls, layout: Layout, root: Path) -> Sources:
        """The products of a run, with the documents and the package of a project.

        Raises
        ------
        UnisonError
            If there is no executed notebook.
        """
        rendered = sorted(layout.rendered.glob("*.md"))
        if not rendered:
            raise UnisonError(
                f"no executed notebook in {shown(layout.rendered)}/; make them with `unison reproduce`"
            )
        notebooks = tuple(
            Notebook(path.stem, path.read_text(encoding="utf-8"), _written(root / "notebooks", path.stem))
            for path in rendered
        )
        return cls(root, layout.figures, notebooks, Api.of(root / "unison"))

    def products(self) -> list[str]:
        """Names of the figure and table files, from the figures' folder, in order."""
        found = (p for p in self.figures.rglob("*") if p.suffix in FIGURE_FILES)
        names = (path.relative_to(self.figures).as_posix() for path in found)
        return sorted(name for name in names if not any(part.startswith(".") for part in name.split("/")))

    def documents(self) -> dict[str, str]:
        """The documents that are there, by their name in the project."""
        texts = ((name, self.root / name) for name in DOCUMENTS)
        return {name: path.read_text(encoding="utf-8") for name, path in texts if path.is_file()}

    def context(self, name: str, *, is_code_folded: bool = False) -> Context:
        """How addresses in a file of the project are read.

        Parameters
        ----------
        name : str
            The file, as ``notebooks/rendered/01_x.md``.
        is_code_folded : bool
            See `Context`.
        """
        folder = posixpath.dirname(name)

        def inside(address: str) -> str:
            return posixpath.normpath(posixpath.join(folder, address))

        def link(address: str) -> str | None:
            path, mark, anchor = address.partition("#")
            if not path:
                return address
            target = self.address_of(inside(path))
            return target and (target if "#" in target else target + mark + anchor)

        def picture(address: str) -> Path:
            return self.picture(inside(address), name)

        def files(address: str) -> dict[str, str]:
            stem = inside(address).removesuffix(".png")
            found = {suffix: self.address_of(f"{stem}{suffix}") for suffix in (".csv", ".svg", ".png")}
            return {f"{posixpath.basename(stem)}{suffix}": to for suffix, to in found.items() if to}

        return Context(link=link, picture=picture, files=files, is_code_folded=is_code_folded)

    def address_of(self, name: str) -> str | None:
        """Where the site has a file of the project; None if nowhere."""
        folder, _, file = name.rpartition("/")
        if name in DOCUMENTS:
            return DOCUMENTS[name][0]
        if folder in ("notebooks", "notebooks/rendered"):
            stem = file.rsplit(".", 1)[0]
            return f"{stem}.html" if stem in {notebook.name for notebook in self.notebooks} else None
        if name.startswith("figures/") and (self.figures / name[8:]).is_file():
            return name
        if name.startswith("unison/") and name.endswith(".py"):
            return self.api.address_of(name[:-3].removesuffix("/__init__").replace("/", "."))
        return None

    def picture(self, name: str, by: str) -> Path:
        """A picture of this run, or else of the project.

        Parameters
        ----------
        name : str
            From the project's root.
        by : str
            The file that shows it.

        Raises
        ------
        UnisonError
            If it is in neither.
        """
        of_run = self.figures / name.removeprefix("figures/")
        path = of_run if name.startswith("figures/") and of_run.is_file() else self.root / name
        if not path.is_file():
            raise UnisonError(f"{by}: shows {name}, which is not there; make it with `unison reproduce`")
        return path


def _written(folder: Path, name: str) -> str:
    """The Markdown cells of a notebook's source; nothing if it is not there."""
    path = folder / f"{name}.ipynb"
    if not path.is_file():
        return ""
    cells = read_notebook(path)["cells"]
    return "\n\n".join(cell["source"] for cell in cells if cell["cell_type"] == "markdown")
