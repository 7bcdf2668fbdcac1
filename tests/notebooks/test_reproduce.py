"""The whole way: reproduce, verify and targets on a small project with two notebooks."""

import json
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from unison import paths
from unison.cli.reproduce_command import reproduce_command, targets_command, verify_command
from unison.errors import UnisonError
from unison.notebooks.layout import Layout
from unison.notebooks.render import remote_resources
from unison.notebooks.reproduce import corpus_layout, resolved_corpus
from unison.notebooks.verify import Difference, compare

IMPORTS = """\
import ipywidgets
import pandas as pd
from unison.report import Products, figure_style, new_figure, rounded
products = Products(out_dir)
"""
DRAW = """\
def draw(factor):
    data = rounded(pd.DataFrame({"x": [1, 2, 3]}).assign(y=lambda d: factor * d.x / 7))
    with figure_style():
        figure, axes = new_figure()
        axes.plot(data.x, data.y)
    return figure, data
figure, data = draw(scale)
products.figure(figure, "fig01_curve", data, caption="A curve.", alt="It rises.")
"""
ALPHA = (
    IMPORTS,
    DRAW,
    "products.table(data, 'tab01_facts', caption=f'Profile {profile}.')",
    "ipywidgets.IntSlider(value=3)",
)
BETA = (
    "from pathlib import Path\nfor suffix in ('csv', 'md'):\n"
    "    Path(out_dir, f'tab02_main.{suffix}').write_text(f'{profile}\\n')\nprint(profile)"
)


def call(command, *arguments: str) -> Result:
    return CliRunner().invoke(command, arguments, catch_exceptions=False, standalone_mode=False)


def contents(*folders: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for folder in folders for path in sorted(folder.iterdir())}


@pytest.fixture(scope="module")
def first(project: Path, make_notebook, module_patch: pytest.MonkeyPatch) -> Result:
    """The output of `unison reproduce` in a project that has nothing yet."""
    # An edit of the package during the test would rightly make everything stale; test_stamps covers it.
    module_patch.setattr("unison.notebooks.reproduce.project_inputs", lambda *_: {})
    make_notebook(paths.NOTEBOOKS / "01_alpha.ipynb", *ALPHA, products=["fig01_curve", "tab01_facts"])
    make_notebook(paths.NOTEBOOKS / "02_beta.ipynb", BETA, products=["tab02_main"])
    return call(reproduce_command, "--jobs", "2")


@pytest.fixture
def made(first: Result) -> Layout:
    return Layout.committed()


def test_reproduce_makes_every_product_and_says_how_long_it_took(first: Result, made: Layout) -> None:
    assert sorted(contents(made.figures)) == [
        "fig01_curve.csv",
        "fig01_curve.png",
        "fig01_curve.svg",
        "tab01_facts.csv",
        "tab01_facts.md",
        "tab02_main.csv",
        "tab02_main.md",
    ]
    assert "2 notebooks, profile full: about 0.4 min" in first.stdout
    assert "01_alpha  " in first.stdout
    assert "[1/2] 01_alpha: running, about 0.2 min (not made yet)" in first.stderr
    assert "02_beta: done in" in first.stderr


def test_the_profile_reaches_the_notebooks(made: Layout) -> None:
    assert (made.figures / "tab02_main.csv").read_text() == "full\n"


def test_rendered_notebooks_link_figures_and_show_tables(made: Layout) -> None:
    text = (made.rendered / "01_alpha.md").read_text()
    assert "![It rises.](../../figures/fig01_curve.png)" in text
    assert "|   1 | 0.21 |" in text
    assert text.endswith("ipywidgets.IntSlider(value=3)\n```\n")
    assert (made.rendered / "02_beta.md").read_text().endswith("```text\nfull\n```\n")


def test_pages_need_no_network(made: Layout) -> None:
    page = (made.html / "01_alpha.html").read_text()
    assert "data:image/png;base64," in page
    assert remote_resources(page) == []


def test_nothing_is_run_again_when_nothing_changed(made: Layout) -> None:
    before = contents(made.figures, made.rendered)
    again = call(reproduce_command)
    assert again.stdout.count("up to date") == 2
    assert again.stderr == ""
    assert contents(made.figures, made.rendered) == before


def test_an_altered_product_is_told_by_verify_and_made_again_by_reproduce(made: Layout) -> None:
    before = contents(made.figures, made.rendered)
    (made.figures / "tab02_main.csv").write_text("altered\n")
    (made.figures / "fig09_stray.csv").write_text("x\n")
    (made.rendered / "01_alpha.md").rename(made.rendered / ".hidden")
    (made.figures / "real").mkdir()
    (made.figures / "real" / "fig01_curve.csv").write_text("not made here\n")
    told = call(verify_command)
    assert told.return_value == 1
    assert [
        line for line in told.stdout.splitlines() if line.split(":")[0] in ("differs", "extra", "missing")
    ] == [
        "extra: figures/fig09_stray.csv",
        "differs: figures/tab02_main.csv",
        "missing: notebooks/rendered/01_alpha.md",
    ]
    (made.figures / "fig09_stray.csv").unlink()
    shutil.rmtree(made.figures / "real")
    (made.rendered / ".hidden").rename(made.rendered / "01_alpha.md")
    again = call(reproduce_command)
    assert "02_beta: running, about 0.2 min" in again.stderr
    assert "tab02_main.csv was altered" in again.stderr
    assert "01_alpha: running" not in again.stderr
    assert contents(made.figures, made.rendered) == before
    # Both notebooks were executed a second time for verify, in another folder, with the same bytes.
    assert compare(made, Layout.under(paths.BUILD / "verify")) == []


def test_compare_leaves_out_real_traces_and_hidden_files(tmp_path: Path) -> None:
    one, other = Layout.under(tmp_path / "one"), Layout.under(tmp_path / "other")
    for layout, text in ((one, "a"), (other, "b")):
        (layout.figures / "real").mkdir(parents=True)
        (layout.figures / "real" / "x.csv").write_text(text)
        (layout.figures / f".{text}").write_text(text)
        (layout.figures / "x.csv").write_text(text)
    assert compare(one, other) == [Difference("differs", "figures/x.csv")]


def test_targets_lists_what_makes_each_product(made: Layout) -> None:
    rows = json.loads(call(targets_command, "--format", "json").stdout)
    assert [row["stem"] for row in rows] == ["fig01_curve", "tab01_facts", "tab02_main"]
    assert rows[2] == {
        "stem": "tab02_main",
        "notebook": "02_beta.ipynb",
        "command": "make tab02",
        "smoke_min": 0.1,
        "full_min": 0.2,
    }
    assert "make fig01" in call(targets_command).stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--only", "tab03"], "unknown figure, table or notebook 'tab03'"),
        (["--set", "scale=2"], "name the folder for them with --out"),
        (["--set", "scale", "--out", "x"], "write it as NAME=VALUE"),
        (["--set", "profile=full", "--out", "x"], "use the option --profile"),
        (["--set", "scle=2", "--out", "x"], "'scle'; did you mean 'scale'"),
        (["--set", "scale=big", "--out", "x"], "parameter 'scale' is 'big' of type str; allowed: float"),
        (["--corpus", "gaia-qwen4"], "unknown corpus 'gaia-qwen4'; did you mean 'gaia-qwen3'"),
        (["--corpus", "logs/none.parquet"], "'logs/none.parquet': no such file"),
    ],
)
def test_wrong_arguments_are_errors_and_run_nothing(made: Layout, arguments: list[str], message: str) -> None:
    with pytest.raises(UnisonError, match=message):
        call(reproduce_command, *arguments)
    assert not Path("x").exists()


def test_each_kind_of_run_has_its_own_place(made: Layout, tmp_path: Path) -> None:
    logs = tmp_path / "my_logs.parquet"
    logs.write_bytes(b"")
    corpus = resolved_corpus(str(logs))
    assert corpus_layout("", "full").figures == paths.FIGURES
    assert corpus_layout("", "smoke").figures == paths.BUILD / "smoke" / "figures"
    assert corpus_layout(corpus, "full").figures == paths.BUILD / "my_logs" / "figures"
    assert corpus_layout("gaia-qwen3", "smoke").html == paths.BUILD / "smoke" / "gaia-qwen3" / "html"
    with pytest.raises(UnisonError, match="build/verify/ has another use"):
        corpus_layout(str(tmp_path / "verify.parquet"), "full")
