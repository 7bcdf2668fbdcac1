"""The checks of every variant that need no simulation, and what its modules are made of."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import joblib
import pandas as pd

from unison.experiments.fig11_blocks import BLOCK, blocks_of
from unison.experiments.sweep import JOBS
from unison.rtl.checks import Outcome, Verdict, check_texts
from unison.rtl.checks.design import bare, load_design, verilog_modules
from unison.rtl.checks.inventory import FLAGS
from unison.rtl.checks.registers import State, found_state
from unison.rtl.config import LENGTH_BITS, TURN_BITS, VARIANTS, default_config
from unison.rtl.csr_map import registers
from unison.rtl.csr_types import Field, Register
from unison.rtl.generate import render_ip

_DIGEST = 8
"""Hex digits by which texts of a module, without their comments, are told apart."""

ALL = "all"
"""Every variant."""

CONTRACT = "contract"
"""Row of the table of slots with the widths that the contract gives the fields."""

SLOT_FIELDS = ("held", "flags", "turn", "length", "ema", "score")


@dataclass(frozen=True)
class Checked:
    """What the checks of all variants found.

    Attributes
    ----------
    checks : pandas.DataFrame
        See `check_table`.
    findings : pandas.DataFrame
        See `finding_table`.
    modules : pandas.DataFrame
        See `module_table`.
    slots : pandas.DataFrame
        See `slot_table`.
    """

    checks: pd.DataFrame
    findings: pd.DataFrame
    modules: pd.DataFrame
    slots: pd.DataFrame


def rtl_checks(sessions: int, variants: Sequence[str] = VARIANTS, *, jobs: int = JOBS) -> Checked:
    """Run every check on each variant.

    Parameters
    ----------
    sessions : int
        Slots of the table.
    variants : sequence of str
    jobs : int
        Processes.

    Returns
    -------
    Checked
    """
    done = joblib.Parallel(n_jobs=jobs, batch_size=1)(
        joblib.delayed(_variant)(variant, sessions) for variant in variants
    )
    outcomes = {variant: found for variant, (found, _, _) in zip(variants, done, strict=True)}
    states = {variant: state for variant, (_, _, state) in zip(variants, done, strict=True)}
    parts = pd.concat([blocks for _, blocks, _ in done], ignore_index=True)
    return Checked(
        check_table(outcomes), finding_table(outcomes), module_table(parts), slot_table(states, sessions)
    )


def _variant(variant: str, sessions: int) -> tuple[list[Outcome], pd.DataFrame, State]:
    """The outcomes of one variant; its blocks, with what is told of their modules; and its registers."""
    config = default_config(variant, sessions)
    texts = verilog_modules(render_ip(config))
    outcomes = check_texts(texts, config)
    design = load_design(texts)
    blocks = blocks_of(design)
    blocks = blocks[blocks["kind"] == BLOCK].assign(variant=variant)
    digests = {
        name: hashlib.sha256(bare(text).encode()).hexdigest()[:_DIGEST] for name, text in texts.items()
    }
    told = blocks.assign(
        text=blocks["module"].map(digests),
        lines=blocks["module"].map({name: text.count("\n") for name, text in texts.items()}),
    )
    return outcomes, told, found_state(design)


def check_table(outcomes: dict[str, list[Outcome]]) -> pd.DataFrame:
    """The table of checks from the outcomes of each variant.

    Parameters
    ----------
    outcomes : dict of str to list of Outcome

    Returns
    -------
    pandas.DataFrame
        A row a tool and check: ``tool``, ``check``, ``variants`` it ran on, ``looked_at`` (objects in all of
        them) and ``what`` these are, ``findings``, ``result`` (passed, FAILED or SKIPPED: the worst of the
        variants'), ``note`` (why it was skipped, or what the check says in every variant).
    """
    by_check: dict[tuple[str, str], list[Outcome]] = {}
    for found in outcomes.values():
        for outcome in found:
            by_check.setdefault((outcome.tool, outcome.check), []).append(outcome)
    return pd.DataFrame([_check_row(*key, found) for key, found in by_check.items()])


def _check_row(tool: str, check: str, found: list[Outcome]) -> dict[str, object]:
    verdicts = {outcome.verdict for outcome in found}
    worst = next(each for each in (Verdict.FAILED, Verdict.SKIPPED, Verdict.PASSED) if each in verdicts)
    ran = [outcome for outcome in found if outcome.verdict != Verdict.SKIPPED]
    notes = {outcome.note for outcome in found if outcome.note}
    return {
        "tool": tool,
        "check": check,
        "variants": len(ran),
        "looked_at": sum(outcome.looked_at for outcome in ran),
        "what": next((outcome.what for outcome in ran), None),
        "findings": sum(len(outcome.findings) for outcome in ran),
        "result": str(worst),
        "note": notes.pop() if len(notes) == 1 else None,
    }


def finding_table(outcomes: dict[str, list[Outcome]]) -> pd.DataFrame:
    """Every finding with its variant.

    Parameters
    ----------
    outcomes : dict of str to list of Outcome

    Returns
    -------
    pandas.DataFrame
        A row a finding: ``variant``, ``tool``, ``check``, ``module``, ``subject``, ``detail``.
    """
    columns = ["variant", "tool", "check", "module", "subject", "detail"]
    rows = [
        (variant, outcome.tool, outcome.check, finding.module, finding.subject, finding.detail)
        for variant, found in outcomes.items()
        for outcome in found
        for finding in outcome.findings
    ]
    return pd.DataFrame(rows, columns=columns)


def module_table(parts: pd.DataFrame) -> pd.DataFrame:
    """Modules and the state in them.

    Parameters
    ----------
    parts : pandas.DataFrame
        Rows of `unison.experiments.fig11_blocks.blocks_of`, with ``variant``, ``text`` (digest) and
        ``lines``.

    Returns
    -------
    pandas.DataFrame
        A row a module and text, so that one that variants share is there once: ``module``, ``variants`` (by
        name), ``instances`` (in one IP), ``lines``, and ``register_bits`` and ``memory_bits`` of all
        instances together.
    """
    rows = []
    for (module, _), group in parts.groupby(["module", "text"], sort=True):
        rows.append(
            {
                "module": module,
                "variants": named_variants(group["variant"], list(parts["variant"].unique())),
                "instances": int(group.groupby("variant").size().max()),
                "lines": int(group["lines"].max()),
                **{name: int(group.groupby("variant")[name].sum().max()) for name in _BITS},
            }
        )
    return pd.DataFrame(rows)


def named_variants(names: Iterable[str], every: Sequence[str]) -> str:
    """`ALL`, or the variants among some names, in their order."""
    found = [variant for variant in every if variant in set(names)]
    return ALL if len(found) == len(every) else ", ".join(found)


_BITS = ("register_bits", "memory_bits")


def slot_table(states: dict[str, State], sessions: int) -> pd.DataFrame:
    """Bits of a slot, as the contract has them and as each variant keeps them.

    Parameters
    ----------
    states : dict of str to State
        The registers of each variant, of `unison.rtl.checks.registers.found_state`.
    sessions : int

    Returns
    -------
    pandas.DataFrame
        ``variant`` (`CONTRACT` first), a column for each of `SLOT_FIELDS`, and their sum ``bits``. The flags
        are tier, dead, active and placed. What a variant keeps of a slot elsewhere than in its table (the
        leaves of the tree, a second file) does not count.
    """
    contract = default_config(VARIANTS[0], sessions).contract
    widths = {"flags": FLAGS, "turn": TURN_BITS, "length": LENGTH_BITS}
    rows: list[dict[str, object]] = []
    rows.append(_slot_row(CONTRACT, widths | {"ema": contract.gap_bits, "score": contract.score_bits}))
    for variant, state in states.items():
        found = dict.fromkeys(SLOT_FIELDS, 0)
        for name, (width, words) in state["u_table"].items():
            field = name.removesuffix("_q").rstrip("0123456789")
            if field in found:
                found[field] += width if words == sessions else width // sessions
        rows.append(_slot_row(variant, found))
    return pd.DataFrame(rows)


def _slot_row(variant: str, widths: dict[str, int]) -> dict[str, object]:
    return {
        "variant": variant,
        **{name: widths.get(name, 0) for name in SLOT_FIELDS},
        "bits": sum(widths.values()),
    }


def register_table(sessions: int, variants: Sequence[str] = VARIANTS) -> pd.DataFrame:
    """The register map.

    Parameters
    ----------
    sessions : int
    variants : sequence of str

    Returns
    -------
    pandas.DataFrame
        A row a register: ``address`` (hex), ``register``, ``access``, ``words`` (of 32 bits), ``fields`` with
        their bits, ``reset`` (hex; missing where variants differ), ``variants`` (``all``, or which have it),
        ``meaning``.
    """
    where: dict[tuple[str, str], dict[str, Register]] = {}
    for variant in variants:
        for register in registers(default_config(variant, sessions)):
            where.setdefault((register.name, register.access), {})[variant] = register
    rows = [_register_row(found, len(variants)) for found in where.values()]
    return pd.DataFrame(sorted(rows, key=lambda row: str(row["address"])))


def _register_row(found: dict[str, Register], n_variants: int) -> dict[str, object]:
    first = next(iter(found.values()))
    resets = {register.reset for register in found.values()}
    return {
        "address": f"0x{first.address:03X}",
        "register": first.name,
        "access": first.access,
        "words": first.entries * first.words,
        "fields": ", ".join(map(_field, first.fields)),
        "reset": f"0x{resets.pop():X}" if len(resets) == 1 else None,
        "variants": "all" if len(found) == n_variants else ", ".join(found),
        "meaning": first.doc,
    }


def _field(field: Field) -> str:
    place = f"{field.high}:{field.low}" if field.width > 1 else f"{field.low}"
    return f"{field.name} [{place}]"
