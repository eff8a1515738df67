"""A summary of results in the schema Every Eval Ever 0.2.1: one entry for each metric under each condition.

The schema: https://github.com/evaleval/every_eval_ever, eval.schema.json; the part of it that is used here stands in
`every_eval_ever.schema.json`. It has one model to a file.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from statistics import fmean
from typing import Any

from karenina_gui.formats.k_eval.aggregation import VERDICT, KEvalAggregate, KEvalArm, Scale
from karenina_gui.formats.results.run_info import RunInfo, package_version
from karenina_gui.schemas.effective_models import effective_models
from karenina_gui.schemas.metric_summary import MetricSummary
from karenina_gui.schemas.model_config import ModelConfig
from karenina_gui.schemas.result import ModelIdentity
from karenina_gui.schemas.rubric import AgenticRubricTrait
from karenina_gui.schemas.run_name import is_by_date

VERSION = "0.2.1"
_INVESTIGATED = {
    "trace_and_workspace": "trace and the workspace",
    "workspace_only": "workspace",
    "trace_only": "trace",
}
"""Objects of a judging agent by its context."""
_DEVELOPERS = {
    "claude": "anthropic",
    "gpt-": "openai",
    "o1": "openai",
    "o3": "openai",
    "o4": "openai",
    "gemini": "google",
    "mistral": "mistralai",
    "deepseek": "deepseek",
    "grok": "xai",
}
"""Beginning of a model's name: whose it is."""


def evaluation_id(run: RunInfo, label: str) -> str:
    """The run, the model and the time (`run/model/time`), as the schema advises."""
    return f"{name_of(run)}/{label}/{_epoch(run.exported)}"


def evaluation_name(run: RunInfo, arm: KEvalArm) -> str:
    """The run and the condition (`run/condition`), as k-eval has it; the run alone if it has no conditions."""
    return name_of(run) if arm.condition is None else f"{name_of(run)}/{arm.condition}"


def summary(
    run: RunInfo, label: str, arms: list[KEvalArm], gathered: KEvalAggregate, detailed: dict[str, Any]
) -> dict[str, Any]:
    """The summary of one model; `detailed` says where its lines are.

    A metric without any score has no entry.
    """
    return {
        "schema_version": VERSION,
        "evaluation_id": evaluation_id(run, label),
        "evaluation_timestamp": str(int(run.started)),
        "retrieved_timestamp": _epoch(run.exported),
        "source_metadata": {
            "source_name": name_of(run),
            "source_type": "evaluation_run",
            "source_organization_name": "not stated",
            "evaluator_relationship": "other",
        },
        "model_info": model_info(arms[0].model, label),
        "eval_library": {"name": "karenina-gui", "version": package_version()},
        "evaluation_results": [
            entry for arm in arms for metric in gathered.scales for entry in _entries(run, arm, metric, gathered)
        ],
        "detailed_evaluation_results": detailed,
    }


def model_info(model: ModelIdentity, label: str) -> dict[str, Any]:
    developer = next((who for start, who in _DEVELOPERS.items() if model.model_name.startswith(start)), None)
    return {
        "name": model.model_name,
        "id": f"{developer}/{model.model_name}" if developer else model.model_name,
        **({"developer": developer} if developer else {}),
        "additional_details": {"interface": model.interface, "label": label},
    }


def _entries(run: RunInfo, arm: KEvalArm, metric: str, gathered: KEvalAggregate) -> Iterator[dict[str, Any]]:
    scale, name = gathered.scales[metric], gathered.names[metric]
    answers = [sample.scores(metric) for sample in arm.samples.values()]
    measured = _measure(run, answers, scale)
    if measured.mean is None:
        return
    yield {
        "evaluation_name": f"{evaluation_name(run, arm)}/{name}",
        "evaluation_timestamp": str(int(run.started)),
        "source_data": {
            "dataset_name": run.benchmark or name_of(run),
            "source_type": "other",
            "additional_details": {
                "samples_number": str(len(arm.samples)),
                **({"dataset_sha256": run.dataset_hash} if run.dataset_hash else {}),
                **({"benchmark_version": run.version.text} if run.version.text else {}),
                **({"benchmark_sha256": run.benchmark_hash} if run.benchmark_hash else {}),
            },
        },
        "metric_config": _metric_config(run, metric, name, scale, answers),
        "score_details": {
            "score": measured.mean,
            "details": _details(arm, answers, measured),
            "uncertainty": _uncertainty(measured),
        },
        "generation_config": _generation(run, arm),
    }


def _measure(run: RunInfo, answers: list[list[float]], scale: Scale) -> MetricSummary:
    scored = [answer for answer in answers if answer]
    # Without anyone who computes intervals, the mean alone.
    if run.figures is None or not scored:
        return MetricSummary(fmean(map(fmean, scored)) if scored else None, questions=len(scored))
    return run.figures.measure(scored, scale.low, scale.high)


def _metric_config(run: RunInfo, metric: str, name: str, scale: Scale, answers: list[list[float]]) -> dict[str, Any]:
    config: dict[str, Any] = {
        "evaluation_description": _about(run, metric) or f"{name}, mean of the question means",
        "lower_is_better": scale.higher_is_better is False,
        **_score_type(scale, [score for answer in answers for score in answer]),
    }
    # As they were asked, not as they are set: with fixed judges the temperature differs.
    judges = [_judge(run.config.judge_with_temperature(model)) for model in run.config.parsing_models]
    if scale.judged and judges:
        config["llm_scoring"] = {
            "judges": judges,
            "input_prompt": _prompt(run, metric),
            "aggregation_method": "average",
        }
    return config


def _score_type(scale: Scale, scores: list[float]) -> dict[str, Any]:
    if scale.classes:
        return {"score_type": "levels", "level_names": list(scale.classes), "has_unknown_level": True}
    if scale.binary:
        return {"score_type": "binary"}
    low, high = scale.low, scale.high
    bounds = {
        "score_type": "continuous",
        "min_score": min(scores) if low is None else low,
        "max_score": max(scores) if high is None else high,
    }
    if low is not None and high is not None:
        return bounds
    # The schema demands bounds; those seen are the only honest ones, and a note beside them says so.
    return {**bounds, "additional_details": {"bounds": "observed minimum and maximum: the metric has no fixed bounds"}}


def _judge(model: ModelConfig) -> dict[str, Any]:
    identity = ModelIdentity(interface=model.interface, model_name=str(model.model_name))
    temperature = {} if model.temperature is None else {"temperature": model.temperature}
    return {"model_info": model_info(identity, str(model.id)), **temperature}


def _about(run: RunInfo, metric: str) -> str:
    """The description of the trait or its field; empty if it is not known."""
    if metric == VERDICT:
        return "Share of answers that pass their question’s template; refusals count as failed."
    trait, _, part = metric.partition(".")
    metric_trait = run.rubric.get(trait) if run.rubric else None
    # A trait with a form: each of its fields is a metric of its own.
    kind = getattr(metric_trait, "kind", None)
    if part and isinstance(kind, dict):
        return str(kind["schema"]["properties"].get(part, {}).get("description") or "")
    return (metric_trait.description or "") if metric_trait else ""


def _prompt(run: RunInfo, metric: str) -> str:
    trait = metric.partition(".")[0]
    metric_trait = run.rubric.get(trait) if run.rubric else None
    texts = [metric_trait.description or "" if metric_trait else "", _about(run, metric)]
    instructions = list(dict.fromkeys(filter(None, texts)))
    if isinstance(metric_trait, AgenticRubricTrait):
        context = f"A judging agent investigates the {_INVESTIGATED[metric_trait.context_mode]}"
    elif getattr(metric_trait, "include_ground_truth", False):
        context = "The judge sees the question, answer and reference answer"
    else:
        context = "The judge sees the question and answer"
    if not instructions:
        return f"{context}, with the instructions of each question’s own trait."
    return "\n\n".join([f"{context}, with these instructions:", *instructions])


def _details(arm: KEvalArm, answers: list[list[float]], measured: MetricSummary) -> dict[str, str]:
    """Figures and counts, all of them as texts, since the schema wants it so."""
    figures = {
        "mean_of_question_stddevs": measured.reported,
        "pooled_stddev_within_questions": measured.pooled,
        "stddev_between_question_means": measured.between,
    }
    planned = sum(len(sample.answers) for sample in arm.samples.values())
    return {
        **{name: repr(float(value)) for name, value in figures.items() if value is not None},
        "questions_scored": str(measured.questions),
        "questions": str(len(arm.samples)),
        "answers_scored": str(sum(map(len, answers))),
        "answers": str(planned),
    }


def _uncertainty(measured: MetricSummary) -> dict[str, Any]:
    uncertainty: dict[str, Any] = {"num_samples": measured.questions}
    if measured.error is not None:
        uncertainty["standard_error"] = {"value": measured.error, "method": "analytic, over question means"}
    if measured.low is not None and measured.high is not None:
        uncertainty["confidence_interval"] = {
            "lower": measured.low,
            "upper": measured.high,
            "confidence_level": measured.level,
            "method": measured.method,
        }
    if measured.between is not None:
        uncertainty["standard_deviation"] = measured.between
    return uncertainty


def _generation(run: RunInfo, arm: KEvalArm) -> dict[str, Any]:
    """Settings of the model under the condition; no arguments if the run does not tell its settings."""
    config = run.config
    judges = map(config.judge_with_temperature, config.parsing_models)
    temperatures = {str(judge.temperature) for judge in judges if judge.temperature is not None}
    seen = max(len(sample.answers) for sample in arm.samples.values())
    replicates = config.replicate_count if run.settings_known else seen
    details = {"condition": arm.condition, "replicates": str(replicates)}
    if temperatures:
        details["judge_temperature"] = ", ".join(sorted(temperatures))
    arguments = _arguments(run, arm)
    return {
        **({"generation_args": arguments} if arguments else {}),
        "additional_details": {name: value for name, value in details.items() if value is not None},
    }


def _arguments(run: RunInfo, arm: KEvalArm) -> dict[str, Any]:
    model = next((model for model in effective_models(run.config).values() if model.id == arm.model.label), None)
    if model is None:
        return {}
    if run.settings_known:
        return {"temperature": model.temperature, "max_tokens": model.max_tokens}
    return {} if model.temperature is None else {"temperature": model.temperature}


def name_of(run: RunInfo) -> str:
    """The run's own name, or its benchmark's if nobody named it, so that runs of one evaluation are called alike."""
    own = run.run_name if run.run_name and not is_by_date(run.run_name) else None
    return own or run.benchmark or run.run_name or run.job_id


def _epoch(moment: datetime) -> str:
    return str(int(moment.timestamp()))
