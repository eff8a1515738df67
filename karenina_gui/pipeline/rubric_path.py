"""Stages 11 and 12: rubric evaluation, and auto-fail of traits without quotes."""

from __future__ import annotations

from karenina_gui.pipeline.artifacts import ArtifactKeys as A
from karenina_gui.pipeline.context import VerificationContext
from karenina_gui.pipeline.evaluation_input import rubric_input
from karenina_gui.pipeline.stage import Stage
from karenina_gui.rubric import RubricTask, TraitScores, TraitSettings, evaluate
from karenina_gui.rubric.deep_judgment import section_of
from karenina_gui.rubric.scales import scales
from karenina_gui.schemas.rubric import Rubric
from karenina_gui.text import join_list


class RubricEvaluation(Stage):
    """Score every trait on the full trace or the final message, independently of the template's verdict."""

    name = "RubricEvaluation"
    requires = [A.RAW_LLM_RESPONSE]
    consults = [A.TRACE_VALIDATION_FAILED]
    produces = [A.RUBRIC_RESULT, A.DEEP_JUDGMENT_RUBRIC_PERFORMED, A.TRAITS_WITHOUT_VALID_EXCERPTS]

    def rule(self, context: VerificationContext) -> str | None:
        if context.rubric is None or context.rubric.is_empty:
            return "the rubric has no traits"
        if _only_for_agents(selected_rubric(context)):
            return "all traits are agent traits"
        if context.get_artifact(A.TRACE_VALIDATION_FAILED) and not context.config.use_full_trace_for_rubric:
            return "the trace has no final answer to score"
        return None

    def execute(self, context: VerificationContext) -> None:
        evaluation_input, rubric, terms = rubric_input(context), selected_rubric(context), _terms(context)
        report_unknown_traits(context)
        if evaluation_input.text is None:
            scores = TraitScores(problems=[f"No trait was scored: {evaluation_input.problem}."])
        else:
            assert context.rubric is not None
            context.warnings.extend(terms.problems(context.rubric, rubric))
            scores = evaluate(rubric, _task(context, terms, evaluation_input.text))
            context.set_result_field("traits_read", "trace" if evaluation_input.full_trace else "message")
        context[A.RUBRIC_RESULT] = {
            "rubric_evaluation_performed": evaluation_input.text is not None,
            "rubric_evaluation_strategy": context.config.rubric_evaluation_strategy,
            "trait_provenance": context.trait_provenance,
            "trait_scales": scales(rubric),
            "trait_faults": scores.faults or None,
            **scores.sections,
        }
        context.warnings.extend(scores.problems)
        section = section_of(scores)
        context[A.DEEP_JUDGMENT_RUBRIC_PERFORMED] = bool(scores.deep)
        context[A.TRAITS_WITHOUT_VALID_EXCERPTS] = section.pop(A.TRAITS_WITHOUT_VALID_EXCERPTS)
        for name, value in section.items():
            context.set_result_field(f"deep_judgment_rubric.{name}", value)


class DeepJudgmentRubricAutoFail(Stage):
    """Fail an answer with traits that have no valid quote. A refusal takes precedence."""

    name = "DeepJudgmentRubricAutoFail"
    requires = [A.DEEP_JUDGMENT_RUBRIC_PERFORMED, A.TRAITS_WITHOUT_VALID_EXCERPTS]
    consults = [A.ABSTENTION_DETECTED]
    overrides = [A.VERIFY_RESULT]

    def rule(self, context: VerificationContext) -> str | None:
        if not context.get_artifact(A.DEEP_JUDGMENT_RUBRIC_PERFORMED):
            return "no trait uses deep judgment"
        if context.get_artifact(A.ABSTENTION_DETECTED):
            return "the model refused to answer"
        return None if context.get_artifact(A.TRAITS_WITHOUT_VALID_EXCERPTS) else "every trait has a quote"

    def execute(self, context: VerificationContext) -> None:
        missing = context[A.TRAITS_WITHOUT_VALID_EXCERPTS]
        traits = ", ".join(missing or [])
        context[A.VERIFY_RESULT] = False
        context.mark_failure("deep_judgment_rubric", f"Traits without a valid quote: {traits}")


def _terms(context: VerificationContext) -> TraitSettings:
    return TraitSettings(context.config, context.question_id, context.trait_provenance or {})


def _task(context: VerificationContext, terms: TraitSettings, text: str) -> RubricTask:
    judge, tools = context.parsing_model, context.world
    return RubricTask(
        question=context.question_text,
        text=text,
        terms=terms,
        sandbox=tools.sandbox,
        judge=context.judge(judge) if judge else None,
        raw_answer=context.raw_answer,
        search=tools.rubric_search or tools.search,
        trusted=context.trusted,
    )


def selected_rubric(context: VerificationContext) -> Rubric:
    """Rubric with the traits selected for the run."""
    rubric, names = context.rubric, context.config.rubric_trait_names
    assert rubric is not None
    return rubric if names is None else rubric.only(names)


def report_unknown_traits(context: VerificationContext) -> None:
    """Warn of selected trait names that the rubric does not contain."""
    rubric, names = context.rubric, context.config.rubric_trait_names
    assert rubric is not None
    available = {*rubric.names, *(rubric.dynamic.names if rubric.dynamic else ())}
    if unknown := sorted(set(names or ()) - available):
        context.warnings.append(f"The rubric has no trait named {join_list([f'“{name}”' for name in unknown], 'or')}.")


def _only_for_agents(rubric: Rubric) -> bool:
    others = len(rubric.traits) - len(rubric.agentic_traits)
    return bool(rubric.agentic_traits) and not others and not (rubric.dynamic and rubric.dynamic.names)
