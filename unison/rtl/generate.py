"""The generator: the Verilog of one configuration, from the templates beside this module."""

from __future__ import annotations

import re
from pathlib import Path

import jinja2

from unison.files import write_text
from unison.rtl.config import Config
from unison.rtl.csr_map import markdown
from unison.rtl.generate_plan import modules, plan

TEMPLATES = Path(__file__).parent / "templates"
FILE_LIST = "files.f"
"""Names the Verilog files, one a line, instances before what instantiates them."""

_PORT = re.compile(
    r"^  (?P<kind>(?:input|output) +(?:wire|reg)|parameter) *(?P<range>\[[^\]]*\])? *"
    r"(?P<name>\w+)(?P<rest> = \S+?)?(?P<comma>,?) *(?P<comment>// .*)$"
)


def render_ip(config: Config) -> dict[str, str]:
    """Every file of the IP: the Verilog modules, their list and the register map.

    Parameters
    ----------
    config : Config

    Returns
    -------
    dict of str to str
        Text by file name; the same on every machine for the same configuration.
    """
    environment = _environment()
    values = plan(config)
    texts = {
        f"{name}.v": _aligned(environment.get_template(f"{name}.v.j2").render(values))
        for name in modules(config)
    }
    return {**texts, FILE_LIST: "".join(f"{name}\n" for name in texts), "CSR.md": markdown((config,))}


def write_ip(config: Config, folder: Path) -> list[Path]:
    """Write `render_ip` into a folder, each file all or nothing.

    Parameters
    ----------
    config : Config
    folder : pathlib.Path
        Made if needed; other files in it stay.

    Returns
    -------
    list of pathlib.Path
        The files written.
    """
    paths = []
    for name, text in render_ip(config).items():
        write_text(folder / name, text)
        paths.append(folder / name)
    return paths


def _environment() -> jinja2.Environment:
    """Templates with delimiters that Verilog does not use; an undefined name is an error."""
    return jinja2.Environment(
        loader=jinja2.FileSystemLoader(TEMPLATES),
        undefined=jinja2.StrictUndefined,
        variable_start_string="@{",
        variable_end_string="}@",
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,
    )


def _aligned(text: str) -> str:
    """The text with ports and parameters in columns, block by block."""
    lines: list[str] = []
    block: list[re.Match[str]] = []
    for line in text.split("\n"):
        port = _PORT.match(line)
        if port:
            block.append(port)
            continue
        lines += _columns(block)
        block = []
        lines.append(line.rstrip())
    return "\n".join(lines + _columns(block))


def _columns(block: list[re.Match[str]]) -> list[str]:
    if not block:
        return []
    kinds = [re.sub(r"input +", "input  ", re.sub(r" +", " ", port["kind"])) for port in block]
    ranges = [port["range"] or "" for port in block]
    names = [port["name"] for port in block]
    name_width = max(map(len, names)) if any(port["rest"] for port in block) else 0
    names = [
        f"{n:{name_width}}{port['rest'] or ''}{port['comma']}" for n, port in zip(names, block, strict=True)
    ]
    widths = [max(map(len, column)) for column in (kinds, ranges, names)]
    lines = []
    for kind, range_, name, port in zip(kinds, ranges, names, block, strict=True):
        range_column = f"{range_:{widths[1]}} " if widths[1] else ""
        lines.append(f"  {kind:{widths[0]}} {range_column}{name:{widths[2]}}  {port['comment']}")
    return lines
