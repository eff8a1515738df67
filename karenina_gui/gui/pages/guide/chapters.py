"""Chapters of the guide: order, text, and full-text search."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from karenina_gui.formats.results.column_meanings import MEANINGS
from karenina_gui.gui.kit.verdicts import ENDINGS, REASONS, SCORED
from karenina_gui.gui.pages.results.stage_names import STAGES
from karenina_gui.static_files import static_address

FOLDER = Path(__file__).with_name("texts")
HOME = "start"
"""Chapter that `/guide` opens."""

CONTENTS: dict[str, tuple[str, ...]] = {
    "Get started": (HOME,),
    "Write": (
        *("questions", "many-questions", "identity", "templates", "comparisons", "samples", "drafts", "rubrics"),
        "calibration",
        *("workspaces", "problems", "import-questions", "saving"),
    ),
    "Run": (
        *("models", "mcp", "conditions", "replicates", "options", "agents", "agentic-judging"),
        *("before-running", "interruptions", "cluster"),
    ),
    "Understand": ("outcomes", "results", "charts", "variation-charts", "statistics"),
    "Share": ("files", "columns", "versions", "k-eval", "reproducibility"),
    "Reference": ("security", "packages", "keyboard", "glossary", "extend"),
}
"""{part of the guide: chapter names}. A chapter's name is that of its file."""


@dataclass(frozen=True)
class Section:
    """A heading with the text below it, up to the next heading."""

    title: str
    anchor: str
    """Id of its heading; empty for the beginning of a chapter."""
    text: str
    """Text without markup."""


@dataclass(frozen=True)
class Chapter:
    name: str

    @cached_property
    def markdown(self) -> str:
        """Markdown of the chapter, with generated tables, chapter links and image URLs filled in."""
        text = (FOLDER / f"{self.name}.md").read_text("utf-8")
        # Generated from the code, so that the guide cannot disagree with it.
        for slot, rows in _TABLES.items():
            text = text.replace(f"{{{slot}}}", "\n".join(rows()))
        text = re.sub(r"\]\(([\w-]+\.png)\)", rf"]({static_address()}/pictures/\1)", text)
        return re.sub(r"\]\(([a-z-]+)(#[\w-]+)?\)", lambda link: f"]({address(link[1])}{link[2] or ''})", text)

    @cached_property
    def title(self) -> str:
        return self.markdown.partition("\n")[0].removeprefix("# ")

    @cached_property
    def sections(self) -> tuple[Section, ...]:
        """Sections of the chapter, split at its headings."""
        parts = re.split(r"^#+ (.*)$", self.markdown, flags=re.MULTILINE)[1:]
        pairs = zip(parts[::2], parts[1::2], strict=True)
        return tuple(
            Section(title, _anchor(title) if index else "", _plain(text)) for index, (title, text) in enumerate(pairs)
        )


def address(name: str) -> str:
    """Address of a chapter in the application."""
    return "/guide" if name == HOME else f"/guide?page={name}"


CHAPTERS = {name: Chapter(name) for names in CONTENTS.values() for name in names}


@dataclass(frozen=True)
class Match:
    """A section that holds all words of a search."""

    chapter: Chapter
    section: Section
    snippet: str
    """The text around the first word that was found."""

    @property
    def address(self) -> str:
        return address(self.chapter.name) + (f"#{self.section.anchor}" if self.section.anchor else "")


def search(query: str) -> Iterator[Match]:
    """Yield the sections that contain every word, matches in headings first; nothing for a blank search."""
    terms = query.casefold().split()
    sections = [(chapter, section) for chapter in CHAPTERS.values() for section in chapter.sections]
    matches = [
        Match(chapter, section, _snippet(section.text, terms))
        for chapter, section in sections
        if terms and all(word in f"{chapter.title} {section.title} {section.text}".casefold() for word in terms)
    ]
    yield from sorted(matches, key=lambda match: not any(word in match.section.title.casefold() for word in terms))


_TABLES: dict[str, Callable[[], Iterator[str]]] = {
    "stages": lambda: (f"| {stage.title} | {stage.purpose} |" for stage in STAGES.values()),
    "outcomes": lambda: (f"| {ending.title} | {ending.meaning} |" for ending in (*ENDINGS.values(), SCORED)),
    "columns": lambda: (f"| `{name}` | {_with_code(meaning)} |" for name, meaning in MEANINGS.items()),
    "reasons": lambda: (f"| {title} | {meaning} |" for title, meaning in REASONS.values()),
}


def _with_code(text: str) -> str:
    """Mark names such as `all_of` as code: Markdown would take their underscores for emphasis."""
    return re.sub(r"\b\w+_\w+\b", r"`\g<0>`", text)


def _anchor(title: str) -> str:
    """Return the heading id that the Markdown package generates."""
    return re.sub(r"[-\s]+", "-", re.sub(r"[^\w\s-]", "", title).strip().lower())


def _plain(markdown: str) -> str:
    text = re.sub(r"!?\[([^\]]*)\]\([^)]*\)|<[^>]*>", r"\1", markdown)
    return " ".join(re.sub(r"[*`|#]|^[-:| ]+$", " ", text, flags=re.MULTILINE).split())


def _snippet(text: str, terms: list[str], width: int = 90) -> str:
    starts = [index for word in terms if (index := text.casefold().find(word)) >= 0]
    begin = max(min(starts, default=0) - width // 3, 0)
    begin = text.find(" ", begin - 1) + 1 if begin else 0
    cut = text[begin : begin + width].rsplit(" ", 1)[0] if len(text) > begin + width else text[begin:]
    return f"{'…' if begin else ''}{cut}{'…' if len(text) > begin + width else ''}"
