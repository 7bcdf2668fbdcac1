"""Figures of flash placement: device-years, what stays in HBM, and what the order of the workers is worth."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

from unison.experiments.flash_cells import BASELINE, BOUND, DETERMINISTIC, LACHESIS, OURS, PLACED
from unison.experiments.tab12_flash_predictors import TRUE_ORDER
from unison.flash.plans import REGIME_ABOUT
from unison.report.flash_columns import placement_title, predictor_title, regime_title
from unison.report.plots.panels import SMALL_PT, legend_above, percent_y
from unison.report.style import OKABE_ITO, PAPER_WIDTH_IN, PolicyLook, figure_style, new_figure

OTHER_COLOUR = "#9A9A9A"
"""Of placements that a figure shows beside those it is about."""

_LOOKS = {
    BASELINE: ("#505050", "o", "-"),
    DETERMINISTIC: (OKABE_ITO["sky"], "^", "-"),
    LACHESIS: (OKABE_ITO["blue"], "D", "-"),
    PLACED: (OKABE_ITO["orange"], "v", "-"),
    OURS: (OKABE_ITO["vermillion"], "X", "-"),
    BOUND: ("#000000", "1", "--"),
}
_PREDICTOR_LOOKS = {
    TRUE_ORDER: ("#000000", "X"),
    "class_mean": ("#707070", "o"),
    "ridge": (OKABE_ITO["blue"], "D"),
    "knn_tfidf": (OKABE_ITO["green"], "s"),
    "gradient_boosting": (OKABE_ITO["orange"], "^"),
}
_WARRANTY_COLOUR = "#AA0000"
_SITES = "memory sites of a GPU with HBM, of 8; the others hold flash (chain: HBM at all 8, flash behind)"
_TOLD = "what the spawn record tells [% of the variance\nof a worker's log life]"
_LEGEND_COLUMNS = 3


def flash_look(policy: str) -> PolicyLook:
    """The look of a placement, the same in every figure; those that no figure is about share one."""
    return PolicyLook(placement_title(policy), *_LOOKS.get(policy, (OTHER_COLOUR, "o", "-")))


def regime_heading(regime: str) -> str:
    """Title of a panel: the regime, and below it who is at work."""
    about = REGIME_ABOUT.get(regime)
    return f"{regime_title(regime)}\n({about})" if about else regime_title(regime)


def flash_line(policy: str) -> dict[str, Any]:
    """The keyword arguments of ``Axes.plot`` for a placement."""
    look = flash_look(policy)
    return {"label": look.label, "color": look.color, "marker": look.marker, "linestyle": look.linestyle}


def plot_flash_years(data: pd.DataFrame, *, warranty_years: float) -> Figure:
    """Device-years against the memory configuration: a column a regime, a row a model, a line a placement.

    Parameters
    ----------
    data : pandas.DataFrame
        ``regime, model, config, policy, device_years``.
    warranty_years : float
        Marked by a line [years].
    """
    models, regimes = list(dict.fromkeys(data["model"])), list(dict.fromkeys(data["regime"]))
    with figure_style():
        height = 0.9 + 1.7 * len(models)
        shape = {"rows": len(models), "cols": len(regimes)}
        aspect = height / PAPER_WIDTH_IN[2]
        figure, grid = new_figure(2, aspect, **shape, sharex=True, sharey=True, squeeze=False)
        for row, model in enumerate(models):
            for column, regime in enumerate(regimes):
                axes = grid[row][column]
                mine = data[(data["model"] == model) & (data["regime"] == regime)]
                _years_panel(axes, mine, warranty_years)
                if row == 0:
                    axes.set_title(regime_heading(str(regime)))
            grid[row][0].set_ylabel(f"{model}\ndevice-years")
        figure.supxlabel(_SITES, fontsize="medium")
        legend_above(figure, grid[0][0], data["policy"].nunique() + 1)
        return figure


def _years_panel(axes: Axes, data: pd.DataFrame, warranty_years: float) -> None:
    names = list(dict.fromkeys(data["config"]))
    for policy, rows in data.groupby("policy", sort=False):
        axes.plot(range(len(rows)), rows["device_years"], **flash_line(str(policy)))
    axes.axhline(
        warranty_years,
        color=_WARRANTY_COLOUR,
        linewidth=0.8,
        linestyle=":",
        label=f"warranty, {warranty_years:g} years",
    )
    axes.set_yscale("log")
    ticks = (2, 5, 10, 20, 50, 100, 200, 500)
    axes.yaxis.set_major_locator(FixedLocator(ticks))
    axes.yaxis.set_minor_locator(NullLocator())
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axes.set_xticks(range(len(names)), [name.removeprefix("hbm") for name in names])


def plot_flash_kept(data: pd.DataFrame) -> Figure:
    """Share of the KV that never costs a flash write: a group of bars a regime, a bar a placement.

    Parameters
    ----------
    data : pandas.DataFrame
        ``regime, policy, kept_share``.
    """
    regimes, policies = list(dict.fromkeys(data["regime"])), list(dict.fromkeys(data["policy"]))
    width = 0.8 / len(policies)
    with figure_style():
        figure, axes = new_figure(2, 0.36)
        for place, policy in enumerate(policies):
            rows = data[data["policy"] == policy].set_index("regime").loc[regimes]
            look = flash_look(policy)
            left = [group + (place - (len(policies) - 1) / 2) * width for group in range(len(regimes))]
            hatch = "//" if policy == BOUND else None
            axes.bar(
                left, rows["kept_share"], width * 0.92, color="white" if hatch else look.color,
                edgecolor=look.color, linewidth=0.7, hatch=hatch, label=look.label,
            )  # fmt: skip
            for x, share in zip(left, rows["kept_share"], strict=True):
                axes.annotate(f"{100 * share:.0f}", (x, share), xytext=(0, 1.5), textcoords="offset points",
                              ha="center", fontsize=SMALL_PT - 1)  # fmt: skip
        axes.set_xticks(range(len(regimes)), [regime_heading(regime) for regime in regimes])
        axes.set_ylabel("kept in HBM for life [% of KV]")
        percent_y(axes)
        legend_above(figure, axes, _LEGEND_COLUMNS)
        return figure


def plot_flash_predictors(data: pd.DataFrame) -> Figure:
    """The order that predictors reach and what it costs in flash writes, as records tell more.

    Parameters
    ----------
    data : pandas.DataFrame
        ``regime, record_share, predictor, tau_b, regret``: a column of panels a regime, a line a predictor.
    """
    regimes: Sequence[str] = list(dict.fromkeys(data["regime"]))
    with figure_style():
        figure, grid = new_figure(
            2, 0.56, rows=2, cols=len(regimes), sharex=True, sharey="row", squeeze=False
        )
        for column, regime in enumerate(regimes):
            mine = data[data["regime"] == regime]
            for predictor, rows in mine.groupby("predictor", sort=False):
                for axes, name in zip(grid[:, column], ("tau_b", "regret"), strict=True):
                    axes.plot(rows["record_share"], rows[name], **_predictor_line(str(predictor)))
            grid[0][column].set_title(regime_heading(regime))
            grid[1][column].set_xlabel(_TOLD)
            grid[1][column].xaxis.set_major_formatter(FuncFormatter(lambda share, _: f"{100 * share:g}"))
            grid[1][column].set_xticks(sorted(set(mine["record_share"])))
        grid[0][0].set_ylabel("quality of the order\n(Kendall's τ-b)")
        grid[1][0].set_ylabel("flash writes beyond the\ntrue order's [%]")
        percent_y(grid[1][0])
        legend_above(figure, grid[0][0], len(_PREDICTOR_LOOKS))
        return figure


def _predictor_line(predictor: str) -> dict[str, Any]:
    color, marker = _PREDICTOR_LOOKS[predictor]
    style = "--" if predictor == TRUE_ORDER else "-"
    return {"label": predictor_title(predictor), "color": color, "marker": marker, "linestyle": style}
