"""Contenders: the policies an experiment compares, taken from the registry."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import unison.policies  # noqa: F401 (registers the policies)
from unison.policies.registry import InfoClass, PolicyEntry, all_policies, get_policy

TIDE_SUFFIX = "+tide"
BASELINE = "lru"
ORACLE = "belady"
UNISON = "spear" + TIDE_SUFFIX
"""The paper's system: Spear's ranking with Tide."""

SHOWN_ABLATIONS = ("spear_idle_max", "spear_idle_remaining", "spear_idle_additive")
"""Ablations that stand among the policies unless told otherwise: Spear's forms with elapsed idle time."""


@dataclass(frozen=True)
class Contender:
    """A policy with or without Tide.

    Attributes
    ----------
    label : str
        Name in tables and figures: the policy's, with ``+tide`` if Tide is on.
    entry : PolicyEntry
    tide : bool
    """

    label: str
    entry: PolicyEntry
    tide: bool

    def about(self) -> dict[str, object]:
        """What every result prints beside the contender's name."""
        return {
            "policy": self.label,
            "info": str(self.entry.info),
            "sees_completion": self.entry.sees_completion,
        }


def contender(label: str) -> Contender:
    """The contender of a label such as ``lru`` or ``spear+tide``.

    Raises
    ------
    UnisonError
        If the policy is unknown.
    """
    name = label.removesuffix(TIDE_SUFFIX)
    return Contender(label, get_policy(name), label != name)


def contenders(
    labels: Sequence[str] | None = None, *, ablations: Sequence[str] = SHOWN_ABLATIONS
) -> list[Contender]:
    """The given contenders, or every registered policy and the paper's Spear with Tide.

    They are ordered by what they know, the baseline first and the oracles last. Of the ablations only those
    in `ablations` are among the registered policies taken.
    """
    if labels is None:
        shown = [entry for entry in all_policies() if not entry.is_ablation or entry.name in ablations]
        labels = [entry.name for entry in shown] + [UNISON]
    found = [contender(label) for label in labels]
    ranks = list(InfoClass)
    return sorted(
        found,
        key=lambda c: (c.label != BASELINE, c.entry.info == InfoClass.ORACLE, ranks.index(c.entry.info)),
    )
