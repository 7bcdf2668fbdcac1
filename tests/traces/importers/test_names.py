"""Names that may leave an importer."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unison.errors import UnisonError
from unison.traces.importers import all_importers, importer
from unison.traces.importers.names import (
    bash_tool,
    clean_role,
    clean_tool,
    corpus_name,
    is_corpus_name,
    join_tools,
)
from unison.traces.importers.tokens import new_tokens


@pytest.mark.parametrize(
    ("command", "tool"),
    [
        ("ls -la", "bash:ls"),
        ("cd /a/b && cat x", "bash:cat"),
        ("cd /a\nsed -i s/a/b/ f", "bash:sed"),
        ("# look first\ngrep -rn x .", "bash:grep"),
        ("FOO=1 BAR=2 pytest", "bash:pytest"),
        ("export X=1 && make all", "bash:make"),
        ("/opt/venv/bin/python3.11 -m pip", "bash:python"),
        ("sudo apt-get install x", "bash:apt-get"),
        ("cat<<EOF", "bash:other"),
        ("./run_alice.sh", "bash:other"),
        ("alice", "bash:other"),
        ("", "bash:other"),
        (None, "bash:other"),
        ("cd /a", "bash:cd"),
        ("git;", "bash:git"),
    ],
)
def test_bash_tool_is_a_well_known_program_or_other(command: object, tool: str):
    assert bash_tool(command) == tool


@pytest.mark.parametrize(
    ("name", "tool"),
    [
        ("Bash", "Bash"),
        ("mcp__docs__search", "mcp__docs__search"),
        ("user_text", "user"),
        ("", "unknown"),
        (None, "unknown"),
        ("rm -rf /home", "other"),
        ("a@b.org", "other"),
        ("x" * 65, "other"),
        ("Bash\n", "other"),
        ("Básh", "other"),
        (7, "other"),
    ],
)
def test_tool_is_a_plain_name_or_other(name: object, tool: str):
    assert clean_tool(name) == tool


@given(st.one_of(st.text(), st.integers(), st.none(), st.binary()))
def test_no_name_leaves_the_alphabet(name: object):
    for cleaned in (clean_tool(name), clean_role(name, "sub:"), bash_tool(name)):
        assert re.fullmatch(r"[A-Za-z0-9_.:+-]{1,64}", cleaned)


@given(st.text())
def test_corpus_name_made_from_a_stem_is_allowed(stem: str):
    assert is_corpus_name(corpus_name(stem))


def test_tools_awaited_together_are_sorted_and_told_once():
    assert join_tools(["Read", "Bash", "Read"]) == "Bash+Read"
    assert join_tools([]) == "unknown"
    assert join_tools(f"tool_number_{i}" for i in range(9)) == "other"


def test_role_is_a_plain_name_with_its_prefix():
    assert clean_role("Explore", "sub:") == "sub:Explore"
    assert clean_role("my agent", "sub:") == "sub:other"
    assert clean_role(None) == ""
    assert clean_role(None, "sub:") == "sub"


@given(
    prompt=st.integers(0, 10**6),
    previous=st.none() | st.tuples(st.integers(0, 10**6), st.integers(0, 10**6)),
    cached=st.integers(0, 10**6),
)
def test_new_tokens_are_a_part_of_the_prompt(prompt: int, previous, cached: int):
    assert 0 <= new_tokens(prompt, previous, cached) <= prompt


def test_format_registered_twice_is_an_error():
    with pytest.raises(UnisonError, match="registered twice"):
        importer("table", title="t", path_help="p", patterns=("*",))(all_importers()[0].read)
