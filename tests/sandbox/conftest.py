"""A sandbox with short limits, and a hostile template that must leave its neighbours alone."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path

import pytest

from karenina_gui.sandbox import Limits, Sandbox
from karenina_gui.sandbox.commands.command_box import CommandBox
from karenina_gui.schemas.template import AnswerToVerify, TemplateVerdict
from tests.sandbox.agent import LIMITS, Agent

HONEST = """
import enum  # so that it needs Python itself

class Answer(BaseAnswer):
    value: int = Field(description="The number in the answer")

    def ground_truth(self):
        self.correct = {"value": 42}

    def verify(self):
        return self.value == self.correct["value"]
"""
HOSTILE = HONEST.partition("        return")[0]
"""As the sound one, up to the body of `verify()`."""
RIGHT, WRONG = AnswerToVerify(values={"value": 42}), AnswerToVerify(values={"value": 41})

_serial = count()


@pytest.fixture(scope="session")
def short() -> Limits:
    return Limits(wall_s=1.5, memory_mb=384)


@pytest.fixture(scope="session")
def sandbox(short: Limits) -> Iterator[Sandbox]:
    with Sandbox(slots=1, limits=short) as confined:
        yield confined


@pytest.fixture(scope="session")
def strict() -> Iterator[Sandbox]:
    """With so little time that a test can wait for its end."""
    with Sandbox(slots=1, limits=Limits(wall_s=0.5, memory_mb=384)) as confined:
        yield confined


@pytest.fixture
def honest() -> str:
    """A sound template that no cell has seen yet."""
    return f"# {next(_serial)}{HONEST}"


@pytest.fixture
def right() -> AnswerToVerify:
    return RIGHT


@pytest.fixture
def attack(strict: Sandbox) -> Iterator[Callable[[str], TemplateVerdict]]:
    """Verify one answer by a template whose `verify()` has this body.

    Sound templates must judge rightly before and after: one whose cell was alive meanwhile, and one that is new.
    """
    neighbour = f"# neighbour {next(_serial)}{HONEST}"
    expect_sound(strict, neighbour)

    def verify(body: str) -> TemplateVerdict:
        source = HOSTILE + textwrap.indent(textwrap.dedent(body).strip(), " " * 8)
        (verdict,) = strict.verify(source, [RIGHT])
        return verdict

    yield verify
    expect_sound(strict, neighbour)
    expect_sound(strict, f"# newcomer {next(_serial)}{HONEST}")


def expect_sound(sandbox: Sandbox, source: str) -> None:
    verdicts = sandbox.verify(source, [RIGHT, WRONG])
    assert [(verdict.field_verification_result, verdict.error) for verdict in verdicts] == [(True, None), (False, None)]


@pytest.fixture(scope="session")
def box() -> CommandBox:
    return CommandBox(LIMITS)


@pytest.fixture
def agent(tmp_path: Path, box: CommandBox) -> Agent:
    """In a fresh copy, as a job hands it over."""
    folder = tmp_path / "copy"
    (folder / "notes").mkdir(parents=True)
    (folder / "notes" / "genes.txt").write_text("BCL2\nTP53\nbcl-xl\n")
    (folder / "table.csv").write_text("gene,dose\nBCL2,5\n")
    box.admit(folder)
    return Agent(folder, box)


@pytest.fixture
def boxed(agent: Agent) -> Agent:
    """The same, where commands can be confined; where not, that they are refused is what there is to test."""
    if agent.box.refusal is not None:
        assert agent.run("echo through").text == agent.box.refusal
        pytest.skip(agent.box.refusal)
    assert agent.box.confinement.confined
    return agent
