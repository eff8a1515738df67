"""Hypothesis strategies for jobs of every kind: templates from a small grammar, rubrics, settings, replies."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any, get_args

from hypothesis import strategies as st

from karenina_gui.evidence.risk import Search
from karenina_gui.schemas.retry import RetryBudget, RetryPolicy
from tests.pipeline.scripted_peer import FAULTS, Manner, Turn

TRUTH = "Zyxin-secret"
"""Ground truth of the templates. No judge may read it, except in the embedding check."""
REFERENCE = "reference-secret"
WORDS = ("BCL2", "venetoclax", "It binds BCL2.", "--- AI Message ---", "</answer>", "2016", "", "清晰", "maybe")

HEADS = (*["class Answer(BaseAnswer):"] * 9, "class Other(BaseAnswer):", "class Answer:", "x = 1")
FIELDS = (
    f'target: str = VerifiedField(description="P", ground_truth="{TRUTH}", verify_with=ExactMatch())',
    'year: int = VerifiedField(description="Y", ground_truth=2016, verify_with=NumericExact())',
    'right: bool = VerifiedField(description="R", ground_truth=True, verify_with=BooleanMatch())',
    'cites: bool = VerifiedField(description="C", ground_truth=True, verify_with=TraceContains(substring="[1]"))',
    'names: list[str] = Field(description="N")',
    'share: float | None = Field(default=None, description="S")',
    "odd: int = 'x'",
    "kind: Literal['a', 'b'] = Field(description='K')",
)
YEAR = "{'pattern': '[0-9]+', 'expected': '2016', 'match_type': 'exact'}"
METHODS = (
    "def verify(self):\n        return True",
    "def verify(self):\n        return self.names == ['BCL2']",
    "def verify(self):\n        return 'yes'",
    "def verify(self):\n        return None",
    "def verify(self):\n        raise ValueError(self.correct)",
    "def verify(self):\n        raise SystemExit(3)",
    f"def ground_truth(self):\n        self.correct = {{'target': '{TRUTH}'}}",
    "def ground_truth(self):\n        1 / 0",
    f"def ground_truth(self):\n        self.regex = {{'n': {YEAR}}}",
    "def verify_granular(self):\n        return 0.5",
    "def verify_granular(self):\n        raise KeyError('x')",
    "def verify(self:\n        return",
)
SOUND = f"{HEADS[0]}\n    {FIELDS[0]}\n    {FIELDS[1]}\n"


def template(seed: int) -> str:
    """One template of the grammar: a head, up to three fields, up to two methods."""
    chance = Random(seed)
    parts = chance.sample(FIELDS, k=chance.randint(1, 3)) + chance.sample(METHODS, k=chance.choice([0, 0, 1, 1, 2]))
    return "\n    ".join([chance.choice(HEADS), *parts]) + "\n"


TEMPLATES = (SOUND, "", *map(template, range(40)))
"""A limited number of templates, so that their sandbox cells are reused."""
FUNCTIONS = (
    "def f(text):\n    return len(text) < 99\n",
    "def f(text):\n    return 'long'\n",
    "def f(text):\n    raise ValueError('no')\n",
    "def f(text:\n",
)
PATTERNS = (r"\[\d+\]", "BCL2", "^$", r"(?P<a>x)\b", ".")

limits = st.none() | st.integers(-1, 3)
thresholds = st.none() | st.sampled_from([-1.0, 0.0, 0.8, 1.0, 2.0])
directions = st.sampled_from([True, False])


def named(names: st.SearchStrategy[str], **fields: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    return st.fixed_dictionaries({"name": names, **fields})


def trait_lists(prefix: str, least: int = 0) -> st.SearchStrategy[dict[str, list[dict[str, Any]]]]:
    """A rubric as in a file, with at least `least` traits of each type. Names contain the type."""

    def names(kind: str) -> st.SearchStrategy[str]:
        return st.sampled_from([f"{prefix}{kind}{end}" for end in ("", " 清晰度", "_" * 70)])

    deep = {
        "deep_judgment_enabled": st.booleans(),
        "deep_judgment_excerpt_enabled": st.booleans(),
        "deep_judgment_search_enabled": st.booleans(),
        "deep_judgment_max_excerpts": limits,
        "deep_judgment_fuzzy_match_threshold": thresholds,
        "deep_judgment_excerpt_retry_attempts": limits,
    }
    shown = st.booleans() if prefix == "own " else st.just(False)
    classes = st.just({"Casual": "as among friends", "Formal": "as in a journal"})
    form = {"type": "template", "schema": {"properties": {"n": {"type": "integer"}, "s": {"type": "string"}}}}
    judged = st.one_of(
        named(names("judged"), kind=st.sampled_from(["boolean", "score"]), min_score=st.integers(-1, 3),
              max_score=st.integers(0, 5), include_ground_truth=shown, **deep),
        named(names("class"), kind=st.just("literal"), classes=classes, include_ground_truth=shown, **deep),
        named(names("form"), kind=st.just(form), include_ground_truth=shown),
    )  # fmt: skip
    regex = named(names("regex"), pattern=st.sampled_from(PATTERNS), invert_result=st.booleans())
    function = named(names("function"), kind=st.just("boolean"), source=st.sampled_from(FUNCTIONS))
    metric = st.one_of(
        named(names("metric"), metrics=st.just(["precision", "f1"]), tp_instructions=st.just(["BCL2"])),
        named(names("matrix"), metrics=st.just(["accuracy"]), evaluation_mode=st.just("full_matrix"),
              tp_instructions=st.just(["BCL2"]), tn_instructions=st.just(["MCL1"])),
    )  # fmt: skip
    seen = {"context_mode": st.sampled_from(["trace_only", "trace_and_workspace"]), "materialize_trace": st.booleans()}
    agentic = st.one_of(
        named(names("agent"), kind=st.just("boolean"), higher_is_better=directions, **seen),
        named(names("agent class"), kind=st.just("literal"), classes=classes, higher_is_better=directions, **seen),
        named(names("agent form"), kind=st.just(form), higher_is_better=st.none(), **seen),
    )

    def some(traits: st.SearchStrategy[dict[str, Any]], most: int) -> st.SearchStrategy[list[dict[str, Any]]]:
        return st.lists(traits, min_size=least, max_size=most, unique_by=lambda trait: trait["name"])

    return st.fixed_dictionaries(
        {"llm_traits": some(judged, 3)},
        optional={"regex_traits": some(regex, 2), "metric_traits": some(metric, 1),
                      "callable_traits": some(function, 1), "agentic_traits": some(agentic, 2)},
    )  # fmt: skip


depths = st.fixed_dictionaries(
    {}, optional={"enabled": st.booleans(), "excerpt_enabled": st.booleans(), "max_excerpts": st.integers(1, 3),
                  "fuzzy_match_threshold": st.floats(0, 1), "search_enabled": st.booleans()},
)  # fmt: skip
NAMES = ("judged", "class", "form", "regex", "own judged", "nobody")
tables = st.fixed_dictionaries({"global": st.dictionaries(st.sampled_from(NAMES), depths, max_size=2),
                                "question_specific": st.just({}) | st.dictionaries(
                                    st.just("the question"), st.dictionaries(st.sampled_from(NAMES), depths, max_size=2)
                                )})  # fmt: skip
QUICK = RetryBudget(max_attempts=1, backoff_min=0, backoff_max=0)
RETRIES = RetryPolicy(connection=QUICK, timeout=QUICK, rate_limit=QUICK, server_error=QUICK)
PROMPTS = {"parsing": "Be strict.", "rubric_evaluation": "Be fair.", "deep_judgment": "Quote sparingly."}

SETTINGS: dict[str, st.SearchStrategy[Any]] = {
    "rubric_evaluation_strategy": st.sampled_from(["batch", "sequential"]),
    "use_full_trace_for_template": st.booleans(),
    "use_full_trace_for_rubric": st.booleans(),
    "abstention_enabled": st.booleans(),
    "sufficiency_enabled": st.booleans(),
    "include_extraction_hints": st.booleans(),
    "embedding_check_threshold": st.sampled_from([0.0, 1.0]),
    "deep_judgment_mode": st.sampled_from(["full", "reasoning_only", "disabled"]),
    "deep_judgment_search_enabled": st.booleans(),
    "deep_judgment_excerpt_retry_attempts": st.integers(0, 2),
    "deep_judgment_fuzzy_match_threshold": st.sampled_from([0.0, 0.8, 1.0]),
    "deep_judgment_rubric_mode": st.sampled_from(["enable_all", "use_checkpoint", "custom", "disabled"]),
    "deep_judgment_rubric_global_excerpts": st.booleans(),
    "deep_judgment_rubric_excerpt_retry_attempts_default": st.integers(0, 2),
    "agentic_parsing": st.sampled_from([False, False, True]),
    "agentic_judge_context": st.just("trace_only"),
    "agentic_parsing_materialize_trace": st.booleans(),
    "agentic_rubric_strategy": st.sampled_from(["individual", "shared"]),
    "rubric_trait_names": st.sampled_from([None, None, None, ["judged", "regex", "nobody"]]),
    "prompt_config": st.none() | st.just(PROMPTS),
}
configurations = st.fixed_dictionaries({"deep_judgment_rubric_config": tables, **SETTINGS})
texts = st.sampled_from(
    [*WORDS, "I cannot help with that.", "It binds BCL2 [1]. " * 9, '{"target": "BCL2"}', "{", "\ud800"]
)
manners = st.sampled_from([*["fitting"] * 9, *get_args(Manner)])
turns = st.builds(Turn, manners, st.integers(0, 10_000), texts, st.sampled_from(sorted(FAULTS)))


def _broken(_queries: list[str]) -> list[str]:
    raise OSError("no network")


searches: st.SearchStrategy[Search | None] = st.sampled_from(
    [None, lambda queries: ["found"] * len(queries), lambda queries: [], _broken]
)


class Alikeness:
    """Embedder with a fixed similarity."""

    name = "alike"

    def __init__(self, score: float) -> None:
        self.similarity: Callable[[str, str], float] = lambda one, other: score


embedders = st.none() | st.sampled_from([Alikeness(0.2), Alikeness(1.0)])
