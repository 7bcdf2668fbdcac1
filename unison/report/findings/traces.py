"""What Figure 2 shows of the corpora; each takes `unison.experiments.tab01_corpora.tab01`."""

from __future__ import annotations

import pandas as pd

from unison.report.findings.words import span


def gaps_finding(table: pd.DataFrame) -> str:
    """How far gaps spread, which decides how well a gap can be foretold from the ones before."""
    spread = table.assign(tail=table["gap_p95_s"] / table["gap_p50_s"])
    return (
        f"The median gap is {span(spread, 'gap_p50_s', lambda s: f'{s:.2g} s')}, and the 95th percentile is "
        f"{span(spread, 'tail', lambda times: f'{times:.1f} times the median')}. The standard deviation of "
        f"the log gap is {span(spread, 'gap_log_sd', lambda sd: f'{sd:.2f}')}: the smaller, the better past "
        "gaps foretell the next."
    )


def turns_finding(table: pd.DataFrame) -> str:
    """How long sessions are."""
    return (
        f"The median session has {span(table, 'turns_p50', lambda n: f'{n:g} turns')}, the longest "
        f"{span(table, 'turns_max', lambda n: f'{n:g}')}. Over turns after the first, "
        f"{span(table, 'reuse_token_weighted', lambda share: f'{100 * share:.1f} %')} of the prompt "
        f"tokens are "
        "a prefix of what the session held before: that much a cache could save."
    )


def live_finding(table: pd.DataFrame) -> str:
    """How much is live at once, and what no replay can use."""
    left_out, sessions = int(table["left_out"].sum()), int(table["sessions"].sum())
    text = (
        f"The mean live working set is "
        f"{span(table, 'mean_live_tokens', lambda n: f'{n / 1000:,.0f} K tokens')}, "
        f"with at most {span(table, 'max_live', lambda n: f'{n:g} sessions')} live at once. "
    )
    if left_out:
        return text + (
            f"{left_out:,} of {sessions:,} sessions have no known times: they count in the table of the "
            "corpora and are left out of this schedule and of every replay."
        )
    return text + f"All {sessions:,} sessions have known times and enter the replays."
