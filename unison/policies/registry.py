"""The list of policies that the command line, the tests, the docs and the notebooks read."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeVar

from unison.config import load_defaults
from unison.errors import UnisonError, unknown_name
from unison.policies.ranking import Ranking
from unison.policies.stateful import StatefulPolicy
from unison.signals import Signals


class InfoClass(StrEnum):
    """What a policy may know; printed beside every result."""

    F0 = "F0"  # gaps so far, turn, completion
    F1 = "F1"  # F0 + elapsed idle and size
    F2 = "F2"  # F1 + tool
    F3 = "F3"  # F2 + role or graph
    ORACLE = "ORACLE"  # the future


@dataclass(frozen=True)
class PolicyEntry:
    """One registered policy.

    Attributes
    ----------
    name : str
        Name on the command line.
    build : callable
        ``build(signals, **parameters) -> Ranking``, or the class of a `StatefulPolicy`.
    title : str
        One sentence: what it evicts first.
    citation : str
        Where it is published.
    info : InfoClass
        What it knows.
    sees_completion : bool
        Whether it uses completion events.
    is_stateful : bool
        Its score depends on what is in the cache; the reference engine alone runs it.
    is_ablation : bool
        It exists to show what a part of another policy is worth.
    parameters : dict of str to str
        Parameter names, each with the constant of data/defaults.toml that is its default.
    """

    name: str
    build: Callable
    title: str
    citation: str
    info: InfoClass
    sees_completion: bool
    is_stateful: bool
    is_ablation: bool
    parameters: dict[str, str]

    def defaults(self) -> dict[str, object]:
        """Parameter names with their default values."""
        constants = load_defaults().constants
        return {name: constants[key].value for name, key in self.parameters.items()}


_POLICIES: dict[str, PolicyEntry] = {}
_Built = TypeVar("_Built", bound=Callable)


def policy(
    name: str,
    *,
    title: str,
    citation: str,
    info: InfoClass,
    sees_completion: bool,
    is_stateful: bool = False,
    is_ablation: bool = False,
    **parameters: str,
) -> Callable[[_Built], _Built]:
    """Register a policy under a name; the keyword arguments left over are its parameters, each given as the
    name of the constant in data/defaults.toml that is its default.

    Raises
    ------
    UnisonError
        If the name is taken.
    """

    def register(build: _Built) -> _Built:
        if name in _POLICIES:
            raise UnisonError(f"policy {name!r} is registered twice; choose another name")
        _POLICIES[name] = PolicyEntry(
            name, build, title, citation, info, sees_completion, is_stateful, is_ablation, dict(parameters)
        )
        return build

    return register


def get_policy(name: str) -> PolicyEntry:
    """The registered policy of that name.

    Raises
    ------
    UnisonError
        If there is none; the message names the nearest.
    """
    if name not in _POLICIES:
        raise unknown_name("policy", name, _POLICIES)
    return _POLICIES[name]


def all_policies() -> list[PolicyEntry]:
    """Every registered policy, in the order of registration."""
    return list(_POLICIES.values())


def build_policy(name: str, signals: Signals, **parameters: object) -> Ranking | StatefulPolicy:
    """The policy of that name for a trace, ready to be replayed.

    Parameters
    ----------
    name : str
        A registered name.
    signals : Signals
        Of the trace to be replayed.
    **parameters
        Override the policy's defaults.

    Returns
    -------
    Ranking or StatefulPolicy

    Raises
    ------
    UnisonError
        If the policy or a parameter is unknown.
    """
    entry = get_policy(name)
    for given in parameters:
        if given not in entry.parameters:
            raise unknown_name(f"parameter of policy {name}", given, entry.parameters or ("(it has none)",))
    built: Ranking | StatefulPolicy = entry.build(signals, **(entry.defaults() | parameters))
    return built
