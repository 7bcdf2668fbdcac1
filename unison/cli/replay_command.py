"""`unison replay`: one corpus, one envelope, one policy, every metric."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import click

from unison.cli.output import format_option, show_json, show_table

if TYPE_CHECKING:
    from unison.policies.registry import PolicyEntry
    from unison.replay.envelope import Envelope
    from unison.traces.trace import Trace


class _ConstantOption(click.Option):
    """An option whose default is a constant of data/defaults.toml, read when it or the help is needed."""

    def get_default(self, ctx: click.Context, call: bool = True) -> Any:
        """The constant itself, in the help too."""
        return super().get_default(ctx, call=True)


def _replay_constant(name: str) -> Any:
    from unison.config import load_defaults

    return getattr(load_defaults().replay, name)


@click.command("replay", context_settings={"show_default": True})
@click.option("--corpus", required=True, help="Name of a synthetic corpus, or a corpus file.")
@click.option(
    "--envelope",
    cls=_ConstantOption,
    default=lambda: _replay_constant("envelope"),
    help="NAME; one to three tiers as S,H tokens; xSHARE of the live set; or 'S GiB,H GiB'.",
)
@click.option("--policy", "policy_name", required=True, help="Name of a policy; see `unison policies`.")
@click.option("--tide/--no-tide", default=False, help="Swap sessions between tiers during pauses.")
@click.option(
    "--model",
    show_default="the corpus's own; qwen3 for an imported one",
    help="Model that prices a token, a name of data/models.toml.",
)
@click.option("--load", default=1.0, help="Load factor: divides the spacing of session starts.")
@click.option(
    "--slots",
    cls=_ConstantOption,
    default=lambda: _replay_constant("slots"),
    type=int,
    help="Session slots N.",
)
@click.option("--seed", default=0, help="Seed of the schedule.")
@click.option(
    "--set",
    "settings",
    multiple=True,
    metavar="NAME=NUMBER",
    help="A parameter of the policy; `unison policies` lists them with their defaults.",
)
@format_option
def replay_command(
    corpus: str,
    envelope: str,
    policy_name: str,
    tide: bool,
    model: str | None,
    load: float,
    slots: int,
    seed: int,
    settings: tuple[str, ...],
    output_format: str,
) -> None:
    """Replay a corpus and print what was measured, each metric under its one definition."""
    from unison.experiments.runner import Evaluator, model_of
    from unison.metrics import METRICS
    from unison.policies.registry import get_policy
    from unison.replay.envelope import parse_envelope
    from unison.traces.library import load_corpus
    from unison.traces.synthetic import base_schedule

    entry = get_policy(policy_name)
    parameters = _parameters(entry, settings)
    opened = load_corpus(corpus)
    trace = base_schedule(opened, load=load, seed=seed)
    base = trace if load == 1 else base_schedule(opened, seed=seed)
    priced = model_of(opened.name) if model is None else model
    space = parse_envelope(envelope, model=priced, mean_live_tokens=base.mean_live_tokens, slots=slots)
    result = Evaluator(model=priced)(trace, policy_name, space, tide=tide, **parameters)
    metrics = {metric.name: result[metric.name] for metric in METRICS}
    about = (
        _about_trace(trace)
        | {"model": priced}
        | _about_envelope(space)
        | _about_policy(entry, parameters)
        | {"tide": tide}
    )
    if output_format == "json":
        show_json(about | metrics)
    else:
        _show(about, metrics)


def _about_trace(trace: Trace) -> dict[str, Any]:
    return {
        "corpus": trace.corpus.name,
        "sessions": trace.corpus.n_sessions,
        "turns": trace.corpus.n_turns,
        "sessions_left_out": trace.left_out,
        "completion_unknown": int((trace.corpus.completed < 0).sum()),
        "max_live": trace.max_live,
        "mean_live_tokens": trace.mean_live_tokens,
        "load": trace.load,
        "seed": trace.seed,
    }


def _about_envelope(space: Envelope) -> dict[str, Any]:
    return {
        "envelope": space.name,
        "capacity_tokens": [tier.capacity_tokens for tier in space.tiers],
        "slots": space.slots,
    }


def _about_policy(entry: PolicyEntry, parameters: dict[str, Any]) -> dict[str, Any]:
    return {
        "policy": entry.name,
        "parameters": entry.defaults() | parameters,
        "info": str(entry.info),
        "sees_completion": entry.sees_completion,
    }


def _parameters(entry: PolicyEntry, settings: tuple[str, ...]) -> dict[str, Any]:
    """The parameters of a policy given as NAME=NUMBER.

    Raises
    ------
    UnisonError
        If one is not of that form, not a parameter of the policy, or given twice.
    """
    from unison.errors import UnisonError, unknown_name

    given: dict[str, Any] = {}
    for setting in settings:
        name, equals, text = setting.partition("=")
        if not equals:
            raise UnisonError(f"--set {setting!r}: expected NAME=NUMBER, e.g. --set penalty_s=500")
        if name not in entry.parameters:
            raise unknown_name(
                f"parameter of policy {entry.name}", name, entry.parameters or ("(it has none)",)
            )
        if name in given:
            raise UnisonError(f"--set {setting!r}: {name} is given twice; give it once")
        given[name] = _number(text, setting, whole=_is_whole(entry.parameters[name]))
    return given


def _is_whole(constant: str) -> bool:
    """Whether a constant of data/defaults.toml, given by its dotted name, is declared a whole number."""
    from unison.config import load_defaults

    section, name = constant.split(".")
    return isinstance(getattr(getattr(load_defaults(), section), name), int)


def _number(text: str, setting: str, *, whole: bool) -> float:
    from unison.errors import UnisonError

    try:
        value: float = int(text) if whole else float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        expected = "a whole number" if whole else "a finite number"
        raise UnisonError(f"--set {setting!r}: found {text!r}, expected {expected}")
    return value


def _show(about: dict[str, Any], metrics: dict[str, float]) -> None:
    from unison.metrics import metric

    show_table(("setting", "value"), [(name, str(value)) for name, value in about.items()])
    click.echo()
    rows = [
        (name, f"{value:.6g}", metric(name).unit, metric(name).meaning) for name, value in metrics.items()
    ]
    show_table(("metric", "value", "unit", "meaning"), rows)
