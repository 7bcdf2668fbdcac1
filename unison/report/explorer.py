"""Explorer: controls over a pure function that draws, for a notebook that is open."""

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
from unison.experiments.residency import Setting, pair_table, replayed, residency, victims
from unison.experiments.runner import NS_PER_S
from unison.report.figures import rounded
from unison.report.plots.ranking_bars import plot_ranking_bars
from unison.report.plots.residency import plot_residency
from unison.report.style import figure_style
from unison.report.tables import Column, markdown_table
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

_DPI = 100
_OWN = -1.0


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
    """

    pair: pd.DataFrame
    residency: pd.DataFrame
    ranking: pd.DataFrame
    at_s: float

    @property
    def policies(self) -> list[str]:
        """Labels of the two."""
        return [str(policy) for policy in self.pair["policy"]]

    def residency_figure(self) -> Figure:
        """Who sat where."""
        return plot_residency(self.residency, policies=self.policies, at_s=self.at_s)

    def ranking_figure(self) -> Figure:
        """Who would go next."""
        return plot_ranking_bars(self.ranking, policies=self.policies)


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

    The budget of a moved control is 300 ms on the synthetic corpora, drawing not counted: traces, signals
    and replays are kept, and only the window is laid out.

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
        rounded(pair_table(runs)), rounded(shown, DIGITS), rounded(ranking, DIGITS), at_ns / NS_PER_S
    )


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
    picture = _picture()

    def redraw(**chosen: Any) -> None:
        picture.value = figure_png(draw(**chosen))

    _on_change(lists, redraw)
    return widgets.VBox([widgets.HBox(list(lists.values())), picture])


def pair_explorer(corpus: str) -> widgets.VBox:
    """`explore` under controls: what is out of range shows its message in place of the pictures.

    Parameters
    ----------
    corpus : str
        Name or file shown first.

    Returns
    -------
    ipywidgets.VBox
        The controls, the table of the pair, and the two pictures.
    """
    controls = _pair_controls(corpus)
    table, seats, ranks = widgets.HTML(), _picture(), _picture()

    def redraw(corpus: str, file: str, instant: float, log_sd: float, **chosen: Any) -> None:
        spread = None if log_sd == _OWN else log_sd
        try:
            seen = explore(corpus=file.strip() or corpus, instant=instant / 100, log_sd=spread, **chosen)
        except UnisonError as error:
            table.value = f"<b>{html.escape(str(error))}</b>"
            return
        table.value = f"<pre>{html.escape(markdown_table(seen.pair, PAIR_COLUMNS))}</pre>"
        seats.value = figure_png(seen.residency_figure(), dpi=_DPI)
        ranks.value = figure_png(seen.ranking_figure(), dpi=_DPI)

    _on_change(controls, redraw)
    grid = widgets.Layout(grid_template_columns="repeat(auto-fit, minmax(300px, 1fr))")
    return widgets.VBox([widgets.GridBox(list(controls.values()), layout=grid), table, seats, ranks])


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


def _picture() -> widgets.Image:
    return widgets.Image(format="png", layout=widgets.Layout(max_width="100%"))


def _on_change(controls: Mapping[str, Any], redraw: Callable[..., None]) -> None:
    """Call with the controls' values, now and whenever one changes."""

    def changed(_: object = None) -> None:
        redraw(**{name: box.value for name, box in controls.items()})

    for box in controls.values():
        box.observe(changed, names="value")
    changed()


def figure_png(figure: Figure, dpi: int = 130) -> bytes:
    """The figure as PNG."""
    buffer = io.BytesIO()
    with figure_style():
        figure.savefig(buffer, format="png", dpi=dpi)
    return buffer.getvalue()
