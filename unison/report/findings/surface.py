"""What the study of gap dispersion shows."""

from __future__ import annotations

import pandas as pd

from unison.experiments.contenders import BASELINE, UNISON
from unison.report.findings.words import named, points


def surface_finding(table: pd.DataFrame, places: pd.DataFrame) -> str:
    """Two sentences to quote: up to which spread the ranking wins, and where measured traces lie.

    Parameters
    ----------
    table : pandas.DataFrame
        Of `unison.experiments.fig08_surface.verdicts`.
    places : pandas.DataFrame
        ``corpus``, ``dispersion``, ``is_real``.
    """
    rival = table[table["rival"] != BASELINE]
    name = str(rival["rival"].iloc[0])
    most = rival[rival["wins"] * 2 > rival["points"]]
    narrow = f"up to a log-sd of {most['dispersion'].max():g}" if len(most) else "at no spread"
    wide = rival[rival["dispersion"] > (most["dispersion"].max() if len(most) else -1)]
    beyond = (
        f"; beyond that it wins {int(wide['wins'].sum())}, ties {int(wide['ties'].sum())} and loses "
        f"{int(wide['losses'].sum())} of {int(wide['points'].sum())} grid points, with a mean gain of "
        f"{points(float(wide['gain'].mean()))}"
        if len(wide)
        else ""
    )
    real = places[places["is_real"] & places["dispersion"].notna()]
    measured = (
        f"The gaps of the real traces measured here have a log-sd of {real['dispersion'].min():.1f} to "
        f"{real['dispersion'].max():.1f}."
        if len(real)
        else "No real trace is placed here."
    )
    return f"> {named(UNISON)} beats {named(name)} on most capacities {narrow}{beyond}. {measured}\n"
