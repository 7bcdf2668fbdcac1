"""Proof: properties of modules, how they are proved, and running that with SymbiYosys."""

from __future__ import annotations

import dataclasses
import re
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path

from unison.errors import UnisonError
from unison.rtl.checks.findings import Verdict
from unison.rtl.checks.tools import SBY, SMTBMC, SOLVER, WITNESS, YOSYS, find_scripts, run, write_sources
from unison.rtl.cosim.toolchain import Skipped

PROPERTY = re.compile(r"^ *(?P<label>p_\w+): assert\b", re.MULTILINE)
_FAILED = re.compile(r"failed assertion [\w.$\\]*?(?P<label>\w+) at ")
_ASSERTION = re.compile(r"(?:(?P<label>\w+): )?\bassert \(")
LIMIT_SECONDS = 1800.0


class Method(StrEnum):
    """How a property is proved: for all times, or for the first clock cycles after reset."""

    INDUCTION = "induction"
    BOUNDED = "bounded"


@dataclass(frozen=True)
class Proof:
    """Properties that are proved in one run.

    Attributes
    ----------
    name : str
    module : str
        Top of the proof.
    size : str
        Sizes for which it is made, for people, e.g. ``N = 64``.
    method : Method
    depth : int
        Clock cycles of the induction hypothesis, or of the bounded search.
    texts : mapping of str to str
        Modules with the properties put in.
    properties : mapping of str to str
        What each says, by label.
    search : int
        Clock cycles in which a fault that violates a property must show.
    parameters : mapping of str to int
        Other values of the top's parameters.
    cut : tuple of str
        Modules whose outputs are left free.
    maps_memory : bool
        Memories become registers.
    shown : mapping of str to str
        Wires of the properties that show registers of modules below the top: ``instance.register`` by wire.
    """

    name: str
    module: str
    size: str
    method: Method
    depth: int
    texts: Mapping[str, str]
    properties: Mapping[str, str]
    search: int
    parameters: Mapping[str, int] = field(default_factory=dict)
    cut: tuple[str, ...] = ()
    maps_memory: bool = False
    shown: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Result:
    """How a proof ended.

    Attributes
    ----------
    proof : Proof
    verdict : Verdict
    failed : tuple of str
        Labels of the assertions for which there is a counterexample.
    note : str
        Why it was skipped, or the end of what the tool said if it stopped otherwise.
    """

    proof: Proof
    verdict: Verdict
    failed: tuple[str, ...] = ()
    note: str = ""

    def of_property(self, label: str) -> Verdict:
        """The verdict on one property: it fails if its proof does not end as it should.

        Parameters
        ----------
        label : str
        """
        return self.verdict if label in self.proof.properties else Verdict.FAILED


def with_properties(text: str, properties: str) -> str:
    """A module with statements put in before its end; the module itself stays as it is.

    Parameters
    ----------
    text : str
        Verilog of one module.
    properties : str
    """
    head, end, tail = text.rpartition("\nendmodule")
    if not end:
        raise UnisonError("the Verilog has no endmodule to put properties before")
    prelude = PRELUDE if "clk_i" in text else "\n"
    return f"{head}\n{prelude}{properties}\nendmodule{tail}"


PRELUDE = """
  // the first cycle is a reset; more can come at any time
  reg f_started = 1'b0;
  always @(posedge clk_i) f_started <= 1'b1;
  always @* if (!f_started) assume (!rst_ni);

"""


def described(properties: str) -> dict[str, str]:
    """What each property says: the comment above its label, or above the label before it.

    Parameters
    ----------
    properties : str
    """
    found: dict[str, str] = {}
    said = ""
    for line in properties.split("\n"):
        words = line.strip()
        if words.startswith("// "):
            said = words.removeprefix("// ")
        elif match := PROPERTY.match(line):
            found[match["label"]] = said
    return found


def run_proof(proof: Proof, seconds: float = LIMIT_SECONDS) -> Result:
    """Try to prove the properties.

    Parameters
    ----------
    proof : Proof
    seconds : float
        Limit after which it counts as not proved.
    """
    scripts = find_scripts(SBY, YOSYS, SMTBMC, WITNESS, SOLVER)
    if isinstance(scripts, Skipped):
        return Result(proof, Verdict.SKIPPED, note=scripts.reason)
    with tempfile.TemporaryDirectory(prefix="unison-") as name:
        folder = Path(name)
        files = write_sources(dict(proof.texts), folder)
        (folder / "proof.sby").write_text(_script(proof, files), encoding="utf-8")
        tools = ["--yosys", YOSYS, "--smtbmc", SMTBMC, "--witness", WITNESS]
        status, output = run([scripts / SBY, *tools, "-f", "proof.sby"], folder, seconds=seconds)
    if status == 0 and "DONE (PASS" in output:
        return Result(proof, Verdict.PASSED)
    failed = tuple(sorted(set(_FAILED.findall(output))))
    return Result(proof, Verdict.FAILED, failed, "" if failed else output.strip()[-400:])


def refute(proof: Proof, label: str, seconds: float = LIMIT_SECONDS) -> Result:
    """Search for a counterexample to one property in the first clock cycles after reset.

    Parameters
    ----------
    proof : Proof
    label : str
        The property; the others, and the lemmas, are left out.
    seconds : float
        Limit after which none counts as found.
    """
    texts = {**proof.texts, proof.module: only(proof.texts[proof.module], label)}
    bounded = dataclasses.replace(proof, method=Method.BOUNDED, depth=proof.search, texts=texts)
    return run_proof(bounded, seconds)


def only(text: str, label: str) -> str:
    """A module with every assertion but one taken out.

    Parameters
    ----------
    text : str
    label : str
    """
    parts, end = [], 0
    for match in _ASSERTION.finditer(text):
        if match["label"] == label:
            continue
        parts.append(text[end : match.start()] + "begin end")
        end = _statement_end(text, match.end())
    return "".join(parts) + text[end:]


def _statement_end(text: str, start: int) -> int:
    """Where a statement ends whose opening parenthesis is just before `start`."""
    depth = 1
    for index in range(start, len(text)):
        depth += {"(": 1, ")": -1}.get(text[index], 0)
        if depth == 0:
            return text.index(";", index) + 1
    raise UnisonError("a property has no closing parenthesis")


def _script(proof: Proof, files: list[str]) -> str:
    mode = {Method.INDUCTION: "prove", Method.BOUNDED: "bmc"}[proof.method]
    reading = ['logger -werror "implicitly declared"', f"read_verilog -sv -formal {' '.join(files)}"]
    reading += [f"chparam -set {name} {value} {proof.module}" for name, value in proof.parameters.items()]
    reading += [f"hierarchy -check -top {proof.module}"]
    reading += [f"blackbox {module}" for module in proof.cut]
    cut = ["cutpoint -blackbox"] if proof.cut else []
    flat = ["proc", "flatten"] if proof.shown else []
    shown = [f"connect -set {wire} {inner}" for wire, inner in proof.shown.items()]
    script = [*reading, *cut, *flat, *shown, f"prep -top {proof.module} -flatten"]
    # A few words are easier as registers, many as an array.
    script += ["memory_map"] if proof.maps_memory else []
    lines = [
        "[options]",
        f"mode {mode}",
        f"depth {proof.depth}",
        "[engines]",
        "smtbmc yices",
        "[script]",
        *script,
    ]
    return "\n".join([*lines, "[files]", *files]) + "\n"
