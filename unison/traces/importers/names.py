"""Names that may leave an importer: tools, roles and the corpus name, each held to a narrow alphabet."""

from __future__ import annotations

import re
from collections.abc import Iterable

from unison.traces.corpus import HUMAN_TOOL

OTHER = "other"
UNKNOWN_TOOL = "unknown"
TOOL_RESULT = "tool_result"

_NAME = re.compile(r"[A-Za-z0-9_.:+-]{1,64}")
_NOT_IN_CORPUS_NAME = re.compile(r"[^A-Za-z0-9_.-]+")
_HUMAN_ALIASES = frozenset({"user_text", "human", HUMAN_TOOL})

_PROGRAM_WORDS = """
apt apt-get awk base64 basename bash bc black bundle bzip2 cargo cat cd chmod chown cmake comm cp
curl cut date df diff dirname django-admin docker du echo env export false file find flake8 g++ gcc
gem git go grep gunzip gzip head hexdump isort java javac jq kill ln ls make md5sum mkdir mktemp mv
mvn mypy nano nl node npm npx od patch perl php pip pnpm printf ps psql pwd pylint pytest python
readlink realpath rg rm rmdir ruby ruff rustc sed seq sh sha256sum sleep sort source sphinx-build
sqlite stat strings tail tar tee test time timeout touch tox tr tree true uname uniq unzip uv vim wc
wget which whoami xargs xxd yarn zip
"""
_PROGRAMS = frozenset(_PROGRAM_WORDS.split())
_LEADING = re.compile(
    r"""\s*(?:
        cd\s+[^;&|\n]*(?:&&|;|\n)            # change folder first, then the command proper
      | \#[^\n]*(?:\n|$)                      # a comment line
      | (?:export\s+)?[A-Za-z_]\w*=[^\s;&|]*\s*(?:&&|;|\n)?   # an environment setting
      | sudo\s+
    )""",
    re.VERBOSE,
)
_VERSION = re.compile(r"[0-9.]+$")


def clean_tool(name: object) -> str:
    """A tool's name, `other` if it has characters or a length that a tool name does not have.

    Names of the human wait in other tables become ``"user"``, the class that a session's last pause has;
    an empty or missing name becomes ``"unknown"``.
    """
    if name is None or name == "":
        return UNKNOWN_TOOL
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        return OTHER
    return HUMAN_TOOL if name in _HUMAN_ALIASES else name


def join_tools(names: Iterable[str]) -> str:
    """Clean names of tools awaited together: sorted, without repetition, joined with ``+``."""
    joined = "+".join(sorted(set(names)))
    if not joined:
        return UNKNOWN_TOOL
    return joined if _NAME.fullmatch(joined) else OTHER


def clean_role(name: object, prefix: str = "") -> str:
    """An agent's role with a prefix, ``other`` if it is not a plain name, empty if there is none."""
    if name is None or name == "":
        return prefix.rstrip(":")
    role = f"{prefix}{name}"
    return role if isinstance(name, str) and _NAME.fullmatch(role) else f"{prefix}{OTHER}"


def is_corpus_name(name: str) -> bool:
    """Whether a corpus may be called that: 1 to 64 letters, digits and ``_ . -``."""
    return 0 < len(name) <= 64 and not _NOT_IN_CORPUS_NAME.search(name)


def corpus_name(stem: str) -> str:
    """A corpus name made from a file's stem: anything but letters, digits and ``_ . -`` becomes ``_``."""
    return _NOT_IN_CORPUS_NAME.sub("_", stem).strip("_.")[:64] or "corpus"


def bash_tool(command: object) -> str:
    """``bash:<program>`` for a shell command, from a closed list of well-known programs, else ``bash:other``.

    The program is the first word after changes of folder, comments and environment settings; its folder
    and its version digits are dropped (``/usr/bin/python3.11`` is ``python``).
    """
    if not isinstance(command, str):
        return f"bash:{OTHER}"
    rest = command[:4096]
    while match := _LEADING.match(rest):
        rest = rest[match.end() :]
    words = rest.split(maxsplit=1)
    program = words[0].rstrip(";&|").rsplit("/", 1)[-1] if words else ""
    for name in (program, _VERSION.sub("", program)):
        if name in _PROGRAMS:
            return f"bash:{name}"
    return f"bash:{OTHER}"
