"""The parameters of a notebook: read from its one tagged cell, and given values checked against them.

The cell tagged ``parameters`` holds literal assignments only, each with a comment::

    profile = "smoke"   # "smoke" or "full"
    seeds = [1, 2, 3]   # one replay each

The default of a parameter declares its type. A list without elements needs an annotation
(``names: list[str] = []``).
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from unison.errors import UnisonError, unknown_name

Notebook = dict[str, Any]
"""A notebook as its JSON has it (format 4), with the source of each cell as one text."""

Value = str | int | float | bool | list
"""What a parameter may hold."""

TAG = "parameters"
INJECTED_TAG = "injected-parameters"
SCALARS: dict[str, type] = {"bool": bool, "int": int, "float": float, "str": str}
TYPES = (*SCALARS, *(f"list[{name}]" for name in SCALARS))


@dataclass(frozen=True)
class Parameter:
    """One declared parameter.

    Attributes
    ----------
    name : str
    type_name : str
        One of `TYPES`.
    default : Value
    """

    name: str
    type_name: str
    default: Value


def tagged_cells(notebook: Notebook, tag: str) -> list[dict[str, Any]]:
    """The cells that carry a tag."""
    return [cell for cell in notebook["cells"] if tag in cell["metadata"].get("tags", [])]


def declared_parameters(notebook: Notebook, where: str) -> dict[str, Parameter]:
    """The parameters that a notebook declares, by name.

    Parameters
    ----------
    notebook : Notebook
    where : str
        What error messages call it.

    Raises
    ------
    UnisonError
        If there is not exactly one tagged code cell, or it holds more than literal assignments.
    """
    cells = tagged_cells(notebook, TAG)
    if len(cells) != 1 or cells[0]["cell_type"] != "code":
        raise UnisonError(
            f"{where}: {len(cells)} cells are tagged {TAG!r}; tag exactly one code cell, the first, with it"
        )
    try:
        statements = ast.parse(cells[0]["source"]).body
    except SyntaxError as error:
        raise UnisonError(f"{where}: parameters cell, line {error.lineno}: {error.msg}") from error
    found: dict[str, Parameter] = {}
    for statement in statements:
        parameter = _declared(statement, where)
        if parameter.name in found:
            raise UnisonError(f"{where}: parameter {parameter.name!r} is declared twice; keep one")
        found[parameter.name] = parameter
    return found


def checked(declared: Mapping[str, Parameter], given: Mapping[str, object], where: str) -> dict[str, Value]:
    """The given values, each known by name and of the declared type; an int becomes a float where declared.

    Raises
    ------
    UnisonError
        If a name is unknown or a value has another type; the message lists what is allowed.
    """
    result: dict[str, Value] = {}
    for name, value in given.items():
        if name not in declared:
            types = ", ".join(f"{p.name}: {p.type_name}" for p in declared.values())
            raise UnisonError(f"{unknown_name(f'parameter of {where}', name, declared)} (declared: {types})")
        parameter = declared[name]
        if not _fits(value, parameter.type_name):
            raise UnisonError(
                f"{where}: parameter {name!r} is {value!r} of type {_spelled(value)}; "
                f"allowed: {parameter.type_name}, as its default {parameter.default!r}"
            )
        result[name] = _converted(value, parameter.type_name)
    return result


def parse_value(text: str) -> object:
    """A value as typed on a command line: a Python literal, or else the text itself."""
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return text


def uncommented(source: str) -> list[str]:
    """Names of a parameters cell with no comment on their line or the line above."""
    lines = source.splitlines()
    bare = []
    for statement in ast.parse(source).body:
        above = lines[statement.lineno - 2].strip() if statement.lineno > 1 else ""
        end = statement.end_lineno or statement.lineno
        after = lines[end - 1].encode()[statement.end_col_offset :].decode().strip()
        if not (above.startswith("#") or after.startswith("#")):
            bare.append(_target(statement))
    return bare


def with_values(source: str, values: Mapping[str, str]) -> str:
    """A parameters cell with the text of some values replaced, comments and all else kept.

    Parameters
    ----------
    source : str
        The cell.
    values : mapping of str to str
        Python text by parameter name.
    """
    lines = [line.encode() for line in source.split("\n")]
    for statement in reversed(ast.parse(source).body):
        name, value = _target(statement), getattr(statement, "value", None)
        if name in values and value is not None:
            head = lines[value.lineno - 1][: value.col_offset]
            tail = lines[value.end_lineno - 1][value.end_col_offset :]
            lines[value.lineno - 1 : value.end_lineno] = [head + values[name].encode() + tail]
    return b"\n".join(lines).decode()


def assigned(source: str) -> dict[str, str]:
    """The Python text of each value that a cell of assignments assigns, by name."""
    body = ast.parse(source).body
    return {
        _target(s): ast.unparse(s.value)
        for s in body
        if isinstance(s, ast.Assign | ast.AnnAssign) and s.value
    }


def _target(statement: ast.stmt) -> str:
    """The name that a statement assigns, or an empty string."""
    if isinstance(statement, ast.Assign) and len(statement.targets) == 1:
        target: ast.expr = statement.targets[0]
    elif isinstance(statement, ast.AnnAssign):
        target = statement.target
    else:
        return ""
    return target.id if isinstance(target, ast.Name) else ""


def _declared(statement: ast.stmt, where: str) -> Parameter:
    """One statement of the cell as a parameter."""
    name = _target(statement)
    value = getattr(statement, "value", None)
    if not name or value is None:
        raise UnisonError(
            f"{where}: parameters cell, line {statement.lineno}: {ast.unparse(statement)!r} is not allowed; "
            "write only `name = literal`, and derive everything else in the next cell"
        )
    try:
        default = ast.literal_eval(value)
    except ValueError as error:
        raise UnisonError(
            f"{where}: parameters cell, line {statement.lineno}: {ast.unparse(statement)!r} is no literal; "
            "write the value itself, and derive everything else in the next cell"
        ) from error
    annotated = (
        ast.unparse(statement.annotation) if isinstance(statement, ast.AnnAssign) else _spelled(default)
    )
    if annotated not in TYPES or not _fits(default, annotated):
        raise UnisonError(
            f"{where}: parameters cell, line {statement.lineno}: {name} = {default!r} has type {annotated}; "
            f"allowed: {', '.join(TYPES)} (annotate an empty list)"
        )
    return Parameter(name, annotated, _converted(default, annotated))


def _spelled(value: object) -> str:
    """The type of a value as it is written in `TYPES`; anything else by its own name."""
    if not isinstance(value, list):
        return type(value).__name__
    inner = sorted({_spelled(item) for item in value})
    if inner == ["float", "int"]:
        inner = ["float"]
    return f"list[{' | '.join(inner)}]"


def _fits(value: object, type_name: str) -> bool:
    """Whether a value has the named type; a bool is no int, an int is a float."""
    if type_name.startswith("list["):
        return isinstance(value, list) and all(_fits(item, type_name[5:-1]) for item in value)
    if type_name == "float":
        return type(value) in (int, float)
    return type(value) is SCALARS[type_name]


def _converted(value: Any, type_name: str) -> Value:
    """A value that fits its type, with ints turned into floats where floats are declared."""
    if type_name == "list[float]":
        return [float(item) for item in value]
    result: Value = float(value) if type_name == "float" else value
    return result
