"""What a run would do, before it is started: how many jobs and calls, what is left out, what stands in its way."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path

from karenina_gui.authoring.desk import Desk
from karenina_gui.errors import InputError, NotFoundError
from karenina_gui.gui.models.fields import shown
from karenina_gui.gui.runs import agent_problems, condition_draft
from karenina_gui.gui.runs.choice import RunChoice
from karenina_gui.gui.runs.condition_draft import SETTINGS
from karenina_gui.gui.runs.option import Situation
from karenina_gui.gui.runs.option_problems import lacking_search_keys, refused, unaided
from karenina_gui.runs import conditions
from karenina_gui.runs.agents import ForeignHost, StartedProgram, foreign_addresses, runs_commands, started_programs
from karenina_gui.runs.judge_calls import calls_by_purpose
from karenina_gui.runs.models import ModelShelf
from karenina_gui.runs.recorded import Unrecorded
from karenina_gui.runs.selection import NO_TEMPLATE, NOT_FINISHED, TEMPLATE_INVALID, Selection
from karenina_gui.runs.service import RunOrder, RunService
from karenina_gui.schemas.asked_models import asked_models
from karenina_gui.schemas.config import PLAYED_BACK, ModelConfig, VerificationConfig
from karenina_gui.schemas.summaries import QuestionSummary


@dataclass(frozen=True)
class Plan:
    """One run, seen beforehand."""

    order: RunOrder
    selection: Selection
    questions: Mapping[str, QuestionSummary]
    """All questions of the benchmark, by id."""
    judged: int
    """Chosen questions whose template asks a judge, as far as their templates were looked at."""
    obstacles: list[str] = field(default_factory=list)
    """Why it cannot start, one sentence each; empty: it can."""
    doubts: list[str] = field(default_factory=list)
    """Why it would hardly bring what is wanted: a person has to agree before it starts."""
    lacking_keys: list[str] = field(default_factory=list)
    """Variables of keys that somebody has to enter first."""
    refused: bool = False
    """Nothing was planned: a number has to be put right first, see `obstacles`."""
    live: bool = True
    """Whether any model is really called."""
    unknown: list[str] = field(default_factory=list)
    """Chosen questions whose template was not looked at yet: give them to `Planner.learn` and plan again."""
    in_workspaces: bool = False
    """Whether any agent gets to see a workspace."""
    root: Path | None = None
    """Of the benchmark's workspaces on this computer; None: it is not set."""
    lacking_root: bool = False
    """Whether the run cannot start before a root is set."""
    without_folder: list[str] = field(default_factory=list)
    """Chosen questions whose workspace is not there: their jobs end in an error."""
    programs: list[StartedProgram] = field(default_factory=list)
    """What it starts on this computer, unconfined."""
    hosts: list[ForeignHost] = field(default_factory=list)
    """Addresses that traits bring along, and that are asked with the user's keys."""

    @property
    def config(self) -> VerificationConfig:
        return self.order.config

    @property
    def ready(self) -> bool:
        """Whether it can be started; what judges will have to do need not be counted yet when there is one."""
        checked = all(self.questions[each].template_valid for each in self.unknown)
        return not self.obstacles and (not self.unknown or (checked and bool(self.config.parsing_models)))

    @property
    def answers(self) -> int:
        """Answers to get: questions × models × conditions × replicates."""
        asked = len(self.config.answering_models) * max(1, len(self.config.conditions))
        return len(self.selection.chosen) * asked * self.config.replicate_count

    @property
    def jobs(self) -> int:
        """Every answer is one job for each judge and each time that it judges."""
        judges = len(self.config.parsing_models)
        return self.answers * (judges * self.config.judge_replicates if judges else 1)

    @property
    def calls_by_purpose(self) -> dict[str, int]:
        """Replies that judges give at most, by what they are for."""
        chosen = len(self.selection.chosen)
        if not self.config.parsing_models or not chosen:
            return {}
        of_each = calls_by_purpose(self.config, answers=chosen, read=self.judged, traits=self.selection.trait_calls)
        return {purpose: number * self.jobs // chosen for purpose, number in of_each.items()}

    @property
    def judge_calls(self) -> int:
        """Replies that judges give at most."""
        return sum(self.calls_by_purpose.values())

    @property
    def investigations(self) -> int:
        """How often agents look into answers, at most: for templates that ask a judge, and for traits."""
        if not self.config.parsing_models or not self.selection.chosen:
            return 0
        of_each = self.selection.investigations + self.judged * agent_problems.investigates(self.config)
        return of_each * self.jobs // len(self.selection.chosen)

    @property
    def agreed(self) -> RunOrder:
        """The order once a person has agreed to what traits of the benchmark bring along, where they do."""
        if not (self.hosts or any(program.from_trait for program in self.programs)):
            return self.order
        return replace(self.order, config=self.config.model_copy(update={"allow_programs": True}))

    @property
    def needs_judge(self) -> bool:
        config = self.config
        return config.abstention_enabled or (self.judged > 0 and config.evaluation_mode != "rubric_only")


class Planner:
    """Makes plans for one benchmark; what it learns of templates it keeps for as long as they stay the same."""

    def __init__(self, desk: Desk, runs: RunService, benchmark_id: int) -> None:
        self._desk = desk
        self._runs = runs
        self._benchmark_id = benchmark_id
        self._rows: dict[str, QuestionSummary] = {}
        """By id, as the last plan found them."""
        self._asks_judge: dict[tuple[str, int], bool] = {}
        """By question and revision."""

    def plan(self, choice: RunChoice, given_up: Callable[[], bool] = lambda: False) -> Plan:
        """At once; complete when its `unknown` is empty. While a number is refused, nothing is computed from it.

        `given_up` is asked again and again: once it says so, nobody waits for this plan. Errors: `NotFoundError`.
        """
        rows = self._rows = {row.id: row for row in self._desk.questions(self._benchmark_id)}
        order = RunOrder(
            benchmark_id=self._benchmark_id,
            config=choice.config(self._runs.models.kept.all()),
            question_ids=_wanted(choice, rows.values()),
            name=choice.name,
            only_finished=choice.scope != "picked",
        )
        if refusals := self.refusals(choice):
            return Plan(order, Selection(), rows, judged=0, obstacles=refusals, refused=True)
        selection = self._runs.selection(order)
        asks = {each: self._asks_judge.get((each, rows[each].revision)) for each in selection.chosen if each in rows}
        plan = Plan(order, selection, rows, judged=sum(map(bool, asks.values())), live=_is_live(order.config))
        plan = self._with_agents(plan)
        obstacles = [
            *_missing(plan),
            *selection.rubric_faults,
            *problems(order.config, self._runs.models),
            *conditions.obstacles(order.config),
            *agent_problems.obstacles(order.config, plan.root, self._runs.models, lacking_root=plan.lacking_root),
        ]
        doubts = [
            *self._runs.presets.without_effect(order.config),
            *_lacking(self._runs.unrecorded(order, set(selection.chosen), given_up)),
            *_unheard(plan),
            *_unrated(plan),
            *_judged_once(plan),
            *_without_effect(order.config),
            *unaided(order.config, self._runs.models, traits_search=selection.trait_searches),
            *self._agent_doubts(plan),
        ]
        unknown = [question_id for question_id, asked in asks.items() if asked is None]
        keys = [
            *lacking_keys(order.config, self._runs.models),
            *lacking_search_keys(order.config, self._runs.models, traits_search=selection.trait_searches),
            *agent_problems.unset_names(order.config, selection, self._runs.models),
        ]
        return replace(plan, obstacles=obstacles, doubts=doubts, unknown=unknown, lacking_keys=keys)

    def _with_agents(self, plan: Plan) -> Plan:
        """What agents find on this computer, and start on it."""
        config, selection = plan.config, plan.selection
        root = self._desk.workspaces.root(self._benchmark_id)
        seen = agent_problems.in_workspaces(config, selection, self._runs.models)
        missing = self._desk.workspaces.missing(self._benchmark_id, selection.chosen) if seen else []
        return replace(
            plan,
            in_workspaces=seen,
            root=root,
            lacking_root=agent_problems.lacks_root(config, root, worked_in=seen, named=bool(missing)),
            without_folder=missing if root and root.is_dir() else [],
            programs=started_programs(config, selection.agentic_traits),
            hosts=foreign_addresses(config, selection.agentic_traits),
        )

    def _agent_doubts(self, plan: Plan) -> list[str]:
        shelf, confinement = self._runs.models, self._runs.command_confinement
        found = agent_problems.doubts(plan.config, plan.selection, shelf, confinement)
        if number := len(plan.without_folder):
            of = "The workspace of 1 question is" if number == 1 else f"The workspaces of {number:,} questions are"
            found.append(f"{of} not there: these jobs end in an error.")
        found += agent_problems.unset_variables(plan.config, plan.selection, shelf)
        return [*found, *agent_problems.foreign(plan.programs, plan.hosts)]

    def refusals(self, choice: RunChoice) -> list[str]:
        """A sentence for each setting that the run cannot have, whether it was typed or came with a preset."""
        return [*refused(self.situation(choice)), *condition_draft.problems(choice.conditions)]

    def situation(self, choice: RunChoice) -> Situation:
        """On what it depends which options matter, as benchmark and models are now."""
        rubric = self._desk.frame(self._benchmark_id).rubric
        shelf = self._runs.models
        kept = shelf.kept.all()
        models = [model for name, model in kept.items() if name in choice.models]
        config = choice.config(kept)
        asked = list(asked_models(config).values())
        return Situation(
            choice,
            rated=rubric is not None and not rubric.is_empty,
            asked=not models or any(shelf.is_asked(model) for model in models),
            agentic_traits=self._runs.has_agentic_traits(self._benchmark_id),
            works=any(map(shelf.works_in_workspace, asked)),
            commands=any(runs_commands(config)),
            confined=self._runs.command_confinement.confined,
            benchmark_id=self._benchmark_id,
            root=self._desk.workspaces.root(self._benchmark_id),
        )

    def learn(self, question_ids: Sequence[str]) -> None:
        """Look at the templates of these questions, which the last plan named; takes a moment for each."""
        for question_id in question_ids:
            try:
                outline = self._desk.check_question(self._benchmark_id, question_id)
            except NotFoundError:
                continue  # deleted meanwhile; the next plan is without it
            self._asks_judge[question_id, self._rows[question_id].revision] = bool(outline and outline.needs_judge)


def _wanted(choice: RunChoice, rows: Iterable[QuestionSummary]) -> list[str] | None:
    if choice.scope == "picked":
        return choice.picked
    if choice.scope == "keywords":
        return [row.id for row in rows if not set(choice.keywords).isdisjoint(row.keywords)]
    return None


def problems(config: VerificationConfig, shelf: ModelShelf) -> list[str]:
    """What is wrong with the models of a run: a key that is missing, a recording that cannot be read, tools that the
    interface cannot use."""
    found: dict[str, None] = {}
    for model in (*config.answering_models, *config.parsing_models):
        if sentence := problem(model, shelf):
            found[f"{model.id}: {sentence}"] = None
    for model in () if config.conditions else config.answering_models:  # else see `runs.conditions`
        if sentence := without_tools(model, shelf):
            found[f"{model.id}: {sentence}"] = None
    for judge in config.parsing_models:
        if not shelf.can_judge(judge):
            found[f"{judge.id}: it only holds recorded answers, so it cannot judge. Choose another judge."] = None
    return list(found)


def lacking_keys(config: VerificationConfig, shelf: ModelShelf) -> list[str]:
    """Variables of keys that models of a run need and nobody has given."""
    found: dict[str, None] = {}
    for model in (*config.answering_models, *config.parsing_models):
        with suppress(InputError):  # an interface that is not there is told of elsewhere
            if (key := shelf.key(model)) and not key.is_set:
                found[key.variable] = None
    return list(found)


def problem(model: ModelConfig, shelf: ModelShelf) -> str | None:
    """Why this model could not be reached; None: nothing is known against it."""
    if model.interface == "replay" and not model.recording:
        return "no recording was given. Name the file that a run recorded on the Models page."
    try:
        key = shelf.key(model)
        shelf.recording_label(model)
        lacking = shelf.lacking(model)
    except InputError as error:
        return str(error)
    if lacking is not None:
        return lacking
    if model.interface == "manual" and not model.manual_traces:
        return "no recorded answers were given. Choose their file on the Models page."
    if key is not None and not key.is_set:
        return (
            f"no key. Enter {key.variable} on the page Keys, or set it in the environment and start the application "
            "again."
        )
    return None


def without_tools(model: ModelConfig, shelf: ModelShelf) -> str | None:
    """Why it could not answer with its tools; None: it has none, or can use them."""
    tools = shelf.tools_in_vain(model)
    return (
        f"it is to use {', '.join(tools)}, and its interface knows no tools. Choose another model to answer, or take "
        "the tools out of this one on the Models page."
        if tools
        else None
    )


def left_out(selection: Selection) -> Mapping[str, list[str]]:
    """Ids of the questions that will not run, by reason."""
    reasons: dict[str, list[str]] = {}
    for question_id, reason in selection.left_out:
        reasons.setdefault(reason, []).append(question_id)
    return reasons


def _missing(plan: Plan) -> list[str]:
    if not plan.questions:
        return ["Write a question first: this benchmark has none yet."]
    sentences = []
    if not plan.config.answering_models:
        sentences.append("Choose at least one answering model.")
    if plan.order.question_ids is not None and not plan.order.question_ids:
        sentences.append("Choose the keywords or the questions that shall run.")
    elif not plan.selection.chosen:
        sentences.append(_nothing_chosen(plan.selection))
    if plan.needs_judge and not plan.config.parsing_models:
        what = f"{plan.judged} of the chosen templates ask" if plan.judged else "The refusal check asks"
        sentences.append(f"Choose a judge: {what} one to read the answers.")
    return sentences


def _nothing_chosen(selection: Selection) -> str:
    reasons = selection.reasons
    if set(reasons) == {NOT_FINISHED}:
        return "Mark a question as finished first: only finished questions run."
    if NO_TEMPLATE in reasons:
        return "Give a finished question an answer template first: without one, nothing can be checked."
    if TEMPLATE_INVALID in reasons:
        return "Correct the answer template of a finished question first: each of them has an error."
    return "None of the chosen questions is there any more. Choose others."


def _lacking(models: Sequence[Unrecorded]) -> list[str]:
    return [_lack(each) for each in models]


def _lack(model: Unrecorded) -> str:
    return (
        f"{model.model} plays back a recording, which has no answer to {model.missing:,} of the {model.asked:,} things "
        "it would be asked: those jobs end in an error. A question, the system prompt, what is "
        "added to it or the number of replicates is another than when it was recorded."
    )


def _unheard(plan: Plan) -> list[str]:
    """Judges that play back a recording beside answers that nobody has recorded with them."""
    fresh = [str(model.id) for model in plan.config.answering_models if model.interface != "replay"]
    judges = [str(judge.id) for judge in plan.config.parsing_models if judge.interface == "replay"]
    if not fresh or not judges or not plan.answers:
        return []
    sentence = (
        f"{', '.join(judges)} plays back a recording and cannot read answers that are not in it, as those of "
        f"{', '.join(fresh)}: these jobs end in an error where a judge is asked. Choose a judge that is really called."
    )
    return [sentence]


def _unrated(plan: Plan) -> list[str]:
    """Traits that ask a judge where there is none."""
    if plan.config.parsing_models or not plan.selection.trait_calls:
        return []
    sentence = (
        "Traits of the chosen questions ask a judge, and none is chosen: they get no score. Choose a judge to have "
        "them rated."
    )
    return [sentence]


def _judged_once(plan: Plan) -> list[str]:
    """Judges that play back a recording and are to judge each answer several times."""
    judges = [str(judge.id) for judge in plan.config.parsing_models if judge.interface == "replay"]
    if plan.config.judge_replicates == 1 or not judges or not plan.answers:
        return []
    sentence = (
        f"{', '.join(judges)} plays back a recording: unless each answer was judged as often when it was recorded, "
        "these jobs end in an error where a judge is asked. Choose a judge that is really called, or 1 judgment."
    )
    return [sentence]


def _without_effect(config: VerificationConfig) -> list[str]:
    """Settings of conditions of which the interface of a model makes no use."""
    found = []
    for model in config.answering_models:
        for condition in config.conditions if model.interface not in ("manual", "replay") else ():
            unused = [name for name in condition.settings.given if name not in shown(model.interface)]
            if unused:
                titles = ", ".join(SETTINGS[name].title.lower() for name in unused)
                found.append(
                    f"{model.id} cannot be told the {titles} that the condition “{condition.name}” sets: its interface "
                    "makes no use of it."
                )
    return found


def live_judges(config: VerificationConfig) -> list[ModelConfig]:
    """Those that are really asked, as the run asks them."""
    judges = (judge for judge in config.parsing_models if judge.interface not in PLAYED_BACK)
    return [config.judge_as_asked(judge) for judge in judges]


def _is_live(config: VerificationConfig) -> bool:
    return any(model.interface not in PLAYED_BACK for model in (*config.answering_models, *config.parsing_models))
