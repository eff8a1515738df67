"""Identity of an answer template, independent of indentation, line breaks and trailing blanks."""

from __future__ import annotations

import hashlib
import textwrap

NO_TEMPLATE = "no_template"


def template_id(source: str | None) -> str:
    """MD5 of the normalized source, 32 hexadecimal digits; `no_template` without a source."""
    # Dedented as a whole: sources that were pasted from an indented block are the same template.
    lines = textwrap.dedent((source or "").replace("\r\n", "\n").replace("\r", "\n")).split("\n")
    tidy = "\n".join(line.rstrip() for line in lines).strip()
    if not tidy:
        return NO_TEMPLATE
    return hashlib.md5(tidy.encode("utf-8", "surrogatepass"), usedforsecurity=False).hexdigest()
