"""Thoughts at the head of a reply, and tags that only look like one."""

from __future__ import annotations

import pytest

from karenina_gui.text.thoughts import split_thought


@pytest.mark.parametrize(
    ("reply", "thought", "answer"),
    [
        ("<think>\nMaybe 41.\n</think>\n\n42", "Maybe 41.", "42"),
        ("  <think>Maybe 41.</think>42", "Maybe 41.", "42"),
        ("<think></think>\n42", "", "42"),
        ("<thinking>Maybe 41.</thinking> 42", "Maybe 41.", "42"),
        ("<seed:think>Maybe 41.</seed:think>42", "Maybe 41.", "42"),
        ("[THINK]Maybe 41.[/THINK]42", "Maybe 41.", "42"),
        ("◁think▷Maybe 41.◁/think▷42", "Maybe 41.", "42"),
        ("<THINK>Maybe 41.</THINK>42", "Maybe 41.", "42"),
        ("<think>Maybe 41.</think>\n<think>Or 43.</think>\n42", "Maybe 41.\n\nOr 43.", "42"),
        ("Maybe 41.\n</think>\n\n42", "Maybe 41.", "42"),
        ("Maybe 41.</think>\n42", "Maybe 41.", "42"),
        ("Maybe 41.</think>42", "Maybe 41.", "42"),
        ("</think>\n\n42", "", "42"),
        ('{"dose": 41}\n</think>\n{"dose": 42}', '{"dose": 41}', '{"dose": 42}'),
        ("Maybe 41.\n</think>", "Maybe 41.", ""),
        ("<think>\nMaybe 41, or", "Maybe 41, or", ""),
        ("<think>", "", ""),
        ("<think>a</think>Write <think>b</think> around it.", "a", "Write <think>b</think> around it."),
        ("\ufeff<think>a</think >42", "a", "42"),
        ("Maybe 41。</think>**42**", "Maybe 41。", "**42**"),
        ('Say "41"</think>"42"', 'Say "41"', '"42"'),
        ("See ```py 41\n</think>\n\n42", "See ```py 41", "42"),
        ("It is 41. </think>\n\n42", "It is 41.", "42"),
        ("<think>They ask for `</think>`, 41</think>42", "They ask for `</think>`, 41", "42"),
        ('draft {"v": 41} </think>\n\n{"v": 42}', 'draft {"v": 41}', '{"v": 42}'),
        ('{"v": 41} hm no</think>{"v": 42}', '{"v": 41} hm no', '{"v": 42}'),
        ("<reasoning>a</reasoning>42", "a", "42"),
        ("<|START_THINKING|>a<|END_THINKING|>42", "a", "42"),
        ("<|channel|>analysis<|message|>a<|end|><|start|>assistant<|channel|>final<|message|>42", "a", "42"),
    ],
)
def test_a_thought_at_the_head_is_not_part_of_the_answer(reply: str, thought: str, answer: str) -> None:
    assert split_thought(reply) == (thought, answer)


@pytest.mark.parametrize(
    "reply",
    [
        "42",
        "",
        "  indented\n",
        "I think it is 42.",
        "Models write <think>…</think> before they answer.",
        "The tag </think> ends a thought.",
        "A thought ends with `</think>`.",
        'It ends with "</think>".',
        "It ends with </think>",
        "```\n<think>\nMaybe\n</think>\n```\nis what it writes.",
        "`<think>` starts a thought, and `</think>` ends it.",
        '{"tag": "ends with a</think> b"}',
        "[1]\n<think>",
        "~~~\n</think>\n~~~\nends it.",
        "«</think>» ends it.",
        "| </think> | ends it |",
        "|</think>|ends it|",
        "The end is **</think>**\nand then 42.",
        "R1 stops at </think>\n\nThen comes 42.",
        "1. Close it: </think>\n2. Answer 42.",
        's = """42\n</think>\n"""',
        "<reasoning>only this says 42</reasoning>",
        "<thought>42</thought>",
    ],
)
def test_an_answer_that_speaks_of_thoughts_stays_whole(reply: str) -> None:
    assert split_thought(reply) == ("", reply)


def test_a_thought_that_came_apart_leaves_the_answer_whole() -> None:
    answer = "Write\n</think>\nafter it."
    assert split_thought(answer, has_thought=True) == ("", answer)
    assert split_thought(f"<think>b</think>{answer}", has_thought=True) == ("b", answer)
