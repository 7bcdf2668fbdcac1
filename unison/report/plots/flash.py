"""Figures of flash placement: device-years, what stays in HBM, occupancy, moves, and predictors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

from unison.report.plots.panels import SMALL_PT, legend_above, percent_y
from unison.report.style import OKABE_ITO, PAPER_WIDTH_IN, PolicyLook, figure_style, new_figure, policy_look

_LOOKS = {
    "hbm_first": PolicyLook("HBM-first", "#707070", "o", "-"),
    "lachesis_deterministic": PolicyLook("Lachesis, deterministic", OKABE_ITO["sky"], "^", "-"),
    "lachesis": PolicyLook("Lachesis", OKABE_ITO["blue"], "D", "-"),
    "remaining_life_placed": PolicyLook("ours, placed once", OKABE_ITO["orange"], "v", "-"),
    "remaining_life": PolicyLook("ours", OKABE_ITO["vermillion"], "X", "-"),
    "write_on_evict_oracle": PolicyLook("bound", "#000000", "1", "--"),
}
_PREDICTOR_LOOKS = {
    "class_mean": ("class mean", "#707070", "o"),
    "ridge": ("ridge", OKABE_ITO["blue"], "D"),
    "knn_tfidf": ("kNN, TF-IDF", OKABE_ITO["green"], "s"),
    "gradient_boosting": ("gradient boosting", OKABE_ITO["orange"], "^"),
    "true_order": ("true order", "#000000", "X"),
}
_REGIMES = {
    "temporal": "one agent",
    "structural": "lead, one by one",
    "inter_worker": "lead, side by side",
    "mixed": "mixed",
}
_WARRANTY_COLOUR = "#AA0000"
_LEAST_APART = 0.042
_LEFT = 0.03


def flash_look(policy: str) -> PolicyLook:
    """The look of a placement, the same in every figure."""
    return _LOOKS.get(policy) or policy_look(policy)


def regime_title(regime: str) -> str:
    """A regime as figures call it."""
    return _REGIMES.get(regime, regime)


def _line(policy: str) -> dict[str, Any]:
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
        height = 0.7 + 1.7 * len(models)
        shape = {"rows": len(models), "cols": len(regimes)}
        aspect = height / PAPER_WIDTH_IN[2]
        figure, grid = new_figure(2, aspect, **shape, sharex=True, sharey=True, squeeze=False)
        for row, model in enumerate(models):
            for column, regime in enumerate(regimes):
                axes = grid[row][column]
                mine = data[(data["model"] == model) & (data["regime"] == regime)]
                _years_panel(axes, mine, warranty_years)
                if row == 0:
                    axes.set_title(regime_title(str(regime)))
            grid[row][0].set_ylabel(f"{model}\ndevice-years")
        figure.supxlabel("Sites with HBM of 8; chain: HBM at all, flash behind", fontsize="medium")
        legend_above(figure, grid[0][0], data["policy"].nunique() + 1)
        return figure


def _years_panel(axes: Axes, data: pd.DataFrame, warranty_years: float) -> None:
    names = list(dict.fromkeys(data["config"]))
    for policy, rows in data.groupby("policy", sort=False):
        axes.plot(range(len(rows)), rows["device_years"], **_line(str(policy)))
    axes.axhline(warranty_years, color=_WARRANTY_COLOUR, linewidth=0.8, linestyle=":", label="warranty")
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
            hatch = "//" if policy == "write_on_evict_oracle" else None
            axes.bar(
                left, rows["kept_share"], width * 0.92, color="white" if hatch else look.color,
                edgecolor=look.color, linewidth=0.7, hatch=hatch, label=look.label,
            )  # fmt: skip
            for x, share in zip(left, rows["kept_share"], strict=True):
                axes.annotate(f"{100 * share:.0f}", (x, share), xytext=(0, 1.5), textcoords="offset points",
                              ha="center", fontsize=SMALL_PT - 1)  # fmt: skip
        axes.set_xticks(range(len(regimes)), [regime_title(regime) for regime in regimes])
        axes.set_ylabel("kept in HBM for life [% of KV]")
        percent_y(axes)
        legend_above(figure, axes, len(policies))
        return figure


def plot_flash_occupancy(data: pd.DataFrame) -> Figure:
    """How full HBM is, and how much KV lies in flash, over the run.

    Parameters
    ----------
    data : pandas.DataFrame
        ``policy, time_s, hbm_share, flash_gb``.
    """
    with figure_style():
        figure, (left, right) = new_figure(2, 0.36, cols=2)
        for policy, rows in data.groupby("policy", sort=False):
            look = flash_look(str(policy))
            hours = rows["time_s"] / 3600
            left.plot(hours, rows["hbm_share"], color=look.color, label=look.label, linewidth=1.0)
            right.plot(hours, rows["flash_gb"], color=look.color, linewidth=1.0)
        percent_y(left)
        left.set_ylim(0, 1.05)
        left.set_ylabel("HBM in use [%]")
        right.set_ylim(bottom=0)
        right.set_ylabel("KV in flash [GB]")
        for axes in (left, right):
            axes.set_xlabel("time [h]")
        legend_above(figure, left, data["policy"].nunique())
        return figure


def plot_flash_pareto(data: pd.DataFrame) -> Figure:
    """Bytes written to flash against bytes moved there from HBM.

    Parameters
    ----------
    data : pandas.DataFrame
        ``series, margin, flash_gb_per_s, moved_gb_per_s``; ours is a line over its margins.
    """
    with figure_style():
        figure, axes = new_figure(2, 0.5)
        for series, rows in data.groupby("series", sort=False):
            look = flash_look(str(series))
            if series == "remaining_life":
                axes.plot(rows["moved_gb_per_s"], rows["flash_gb_per_s"], **_line(str(series)), zorder=3)
                for _, row in rows.iterrows():
                    _note(axes, row, f"×{row['margin']:g}", look.color, (0, -9))
                continue
            axes.plot(rows["moved_gb_per_s"], rows["flash_gb_per_s"], color=look.color, marker=look.marker,
                      linestyle="none")  # fmt: skip
        _names(axes, data[data["series"] != "remaining_life"])
        axes.set_xlabel("moved from HBM to flash [GB/s]")
        axes.set_ylabel("written to flash [GB/s]")
        axes.margins(x=0.18, y=0.1)
        axes.set_xlim(left=-0.36 * (axes.get_xlim()[1] or 1.0))
        axes.set_xticks([tick for tick in axes.get_xticks() if 0 <= tick <= axes.get_xlim()[1]])
        return figure


def _note(axes: Axes, row: pd.Series, text: str, color: str, offset: tuple[float, float]) -> None:
    axes.annotate(
        text, (float(row["moved_gb_per_s"]), float(row["flash_gb_per_s"])), xytext=offset,
        textcoords="offset points", fontsize=SMALL_PT - 1, color=color, va="center",
    )  # fmt: skip


def _names(axes: Axes, points: pd.DataFrame) -> None:
    """Names of single points; of those that move nothing to the left of them, pushed apart."""
    apart = _LEAST_APART * float(points["flash_gb_per_s"].max() - points["flash_gb_per_s"].min())
    still = points[points["moved_gb_per_s"] == 0].sort_values("flash_gb_per_s")
    left = -_LEFT * float(points["moved_gb_per_s"].max() or 1.0)
    height = -1.0
    for _, row in still.iterrows():
        height = max(float(row["flash_gb_per_s"]), height + apart)
        look = flash_look(str(row["series"]))
        axes.annotate(
            look.label, (0.0, float(row["flash_gb_per_s"])), xytext=(left, height), textcoords="data",
            fontsize=SMALL_PT - 1, color=look.color, va="center", ha="right",
        )  # fmt: skip
    for _, row in points[points["moved_gb_per_s"] > 0].iterrows():
        look = flash_look(str(row["series"]))
        _note(axes, row, look.label, look.color, (5, 0))


def plot_flash_predictors(data: pd.DataFrame) -> Figure:
    """Flash writes under Lachesis against the quality of the predicted order, a panel a regime.

    Parameters
    ----------
    data : pandas.DataFrame
        ``regime, record_share, predictor, tau_b, regret``.
    """
    regimes: Sequence[str] = list(dict.fromkeys(data["regime"]))
    with figure_style():
        figure, grid = new_figure(2, 0.38, cols=len(regimes), sharey=True, squeeze=False)
        for axes, regime in zip(grid[0], regimes, strict=True):
            mine = data[data["regime"] == regime]
            for predictor, rows in mine.groupby("predictor", sort=False):
                label, color, marker = _PREDICTOR_LOOKS[str(predictor)]
                look = {"color": color, "marker": marker, "linestyle": "none", "label": label}
                axes.plot(rows["tau_b"], rows["regret"], **look)
            axes.axhline(0, color="#707070", linewidth=0.8)
            axes.set_title(regime_title(regime))
            axes.set_xlabel("Kendall's τ-b of the predicted lives")
        grid[0][0].set_ylabel("flash writes over the\ntrue order's, less one [%]")
        percent_y(grid[0][0])
        legend_above(figure, grid[0][0], len(_PREDICTOR_LOOKS))
        return figure
