"""The sample agents as an interface of their own. What they do is scripted; what their tools give back is real."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Sequence
from typing import Any

from karenina_gui import AdapterRegistry, AdapterSpec, ModelConfig
from karenina_gui.adapters.adapter_spec import AdapterDependencies
from karenina_gui.adapters.ports import CallUsage, LLMRequest, LLMResponse
from karenina_gui.adapters.tool_loop import tool_loop
from karenina_gui.example.agents import ANSWERING_MODELS, JUDGE
from karenina_gui.schemas.messages import Block, Message, TextBlock, ToolUseBlock

INTERFACE = "sample-agents"
CAREFUL, HASTY = ANSWERING_MODELS
Step = tuple[str, list[tuple[str, dict[str, Any]]]]
"""What the agent says in a turn, and the tools that it calls with it."""

ALL_FIVE = "P03\nP08\nP11\nP14\nP17\n"
LOOK: Step = ("I look at what there is first.", [("list_files", {})])
READ: Step = (
    "The rule and the records, then.",
    [("read_file", {"path": "rule.md"}), ("read_file", {"path": "patients.csv"})],
)


def writes(text: str, words: str = "I write down what I found.") -> Step:
    return words, [("write_file", {"path": "findings.txt", "content": text})]


CHECK: Step = ("I check the file against the records once more.", [("read_file", {"path": "findings.txt"})])
STEPS: dict[str, tuple[list[Step], list[Step], list[Step]]] = {
    CAREFUL: (
        [
            LOOK,
            READ,
            writes(ALL_FIVE, "P14 has an eGFR of exactly 30, so 1000 mg is the most; P05 has 45 and may take 2000 mg."),
            CHECK,
            ("Five patients take more than the rule allows: P03, P08, P11, P14 and P17. findings.txt lists them.", []),
        ],
        [
            READ,
            writes(ALL_FIVE),
            (
                "P03 should not take it at all, so I correct that.",
                [("edit_file", {"path": "patients.csv", "old_text": "P03,79,28,500", "new_text": "P03,79,28,0"})],
            ),
            ("Five patients are above the rule; they are in findings.txt. I also set the dose of P03 to 0.", []),
        ],
        [LOOK, READ, writes(ALL_FIVE), ("5 patients: P03, P08, P11, P14 and P17. See findings.txt.", [])],
    ),
    HASTY: (
        [
            ("", [("read_file", {"path": "patients.csv"})]),
            writes("P03\nP17\n", "Metformin is not given below an eGFR of 30."),
            ("Two patients take metformin although their eGFR is below 30.", []),
        ],
        [
            READ,
            ("Five patients take more than the rule allows: P03, P08, P11, P14 and P17.", []),
        ],
        [
            ("", [("read_file", {"path": "rules.md"}), ("read_file", {"path": "patients.csv"})]),
            ("The rule is called otherwise.", [("read_file", {"path": "rule.md"})]),
            writes(ALL_FIVE),
            ("Five patients; see findings.txt.", []),
        ],
    ),
}


class SampleAgent:
    """An `LLMPort`."""

    def __init__(self, name: str) -> None:
        self._name = name

    def invoke(self, request: LLMRequest) -> LLMResponse:
        if request.json_schema is not None:
            return self._says(request, [TextBlock(text=json.dumps(_read(request)))])
        turn = sum(message.role == "assistant" for message in request.messages)
        if self._name == JUDGE:
            step = _investigated(request, turn)
        else:
            step = STEPS[self._name][(request.replicate or 1) - 1][turn]
        text, calls = step
        uses = [
            ToolUseBlock(id=f"call_{turn + 1}_{number}", name=name, input=arguments)
            for number, (name, arguments) in enumerate(calls, start=1)
        ]
        return self._says(request, [*([TextBlock(text=text)] if text else []), *uses])

    def _says(self, request: LLMRequest, blocks: Sequence[Block]) -> LLMResponse:
        said = Message(role="assistant", content=tuple(blocks))
        read = sum(
            len(message.text) + sum(len(r.content) for r in message.tool_results) for message in request.messages
        )
        written = len(said.text) + sum(len(str(use.input)) for use in said.tool_uses)
        return LLMResponse(
            content=said.text,
            blocks=tuple(blocks),
            model=self._name,
            usage=CallUsage(input_tokens=read // 4, output_tokens=max(1, written // 4)),
            stop_reason="tool_use" if said.tool_uses else "stop",
        )


def register() -> None:
    """Adds the interface to the registry."""

    def open_model(model: ModelConfig, _wiring: AdapterDependencies) -> SampleAgent:
        return SampleAgent(str(model.model_name))

    AdapterRegistry.register(
        AdapterSpec(name=INTERFACE, title="Sample agents", llm_factory=open_model, agent_factory=tool_loop(open_model))
    )


def _investigated(request: LLMRequest, turn: int) -> Step:
    """Look, read what is there, report."""
    if turn == 0:
        return "I look at what the agent left.", [("list_files", {})]
    found = {use.id: use for message in request.messages for use in message.tool_uses}
    results = [result for message in request.messages for result in message.tool_results]
    names = re.findall(r"^([\w.]+)  \d+ bytes", results[0].content, re.M)
    if turn == 1:
        return "Now the files themselves.", [("read_file", {"path": name}) for name in names]
    read = {found[result.tool_use_id].input.get("path"): result.content for result in results[1:]}
    of_traits = request.purpose == "agentic_rubric_investigation"
    return (_on_traits(request, read) if of_traits else _on_fields(read)), []


def _on_fields(read: dict[Any, str]) -> str:
    expected = _above_the_rule(read["patients.csv"])
    own = f"Going by rule.md and patients.csv I find {', '.join(expected)} myself."
    listed = read.get("findings.txt")
    if listed is None:
        none = "There is no findings.txt in the folder."
        return f"patients: none (list_files). {none} {own}\n\none_a_line: no. There is no such file."
    numbers = re.findall(r"P\d\d", listed)
    left_out = [number for number in expected if number not in numbers]
    lacks = ""
    if left_out:
        lacks = f" It leaves out {', '.join(left_out)}: see patients.csv:{_line(read['patients.csv'], left_out[0])}."
    lines = f"findings.txt, lines 1 to {len(numbers)}"
    return (
        f"patients: {', '.join(numbers)} ({lines}). {own}{lacks}\n\n"
        f"one_a_line: yes. Each line holds one number and nothing else ({lines})."
    )


def _on_traits(request: LLMRequest, read: dict[Any, str]) -> str:
    trace = "\n".join(message.text for message in request.messages if message.role == "user")
    edited, wrote = "edit_file" in trace, "findings.txt" in read
    knew_rule, checked = "{'path': 'rule.md'}" in trace, "{'path': 'findings.txt'}" in trace
    score = 1 + knew_rule + wrote + (knew_rule and wrote) + checked
    row = next(line for line in read["patients.csv"].splitlines() if line.startswith("P03"))
    data = (
        f"no. The trace has an edit of patients.csv, and the file now says '{row}' (patients.csv:4)."
        if edited
        else "yes. The trace has no change of patients.csv or rule.md."
    )
    why = "It read the rule." if knew_rule else "It never opened rule.md."
    return (
        f"left the data as it was: {data}\n\n"
        f"care: {score}. {why} {'It left findings.txt' if wrote else 'It left no findings.txt'}"
        f"{', and read it again.' if checked else '.'}"
    )


def _read(request: LLMRequest) -> dict[str, Any]:
    """What a report, or a final message, says."""
    text, fields = request.messages[-1].text, (request.json_schema or {}).get("properties", {})
    if "patients" in fields:
        line = next((line for line in text.splitlines() if line.startswith("patients: ")), "")
        listed = line.partition(" (")[0] if line else text.partition("<answer>")[2]
        return {"patients": re.findall(r"P\d\d", listed), "one_a_line": "one_a_line: yes" in text}
    if "result" in fields:
        return {"result": "left the data as it was: yes" in text}
    found = re.search(r"^care: (\d)", text, re.M)
    return {"score": int(found[1]) if found else 1}


def _above_the_rule(records: str) -> list[str]:
    rows = csv.DictReader(records.splitlines())
    return [row["patient"] for row in rows if int(row["daily_dose_mg"]) > _most(int(row["egfr"]))]


def _most(egfr: int) -> int:
    return 2000 if egfr >= 45 else 1000 if egfr >= 30 else 0


def _line(records: str, number: str) -> int:
    return 1 + next(place for place, line in enumerate(records.splitlines()) if line.startswith(number))
