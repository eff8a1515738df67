"""A loopback agent that plays failures in traces, and the texts that must be shown for them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from karenina_gui.app import Application
from karenina_gui.runs.service import RunOrder
from karenina_gui.schemas.model_config import ModelConfig
from karenina_gui.schemas.result import VerificationResult
from karenina_gui.schemas.retry import RetryBudget, RetryPolicy
from karenina_gui.schemas.verification_config import VerificationConfig
from tests.saved_models import start_run
from tests.twin import Asked, Call, Reply, Twin

QUESTION = "Which value is in data.csv?"
INSTRUCTIONS = "Use your tools."
TEMPLATE = """
class Answer(BaseAnswer):
    value: int = VerifiedField(description="The value", ground_truth=7, verify_with=NumericExact())
"""
HALF = '{"command": "cp data.csv keep.csv; rm -rf ./dat'
ESC = "\x1b"
TURNED = "\u202e7\u202c"
FLAG = "\U0001f3f4\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f"
FAMILY = "\U0001f468\u200d\U0001f469"
PERSIAN = "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645"
"""Texts whose joiners and tag characters are part of the visible text."""
SIZE = 5_400_000


@dataclass(frozen=True)
class Played:
    """One model: its turns, and the texts to be shown."""

    replies: Sequence[Reply]
    answer: str | None = "The value is 7."
    """Shown text of the judged message; None: nothing is judged."""
    why: str = ""
    """Reason why nothing is judged."""
    end: str = ""
    """Start of the mark below the last message; empty: no mark."""
    not_run: Sequence[str] = ()
    """Marks of calls, in order; empty for executed calls."""
    outputs: Sequence[str] = ()
    """Shown tool results, as far as they are predictable."""
    head: str = ""
    """Part of the text above the trace."""


def run_command(command: str | None = None, **more: str) -> Call:
    return Call("run_command", {"command": command, **more} if command is not None else dict(more))


DONE = Reply(text="The value is 7.")
NOT_JSON = "not run: arguments are not a JSON object"

PLAYED: Mapping[str, Played] = {
    "good": Played([Reply(text="I look.", calls=[run_command("cat data.csv")]), DONE], not_run=[""], outputs=["7"]),
    "broken": Played(
        [
            Reply(calls=[Call("run_command", HALF), Call("run_command", '["touch list"]'), run_command("echo a")]),
            Reply(calls=[Call("run_command", "{'command': 'touch quoted'}")]),
            DONE,
        ],
        not_run=[NOT_JSON, NOT_JSON, "", NOT_JSON],
        outputs=["", "", "a", ""],
    ),
    "cut call": Played(
        [Reply(text="I tidy up.", calls=[Call("run_command", HALF), run_command("touch whole")], stop="length")],
        answer="I tidy up.",
        end="The answer was cut off",
        not_run=["not run: cut off at the token limit"] * 2,
        head="The answer was cut off",
    ),
    "stopped call": Played(
        [
            Reply(
                text="I tidy up.", calls=[run_command("touch whole"), Call("run_command", HALF)], stop="content_filter"
            )
        ],
        answer=None,
        why="The provider blocked the request or reply",
        not_run=["not run: the provider stopped the reply"] * 2,
    ),
    "cut text": Played(
        [Reply(text="The value is", stop="length")], answer="The value is", end="The answer was cut off"
    ),
    "foreign": Played(
        [
            Reply(calls=[run_command(cmd="touch foreign"), Call("bash", {"command": "touch foreign"})]),
            Reply(calls=[run_command("echo b", sudo="yes")]),
            DONE,
        ],
        not_run=["", "", ""],
        outputs=["There is no argument cmd", "There is no tool 'bash'", "There is no argument sudo"],
    ),
    "repeated": Played(
        [
            Reply(calls=[Call("list_files", {}, "c"), Call("read_file", {"path": "data.csv"}, "c")]),
            Reply(calls=[Call("run_command", {"command": "echo third"}, "c")]),
            Reply(calls=[Call("read_file", {"path": "none.csv"}, "c")]),
            DONE,
        ],
        not_run=["", "", "", ""],
        outputs=["data.csv  2 bytes", "7", "third", "none.csv"],
    ),
    "error": Played(
        [
            Reply(text="I look.", calls=[run_command("echo one")]),
            Reply(text="The value is 6, it seems.", calls=[run_command("echo two")]),
            Reply(status=500, message="out of order"),
        ],
        answer=None,
        why="The model failed before it answered. Nothing was judged.",
        end="Failed here: ",
        not_run=["", ""],
        outputs=["one", "two"],
        head="The model failed",
    ),
    "unreached": Played(
        [Reply(status=401, message="no such key")],
        answer=None,
        why="The model did not answer. Nothing was judged.",
        end="Failed here: ",
    ),
    "empty": Played(
        [Reply(text="The value is 6, it seems.", calls=[run_command("echo one")]), Reply(text="")],
        answer=None,
        why="The last message is empty. Nothing was judged.",
        not_run=[""],
        outputs=["one"],
    ),
    "limit": Played(
        [Reply(text="The value is 6, it seems.", calls=[run_command("echo again")])],
        answer=None,
        why="The agent reached its limit of 3 turns before it answered. Nothing was judged.",
        end="The agent reached its limit of 3 turns",
        not_run=["", "", "no result"],
        outputs=["again", "again"],
        head="The agent reached its limit of 3 turns",
    ),
    "long": Played(
        [Reply(calls=[run_command(f"echo begin; head -c {SIZE - 6} /dev/zero | tr '\\0' x")]), DONE],
        not_run=[""],
        outputs=["begin\nxxx"],
        head="Cut text: 5.4 MB → 32.8 kB, message 4",
    ),
    "colors": Played(
        [
            Reply(
                calls=[
                    run_command(
                        "printf '10%%\\r 50%%\\r100%% \\033[1;31mred\\033[0m\\nold\\nolder\\033[1A\\033[2K\\rnew\\n'"
                    ),
                    run_command("printf 'a\\033[38;5;'"),
                ]
            ),
            Reply(text=f"The value is {ESC}[32m7{ESC}[0m."),
        ],
        answer=f"The value is {ESC}[32m7{ESC}[0m.",
        not_run=["", ""],
        outputs=["100% red\nnew\nolder", "a"],
    ),
    "turned": Played(
        [
            Reply(text=f"I {TURNED} look.", calls=[run_command(f"echo '{TURNED} data'")]),
            Reply(text=f"The value is {TURNED}."),
        ],
        answer=f"The value is {TURNED}.",
        not_run=[""],
        outputs=[f"{TURNED} data"],
    ),
    "unseen": Played(
        [
            Reply(
                text="I\ufeff look\u2060.",
                calls=[
                    run_command(f"printf 'pass\u200bword \x85\x9b {FLAG} {FAMILY} {PERSIAN}'"),
                    Call("ba\u200bsh", {}),
                ],
            ),
            Reply(text="The value is \u200e7\U000e0041."),
        ],
        answer="The value is \u200e7\U000e0041.",
        not_run=["", ""],
        outputs=[f"pass\u200bword \x85\x9b {FLAG} {FAMILY} {PERSIAN}", "There is no tool"],
    ),
}


@dataclass
class PlayedRun:
    """Results by name of the played trace, and all requests by model."""

    number: int
    results: Mapping[str, VerificationResult] = field(default_factory=dict)
    ids: Mapping[str, int] = field(default_factory=dict)
    requests: Mapping[str, list[Asked]] = field(default_factory=dict)


def script(asked: Asked) -> Reply:
    if asked.model == "judge":
        return Reply(data={"value": 7 if "7" in asked.text.partition("Which value is in data.csv?")[2] else 6})
    replies = PLAYED[asked.model].replies
    return replies[min(asked.number, len(replies)) - 1]


def play(application: Application, folder: Path) -> PlayedRun:
    """Run all traces as one run of a question with a workspace in this folder."""
    (folder / "task").mkdir(parents=True)
    (folder / "task" / "data.csv").write_text("7\n")
    editor = application.editor
    benchmark = editor.create_benchmark("Traces")
    question = editor.add_question(benchmark, QUESTION, "7").summary.number
    changes = {"answer_template": TEMPLATE, "finished": True, "workspace_path": "task"}
    editor.edit(benchmark, question, changes)
    editor.workspaces.set_root(benchmark, str(folder))
    at_once = RetryPolicy(server_error=RetryBudget(max_attempts=0))
    with Twin(script) as twin:
        live = {"interface": "openai_endpoint", "endpoint_base_url": twin.address}
        models = [
            ModelConfig(
                model_name=name,
                system_prompt=INSTRUCTIONS,
                workspace_tools=["list_files", "read_file", "run_command"],
                agent_middleware={"limits": {"model_call_limit": 3}} if name == "limit" else None,
                **live,
            )
            for name in PLAYED
        ]
        config = VerificationConfig(
            answering_models=models,
            parsing_models=[ModelConfig(model_name="judge", **live)],
            retry_policy=at_once,
            async_max_workers=2,
        )
        number = start_run(application, RunOrder(benchmark, config, name="Traces"))
        assert application.runs.wait(number, 120)
        asked = {name: [each for each in twin.requests if each.model == name] for name in [*PLAYED, "judge"]}
    rows = application.library.results.page(number).rows
    stored = {row.answering: application.library.results.get(row.id).result for row in rows}
    return PlayedRun(number, stored, {row.answering: row.id for row in rows}, asked)
