"""Results as k-eval's two files, one pair for each answering model.

A summary in the schema Every Eval Ever, and a line for each question under each condition.
"""

from __future__ import annotations

import hashlib
import re
import zipfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from karenina_gui.formats.atomic_file import write_atomically
from karenina_gui.formats.json_text import to_json_bytes, without_secrets
from karenina_gui.formats.k_eval.aggregation import KEvalAggregate, KEvalArm, Sample
from karenina_gui.formats.k_eval.lines_writer import Cost, detailed_line
from karenina_gui.formats.results.every_eval_ever_writer import evaluation_id, evaluation_name, name_of, summary
from karenina_gui.formats.results.run_info import RunInfo
from karenina_gui.schemas.result import VerificationResult


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
        for each in k_eval_files(results, run):
            archive.writestr(each.name, each.content)


def write_k_eval_folder(results: Iterable[VerificationResult], folder: Path, *, run: RunInfo) -> list[Path]:
    """Write each file whole or not at all, and return their paths.

    Raises `FileFormatError` if the place cannot be written.
    """
    written = []
    for each in k_eval_files(results, run):
        write_atomically(folder / each.name, each.content)
        written.append(folder / each.name)
    return written


def _lines(run: RunInfo, label: str, arms: list[KEvalArm], gathered: KEvalAggregate) -> list[bytes]:
    cost: Cost = run.figures.cost if run.figures else lambda _: None
    head = {"evaluation_id": evaluation_id(run, label), "model_id": arms[0].model.model_name}

    def line(sample: Sample, arm: KEvalArm) -> dict[str, Any]:
        return detailed_line(sample, gathered.names, {**head, "evaluation_name": evaluation_name(run, arm)}, cost)

    samples = [(sample, arm) for arm in arms for sample in arm.samples.values()]
    # By question, so that its conditions stand side by side.
    samples.sort(key=lambda pair: pair[0].place)
    return [to_json_bytes(without_secrets(line(sample, arm)), indent=None) + b"\n" for sample, arm in samples]


def _file_name(text: str) -> str:
    return re.sub(r"[^\w.-]+", "-", text).strip("-.") or "results"
