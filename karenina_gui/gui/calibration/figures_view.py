"""Agreement with judges as HTML: figures, counts, and the answers on which they differ."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from karenina_gui.analysis.calibration import (
    AGREEMENT,
    LABEL_KAPPA,
    AgreementChange,
    LabelAgreement,
    agreement_cautions,
    agreement_sentence,
    change_sentence,
    kappa_text,
    value_text,
)
from karenina_gui.gui.components.figure_links import figure_link, figure_list
from karenina_gui.gui.components.html import Html, join_html, table, tag
from karenina_gui.schemas.calibration import Calibration, DrawnAnswer, JudgmentSet, LabelScale
from karenina_gui.text import percent, quantity

LONGEST = 60
"""Characters of a wording in a table."""


@dataclass(frozen=True)
class ShownSet:
    """Values of a judge with their agreement, and their names on the page."""

    judged: JudgmentSet
    agreement: LabelAgreement
    wording: str
    """Name of the wording, such as `Wording A`."""

    @property
    def name(self) -> str:
        return f"{self.judged.judge} ({self.wording[:1].lower()}{self.wording[1:]})"


def wording_names(sets: Sequence[JudgmentSet], current: str) -> dict[str, str]:
    """Names of wordings by hash (empty: unknown), in the order in which they were tried.

    `current`: hash of the one that is saved.
    """
    names: dict[str, str] = {}
    for judgment_set in sets:
        key = judgment_set.wording.hash if judgment_set.wording else ""
        if key not in names:
            letter = chr(ord("A") + sum(bool(wording) for wording in names) % 26)
            names[key] = f"Wording {letter}" if key else "Unknown wording"
    return {key: f"{name}, in use" if key == current else name for key, name in names.items()}


def sets_table(sets: Sequence[ShownSet]) -> Html:
    """All judges and wordings with their figures."""
    rows = [
        (
            one.wording,
            tag("span", _short(one), title=one.judged.wording.description if one.judged.wording else None),
            one.judged.judge,
            figure_link(AGREEMENT, _share(one.agreement)),
            figure_link(LABEL_KAPPA, _kappa(one.agreement)),
        )
        for one in sets
    ]
    titles = ("Wording", "Text", "Judge", "Agreement", "Kappa")
    return join_html([table(titles, rows, caption="Judges and wordings"), figure_list((AGREEMENT, LABEL_KAPPA))])


def agreement_view(one: ShownSet, subject: str, person: str, *, spread: bool, one_question: bool) -> Html:
    """Sentences about one judge, and the counts by label and value."""
    agreement = one.agreement
    sentence = agreement_sentence(agreement, subject, one.name, person)
    cautions = [
        tag("p", text, class_="hint")
        for text in agreement_cautions(agreement, spread=spread, one_question=one_question)
    ]
    failed = [tag("p", text, class_="hint") for text in _problems(one.judged)]
    return join_html([tag("p", sentence, class_="label-said"), *cautions, *failed, _counts(agreement)])


def change_view(one: ShownSet, other: ShownSet, change: AgreementChange) -> Html:
    """Comparison of two judges or wordings."""
    sentence = change_sentence(change, one.name, other.name)
    return tag("p", sentence[:1].upper() + sentence[1:], class_="label-said")


def differing_view(
    calibration: Calibration, one: ShownSet, scale: LabelScale, change: tuple[ShownSet, AgreementChange] | None
) -> Html:
    """Every answer on which person and judge differ; with a comparison, also those that it changed."""
    keys = set(one.agreement.differing)
    if change is not None:
        keys |= {*change[1].gained, *change[1].lost}
    answers = [answer for answer in calibration.answers if answer.key in keys]
    if not answers:
        return tag("p", "No disagreement.", class_="hint")
    sets = [one] if change is None else [one, change[0]]
    return tag(
        "ol",
        *(_answer(calibration, answer, sets, scale, change) for answer in answers),
        class_="label-differing bare-list grid gap-10",
    )


def _answer(
    calibration: Calibration,
    answer: DrawnAnswer,
    sets: Sequence[ShownSet],
    scale: LabelScale,
    change: tuple[ShownSet, AgreementChange] | None,
) -> Html:
    """One answer with the label and the values of the shown judges."""
    facts = [("Label", value_text(calibration.values[answer.key], scale))]
    facts += [(shown_set.name, _value(shown_set.judged, answer.key, scale)) for shown_set in sets]
    value = sets[0].judged.values.get(answer.key)
    if value is not None and value.reasoning:
        facts.append(("Judge’s reasoning", value.reasoning))
    pairs = (piece for name, text in facts for piece in (tag("dt", name), tag("dd", text)))
    return tag(
        "li",
        tag("p", answer.question, class_="muted"),
        tag("p", answer.text, class_="prose"),
        tag("dl", *pairs, class_="facts"),
        _became(answer.key, change),
    )


def _became(key: str, change: tuple[ShownSet, AgreementChange] | None) -> Html | None:
    if change is None:
        return None
    if key in change[1].gained:
        return tag("p", f"Now agrees: {change[0].name}", class_="text-ok")
    return tag("p", f"No longer agrees: {change[0].name}", class_="text-bad") if key in change[1].lost else None


def _value(judged: JudgmentSet, key: str, scale: LabelScale) -> str:
    value = judged.values.get(key)
    return value_text(value.value, scale) if value else "no value"


def _counts(agreement: LabelAgreement) -> Html | None:
    if not agreement.table:
        return None
    rows = [
        (
            tag("b", name),
            *(tag("b", count) if row == column and count else count for column, count in enumerate(counts)),
        )
        for row, (name, counts) in enumerate(zip(agreement.categories, agreement.table, strict=True))
    ]
    titles = ("Label ↓ Judge →", *agreement.categories)
    return table(titles, rows, caption="Answers by label and the judge’s value", numeric=range(1, len(titles)))


def _share(agreement: LabelAgreement) -> str:
    if not agreement.n:
        return "–"
    return f"{agreement.same} of {agreement.n} ({percent(agreement.share.value or 0.0)})"


def _kappa(agreement: LabelAgreement) -> str:
    if agreement.kappa.value is None:
        return "none"
    if agreement.kappa.low is None or agreement.kappa.high is None:
        return kappa_text(agreement.kappa.value)
    low, high = kappa_text(agreement.kappa.low), kappa_text(agreement.kappa.high)
    return f"{kappa_text(agreement.kappa.value)} ({low} to {high})"


def _short(one: ShownSet) -> str:
    if one.judged.wording is None:
        return "The run has no copy of its benchmark."
    description = " ".join(one.judged.wording.description.split())
    return description if len(description) <= LONGEST else f"{description[: LONGEST - 1]}…"


def _problems(judged: JudgmentSet) -> Iterable[str]:
    """Reasons for missing values, each once with its number."""
    reasons = list(judged.problems.values())
    for reason in dict.fromkeys(reasons):
        yield f"{quantity(reasons.count(reason), 'answer')} without a value: {reason}"
