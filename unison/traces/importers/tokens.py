"""How much of a prompt is new, for logs that give lengths but not the tokens themselves."""

from __future__ import annotations


def new_tokens(prompt: int, previous: tuple[int, int] | None, cached: int = 0) -> int:
    """Tokens of a prompt that the previous turn's context does not cover.

    With p the prompt and o the output of a turn: p_k - min(p_k, p_{k-1} + o_{k-1}), all of it at turn 0.
    A prompt shorter than the one before was rewritten (compaction): then only what the provider says it
    read from its cache is taken as common, at most the shorter length.

    Parameters
    ----------
    prompt : int
        Length of the prompt [tokens].
    previous : tuple of (int, int), optional
        Prompt and output length of the previous turn [tokens]; None at turn 0.
    cached : int
        Tokens the provider read from its cache; used only where the prompt shrank.

    Returns
    -------
    int
        From 0 to `prompt`.
    """
    if previous is None:
        return prompt
    before, output = previous
    common = before + output if prompt >= before else cached
    return prompt - min(prompt, common)


def common_blocks(ids: list[int], previous: list[int]) -> int:
    """Length of the common prefix of two lists of block ids."""
    count = 0
    for ours, theirs in zip(ids, previous, strict=False):
        if ours != theirs:
            break
        count += 1
    return count
