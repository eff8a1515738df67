"""Faults of regular expressions in the author's words, where Python's own name no remedy."""

from __future__ import annotations

import re

_ITSELF = "before it for the character itself"
_REPEATS = "the *, +, ?, or { … }"
SENTENCES = {
    "missing ), unterminated subpattern": f"the parenthesis opened AT is never closed. Write \\ {_ITSELF}.",
    "unbalanced parenthesis": f"the parenthesis closed AT was never opened. Write \\ {_ITSELF}.",
    "unterminated character set": f"the square bracket opened AT is never closed. Write \\ {_ITSELF}.",
    "nothing to repeat": f"{_REPEATS} AT has nothing before it to repeat. Write \\ {_ITSELF}.",
    "multiple repeat": f"{_REPEATS} AT follows another one. Write \\ {_ITSELF}.",
    "look-behind requires fixed-width pattern": "(?<= … ) and (?<! … ) can only contain texts of one length.",
    "bad escape (end of pattern)": "it ends with \\. Write \\\\ for the character itself.",
    "bad escape": "the \\ AT is followed by a letter that has no meaning there.",
    "min repeat greater than max repeat": "the first number in { … } AT is greater than the second.",
    "bad character range": "the range AT begins with the later character.",
    "invalid group reference": "the number AT refers to parentheses that the pattern does not have.",
    "redefinition of group name": "the name AT belongs to other parentheses already.",
    "unknown extension": "the characters after the parenthesis AT have no meaning there.",
}
"""By the start of Python's message, the longer first; `AT` becomes the place."""


def fault_sentence(fault: Exception) -> str:
    """Return one or two sentences about a pattern that Python rejects."""
    if not isinstance(fault, re.error):
        return f"Invalid regular expression: {fault}."
    at = "in it" if fault.pos is None else f"at character {fault.pos + 1}"
    sentence = next((text for start, text in SENTENCES.items() if fault.msg.startswith(start)), f"{fault.msg} AT.")
    return f"Invalid regular expression: {sentence.replace('AT', at)}"
