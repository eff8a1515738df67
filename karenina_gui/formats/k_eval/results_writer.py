"""Results as k-eval's two files, one pair for each answering model.

A summary in the schema Every Eval Ever, and a line for each question under each condition.
"""

from __future__ import annotations

import hashlib
import re
import zipfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import IO, Any

from karenina_gui.formats.atomic_file import write_atomically
from karenina_gui.formats.json_text import to_json_bytes, without_secrets
from karenina_gui.formats.k_eval.aggregation import REASONING, KEvalAggregate, KEvalAnswer, KEvalArm, Sample
from karenina_gui.formats.results.every_eval_ever_writer import evaluation_id, evaluation_name, name_of, summary
from karenina_gui.formats.results.run_info import RunInfo
from karenina_gui.schemas.messages import Message, ToolUseBlock, final_answer, from_stored, is_dialogue, last_answer
from karenina_gui.schemas.result import VerificationResult
from karenina_gui.schemas.usage import ANSWERING, by_step
from karenina_gui.traces.tool_pairs import ToolPair, tool_pairs

VERSION = "instance_level_eval_0.2.1"

Cost = Callable[[VerificationResult], float | None]
"""Function for the dollars that an answer has cost; None: nobody knows."""


@dataclass(frozen=True)
class NamedFile:
    name: str
    content: bytes


def k_eval_files(results: Iterable[VerificationResult], run: RunInfo) -> Iterator[NamedFile]:
    """Summary and lines, model by model; without intervals and costs if `run` has nobody who computes them."""
    gathered = KEvalAggregate.of(results, run.rubric if run.config.rubric_enabled else None)
    models = gathered.models
    for label, arms in models.items():
        stem = _file_name(name_of(run))
        stem = stem if len(models) == 1 else f"{stem}.{_file_name(label)}"
        lines = _lines(run, label, arms, gathered)
        # Joined before the summary is written, since the summary states their checksum.
        content = b"".join(lines)
        detailed = {
            "format": "jsonl",
            "file_path": f"{stem}.detailed.jsonl",
            "hash_algorithm": "sha256",
            "checksum": hashlib.sha256(content).hexdigest(),
            "total_rows": len(lines),
        }
        yield NamedFile(f"{stem}.json", to_json_bytes(summary(run, label, arms, gathered, detailed)) + b"\n")
        yield NamedFile(f"{stem}.detailed.jsonl", content)


def write_k_eval_zip(results: Iterable[VerificationResult], file: IO[bytes], *, run: RunInfo) -> None:
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for named in k_eval_files(results, run):
            archive.writestr(named.name, named.content)


def write_k_eval_folder(results: Iterable[VerificationResult], folder: Path, *, run: RunInfo) -> list[Path]:
    """Write each file whole or not at all, and return their paths.

    Raises `FileFormatError` if the place cannot be written.
    """
    written = []
    for file in k_eval_files(results, run):
        write_atomically(folder / file.name, file.content)
        written.append(folder / file.name)
    return written


def _lines(run: RunInfo, label: str, arms: list[KEvalArm], gathered: KEvalAggregate) -> list[bytes]:
    cost: Cost = run.figures.cost if run.figures else lambda _: None
    head = {"evaluation_id": evaluation_id(run, label), "model_id": arms[0].model.model_name}

    def line(sample: Sample, arm: KEvalArm) -> dict[str, Any]:
        return detailed_line(sample, gathered.names, {**head, "evaluation_name": evaluation_name(run, arm)}, cost)

    samples = [(sample, arm) for arm in arms for sample in arm.samples.values()]
    # By question, so that its conditions stand side by side.
    samples.sort(key=lambda pair: pair[0].position)
    return [to_json_bytes(without_secrets(line(sample, arm)), indent=None) + b"\n" for sample, arm in samples]


def _file_name(text: str) -> str:
    return re.sub(r"[^\w.-]+", "-", text).strip("-.") or "results"


def detailed_line(sample: Sample, names: Mapping[str, str], head: Mapping[str, Any], cost: Cost) -> dict[str, Any]:
    """A line of the file.

    `names`: {metric: its name in the file}; `head`: evaluation_id, model_id and evaluation_name.
    """
    answers = sample.in_order
    traces = [_messages(answer) for answer in answers]
    first = sample.first.metadata
    agentic = any(message.tool_uses for trace in traces for message in trace)
    return {
        "schema_version": VERSION,
        **head,
        "sample_idx": str(sample.position),
        "interaction_type": "agentic" if agentic else "single_turn",
        "input": {"raw": first.question_text, "reference": first.raw_answer or ""},
        "output": {"raw": _response(answers[0], traces[0]), "reasoning_trace": _reasoning(traces[0])},
        "answer_attribution": [
            entry for answer, trace in zip(answers, traces, strict=True) for entry in _attribution(answer.number, trace)
        ],
        "evaluation": {"score": None, "details": _details(sample, names, traces)},
        "token_usage": _tokens(answers),
        "run_details": [_run(answer, trace, names, cost) for answer, trace in zip(answers, traces, strict=True)],
    }


def _details(sample: Sample, names: Mapping[str, str], traces: list[list[Message]]) -> dict[str, Any]:
    answers = sample.in_order
    details: dict[str, Any] = {
        "evaluation_timestamp": _seconds(sample.first.metadata.timestamp),
        "elapsed_seconds": sum(result.metadata.execution_time for answer in answers for result in answer.results),
    }
    for metric, name in names.items():
        details[f"{name}_mean"] = sample.mean(metric)
        details[f"{name}_stddev"] = sample.deviation(metric)
        details[f"{name}_reasonings"] = [text for answer in answers for text in answer.texts(f"{metric}{REASONING}")]
    details["unverified_claims"] = list(dict.fromkeys(claim for answer in answers for claim in answer.claims))
    details["reasoning_traces"] = [
        {"repetition_index": answer.number, "reasoning_trace": _reasoning(trace)}
        for answer, trace in zip(answers, traces, strict=True)
    ]
    return details


def _run(answer: KEvalAnswer, trace: list[Message], names: Mapping[str, str], cost: Cost) -> dict[str, Any]:
    problems = [result.error for result in answer.results if result.error]
    return {
        "repetition_index": answer.number,
        "agent_response": _response(answer, trace),
        "reasoning_trace": _reasoning(trace),
        "cost_usd": next((dollars for result in answer.results if (dollars := cost(result)) is not None), None),
        "duration_ms": _answering_ms(answer.first),
        "num_turns": sum(message.role == "assistant" for message in trace) or None,
        **{name: answer.score(metric) for metric, name in names.items()},
        **({"error": problems[0]} if problems else {}),
    }


def _messages(answer: KEvalAnswer) -> list[Message]:
    template = answer.first.template
    return from_stored(template.trace_messages) if template else []


def _response(answer: KEvalAnswer, trace: list[Message]) -> str:
    """The final message, or the answer as it was kept if the conversation is not there."""
    if trace:
        final = final_answer(trace)[0]
        return final or (last_answer(trace) if is_dialogue(trace) else None) or ""
    template = answer.first.template
    return (template.raw_llm_response if template else None) or answer.first.evaluation_input or ""


def _reasoning(trace: list[Message]) -> str:
    """Texts that the model wrote before its final message, and its thoughts."""
    turns = [message for message in trace if message.role == "assistant"]
    before = [
        text
        for message in turns
        for text in (*(block.thinking for block in message.thinking), message.text if message is not turns[-1] else "")
        if text
    ]
    return "\n\n".join(before)


def _attribution(number: int, trace: list[Message]) -> list[dict[str, Any]]:
    """Everything that was said and that tools gave, turn by turn."""
    # Calls without a result have nothing to attribute.
    pairs = iter([pair for pair in tool_pairs(trace) if pair.result is not None])
    entries: list[dict[str, Any]] = []
    for message in trace:
        if message.role == "assistant" and message.text:
            last = message is trace[-1]
            entries.append(_entry(number, len(entries), "agent_reasoning", message.text, "text_generation", last))
        for result in message.tool_results:
            entry = _entry(number, len(entries), "mcp_tool", result.content, "tool_call", False)
            entries.append({**entry, **_call_facts(next(pairs), trace, result.is_error, message.timestamp)})
    return entries


def _call_facts(pair: ToolPair, trace: list[Message], failed: bool, answered: str | None) -> dict[str, Any]:
    """The call of a tool; `answered`: time of its result."""
    use, called_at = pair.call, None if pair.called_in is None else trace[pair.called_in].timestamp
    return {
        "tool_name": use.name if use else None,
        "tool_input": _input(use) if use else {},
        "tool_error": failed,
        "duration_ms": _between_ms(called_at, answered),
    }


def _input(use: ToolUseBlock) -> dict[str, Any]:
    """The arguments as an object, which readers of these lines expect, even if there are none."""
    return use.input if use.unreadable is None else {"arguments": use.unreadable}


def _entry(number: int, turn: int, source: str, value: str, method: str, last: bool) -> dict[str, Any]:
    return {
        "repetition_index": number,
        "turn_idx": turn,
        "source": source,
        "extracted_value": value,
        "extraction_method": method,
        "is_terminal": last,
    }


def _tokens(answers: list[KEvalAnswer]) -> dict[str, int] | None:
    """Tokens of all repetitions; None if those of one of them are not known."""
    used = [
        next((steps[ANSWERING] for result in answer.results if ANSWERING in (steps := by_step(result))), None)
        for answer in answers
    ]
    counted = [tokens for tokens in used if tokens is not None]
    if len(counted) < len(used):
        return None
    inputs, outputs = sum(tokens.input for tokens in counted), sum(tokens.output for tokens in counted)
    return {"input_tokens": inputs, "output_tokens": outputs, "total_tokens": inputs + outputs}


def _answering_ms(result: VerificationResult) -> int | None:
    """Milliseconds of the stage that got the answer; None: it is not known."""
    stage = next((one for one in result.stages if one.name == "GenerateAnswer" and one.status != "skipped"), None)
    return round(stage.seconds * 1000) if stage else None


def _between_ms(start: str | None, end: str | None) -> float | None:
    if start is None or end is None:
        return None
    try:
        return (datetime.fromisoformat(end) - datetime.fromisoformat(start)).total_seconds() * 1000
    except (ValueError, TypeError):
        # A time with a zone and one without cannot be compared: files of other programs mix them.
        return None


def _seconds(timestamp: str) -> int | None:
    try:
        return int(datetime.fromisoformat(timestamp).timestamp())
    except (ValueError, OverflowError, OSError):
        return None
