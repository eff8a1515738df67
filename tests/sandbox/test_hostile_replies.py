"""Templates that forge what their cell sends back: nothing forged is taken for a verdict.

The `attack` fixture checks the neighbours before and after.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import pytest

from karenina_gui.sandbox import Sandbox
from karenina_gui.schemas.template import AnswerToVerify, TemplateVerdict

Attack = Callable[[str], TemplateVerdict]


def test_a_flood_into_the_reply_pipe_is_stopped(attack: Attack) -> None:
    verdict = attack("""
        import os
        while True:
            os.write(4, b"\\0\\1" * 65536)
    """)
    assert verdict.fault in ("too_large", "bad_reply")


def test_a_reply_of_garbage_is_recognised(attack: Attack) -> None:
    verdict = attack("""
        import os
        os.write(4, b"\\0\\0\\0\\4" + b"\\xff{[x")
        while True: pass
    """)
    assert verdict.fault == "bad_reply"


@pytest.mark.parametrize(
    "body",
    [
        pytest.param("b'[' * 500000", id="deep nesting"),
        pytest.param("b'{\"items\": [' + b'[' * 200 + b']' * 200 + b']}'", id="nesting that parses"),
        pytest.param("b'{\"items\": [{\"granular\": ' + b'9' * 100000 + b'}]}'", id="huge number"),
        pytest.param('b\'{"items": [{"granular": NaN}]}\'', id="not a number"),
        pytest.param("b'{\"items\": []}'", id="too few items"),
        pytest.param("b'{\"items\": [{}, {}]}'", id="too many items"),
        pytest.param('b\'{"items": [{"regex": 7}]}\'', id="wrong shape"),
        pytest.param("b'null'", id="no object"),
    ],
)
def test_a_forged_reply_that_is_no_verdict_is_not_taken(attack: Attack, body: str) -> None:
    verdict = attack(f"""
        import os
        body = {body}
        os.write(4, len(body).to_bytes(4, "big") + body)
        while True: pass
    """)
    assert verdict.fault == "bad_reply"
    assert verdict.field_verification_result is None


def test_half_characters_in_a_reply_do_not_reach_the_store(attack: Attack) -> None:
    verdict = attack('print(chr(0xD800)); self.correct = {"value": chr(0xDC00)}; return True')
    verdict.model_dump_json().encode()


def test_a_second_reply_left_in_the_pipe_answers_no_later_question(sandbox: Sandbox, honest: str) -> None:
    source = honest.replace(
        "return self.value",
        """
        import os
        body = b'{"items": [{"field_verification_result": true}]}'
        frame = len(body).to_bytes(4, "big") + body
        if self.value == 7:
            os.write(4, frame + frame)
        return self.value""",
    )
    sandbox.verify(source, [AnswerToVerify(values={"value": 7})])
    (later,) = sandbox.verify(source, [AnswerToVerify(values={"value": 41})])
    assert later.field_verification_result is False


def test_code_that_runs_on_after_its_reply_gets_no_processor_time(sandbox: Sandbox, honest: str) -> None:
    source = honest.replace(
        "return self.value",
        """
        import os
        body = b'{"items": [{"field_verification_result": true}]}'
        os.write(4, len(body).to_bytes(4, "big") + body)
        while True: pass
        return self.value""",
    )
    sandbox.verify(source, [AnswerToVerify(values={"value": 1})])
    (zygote,) = sandbox.zygotes
    for _ in range(100):
        cells = Path(f"/proc/{zygote}/task/{zygote}/children").read_text().split()
        states = {Path(f"/proc/{cell}/stat").read_text().rsplit(")", 1)[1].split()[0] for cell in cells}
        if states == {"T"}:
            return
        time.sleep(0.01)
    pytest.fail(f"a cell goes on running: {states}")
