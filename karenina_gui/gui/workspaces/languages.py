"""Syntax highlighting language of a file in the editor."""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import Literal

Language = Literal[
    "C", "C++", "CSS", "Dockerfile", "HTML", "Java", "JavaScript", "JSON", "Julia", "LaTeX", "Markdown", "Perl",
    "Properties files", "Python", "R", "Ruby", "Rust", "Shell", "SQL", "TOML", "TypeScript", "XML", "YAML", "diff",
]  # fmt: skip

_BY_SUFFIX: dict[str, Language] = {
    ".py": "Python", ".r": "R", ".rmd": "Markdown", ".md": "Markdown", ".json": "JSON", ".jsonl": "JSON",
    ".jsonld": "JSON", ".ipynb": "JSON", ".yaml": "YAML", ".yml": "YAML", ".toml": "TOML", ".ini": "Properties files",
    ".cfg": "Properties files", ".sh": "Shell", ".bash": "Shell", ".sql": "SQL", ".html": "HTML", ".htm": "HTML",
    ".xml": "XML", ".svg": "XML", ".css": "CSS", ".js": "JavaScript", ".ts": "TypeScript", ".c": "C", ".h": "C",
    ".cpp": "C++", ".hpp": "C++", ".java": "Java", ".jl": "Julia", ".tex": "LaTeX", ".pl": "Perl", ".rb": "Ruby",
    ".rs": "Rust", ".diff": "diff", ".patch": "diff",
}  # fmt: skip
_BY_NAME: dict[str, Language] = {"dockerfile": "Dockerfile", "makefile": "Shell", ".bashrc": "Shell"}


def language_of(path: str) -> Language | None:
    """Return the language by file name. None: plain text."""
    name = PurePosixPath(path).name.lower()
    return _BY_NAME.get(name) or _BY_SUFFIX.get(PurePosixPath(name).suffix)
