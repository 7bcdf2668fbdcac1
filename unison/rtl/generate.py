"""The generator: the Verilog of one configuration, from the templates beside this module."""

from __future__ import annotations

import functools
from pathlib import Path

import jinja2

from unison.files import write_text
from unison.rtl.config import Config
from unison.rtl.csr_map import markdown
from unison.rtl.generate_layout import lay_out
from unison.rtl.generate_plan import modules, plan

TEMPLATES = Path(__file__).parent / "templates"
FILE_LIST = "files.f"
"""Names the Verilog files, one a line, instances before what instantiates them."""


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
    texts = {}
    for module in modules(config):
        template = environment.get_template(f"{module.template or module.name}.v.j2")
        texts[f"{module.name}.v"] = lay_out(template.render(values, **module.values()))
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


@functools.cache
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
