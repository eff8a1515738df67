"""Whatever a checkpoint holds, loading and saving it changes nothing, and a change changes nothing else."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, given, settings, strategies as st

from karenina_gui.formats.checkpoints.checkpoint import checkpoint_bytes, parse_checkpoint
from karenina_gui.schemas.benchmark import BenchmarkDocument
from karenina_gui.schemas.question import Question
from karenina_gui.schemas.rubric import LLMRubricTrait, RegexRubricTrait, Rubric
from tests.examples import examples

quick = settings(
    max_examples=examples(12, 40),
    deadline=None,
    database=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow],
)

texts = st.text(max_size=30).filter(lambda text: not text.endswith("api_key"))
plain = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | texts
values = st.recursive(plain, lambda v: st.lists(v, max_size=3) | st.dictionaries(texts, v, max_size=3), max_leaves=6)
unknown = st.dictionaries(texts.map(lambda t: f"x-{t}"), values, max_size=3)
names = (
    st.sampled_from(["finished", "author", "sources", "answer_notes", "workspace_path", "custom_a", "custom_b"]) | texts
)
properties = st.lists(
    st.builds(
        lambda name, value, more: {"@type": "PropertyValue", "name": name, "value": value} | more,
        names,
        values,
        unknown,
    ),
    max_size=4,
)
ratings = st.lists(
    st.builds(
        lambda name, kind, best, listed, more: (
            {"@type": "Rating", "name": name, "additionalType": kind, "bestRating": best, "additionalProperty": listed}
            | more
        ),
        st.sampled_from(["a", "b", "c.d"]),
        st.sampled_from(["QuestionSpecificRubricTrait", "karenina:QuestionSpecificRegexTrait", "Other", ""]),
        values,
        st.lists(
            st.builds(
                lambda name, value: {"@type": "PropertyValue", "name": name, "value": value},
                st.sampled_from(["pattern", "kind", "min_score", "unknown"]),
                values,
            ),
            max_size=3,
        ),
        unknown,
    ),
    max_size=3,
)
elements = st.builds(
    lambda text, answer, code, listed, rated, outer, inner: (
        {"@type": "DataFeedItem", **outer}
        | {
            "item": {"@type": "Question", "text": text, "acceptedAnswer": answer, "hasPart": code}
            | {"additionalProperty": listed, "rating": rated}
            | inner
        }
    ),
    texts,
    st.builds(lambda v, more: {"text": v} | more, values, unknown),
    st.builds(lambda v, more: {"text": v} | more, texts, unknown),
    properties,
    ratings,
    unknown | st.builds(lambda i, more: {"@id": i} | more, values, unknown),
    unknown | st.builds(lambda k: {"keywords": k}, values),
)
files = st.builds(
    lambda found, listed, more: {"@type": "DataFeed", "dataFeedElement": found, "additionalProperty": listed} | more,
    st.lists(elements, max_size=3, unique_by=lambda e: e["item"]["text"]),
    properties,
    unknown,
)
changes = st.sampled_from(["raw_answer", "answer_notes", "answer_template"])


def parsed(data: dict[str, Any]) -> BenchmarkDocument:
    return parse_checkpoint(data, path=Path("b.jsonld"))[0]


def has_own_ids(data: dict[str, Any]) -> bool:
    """Whether no two entries share an id: a shared one is repaired, which is a change."""
    given_ids = [e["@id"] for e in data["dataFeedElement"] if isinstance(e.get("@id"), str) and e["@id"]]
    return len(given_ids) == len(set(given_ids))


def readable_first(data: dict[str, Any]) -> dict[str, Any]:
    """Entries without a question move to the end, as saving puts them."""
    found = sorted(data["dataFeedElement"], key=lambda e: not e["item"]["text"])
    return {**data, "dataFeedElement": found}


@quick
@given(files.filter(has_own_ids).map(readable_first))
def test_an_untouched_file_is_saved_as_it_was(data: dict[str, Any]) -> None:
    before = copy.deepcopy(data)
    assert json.loads(checkpoint_bytes(parsed(data))) == before
    assert data == before


@quick
@given(files.filter(has_own_ids).map(readable_first), changes, texts.map(lambda t: f"changed {t}"))
def test_a_change_touches_only_its_own_place(data: dict[str, Any], field: str, value: str) -> None:
    document = parsed(data)
    if not document.entries:
        return
    setattr(document.entries[0].question, field, value)
    saved = json.loads(checkpoint_bytes(document))
    item, before = (d["dataFeedElement"][0]["item"] for d in (saved, data))
    if field == "answer_notes":
        ours, theirs = ([p for p in i["additionalProperty"] if p["name"] != field] for i in (item, before))
        assert ours == theirs
    else:
        place = {"raw_answer": "acceptedAnswer", "answer_template": "hasPart"}[field]
        assert item[place] == before[place] | {"text": value}
        assert {k: v for k, v in item.items() if k != place} == {k: v for k, v in before.items() if k != place}
    assert saved["dataFeedElement"][1:] == data["dataFeedElement"][1:]
    again = parsed(saved).entries[0].question
    assert getattr(again, field) == value


@quick
@given(
    text=texts.filter(bool),
    answer=texts,
    keywords=st.lists(texts.filter(bool), max_size=3),
    author=st.none() | st.dictionaries(texts, values, max_size=3),
    metadata=st.none() | st.dictionaries(texts, values, min_size=1, max_size=3),
    notes=st.none() | texts,
    pattern=st.sampled_from([r"\d+", "日本", "(?i)x"]),
    finished=st.booleans(),
)
def test_a_new_question_reads_back_as_it_was_written(
    text: str, answer: str, keywords: list[str], author: Any, metadata: Any, notes: Any, pattern: str, finished: bool
) -> None:
    rubric = Rubric(
        llm_traits=[LLMRubricTrait(name="l", kind="score", min_score=0, max_score=1)],
        regex_traits=[RegexRubricTrait(name="r", pattern=pattern, description=answer)],
    )
    document = BenchmarkDocument(name="b", rubric=rubric)
    question = Question(
        question=text, raw_answer=answer, keywords=keywords, author=author, custom_metadata=metadata,
        answer_notes=notes, question_rubric=rubric.model_dump(mode="json"),
    )  # fmt: skip
    document.add(question, finished=finished)
    again = parsed(json.loads(checkpoint_bytes(document)))
    assert again.entries[0].question == question
    assert again.entries[0].finished is finished
    assert again.rubric == rubric
    assert checkpoint_bytes(again) == checkpoint_bytes(document)
