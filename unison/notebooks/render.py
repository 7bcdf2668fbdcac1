"""An executed notebook as Markdown that links the figure files, and as one web page that needs no network."""

from __future__ import annotations

import re
import sys
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import nbformat
from jinja2 import DictLoader
from nbconvert import HTMLExporter
from nbformat import NotebookNode

from unison import paths
from unison.errors import UnisonError
from unison.notebooks.parameters import INJECTED_TAG, TAG, assigned, tagged_cells, with_values

WIDGET_VIEW = "application/vnd.jupyter.widget-view+json"
FIGURES_LINK = "../../figures"
"""Folder of figures, seen from notebooks/rendered/."""

_PLACES = ("out_dir", "figures_dir", "corpus")
_ADDRESS = re.compile(r"\bat 0x[0-9a-fA-F]{6,}")
_RELATIVE_LINK = re.compile(r"\]\((?![a-z]+:|#|/)")
_CSS_REMOTE = re.compile(r"""(?:url\(\s*["']?|@import\s+["']|from\s+["'])(?:https?:)?//""")

_PAGE = """{%- extends 'lab/index.html.j2' -%}
{%- block html_head_js_requirejs -%}{%- endblock -%}
{%- block html_head_js_mathjax -%}{%- endblock -%}
{%- block html_head_js_mermaidjs -%}{%- endblock -%}
"""


def to_html(notebook: NotebookNode, name: str) -> str:
    """The notebook as one self-contained page; widgets are left out, their static pictures stay.

    Parameters
    ----------
    notebook : nbformat.NotebookNode
        Executed.
    name : str
        Title of the page.

    Raises
    ------
    UnisonError
        If the page would load anything from the network.
    """
    shown = nbformat.from_dict(notebook)
    shown.metadata.pop("widgets", None)
    shown.metadata["title"] = name
    for cell in shown.cells:
        if cell.cell_type == "code":
            cell.outputs = [output for output in cell.outputs if WIDGET_VIEW not in output.get("data", {})]
    exporter = HTMLExporter(
        extra_loaders=[DictLoader({"unison.html.j2": _PAGE})], template_file="unison.html.j2"
    )
    page, _ = exporter.from_notebook_node(shown)
    remote = remote_resources(page)
    if remote:
        raise UnisonError(f"{name}: its page would load {remote[0]} from the network; use a local file")
    return str(page)


def remote_resources(page: str) -> list[str]:
    """What a web page loads from the network: scripts, styles, pictures and frames, not links to follow."""
    finder = _RemoteFinder()
    finder.feed(page)
    return finder.found


class _RemoteFinder(HTMLParser):
    """Collects remote addresses that a browser fetches by itself."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []
        self._inside = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note remote `src`, and `href` of a style sheet or script."""
        self._inside = tag
        for name, value in attrs:
            fetched = name in ("src", "srcset", "data", "poster") or (name == "href" and tag == "link")
            if fetched and value and re.match(r"(https?:)?//", value.strip()):
                self.found.append(value)

    def handle_data(self, data: str) -> None:
        """Note remote addresses in styles and module imports."""
        if self._inside in ("style", "script"):
            self.found += [match.group(0) for match in _CSS_REMOTE.finditer(data)]


def to_markdown(notebook: NotebookNode, name: str) -> str:
    """The notebook as Markdown: text, code, tables, and links to its figures; nothing that varies.

    Outputs to stderr and widgets are left out. The parameters cell shows the values of the run, except
    where files were read from and written to.

    Parameters
    ----------
    notebook : nbformat.NotebookNode
        Executed, with the cell that papermill injects.
    name : str
        File name of the source without suffix.

    Raises
    ------
    UnisonError
        If an output holds a picture that is no saved figure, a memory address or a path of this machine.
    """
    parts = [f"<!-- Made from notebooks/{name}.ipynb by `unison reproduce`; edit that. -->"]
    injected = tagged_cells(notebook, INJECTED_TAG)
    values = _shown_values(injected[0]["source"]) if injected else {}
    number = 0
    for cell in notebook.cells:
        tags = cell.metadata.get("tags", [])
        if cell.cell_type == "markdown":
            parts.append(_RELATIVE_LINK.sub("](../", cell.source.strip()))
        elif cell.cell_type == "code" and INJECTED_TAG not in tags:
            number += 1
            source = with_values(cell.source, values) if TAG in tags else cell.source
            parts.append(_fenced(source, "python"))
            parts += [_output(output, f"{name}, code cell {number}") for output in cell.outputs]
    return "\n\n".join(part for part in parts if part) + "\n"


def _shown_values(injected: str) -> dict[str, str]:
    """The values of a run as text, without the folder; a corpus file by its name alone."""
    values = assigned(injected)
    corpus = values.get("corpus", "''")
    shown = {name: _double_quoted(text) for name, text in values.items() if name not in _PLACES}
    if corpus not in ("''", '""'):
        shown["corpus"] = f'"{Path(corpus.strip(chr(39) + chr(34))).stem}"'
    return shown


def _double_quoted(text: str) -> str:
    """Plain text in the quotes that the sources use."""
    return f'"{text[1:-1]}"' if re.fullmatch(r"'[^'\"\\]*'", text) else text


def _output(output: NotebookNode, where: str) -> str:
    """One output as Markdown; empty if it is left out."""
    if output.output_type == "stream":
        return _checked(_fenced(output.text, "text"), where) if output.name == "stdout" else ""
    data: Any = output.get("data", {})
    figure = output.get("metadata", {}).get("unison")
    if WIDGET_VIEW in data:
        return ""
    if figure:
        alt = re.sub(r"\s+", " ", figure["alt"]).replace("[", "(").replace("]", ")")
        return _checked(
            f"![{alt}]({FIGURES_LINK}/{figure['stem']}.png)\n\n*{figure['caption'].strip()}*", where
        )
    if any(mime.startswith("image/") for mime in data):
        raise UnisonError(
            f"{where}: shows a picture that is no saved figure; save it with products.figure(...)"
        )
    for mime in ("text/markdown", "text/latex"):
        if mime in data:
            return _checked(data[mime].strip(), where)
    return _checked(_fenced(data["text/plain"], "text"), where) if "text/plain" in data else ""


def _fenced(text: str, language: str) -> str:
    """Text as a code block, behind a fence longer than any inside it."""
    body = "\n".join(line.rstrip() for line in text.strip("\n").split("\n"))
    if not body.strip():
        return ""
    longest = max((len(run) for run in re.findall(r"`{3,}", body)), default=2)
    fence = "`" * (longest + 1)
    return f"{fence}{language}\n{body}\n{fence}"


def _checked(text: str, where: str) -> str:
    """The text, if it would be the same on another machine."""
    found = _ADDRESS.search(text)
    if found:
        raise UnisonError(
            f"{where}: its output holds a memory address ({found.group(0)}); show a value instead"
        )
    for folder in (str(paths.ROOT), sys.prefix, str(Path.home())):
        if len(folder) > 1 and folder in text:
            raise UnisonError(f"{where}: its output holds a path of this machine; show the file's name alone")
    return text
