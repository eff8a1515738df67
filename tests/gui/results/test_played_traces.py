"""Result pages of a loopback agent in every special case, compared with what it was sent and said."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterator
from typing import Any

import pytest

from karenina_gui.adapters.patience import Patience
from karenina_gui.app import build
from karenina_gui.gui.pages.results import sections
from karenina_gui.gui.pages.results.conversation import conversation, final_label, sent_label, tool_calls
from karenina_gui.gui.pages.results.investigations import agent_facts
from karenina_gui.gui.pages.results.judged_text import ending, judged_text
from karenina_gui.schemas.result import VerificationResult
from karenina_gui.settings import Settings
from tests.played_traces import PLAYED, QUESTION, SIZE, Played, PlayedRun, play
from tests.twin import Asked, Reply

Item = dict[str, Any]


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PlayedRun]:
    folder = tmp_path_factory.mktemp("played")
    application = build(Settings(data=folder / "data"), Patience(max_outage=0))
    try:
        yield play(application, folder / "work")
    finally:
        application.close()


@pytest.fixture(params=list(PLAYED))
def name(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def played(name: str) -> Played:
    return PLAYED[name]


@pytest.fixture
def result(run: PlayedRun, name: str) -> VerificationResult:
    return run.results[name]


@pytest.fixture
def requests(run: PlayedRun, name: str) -> list[Asked]:
    return run.requests[name]


@pytest.fixture
def items(result: VerificationResult) -> list[Item]:
    return conversation(result)


def given(played: Played, requests: list[Asked]) -> list[Reply]:
    """Return the replies in order; a model that stops replying repeats its last one."""
    replies = [played.replies[min(at, len(played.replies) - 1)] for at in range(len(requests))]
    return [reply for reply in replies if reply.status == 200]


def test_messages_have_the_numbers_roles_and_texts_of_what_was_sent_and_said(
    played: Played, requests: list[Asked], items: list[Item]
) -> None:
    sent = requests[0].body["messages"]
    replies = given(played, requests)
    roles = [message["role"] for message in sent]
    for reply in replies:
        works = reply.calls and reply.stop != "length" and reply is not replies[-1]
        answered = reply.calls and reply.stop != "length" and len(requests) > len(replies)
        roles += ["assistant", *(["tool"] if works or answered else [])]
    if requests[0].model == "limit":
        roles = ["system", "user", "assistant", "tool", "assistant", "tool", "assistant"]
    assert [item["role"] for item in items] == roles
    assert [item["number"] for item in items] == list(range(1, len(items) + 1))
    assert [item["text"] for item in items[:2]] == [message["content"] for message in sent]
    assert items[1]["text"] == QUESTION
    assert [item["sent"] for item in items] == [True, True] + [False] * (len(items) - 2)
    said = [item.get("raw", item["text"]) for item in items if item["role"] == "assistant"]
    assert said == [reply.text for reply in replies]


def test_every_call_stands_as_it_was_sent_with_its_mark(
    played: Played, requests: list[Asked], items: list[Item]
) -> None:
    calls = [call for item in items for call in item["calls"]]
    wanted = [call for reply in given(played, requests) for call in reply.calls]
    assert [call["name"] for call in calls] == [call.name for call in wanted]
    assert [call["not_run"] for call in calls] == list(played.not_run)
    for shown, call in zip(calls, wanted, strict=True):
        if isinstance(call.arguments, dict):
            assert json.loads(shown["arguments"] or "{}") == call.arguments
        else:
            assert shown["arguments"] == call.arguments


def test_every_result_is_what_went_back_to_the_model_and_names_its_call(
    played: Played, requests: list[Asked], items: list[Item]
) -> None:
    results = [found for item in items for found in item["results"]]
    sent = [m["content"] for m in requests[-1].body["messages"] if m["role"] == "tool"]
    assert [found.get("raw", found["text"]) for found in results] == sent
    for found, text in zip(results, played.outputs, strict=True):
        assert text in found["text"]
    for item in items:
        if item["results"]:
            before = items[item["number"] - 2]
            assert [found["name"] for found in item["results"]] == [call["name"] for call in before["calls"]]
            assert {found["call"] for found in item["results"]} == {before["number"]}


def test_the_answer_is_what_the_judge_was_sent_and_otherwise_there_is_none(
    run: PlayedRun, name: str, played: Played, result: VerificationResult, items: list[Item]
) -> None:
    page = shown_text(sections.answer(result))
    final = [item["number"] for item in items if item["final"]]
    judging = [
        asked for asked in run.requests["judge"] if result.evaluation_input and judged_text(result).text in asked.text
    ]
    if played.answer is None:
        assert not judged_text(result).text and result.passed is not True
        assert page.startswith(played.why) and "it seems" not in page
        assert final == [] and not judging
    else:
        assert page == played.answer
        assert final == [items[-1]["number"]]
        assert judging
        assert final_label(result) == "judged answer"


def test_where_a_trace_ends_early_a_mark_stands_there_and_above(
    played: Played, result: VerificationResult, items: list[Item]
) -> None:
    ends = [item["end"] for item in items if "end" in item]
    assert len(ends) == bool(played.end)
    assert [item["number"] for item in items if "end" in item] == ([len(items)] if played.end else [])
    for end in ends:
        assert end.startswith(played.end)
        assert (ending(result) or "") in end or (result.error or "") in end
    assert bool(ending(result)) == bool(played.end)


def test_counts_are_those_of_the_calls(result: VerificationResult, played: Played, items: list[Item]) -> None:
    assert tool_calls(items) == len(played.not_run)
    failed = sum(found["error"] for item in items for found in item["results"])
    failed += sum(call["not_run"].endswith(("token limit", "the reply")) for item in items for call in item["calls"])
    metrics = (result.template and result.template.agent_metrics) or {}
    if items[2:]:
        assert (metrics["tool_calls"], metrics["suspect_failed_tool_calls"]) == (len(played.not_run), failed)
        assert (f"{failed} failed" in agent_facts(result)) == bool(failed)


def test_the_workspace_proves_that_nothing_unreadable_ran(result: VerificationResult) -> None:
    assert result.workspace is not None
    assert [change.path for change in result.workspace.changes] == []
    assert result.workspace.files == 1


def test_a_model_that_did_not_reply_was_not_answered(run: PlayedRun) -> None:
    assert sent_label(run.results["unreached"]) == "no reply from the model"
    assert sent_label(run.results["error"]) == "sent to the model"
    assert final_label(run.results["error"]) == "answer, without a verdict"


def test_five_megabytes_of_output_are_marked_with_both_sizes(run: PlayedRun) -> None:
    (found,) = [found for item in conversation(run.results["long"]) for found in item["results"]]
    assert found["cut"] == {"before": SIZE, "after": 32_768}
    mark = "[... cut here: 5,400,000 bytes, of which 32,768 are kept ...]"
    ((begin, end, look),) = found["styles"]
    assert (found["text"][begin:end], look) == (mark, "trace-cut-mark")
    assert len(found["text"]) == 32_768 + len(f"\n{mark}\n")


def test_codes_for_colors_act_in_outputs_and_are_seen_in_the_answer(run: PlayedRun) -> None:
    result = run.results["colors"]
    answer = sections.answer(result)
    assert answer.count('<span class="sign" data-sign="U+001B">') == 2 and "ansi-" not in answer
    first, second = [found for item in conversation(result) for found in item["results"]]
    assert (first["text"], second["text"]) == ("100% red\nnew\nolder", "a")
    assert first["styles"] == [[5, 8, "ansi-bold ansi-1"]]
    assert first["raw"].count("\x1b") == 4


def test_signs_that_turn_the_direction_are_seen(run: PlayedRun) -> None:
    answer = sections.answer(run.results["turned"])
    assert '<span class="sign" data-sign="U+202E">\u202e</span>7<span class="sign" data-sign="U+202C">' in answer


def test_signs_that_nobody_sees_are_seen(run: PlayedRun) -> None:
    answer = sections.answer(run.results["unseen"])
    assert 'data-sign="U+200E">\u200e</span>7<span class="sign" data-sign="U+E0041">' in answer


def shown_text(part: str) -> str:
    return html.unescape(re.sub(r"<[^>]*>", "", part))
