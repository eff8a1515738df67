"""The identity of an answer template: sources that differ in indentation, line ends or trailing blanks share it."""

from __future__ import annotations

import hashlib
import textwrap

NO_TEMPLATE = "no_template"


def template_id(source: str | None) -> str:
    """MD5 of the tidied source, 32 hexadecimal digits; `no_template` where there is none."""
    lines = textwrap.dedent((source or "").replace("\r\n", "\n").replace("\r", "\n")).split("\n")
    tidy = "\n".join(line.rstrip() for line in lines).strip()
    if not tidy:
        return NO_TEMPLATE
    return hashlib.md5(tidy.encode("utf-8", "surrogatepass"), usedforsecurity=False).hexdigest()
