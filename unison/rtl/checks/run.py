"""All checks of one IP that need no simulation."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from unison.errors import UnisonError
from unison.rtl.checks.banned import check_banned
from unison.rtl.checks.design import Design, load_design, verilog_modules
from unison.rtl.checks.findings import Finding, Outcome
from unison.rtl.checks.latches import check_latches
from unison.rtl.checks.lint import check_lint, check_waivers
from unison.rtl.checks.machines import check_machines
from unison.rtl.checks.nets import check_drivers, check_globals, check_loops, check_readers, check_resets
from unison.rtl.checks.registers import check_registers
from unison.rtl.checks.synthesis import check_synthesis
from unison.rtl.config import Config
from unison.rtl.generate import render_ip

PARSE = "parse and dataflow"

DESIGN_CHECKS: tuple[Callable[[Design], Outcome], ...] = (
    check_drivers,
    check_readers,
    check_latches,
    check_loops,
    check_globals,
    check_resets,
    check_machines,
)
"""Checks of the flattened dataflow, in the order in which they are shown."""

TEXT_CHECKS: tuple[Callable[[Mapping[str, str]], Outcome], ...] = (
    check_banned,
    check_lint,
    check_waivers,
    check_synthesis,
)
"""Checks of the modules' text, by tools that read it themselves."""


def check_ip(config: Config) -> list[Outcome]:
    """Generate the Verilog of a configuration and run every check on it.

    Parameters
    ----------
    config : Config
    """
    return check_texts(verilog_modules(render_ip(config)), config)


def check_texts(texts: Mapping[str, str], config: Config) -> list[Outcome]:
    """Run every check on some Verilog.

    Parameters
    ----------
    texts : mapping of str to str
        Verilog by module name.
    config : Config
        Of the Verilog.
    """
    try:
        design = load_design(texts)
    except UnisonError as error:
        failed = Outcome.of("Pyverilog", PARSE, len(texts), "modules", [Finding(PARSE, "?", "?", str(error))])
        return [failed, *(check(texts) for check in TEXT_CHECKS)]
    found = [Outcome.of("Pyverilog", PARSE, len(texts), "modules", [])]
    found += [check(design) for check in DESIGN_CHECKS]
    found.append(check_registers(design, config))
    return found + [check(texts) for check in TEXT_CHECKS]
