"""Warnings about addresses that a reader cannot follow; they are saved all the same."""

from __future__ import annotations

import re
from typing import Any

_DOI = r"(?:doi:\s*)?10\.\d{4,9}/\S+"
_WEB = r"https?://[^\s/.]+(?:\.[^\s/.]+)*\S*"
_MAIL = r"[^@\s,;<>]+@[^@\s,;<>.]+(?:\.[^@\s,;<>.]+)+"


def doubt_about_source(address: str) -> str | None:
    """Warning about an address that is neither a web address nor a DOI; None if it is valid or empty."""
    if not address.strip() or re.fullmatch(f"{_WEB}|{_DOI}", address.strip(), re.IGNORECASE):
        return None
    return "Saved, but this isn’t a valid URL. Enter one that starts with https://, or a DOI such as 10.1000/182."


def doubts_about_sources(sources: list[dict[str, Any]]) -> dict[int, str]:
    """Warnings by index (from 0) of the sources with such addresses."""
    doubts = {index: doubt_about_source(str(source.get("url") or "")) for index, source in enumerate(sources)}
    return {index: doubt for index, doubt in doubts.items() if doubt}


def doubt_about_mail(address: str) -> str | None:
    """Warning about an invalid e-mail address; None if it is valid or empty."""
    if not address.strip() or re.fullmatch(_MAIL, address.strip()):
        return None
    return "Saved, but this isn’t a valid email address. Enter one such as name@example.org."
