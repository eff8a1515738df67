"""Figures as a reader finds them: read off markup, sentences, figures and files, never off what these are made of."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from html.parser import HTMLParser

SHARE = re.compile(r"([<>]?)(\d+)%")
COUNT = re.compile(r"([\d,]+) of ([\d,]+)")


@dataclass(frozen=True)
class Line:
    """A line of the figures of a run."""

    part: str
    """Title of its part of the page."""
    head: str
    """What it stands below; empty: nothing."""
    name: str
    text: str

    @property
    def percent(self) -> str | None:
        found = SHARE.search(self.text)
        return found and "".join(found.groups())

    @property
    def counts(self) -> list[tuple[int, int]]:
        return [(number(one), number(other)) for one, other in COUNT.findall(self.text)]

    @property
    def mean(self) -> float | None:
        """In front of all."""
        found = re.match(r"-?\d+\.\d+", self.text)
        return float(found[0]) if found else None

    def before(self, word: str) -> int:
        """The number in front of a word; 0: the word is not there."""
        found = re.search(rf"([\d,]+) {word}", self.text)
        return number(found[1]) if found else 0


class _Texts(HTMLParser):
    """{class of an element: its text}, in order."""

    def __init__(self, wanted: tuple[str, ...]) -> None:
        super().__init__()
        self._wanted, self._open = wanted, list[tuple[str, str | None]]()
        self.found: list[tuple[str, str]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        classes = (dict(attrs).get("class") or "").split()
        kind = next((name for name in self._wanted if name in classes or name == tag), None)
        self._open.append((tag, kind))
        if kind:
            self.found.append((kind, ""))

    def handle_endtag(self, tag: str) -> None:
        while self._open and self._open.pop()[0] != tag:
            pass

    def handle_data(self, data: str) -> None:
        inside = [kind for _, kind in self._open if kind]
        if inside:
            kind, text = self.found[-1]
            self.found[-1] = (kind, f"{text} {data}".strip())


def texts(markup: str, *wanted: str) -> list[tuple[str, str]]:
    reader = _Texts(wanted)
    reader.feed(markup)
    return reader.found


def words(markup: str) -> str:
    """Without its tags."""
    return " ".join(re.sub(r"<[^>]*>", " ", markup).split())


def lines(markup: str) -> Iterator[Line]:
    """Of the figures of a run, as `overview` writes them."""
    part = head = name = ""
    for kind, text in texts(markup, "result-heading", "rate-head", "rate-key", "rate-n"):
        if kind == "result-heading":
            part, head = text, ""
        elif kind == "rate-head":
            head = text
        elif kind == "rate-key":
            name = text
        else:
            yield Line(part, head, name, text)


def outcomes(markup: str) -> dict[str, int]:
    """`Passed 13`: {word: number}."""
    found = (re.match(r"\S+ (.+?) ([\d,]+)", text) for kind, text in texts(markup, "overview-count"))
    return {each[1].strip(): number(each[2]) for each in found if each}


def number(text: str) -> int:
    return int(text.replace(",", ""))
