from __future__ import annotations

from collections import Counter

from karenina_gui.runs.job_order import groups_in_order
from karenina_gui.runs.request import RunRequest
from karenina_gui.schemas.benchmark import BenchmarkDocument
from karenina_gui.schemas.condition import Condition
from karenina_gui.schemas.job import expand
from karenina_gui.schemas.model_config import ModelConfig
from karenina_gui.schemas.model_labels import labels
from karenina_gui.schemas.question import Question
from karenina_gui.schemas.verification_config import VerificationConfig


def models(*names: str) -> list[ModelConfig]:
    return [ModelConfig(model_name=name, interface="openai_endpoint") for name in names]


CONFIG = VerificationConfig(
    answering_models=models("ada", "bob"), parsing_models=models("jim", "joe"), replicate_count=2
)


def test_the_stable_order_is_question_answering_judge_replicate() -> None:
    keys = [job.key for job in expand(["q1", "q2"], CONFIG)]
    assert keys[:5] == [
        "q1\tada\tjim\trep1",
        "q1\tada\tjim\trep2",
        "q1\tada\tjoe\trep1",
        "q1\tada\tjoe\trep2",
        "q1\tbob\tjim\trep1",
    ]
    assert len(set(keys)) == len(keys) == 16


def test_a_single_replicate_has_no_number_and_no_judge_is_one_job() -> None:
    (job,) = expand(["q"], VerificationConfig(answering_models=models("ada")))
    assert (job.replicate, job.judge, job.key) == (None, None, "q\tada\t")


def test_two_models_of_one_id_are_told_apart_and_share_no_answer() -> None:
    twins = models("gpt", "gpt")
    assert labels(twins) == ["gpt", "gpt #2"]
    one, two = expand(["q"], VerificationConfig(answering_models=twins))
    assert one.key != two.key
    assert one.answer_key != two.answer_key


def test_a_label_is_never_the_id_of_another_model() -> None:
    models_of_three = [*models("g", "g"), ModelConfig(id="g #2", model_name="h", interface="openai_endpoint")]
    assert labels(models_of_three) == ["g", "g #3", "g #2"]
    jobs = expand(["q"], VerificationConfig(answering_models=models_of_three))
    assert len({job.key for job in jobs}) == 3


def test_judges_share_one_answer_and_replicates_do_not() -> None:
    answers = {job.answer_key for job in expand(["q"], CONFIG)}
    assert answers == {"q\tada\trep1", "q\tada\trep2", "q\tbob\trep1", "q\tbob\trep2"}


def test_conditions_have_answers_of_their_own_and_repeated_judgments_share_one() -> None:
    held = [Condition(name="baseline"), Condition(name="with graph", system_prompt="Use the graph.")]
    config = CONFIG.model_copy(update={"conditions": held, "judge_replicates": 2})
    jobs = expand(["q"], config)
    assert len({job.key for job in jobs}) == len(jobs) == 2 * 2 * 2 * 2 * 2
    assert len({job.answer_key for job in jobs}) == 2 * 2 * 2
    assert jobs[0].key == "q\tada\tjim\tunder baseline\trep1\tjudged1"
    request = RunRequest(BenchmarkDocument(name="b"), config, ["q"])
    assert [request.counts_answer(job) for job in jobs[:2]] == [True, False]
    assert Counter(job.answer_key for job in jobs if request.counts_answer(job)).most_common(1)[0][1] == 1


def test_without_a_judge_nothing_is_judged_twice() -> None:
    config = VerificationConfig(answering_models=models("ada"), judge_replicates=3)
    (job,) = expand(["q"], config)
    assert job.judge_replicate is None


def worked_on(ordering: str) -> list[str]:
    document = BenchmarkDocument(name="b")
    for name, template in (("q1", "A"), ("q2", "B"), ("q3", "A")):
        document.add(Question(question=name, raw_answer="", id=name, answer_template=template))
    config = VerificationConfig(answering_models=models("ada", "bob"))
    jobs = expand(["q1", "q2", "q3"], config)
    return [f"{group[0].question_id}{group[0].answering[0]}" for group in groups_in_order(jobs, document, ordering)]


def test_the_order_of_work_follows_the_setting() -> None:
    assert worked_on("auto") == ["q1a", "q1b", "q3a", "q3b", "q2a", "q2b"]
    assert worked_on("prefix_cache") == ["q1a", "q2a", "q3a", "q1b", "q2b", "q3b"]
    assert worked_on("distribute_answerers") == worked_on("generation_order")
    assert worked_on("generation_order") == ["q1a", "q1b", "q2a", "q2b", "q3a", "q3b"]
    assert sorted(worked_on("random")) == sorted(worked_on("auto"))
