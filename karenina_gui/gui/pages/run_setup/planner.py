"""Planner of runs; combines the choices with the state of the benchmark, its templates, and the models."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property

from karenina_gui.analysis.forecast import EarlierResult, earlier_result
from karenina_gui.errors import NotFoundError
from karenina_gui.gui.pages.models.fields import visible_fields
from karenina_gui.gui.pages.run_setup import condition_draft
from karenina_gui.gui.pages.run_setup.condition_differences import differences
from karenina_gui.gui.pages.run_setup.condition_draft import SETTINGS
from karenina_gui.gui.pages.run_setup.draft import RunDraft
from karenina_gui.gui.pages.run_setup.forecasting import LOOKED_AT, forecast_of
from karenina_gui.gui.pages.run_setup.option import SettingContext
from karenina_gui.gui.pages.run_setup.options import JUDGE_REPLICATES, REPLICATES, shown_groups
from karenina_gui.gui.pages.run_setup.plan import Plan, is_live
from karenina_gui.gui.pages.run_setup.published_questions import PublishedQuestions
from karenina_gui.gui.session.app_context import AppContext
from karenina_gui.runs.agent_safety import chooses_own_tools, runs_commands, started_programs, unagreed_accesses
from karenina_gui.runs.presets import unused_settings
from karenina_gui.runs.problems import agents, choices, conditions, models, recordings, workspace_files
from karenina_gui.runs.problems.optional_checks import lacking_search_keys, skipped_checks
from karenina_gui.runs.problems.workspace_files import Task, task_of
from karenina_gui.runs.selection import Selection
from karenina_gui.runs.service import RunOrder
from karenina_gui.schemas.benchmark_summaries import QuestionSummary
from karenina_gui.schemas.default_template import is_default_template
from karenina_gui.schemas.effective_models import effective_models
from karenina_gui.schemas.model_config import PLAYED_BACK
from karenina_gui.schemas.question import Question
from karenina_gui.schemas.template import TemplateOutline
from karenina_gui.schemas.usage import tokens_by_step
from karenina_gui.schemas.verification_config import VerificationConfig
from karenina_gui.text import join_list, quote_list


class Planner:
    """Planner for one benchmark; caches facts about templates by their revisions."""

    def __init__(self, services: AppContext, benchmark_id: int, version: PublishedQuestions | None = None) -> None:
        """`version`: questions of the published version that runs; None: those of the benchmark as it is."""
        self._editor, self._runs, self._library = services.editor, services.runs, services.library
        self._benchmark_id = benchmark_id
        self._version = version
        self._rows: dict[str, QuestionSummary] = {}
        """Questions by id, as of the last plan."""
        self._tasks: dict[tuple[str, int], Task] = {}
        """Facts about templates by question and revision."""

    def plan(self, choice: RunDraft, given_up: Callable[[], bool] = lambda: False) -> Plan:
        """Plan immediately; the plan is complete when `unknown` is empty.

        `given_up` is polled, and stops the computation by returning True. Raises `NotFoundError`.
        """
        listed = self._list_questions()
        rows = self._rows = {row.id: row for row in listed if row.id}
        order = self._order(choice, rows.values())
        # Nothing is computed from an invalid number: the plan would be wrong.
        if refusals := self.refusals(choice):
            return Plan(order, Selection(), rows, judged=0, obstacles=refusals, refused=True)
        selection = self._runs.selection(order)
        tasks = self._known_tasks(selection, rows)
        plan = Plan(
            order,
            selection,
            rows,
            judged=sum(task.asks_judge for task in tasks.values()),
            without_id=[row for row in listed if not row.id],
            live=is_live(order.config),
            unknown=[question for question in selection.chosen if question in rows and question not in tasks],
        )
        plan = self._with_agents(plan)
        plan = replace(
            plan,
            obstacles=self._obstacles(plan, choice),
            doubts=self._doubts(plan, [*choice.models, *choice.judges], list(tasks.values()), given_up),
            lacking_keys=self._lacking_keys(plan),
        )
        return self._with_forecast(plan)

    def _list_questions(self) -> list[QuestionSummary]:
        return self._library.questions.summaries(self._benchmark_id) if self._version is None else self._version.rows

    def _order(self, choice: RunDraft, rows: Iterable[QuestionSummary]) -> RunOrder:
        config = choice.config(self._library.models.all())
        if self._version is not None:
            return RunOrder(self._benchmark_id, config, name=choice.name, version=self._version.id)
        return RunOrder(self._benchmark_id, config, _question_ids(choice, rows), choice.name)

    def _known_tasks(self, selection: Selection, rows: Mapping[str, QuestionSummary]) -> dict[str, Task]:
        """Facts about the checked templates of the selected questions, in their order."""
        keys = ((question, rows[question].revision) for question in selection.chosen if question in rows)
        return {key[0]: self._tasks[key] for key in keys if key in self._tasks}

    def _cluster_obstacles(self, plan: Plan, choice: RunDraft) -> list[str]:
        clusters = self._runs.clusters
        problem = clusters.problem(plan.config, recorded=choice.record) if clusters else None
        return [problem] if problem else []

    def _obstacles(self, plan: Plan, choice: RunDraft) -> list[str]:
        config, catalog = plan.config, self._runs.models
        if plan.questions:
            chosen = choices.obstacles(config, plan.selection, plan.order.question_ids, plan.judged)
        else:
            chosen = [choices.NOTHING_RUNNABLE if plan.without_id else choices.NO_QUESTIONS]
        return [
            *chosen,
            *plan.selection.rubric_faults,
            *models.obstacles(config, catalog),
            *self._cluster_obstacles(plan, choice),
            *conditions.obstacles(config),
            *agents.obstacles(config, plan.root, catalog, lacking_root=plan.lacking_root),
        ]

    def _doubts(
        self, plan: Plan, chosen: Sequence[str], tasks: Sequence[Task], given_up: Callable[[], bool]
    ) -> list[str]:
        """`chosen`: names of the selected models. `tasks`: facts about the checked templates."""
        config, selection, catalog = plan.config, plan.selection, self._runs.models
        return [
            *choices.deleted_models(config, chosen),
            *unused_settings(config),
            *self._runs.missing_recordings(plan.order, set(selection.chosen), given_up),
            *recordings.doubts(config, catalog, tasks),
            *choices.doubts(config, selection, plan.judged),
            *ignored_settings(config),
            *identical_conditions(config),
            *skipped_checks(config, catalog, traits_search=selection.trait_searches),
            *agents.doubts(config, selection, catalog, self._runs.command_confinement),
            *agents.folder_doubts(len(plan.without_folder)),
            *agents.variable_doubts(agents.unset_variables(config, selection, catalog)),
            *agents.consent_doubts(plan.unagreed),
            *workspace_files.doubts(config, selection, catalog, tasks),
        ]

    def _lacking_keys(self, plan: Plan) -> list[str]:
        config, selection, catalog = plan.config, plan.selection, self._runs.models
        unset = agents.unset_variables(config, selection, catalog)
        keys = [
            *models.lacking_keys(config, catalog),
            *lacking_search_keys(config, catalog, traits_search=selection.trait_searches),
            *(variable for variables in unset.values() for variable in variables),
        ]
        return [*dict.fromkeys(keys)]  # a model and a server of tools may need the same

    def _with_forecast(self, plan: Plan) -> Plan:
        # As long as templates are unchecked, the number of judge calls is unknown.
        return plan if plan.unknown else replace(plan, forecast=forecast_of(plan, self._runs, self._earlier))

    @cached_property
    def _earlier(self) -> list[EarlierResult]:
        """Earlier results of the benchmark, read once, because each change makes a new plan."""
        usages = self._library.results.usage_of_benchmark(self._benchmark_id, LOOKED_AT)
        return [earlier_result(tokens_by_step(usage), seconds) for usage, seconds in usages]

    def _with_agents(self, plan: Plan) -> Plan:
        """Add the workspaces and programs of agents, and what the user has not agreed to yet."""
        config, selection = plan.config, plan.selection
        root = self._editor.workspaces.root(self._benchmark_id)
        seen = agents.in_workspaces(config, selection, self._runs.models)
        missing = self._editor.workspaces.missing(self._benchmark_id, selection.chosen) if seen else []
        return replace(
            plan,
            in_workspaces=seen,
            root=root,
            lacking_root=agents.lacks_root(config, root, worked_in=seen, named=bool(missing)),
            without_folder=missing if root and root.is_dir() else [],
            programs=started_programs(config, selection.agentic_traits),
            unagreed=unagreed_accesses(config, selection.agentic_traits, self._runs.consents),
        )

    def refusals(self, choice: RunDraft) -> list[str]:
        """List invalid settings, typed or from a preset."""
        return [*invalid_settings(self.setting_context(choice)), *condition_draft.problems(choice.conditions)]

    def setting_context(self, choice: RunDraft) -> SettingContext:
        """Return the facts that determine which options apply."""
        rated, agentic_traits, deep_traits = self._trait_facts()
        catalog = self._runs.models
        saved = self._library.models.all()
        models = [model for name, model in saved.items() if name in choice.models]
        config = choice.config(saved)
        called = list(effective_models(config).values())
        own, confinement = any(chooses_own_tools(config)), self._runs.command_confinement
        return SettingContext(
            choice,
            rated=rated,
            called=not models or any(catalog.is_asked(model) for model in models),
            agentic_traits=agentic_traits,
            deep_traits=deep_traits,
            works=any(map(catalog.works_in_workspace, called)),
            commands=any(runs_commands(config)) or own,
            confined=confinement.confined and (confinement.programs or not own),
            benchmark_id=self._benchmark_id,
            root=self._editor.workspaces.root(self._benchmark_id),
        )

    def _trait_facts(self) -> tuple[bool, bool, bool]:
        """True if the benchmark or any question has traits, agent traits, and traits with deep judgment."""
        number, runs, version = self._benchmark_id, self._runs, self._version
        if version is not None:
            return bool(version.trait_names), version.has_agentic_traits, version.has_deep_traits
        return runs.has_traits(number), runs.has_agentic_traits(number), runs.has_deep_traits(number)

    def learn(self, question_ids: Sequence[str]) -> None:
        """Check the templates of questions from `unknown` of the last plan; takes a moment for each."""
        for question_id in question_ids:
            row = self._rows[question_id]
            try:
                question, outline = self._check(row)
            except NotFoundError:
                continue  # deleted; the next plan omits it
            # By revision, so that an edited question is checked again.
            self._tasks[question_id, row.revision] = task_of(question, outline)

    def _check(self, row: QuestionSummary) -> tuple[Question, TemplateOutline | None]:
        """Check the template of a question. Raises `NotFoundError`."""
        if self._version is None:
            outline = self._editor.check_question(self._benchmark_id, row.number)
            return self._editor.question(self._benchmark_id, row.number).entry.question, outline
        # The outcome is not kept: the question that has this number today may have another template.
        question = self._version.question(row.id)
        source = question.answer_template
        templates = self._editor.templates(self._benchmark_id)
        return question, None if is_default_template(source) else templates.check(source or "", from_file=False)


def _question_ids(choice: RunDraft, rows: Iterable[QuestionSummary]) -> list[str] | None:
    if choice.scope == "picked":
        return choice.picked
    if choice.scope == "keywords":
        return [row.id for row in rows if not set(choice.keywords).isdisjoint(row.keywords)]
    return None


def ignored_settings(config: VerificationConfig) -> Iterator[str]:
    """Find settings of conditions that a model's interface ignores."""
    for model in config.answering_models:
        for condition in config.conditions if model.interface not in PLAYED_BACK else ():
            unused = [name for name in condition.settings.explicit if name not in visible_fields(model.interface)]
            if unused:
                titles = quote_list(SETTINGS[name].title for name in unused)
                yield f"{model.id} ignores {titles} of the condition “{condition.name}”: its interface can’t set it."


def identical_conditions(config: VerificationConfig) -> Iterator[str]:
    """Find conditions under which a model receives the same requests."""
    for at, condition in enumerate(config.conditions):
        same: dict[str, list[str]] = {}
        for model in config.answering_models:
            earlier = (other for other in config.conditions[:at] if not differences(other, condition, [model]))
            # Models with recorded answers send no requests.
            if model.interface != "manual" and (first := next(earlier, None)):
                same.setdefault(first.name, []).append(str(model.id))
        for first_name, ids in same.items():
            yield (
                f"“{first_name}” and “{condition.name}” send the same requests to {join_list(ids)}, so results will "
                "only differ at random. Change the system prompt, tools, or settings of one of them."
            )


def invalid_settings(situation: SettingContext) -> list[str]:
    """List invalid settings that apply, typed or from a preset."""
    titled = [(option.title, option) for option in (REPLICATES, JUDGE_REPLICATES)]
    for group in shown_groups():
        titled += [(f"{group.title}, {option.title}", option) for option in group.invalid_options(situation)]
    return [f"{title}: {problem}" for title, option in titled if (problem := option.problem_in(situation.choice))]
