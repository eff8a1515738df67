"""HTML of the changes of a benchmark since a run, by question and field."""

from __future__ import annotations

from collections.abc import Callable

from karenina_gui.gui.kit.diff_view import diff_table
from karenina_gui.gui.kit.html import Html, icon, join_html, link, tag
from karenina_gui.gui.kit.record_text import record_text
from karenina_gui.runs.benchmark_changes import BenchmarkChanges, Change, QuestionChange, TraitChange
from karenina_gui.text import join_list, quantity

MOST = 100
"""Maximum number of listed questions; the number of others is shown."""
FIELDS = {
    "question": "Question",
    "raw_answer": "Reference answer",
    "keywords": "Keywords",
    "answer_notes": "Notes",
    "author": "Author",
    "sources": "Sources",
    "answer_template": "Template",
    "workspace_path": "Workspace folder",
    "question_rubric": "Question rubric",
    "few_shot_examples": "Few-shot examples",
    "custom_metadata": "Metadata",
}
TITLES = ("When it ran", "Now")
KINDS: dict[Change, tuple[str, str]] = {
    "edited": ("edit", "Edited"),
    "deleted": ("delete_outline", "Deleted"),
    "added": ("add", "Added"),
}

AddressOf = Callable[[str], str | None]
"""Returns the address of a question by its id, or None if it is gone."""


def changes_summary(changes: BenchmarkChanges) -> str:
    """Summary in one sentence for the head of a run."""
    counted = [
        (changes.edited, f"{quantity(changes.edited, 'question')} edited"),
        (changes.deleted, f"{changes.deleted:,} deleted"),
        (changes.added, f"{changes.added:,} added"),
        (changes.rubric, "rubric edited"),
    ]
    what = join_list([text for count, text in counted if count])
    if changes.by_hashes:
        return f"This benchmark differs from the one that ran: {what}. The results are about the one that ran."
    return f"The benchmark has changed since this run: {what}. The results are about the earlier version."


def changes_view(changes: BenchmarkChanges, address_of: AddressOf, rubric_address: str) -> Html:
    listed = changes.questions[:MOST]
    more = len(changes.questions) - len(listed)
    rubric = [_rubric(changes.traits, rubric_address)] if changes.rubric else []
    note = (
        "The file only holds hashes of the version that ran, so earlier texts can’t be shown."
        if changes.by_hashes
        else None
    )
    return join_html(
        [
            tag("p", note, class_="hint") if note else None,
            *rubric,
            *(_question(change, address_of(change.id)) for change in listed),
            tag("p", f"and {quantity(more, 'more question')}", class_="hint") if more > 0 else None,
        ]
    )


def _question(change: QuestionChange, address: str | None) -> Html:
    named = [name for name in change.fields if name in FIELDS]
    parts = [_field(name, change) for name in named]
    return _change(change.kind, change.text, address, [FIELDS[name] for name in named], parts)


def _field(name: str, change: QuestionChange) -> Html | None:
    if change.was is None or change.now is None:
        return None
    was, now = getattr(change.was, name), getattr(change.now, name)
    was_text, now_text = (record_text(value, titled=name != "custom_metadata") for value in (was, now))
    return _both(FIELDS[name], was_text, now_text, code=name == "answer_template")


def _rubric(traits: tuple[TraitChange, ...], address: str) -> Html:
    if not traits:
        return _change("edited", "Rubric: traits reordered", address, [], [])
    parts = [_change(trait.kind, f"Trait “{trait.name}”", address, _names(trait), [_trait(trait)]) for trait in traits]
    return join_html(parts)


def _names(change: TraitChange) -> list[str]:
    if change.was is None or change.now is None:
        return []
    names = dict.fromkeys([*change.was, *change.now])
    return [name.replace("_", " ") for name in names if change.was.get(name) != change.now.get(name)]


def _trait(change: TraitChange) -> Html | None:
    if change.was is None or change.now is None:
        return None
    return _both("Content", record_text(change.was), record_text(change.now), code=False)


def _change(kind: Change, text: str, address: str | None, names: list[str], parts: list[Html | None]) -> Html:
    glyph, word = KINDS[kind]
    name = link(address, text) if address and kind != "deleted" else text
    details = [part for part in parts if part is not None]
    field_names = tag("div", ", ".join(names), class_="result-muted") if names and not details else None
    return tag(
        "section",
        tag(
            "div",
            tag(
                "span", icon(glyph), word, class_=f"benchmark-changes-kind benchmark-changes-{kind} rigid small strong"
            ),
            tag("b", name),
            class_="benchmark-changes-head",
        ),
        field_names,
        *details,
        class_="benchmark-changes",
        aria_label=f"{word}: {text[:80]}",
    )


def _both(title: str, was: str, now: str, *, code: bool) -> Html:
    table = tag(
        "div",
        diff_table(was, now, TITLES, code=code),
        class_="clash-versions benchmark-changes-both",
        tabindex="0",
        role="region",
        aria_label=title,
    )
    return tag("details", tag("summary", title), table)
