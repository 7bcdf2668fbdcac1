"""Explorer: controls over a pure function that answers, for a notebook that is open."""

from __future__ import annotations

import html
import io
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import ipywidgets as widgets
import pandas as pd
from matplotlib.figure import Figure

from unison.config import load_defaults
from unison.errors import UnisonError
from unison.experiments.contenders import UNISON, contenders
from unison.experiments.residency import Replayed, Setting, pair_table, replayed, residency, victims
from unison.experiments.runner import NS_PER_S
from unison.report.figures import rounded
from unison.report.live import live_ranking, live_residency
from unison.report.plots.ranking_bars import plot_ranking_bars
from unison.report.plots.residency import plot_residency
from unison.report.style import figure_style
from unison.report.tables import Column
from unison.traces.synthetic import CORPORA

DIGITS = 8
"""Significant digits of times: a replay of hours is shown to the millisecond."""

PAIR_COLUMNS = (
    Column("policy", "Policy"),
    Column("info", "Knows"),
    Column("sees_completion", "Sees completion"),
    Column("hit_rate", "Hit rate", "%", 1),
    Column("sram_hit_rate", "SRAM hits", "%", 1),
    Column("amat_ns", "AMAT", "ns", 0),
    Column("miss_evicted", "Misses after eviction", "%", 1),
    Column("bypass_share", "Bypass", "%", 1),
    Column("evictions", "Evictions"),
    Column("promotions", "Promotions"),
)
"""How the table of a pair is shown."""

_DPI = 130
_OWN = -1.0
_LIVE = """<div style="color:var(--jp-content-font-color1, currentColor)">{table}
<h3>Who sat where</h3>{seats}
<h3>Who would go next</h3>{ranks}</div>"""
_CELL = "padding:2px 12px 2px 0"


@dataclass(frozen=True, eq=False)
class Explored:
    """Two policies on one trace: what they scored, who sat where, and who would go next.

    Attributes
    ----------
    pair : pandas.DataFrame
        Of `unison.experiments.residency.pair_table`.
    residency : pandas.DataFrame
        Who sat where around the instant, both policies.
    ranking : pandas.DataFrame
        Who would go at the instant, both policies.
    at_s : float
        The instant [s].
    tiers : tuple of str
        Names of the tiers, the one that evicts last.
    units : tuple of str
        Of each policy's scores.
    """

    pair: pd.DataFrame
    residency: pd.DataFrame
    ranking: pd.DataFrame
    at_s: float
    tiers: tuple[str, ...]
    units: tuple[str, ...]

    @property
    def policies(self) -> list[str]:
        """Labels of the two."""
        return [str(policy) for policy in self.pair["policy"]]

    def residency_figure(self) -> Figure:
        """Who sat where, to be saved."""
        return plot_residency(self.residency, policies=self.policies, at_s=self.at_s)

    def ranking_figure(self) -> Figure:
        """Who would go next, to be saved."""
        return plot_ranking_bars(self.ranking, policies=self.policies)

    def live(self) -> str:
        """All of it as HTML: the table, who sat where, who would go next."""
        table = _html_table(self.pair, PAIR_COLUMNS)
        seats = live_residency(self.residency, policies=self.policies, at_s=self.at_s)
        ranks = live_ranking(self.ranking, policies=self.policies, units=self.units, tiers=self.tiers)
        return _LIVE.format(table=table, seats=seats, ranks=ranks)


def explore(
    *,
    corpus: str,
    policy: str = "lru",
    other: str = UNISON,
    envelope: str | None = None,
    alpha: float | None = None,
    penalty_s: float | None = None,
    log_sd: float | None = None,
    session_share: float = 0.5,
    instant: float = 0.5,
    window_s: float = 60.0,
) -> Explored:
    """Replay a pair of policies and look at a window of it.

    From a moved control to the last picture (`Explored.live`) 300 ms may pass on the synthetic corpora:
    traces, signals and replays are kept, and only the window is laid out.

    Parameters
    ----------
    corpus, envelope, alpha, penalty_s, log_sd, session_share
        See `unison.experiments.residency.Setting`; what is None is the default of data/defaults.toml, the
        corpus' own gaps for `log_sd`.
    policy, other : str
        Labels of two different contenders.
    instant : float
        Where to look, as a share of the replay, 0 to 1.
    window_s : float
        Length of the window around the instant [s].

    Returns
    -------
    Explored

    Raises
    ------
    UnisonError
        If an argument is unknown or out of range.
    """
    if policy == other:
        raise UnisonError(f"explorer: {policy} twice; choose two different policies")
    if not 0 <= instant <= 1 or not 0 < window_s <= 1e9:
        raise UnisonError(
            f"explorer: instant must be from 0 to 1 and window_s above 0 and up to 1e9 s; "
            f"given {instant:g} and {window_s:g}"
        )
    defaults = load_defaults()
    runs = [
        replayed(
            Setting(
                corpus=corpus,
                policy=label,
                envelope=defaults.replay.envelope if envelope is None else envelope,
                alpha=defaults.spear.alpha if alpha is None else alpha,
                penalty_s=defaults.spear.penalty_s if penalty_s is None else penalty_s,
                log_sd=log_sd,
                session_share=session_share,
            )
        )
        for label in (policy, other)
    ]
    first, last = runs[0].span_ns
    at_ns = first + round(instant * (last - first))
    half = round(window_s * NS_PER_S / 2)
    shown = pd.concat([residency(run, at_ns - half, at_ns + half) for run in runs])
    ranking = pd.concat([victims(run, at_ns) for run in runs])
    return Explored(
        rounded(pair_table(runs)),
        rounded(shown, DIGITS),
        rounded(ranking, DIGITS),
        at_ns / NS_PER_S,
        tiers=tuple(tier.name for tier in runs[0].envelope.tiers),
        units=tuple(_unit(run) for run in runs),
    )


def answer(*, corpus: str, file: str = "", instant: float = 50.0, log_sd: float = _OWN, **chosen: Any) -> str:
    """What the controls of `pair_explorer` ask for, as HTML; what is out of range is told instead.

    Parameters
    ----------
    corpus : str
        Name of a corpus.
    file : str
        A file in its place, if there is one.
    instant : float
        Where to look [% of the replay].
    log_sd : float
        See `explore`; -1 for the corpus' own gaps.
    **chosen
        Other arguments of `explore`.
    """
    spread = None if log_sd == _OWN else log_sd
    try:
        return explore(corpus=file.strip() or corpus, instant=instant / 100, log_sd=spread, **chosen).live()
    except UnisonError as error:
        return f"<b>{html.escape(str(error))}</b>"


def explorer(draw: Callable[..., Figure], **choices: Sequence[Any]) -> widgets.VBox:
    """A control that redraws when another value is chosen.

    Make it the last expression of a cell of its own: it is left out of what is rendered, so that the cell
    before it shows a saved picture.

    Parameters
    ----------
    draw : callable
        ``draw(**chosen) -> Figure``, without side effects.
    **choices : sequence
        Values of each argument of `draw`; the first is drawn at once.

    Returns
    -------
    ipywidgets.VBox
        The drop-down lists, and below them the picture.
    """
    lists = {
        name: widgets.Dropdown(options=list(values), description=name) for name, values in choices.items()
    }
    picture = widgets.Image(format="png", layout=widgets.Layout(max_width="100%"))

    def redraw(**chosen: Any) -> None:
        picture.value = figure_png(draw(**chosen))

    _on_change(lists, redraw)
    return widgets.VBox([widgets.HBox(list(lists.values())), picture])


def pair_explorer(corpus: str, **start: Any) -> widgets.VBox:
    """`answer` under controls.

    Parameters
    ----------
    corpus : str
        Name or file shown first.
    **start
        Of the arguments of `explore`, those that are not at the controls' defaults at first.

    Returns
    -------
    ipywidgets.VBox
        The controls, and below them the table of the pair and the pictures.
    """
    controls = _pair_controls(corpus)
    for name, value in start.items():
        _set(controls[name], 100 * value if name == "instant" else value)
    shown = widgets.HTML()

    def redraw(**chosen: Any) -> None:
        shown.value = answer(**chosen)

    _on_change(controls, redraw)
    grid = widgets.Layout(grid_template_columns="repeat(auto-fit, minmax(300px, 1fr))")
    return widgets.VBox([widgets.GridBox(list(controls.values()), layout=grid), shown])


def _pair_controls(corpus: str) -> dict[str, Any]:
    """A control for each argument of `explore`, and one for a file in place of a named corpus."""
    defaults = load_defaults()
    labels = [one.label for one in contenders() if not one.entry.is_stateful]
    shares = [f"x{share}" for share in defaults.envelope.live_shares]
    spreads = [("as it is", _OWN), *((f"{step / 4:g}", step / 4) for step in range(13))]
    file = "" if corpus in CORPORA else corpus
    late = {"continuous_update": False, "style": {"description_width": "90px"}}
    return {
        "corpus": widgets.Dropdown(
            options=list(CORPORA), value=next(iter(CORPORA)) if file else corpus, description="corpus"
        ),
        "file": widgets.Text(value=file, placeholder="or FILE.parquet", description="or file", **late),
        "policy": widgets.Dropdown(options=labels, value="lru", description="left"),
        "other": widgets.Dropdown(options=labels, value=UNISON, description="right"),
        "envelope": widgets.Dropdown(
            options=[*defaults.envelope.names, *shares],
            value=defaults.replay.envelope,
            description="envelope",
        ),
        "alpha": widgets.FloatSlider(
            defaults.spear.alpha, min=0.05, max=1, step=0.05, description="alpha", **late
        ),
        "penalty_s": widgets.FloatLogSlider(
            defaults.spear.penalty_s, min=-0.3, max=3.7, step=0.1, description="P [s]", **late
        ),
        "log_sd": widgets.SelectionSlider(options=spreads, description="sd of log gap", **late),
        "session_share": widgets.FloatSlider(0.5, min=0, max=1, step=0.25, description="by session", **late),
        "instant": widgets.FloatSlider(50, min=0, max=100, step=0.5, description="instant [%]", **late),
        "window_s": widgets.FloatLogSlider(60, min=0.5, max=3, step=0.1, description="window [s]", **late),
    }


def _set(control: Any, value: Any) -> None:
    """Move a control; a list gets the value if it has not got it."""
    if isinstance(control, widgets.Dropdown):
        control.options = list(dict.fromkeys([*control.options, value]))
    control.value = value


def _html_table(frame: pd.DataFrame, columns: Sequence[Column]) -> str:
    """A frame as a table in a page; numbers to the right, text to the left."""
    sides = ["right" if frame[column.name].dtype.kind in "iuf" else "left" for column in columns]

    def row(tag: str, cells: Sequence[str]) -> str:
        shown = (
            f'<{tag} style="{_CELL};text-align:{side}">{html.escape(cell)}</{tag}>'
            for side, cell in zip(sides, cells, strict=True)
        )
        return f"<tr>{''.join(shown)}</tr>"

    head = row("th", [column.title for column in columns])
    lines = zip(*([column.cell(v) for v in frame[column.name].tolist()] for column in columns), strict=True)
    body = "".join(row("td", cells) for cells in lines)
    return f'<div style="overflow-x:auto"><table>{head}{body}</table></div>'


def _unit(run: Replayed) -> str:
    """Of a ranking's scores: times, or times weighed with lengths."""
    return "s" if run.ranking.weight is None else "s × tokens"


def _on_change(controls: Mapping[str, Any], redraw: Callable[..., None]) -> None:
    """Call with the controls' values, now and whenever one changes."""

    def changed(_: object = None) -> None:
        redraw(**{name: box.value for name, box in controls.items()})

    for box in controls.values():
        box.observe(changed, names="value")
    changed()


def figure_png(figure: Figure) -> bytes:
    """The figure as PNG."""
    buffer = io.BytesIO()
    with figure_style():
        figure.savefig(buffer, format="png", dpi=_DPI)
    return buffer.getvalue()
