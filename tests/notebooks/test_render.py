"""Executed notebooks as Markdown and as a page without the network."""

import re
from pathlib import Path

import pytest
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from unison import paths
from unison.errors import UnisonError
from unison.notebooks.render import WIDGET_VIEW, remote_resources, to_html, to_markdown

PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
FIGURE = {"unison": {"stem": "fig01_curve", "caption": "A curve.", "alt": "Rises\n[fast]."}}


def shown(data: dict, metadata: dict | None = None) -> NotebookNode:
    return new_output("display_data", data, metadata=metadata or {})


def executed(*outputs: NotebookNode, source: str = "show()") -> NotebookNode:
    cells = [
        new_markdown_cell("# Title\n\n[next](02_b.ipynb), [site](https://example.org), [here](#title)"),
        new_code_cell('profile = "smoke"  # size\ncorpus = ""  # which\nout_dir = ""  # where\n'),
        new_code_cell(
            "# Parameters\nprofile = 'full'\ncorpus = '/data/my logs.parquet'\nout_dir = '/tmp/x'\n"
        ),
        new_code_cell(source, outputs=list(outputs), execution_count=3),
    ]
    cells[1].metadata["tags"] = ["parameters"]
    cells[2].metadata["tags"] = ["injected-parameters"]
    return new_notebook(cells=cells)


def markdown(*outputs: NotebookNode, **options: str) -> str:
    return to_markdown(executed(*outputs, **options), "01_a")


def test_figures_are_links_with_alt_text_and_caption_and_no_bytes() -> None:
    text = markdown(shown({"image/png": PIXEL, "text/plain": "fig"}, FIGURE))
    assert "![Rises (fast).](../../figures/fig01_curve.png)\n\n*A curve.*" in text
    assert PIXEL not in text


def test_tables_stay_markdown_and_text_is_fenced() -> None:
    table = "| a |\n| - |\n| 1 |"
    stdout = new_output("stream", name="stdout", text="has ``` inside   \n")
    text = markdown(shown({"text/markdown": table, "text/plain": "x"}), stdout, shown({"text/plain": "42"}))
    assert f"\n\n{table}\n\n" in text
    assert "````text\nhas ``` inside\n````" in text
    assert "```text\n42\n```" in text


def test_the_parameters_cell_shows_this_run_but_no_places() -> None:
    assert (
        '```python\nprofile = "full"  # size\ncorpus = "my logs"  # which\nout_dir = ""  # where\n```'
        in markdown()
    )
    assert "/tmp/x" not in markdown()


def test_links_are_seen_from_the_folder_below() -> None:
    assert "[next](../02_b.ipynb), [site](https://example.org), [here](#title)" in markdown()


def test_widgets_and_stderr_are_left_out() -> None:
    widget = shown({WIDGET_VIEW: {"model_id": "1"}, "text/plain": "IntSlider(value=3)"})
    text = markdown(widget, new_output("stream", name="stderr", text="warned"))
    assert "IntSlider" not in text
    assert "warned" not in text


@pytest.mark.parametrize(
    ("output", "reason"),
    [
        (shown({"image/png": PIXEL}), "no saved figure"),
        (shown({"text/plain": "<object at 0x7f3a12345678>"}), "memory address"),
        (shown({"text/markdown": f"in {paths.ROOT}/data"}), "path of this machine"),
        (new_output("stream", name="stdout", text=str(Path.home() / "x")), "path of this machine"),
    ],
)
def test_what_differs_on_another_machine_is_refused_by_cell(output: NotebookNode, reason: str) -> None:
    with pytest.raises(UnisonError, match=f"01_a, code cell 2: .*{reason}"):
        markdown(output)


def test_the_page_is_whole_without_the_network_and_keeps_the_picture() -> None:
    notebook = executed(
        shown({"image/png": PIXEL, "text/plain": "fig"}, FIGURE),
        shown({WIDGET_VIEW: {"model_id": "1"}, "text/plain": "IntSlider(value=3)"}),
        shown({"text/markdown": "| a |\n| - |\n| 1 |", "text/plain": "x"}),
    )
    notebook.metadata["widgets"] = {"application/vnd.jupyter.widget-state+json": {"state": {}}}
    page = to_html(notebook, "01_a")
    assert remote_resources(page) == []
    assert "cdnjs" not in page
    assert "unpkg" not in page
    assert f"data:image/png;base64,{PIXEL}" in page
    assert "<table>" in page
    assert "IntSlider" not in page
    assert "<title>01_a</title>" in page


def test_a_picture_from_the_network_is_refused() -> None:
    notebook = executed()
    notebook.cells[0].source = "![logo](https://example.org/logo.png)"
    with pytest.raises(UnisonError, match=r"01_a: .*https://example.org/logo.png"):
        to_html(notebook, "01_a")


@pytest.mark.parametrize(
    "piece",
    [
        '<script src="https://a.b/c.js"></script>',
        '<link rel="stylesheet" href="//a.b/c.css">',
        "<style>@import 'https://a.b/c.css';</style>",
        "<style>p {background: url(https://a.b/c.png)}</style>",
        '<script type="module">import x from "https://a.b/c.mjs";</script>',
    ],
)
def test_everything_a_browser_fetches_is_found(piece: str) -> None:
    assert len(remote_resources(f"<html>{piece}<a href='https://fine.example'>link</a></html>")) == 1


@pytest.mark.parametrize(
    "page", sorted((paths.NOTEBOOKS / "rendered").glob("*.md")), ids=lambda path: path.stem
)
def test_every_link_of_a_committed_page_leads_to_a_file(page: Path) -> None:
    targets = re.findall(r"\]\(([^)#\s]+)", page.read_text(encoding="utf-8"))
    within = [target for target in targets if "://" not in target]
    assert [target for target in within if not (page.parent / target).exists()] == []
