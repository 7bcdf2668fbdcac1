"""`unison replay`: one corpus, one envelope, one policy, every metric."""

from __future__ import annotations

from typing import Any

import click

from unison.cli.output import format_option, show_json, show_table


@click.command("replay")
@click.option("--corpus", required=True, help="Name of a synthetic corpus, or a corpus file.")
@click.option("--envelope", default=None, help="NAME; S,H tokens; xSHARE of the live set; or 'S GiB,H GiB'.")
@click.option("--policy", "policy_name", required=True, help="Name of a policy; see `unison policies`.")
@click.option("--tide/--no-tide", default=False, help="Swap sessions between tiers during pauses.")
@click.option("--model", default=None, help="Model that prices a token; the corpus's own by default.")
@click.option("--load", default=1.0, help="Load factor: divides the spacing of session starts.")
@click.option("--slots", default=None, type=int, help="Session slots N.")
@click.option("--seed", default=0, help="Seed of the schedule.")
@click.option("--set", "settings", multiple=True, metavar="NAME=VALUE", help="A parameter of the policy.")
@format_option
def replay_command(
    corpus: str,
    envelope: str | None,
    policy_name: str,
    tide: bool,
    model: str | None,
    load: float,
    slots: int | None,
    seed: int,
    settings: tuple[str, ...],
    output_format: str,
) -> None:
    """Replay a corpus and print what was measured, each metric under its one definition."""
    from unison.config import load_defaults
    from unison.experiments.runner import Evaluator, model_of
    from unison.policies.registry import get_policy
    from unison.replay.envelope import parse_envelope
    from unison.traces.library import load_corpus
    from unison.traces.synthetic import base_schedule

    entry = get_policy(policy_name)
    opened = load_corpus(corpus)
    trace = base_schedule(opened, load=load, seed=seed)
    base = trace if load == 1 else base_schedule(opened, seed=seed)
    priced = model or model_of(opened.name)
    space = parse_envelope(
        envelope or load_defaults().replay.envelope,
        model=priced,
        mean_live_tokens=base.mean_live_tokens,
        slots=slots,
    )
    result = Evaluator(model=priced)(trace, policy_name, space, tide=tide, **_parameters(settings))
    about: dict[str, Any] = {
        "corpus": opened.name,
        "sessions": trace.corpus.n_sessions,
        "turns": trace.corpus.n_turns,
        "sessions_left_out": trace.left_out,
        "completion_unknown": int((trace.corpus.completed < 0).sum()),
        "max_live": trace.max_live,
        "mean_live_tokens": trace.mean_live_tokens,
        "load": load,
        "seed": seed,
        "model": priced,
        "envelope": space.name,
        "capacity_tokens": [tier.capacity_tokens for tier in space.tiers],
        "slots": space.slots,
        "policy": policy_name,
        "parameters": entry.defaults() | _parameters(settings),
        "info": str(entry.info),
        "sees_completion": entry.sees_completion,
        "tide": tide,
    }
    metrics = {name: value for name, value in result.items() if not name.endswith("_by_session")}
    if output_format == "json":
        show_json(about | metrics)
    else:
        _show(about, metrics)


def _parameters(settings: tuple[str, ...]) -> dict[str, Any]:
    """The policy parameters given as NAME=VALUE.

    Raises
    ------
    UnisonError
        If one is not of that form or not a number.
    """
    from unison.errors import UnisonError

    given: dict[str, float] = {}
    for setting in settings:
        name, equals, value = setting.partition("=")
        try:
            given[name] = float(value)
        except ValueError:
            equals = ""
        if not equals:
            raise UnisonError(f"--set {setting!r}: expected NAME=NUMBER, e.g. --set penalty_s=500")
    return given


def _show(about: dict[str, Any], metrics: dict[str, Any]) -> None:
    from unison.metrics import metric

    show_table(("setting", "value"), [(name, str(value)) for name, value in about.items()])
    click.echo()
    rows = [
        (name, f"{value:.6g}", metric(name).unit, metric(name).meaning) for name, value in metrics.items()
    ]
    show_table(("metric", "value", "unit", "meaning"), rows)
