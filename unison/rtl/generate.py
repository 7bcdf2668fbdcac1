"""The generator: the Verilog of one configuration, from the templates beside this module."""

from __future__ import annotations

import functools
from pathlib import Path

import jinja2

from unison.errors import UnisonError
from unison.files import write_text
from unison.rtl.config import Config
from unison.rtl.csr_markdown import markdown
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
    """Write `render_ip` into a folder, each file all or nothing, and remove what an earlier run left there.

    Parameters
    ----------
    config : Config
    folder : pathlib.Path
        Made if needed. Verilog of another configuration goes, if its name and its first line say that it is
        generated; other files stay.

    Returns
    -------
    list of pathlib.Path
        The files written.

    Raises
    ------
    UnisonError
        If the folder or a file in it cannot be written.
    """
    texts = render_ip(config)
    try:
        for name, text in texts.items():
            write_text(folder / name, text)
        for path in _stale(folder, config, set(texts)):
            path.unlink()
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise UnisonError(
            f"the Verilog cannot be written into {folder}: {reason}; give a folder that you can write to, or "
            "that can be made"
        ) from error
    return [folder / name for name in texts]


def _stale(folder: Path, config: Config, names: set[str]) -> list[Path]:
    """Generated Verilog in a folder that is not among the names."""
    banner = plan(config)["banner"].partition(" generator ")[0].encode()
    others = (path for path in sorted(folder.glob("unison_*.v")) if path.name not in names)
    return [path for path in others if path.is_file() and path.read_bytes().startswith(banner)]


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
