"""Doubts about files that matter to a run but are not read. They need consent, so false alarms are costly.

1. A question has a workspace, and no agent of the run sees any: models answer without the files.
2. A question is about files that an agent leaves, and its template is filled from the answer alone. This counts only
   where there can be files, because the question has a workspace or a model works in one, and for one of two reasons:

   - A field for the judge speaks of the workspace or of a file by its name (`findings.txt`); where the question has a
     workspace, “the file” and “the folder” are enough. A field that also speaks of the answer (“the count that the
     answer gives”) is taken at its word.
   - The question tells the agent to leave one: “Write … into findings.txt”, “Fix the bug in main.py”. This does not
     count where a trait is investigated, because then an agent may look at the file. A file that is only read (“How
     many rows has data.csv?”) is not left.
3. A judging agent sees only the files, and a model does not work in them: they are as the author left them.

Models that play back recordings, and those with tool servers, are never named in 1 and 3: the former have worked
before, the latter may see files by other means.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from karenina_gui.runs.models import ModelCatalog
from karenina_gui.runs.problems.agents import investigates
from karenina_gui.runs.selection import Selection
from karenina_gui.schemas.effective_models import effective_models, models_by_condition
from karenina_gui.schemas.model_config import PLAYED_BACK, ModelConfig
from karenina_gui.schemas.question import Question
from karenina_gui.schemas.template import TemplateOutline
from karenina_gui.schemas.verification_config import VerificationConfig
from karenina_gui.text import join_list, quantity, verb

MAX_QUOTED = 80
"""Maximum number of characters of a quoted question."""

AboutFiles = Literal["template", "question"]
"""Part of a question about files that an agent creates."""

_ENDINGS = (
    "bam|bash|bed|bib|cfg|cpp|css|csv|db|docx?|fa|fasta|fastq|gff|h5|html?|ini|ipynb|java|jpe?g|jsonl?|log|md|npy|npz|"
    "parquet|pdb|pdf|pkl|png|pptx?|py|rds|rtf|sam|sh|sql|sqlite|svg|tex|toml|tsv|txt|vcf|xlsx?|xml|ya?ml|zip"
)
"""File name extensions; not `js` and the like, which are parts of product names."""
_NAME = rf"(?<![\w@:./-])(?:\.{{0,2}}/)?(?:[\w-]+[/.])*[\w-]+\.(?:{_ENDINGS})\b(?![\w-]|\.\w)"
_FOLDER = r"\bworkspaces?\b|\bworking (?:directory|folder)\b"
_NAMED = re.compile(f"{_NAME}|{_FOLDER}", re.IGNORECASE)
_SOME = re.compile(r"\b(?:files?|folders?|director(?:y|ies))\b", re.IGNORECASE)
_OF_ANSWER = re.compile(r"\b(?:answers?|repl(?:y|ies)|responses?|messages?)\b", re.IGNORECASE)

_BEGIN = r"(?:^|[.!?:;,]\s+|\n[ \t]*(?:(?:[-*•]|\d+[.)])[ \t]*)?|\b(?:and|then|please|must|should)\s+)"
_REST = r"(?:(?![.!?](?:\s|$))[^\n]){0,200}?"
"""Rest of the sentence."""
_QUOTED = r"[`'\"“‘*]*"
_CALLED = rf"(?:(?:an?|the|this|new)\s+)*(?:\w+\s+)?(?:(?:called|named)\s+)?{_QUOTED}"
_LEAVES = re.compile(
    rf"{_BEGIN}(?:"
    rf"(?:write|save|store|put|record|append|add|export|print|output)\b{_REST}\b(?:into|to|as)\s+{_CALLED}{_NAME}"
    rf"|(?:write|create|make|produce|generate|leave|delete|remove|rename|complete|fill in)\s+{_CALLED}{_NAME}"
    rf"|(?:fix|correct|edit|modify|update|change|repair|refactor|rewrite)\b{_REST}{_NAME}"
    rf"|(?:write|save|store|put|record|export)\b{_REST}\b(?:into|to)\s+(?:an?|the)\s+(?:\w+\s+)?(?:file|workspace)\b"
    ")",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Task:
    """Selected question with the facts about its template that matter here."""

    text: str
    asks_judge: bool
    """True if a judge must read the answer."""
    has_workspace: bool
    about: AboutFiles | None
    """Phrase about files; None: answers can be judged without files that an agent creates."""
    schema: dict[str, Any] | None = None
    """Response schema that the judge gets; None: no judge reads the answer."""


def task_of(question: Question, outline: TemplateOutline | None) -> Task:
    """Collect the facts about a question; `outline` None: no template."""
    asks = outline is not None and outline.needs_judge
    about = _about(question, outline) if outline is not None and asks else None
    schema = outline.sent_schema if outline is not None and asks else None
    return Task(question.question, asks, bool(question.workspace_path), about, schema)


def doubts(config: VerificationConfig, selection: Selection, catalog: ModelCatalog, tasks: Sequence[Task]) -> list[str]:
    """List doubts; `tasks`: the selected questions in order."""
    works = any(map(catalog.works_in_workspace, effective_models(config).values()))
    by_trait = any(trait.context_mode != "trace_only" for trait in selection.agentic_traits.values())
    by_judge = investigates(config) and config.agentic_judge_context != "trace_only"
    unseen = [] if works or by_trait or by_judge else _unseen_workspaces(config, catalog, tasks)
    if unseen or config.evaluation_mode == "rubric_only" or not config.answering_models:
        return unseen
    if by_judge:
        return _unchanged_files(config, catalog, tasks)
    return _unread_files(config, tasks, works=works, by_trait=by_trait)


def _unseen_workspaces(config: VerificationConfig, catalog: ModelCatalog, tasks: Sequence[Task]) -> list[str]:
    """Find questions with a workspace that no agent of the run sees."""
    own = [task.text for task in tasks if task.has_workspace]
    if not own or not any(map(_sees_no_files(catalog), effective_models(config).values())):
        return []
    doubt = (
        f"{quantity(len(own), 'question')} with a workspace, but no model in this run can see files. Give an "
        f"answering model workspace tools on the Models page. {first_of(own)}"
    )
    return [doubt]


def _unread_files(config: VerificationConfig, tasks: Sequence[Task], *, works: bool, by_trait: bool) -> list[str]:
    """Find questions on files whose templates are filled from the answer alone."""
    about = [task for task in tasks if task.about == "template" or (task.about == "question" and not by_trait)]
    unread = [task.text for task in about if task.has_workspace or works]
    if not unread:
        return []
    if investigates(config):
        reader, remedy = "the judging agent sees only the trace", "Include files under “Agentic judging”"
    else:
        reader, remedy = "the judge sees only the answer", "Turn on “Agentic judging”"
    doubt = (
        f"{quantity(len(unread), 'question')} about files that the agent leaves, but {reader}. {remedy}, or have "
        f"the template ask about the answer. {first_of(unread)}"
    )
    return [doubt]


def _unchanged_files(config: VerificationConfig, catalog: ModelCatalog, tasks: Sequence[Task]) -> list[str]:
    """Find models that cannot change the files, which are all that the judging agent sees."""
    if config.agentic_judge_context != "workspace_only" or not any(task.asks_judge for task in tasks):
        return []
    models = models_by_condition(config, _sees_no_files(catalog))
    doubt = (
        f"{join_list(models)} can’t change files, and the judging agent sees only the files. Give "
        f"{verb(len(models), 'this model', 'these models')} workspace tools on the Models page, or include the trace."
    )
    return [doubt] if models else []


def first_of(questions: Sequence[str]) -> str:
    """Sentence that names the first of these questions: `Question: “…”.`, or `First: “…”.` for several."""
    text = " ".join(questions[0].split())
    short = text if len(text) <= MAX_QUOTED else f"{text[: MAX_QUOTED - 1].rstrip(' ,;:')}…"
    return f"{verb(len(questions), 'Question', 'First')}: “{short}”."


def _sees_no_files(catalog: ModelCatalog) -> Callable[[ModelConfig], bool]:
    """Select called models without access to files; tool servers may give access, so their models are excluded."""
    return lambda model: (
        model.interface not in PLAYED_BACK and not model.tool_servers and not catalog.works_in_workspace(model)
    )


def _about(question: Question, outline: TemplateOutline) -> AboutFiles | None:
    texts = (f"{field.description}\n{field.extraction_hint or ''}" for field in outline.fields if not field.is_trace)
    if any(_names_files(text, some=bool(question.workspace_path)) for text in texts):
        return "template"
    return "question" if _LEAVES.search(question.question) else None


def _names_files(text: str, *, some: bool) -> bool:
    """Find file names in a text; `some`: also phrases such as “the file”."""
    return bool(_NAMED.search(text) or (some and _SOME.search(text))) and not _OF_ANSWER.search(text)
