"""Dialog that orders drafts: model, forecast of tokens and cost, and prompt."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean, stdev
from typing import Any

from nicegui import run, ui

from karenina_gui.analysis.costs import dollars
from karenina_gui.analysis.forecast import NOTHING, Range
from karenina_gui.analysis.thresholds import (
    CHARACTERS_PER_TOKEN,
    MIN_EARLIER_RESULTS,
    MIN_MARGIN_SHARE_OF_FORECAST,
    OUTPUT_TOKENS_OF_JUDGE,
    STANDARD_ERRORS_OF_FORECAST,
)
from karenina_gui.authoring.drafting.drafter import RETRIES
from karenina_gui.authoring.drafting.prompts import TEMPLATE_INSTRUCTIONS, TEMPLATE_SCHEMA, TRAIT_INSTRUCTIONS
from karenina_gui.authoring.drafting.service import DraftOrder
from karenina_gui.errors import InputError, NotFoundError
from karenina_gui.gui.kit.dialogs import dialog, dialog_actions
from karenina_gui.gui.kit.elements import button, field, note, text_area
from karenina_gui.gui.kit.html import Html, join_html, link, tag
from karenina_gui.gui.kit.quoting import aria_label
from karenina_gui.gui.pages.prices.price_text import PAGE, in_dollars, model_in_words
from karenina_gui.gui.session.window import Window
from karenina_gui.schemas.model_config import PLAYED_BACK, ModelConfig
from karenina_gui.schemas.model_draft import DraftKind, ModelDraft
from karenina_gui.schemas.prices import ModelTokens, Price
from karenina_gui.text import quantity

TITLES: dict[DraftKind, str] = {"template": "Draft templates", "traits": "Suggest traits"}
DEFAULTS: dict[DraftKind, str] = {"template": TEMPLATE_INSTRUCTIONS, "traits": TRAIT_INSTRUCTIONS}
SAMPLED = 20
"""Number of questions whose prompts are measured for the forecast."""
SCHEMA_LENGTH = len(json.dumps(TEMPLATE_SCHEMA))
"""Characters of the response schema, which providers count as input."""


class DraftDialog:
    """Dialog for drafts about these questions; None among `numbers`: about the benchmark."""

    def __init__(
        self,
        window: Window,
        kind: DraftKind,
        benchmark_id: int,
        numbers: Sequence[int | None],
        started: Callable[[], Any] = lambda: None,
    ) -> None:
        self.window, self.kind, self.benchmark_id = window, kind, benchmark_id
        self.numbers = tuple(numbers)
        self._started = started
        self._services = window.services
        self.models = {
            name: model
            for name, model in self._services.library.models.all().items()
            if self._services.runs.models.is_asked(model)
        }
        self._subjects: list[str] = []
        with dialog(TITLES[kind], classes="draft-dialog") as self._dialog:
            ui.label(self._about()).classes("hint")
            if self.models:
                self._draw()
            else:
                self._draw_without_model()
        if self.models:
            ui.timer(0, self._measure, once=True)

    def _about(self) -> str:
        if self.kind == "traits":
            return "A model suggests traits. You decide which ones to add."
        what = "a template for this question"
        if len(self.numbers) > 1:
            what = f"templates for {quantity(len(self.numbers), 'question')}"
        return f"A model drafts {what}. Nothing changes until you accept a draft."

    def _draw_without_model(self) -> None:
        note("No models yet. Add one first.", "warn")
        with dialog_actions():
            button("Models", lambda: ui.navigate.to("/models"), look="main")
            button("Close", self._dialog.close)

    def _draw(self) -> None:
        with field("Model"):
            self.model = ui.select([*self.models], value=self._first_model(), on_change=self._show_forecast)
            self.model.props("outlined dense options-dense autofocus " + aria_label("Model")).classes("input")
        self.forecast = ui.html("").classes("draft-forecast")
        with ui.expansion("Prompt").classes("draft-prompt box"):
            with field("Instructions", "sent with every question; saved for your next drafts"):
                self.instructions = text_area("Instructions", self._saved_instructions)
                # A text area that is not shown yet cannot grow with its text.
                self.instructions.props('rows="8"', remove="autogrow")
                self.instructions.on_value_change(self._show_forecast)
            button("Reset to default", self._reset, look="quiet", icon="restart_alt")
            ui.label("Sent for the first question").classes("field-label")
            self.subject = ui.label("").classes("draft-subject prose box").props('tabindex="0"')
        self.problem = ui.element("div").props('role="status"')
        with dialog_actions():
            button("Cancel", self._dialog.close)
            button("Start", self._start, look="main", icon="auto_awesome")

    def _first_model(self) -> str:
        """The model that was used last, else one that fits this benchmark."""
        last = self.window.preferences.draft_model
        if last in self.models:
            return last
        live = [name for name, model in self.models.items() if model.interface != "replay"]
        recorded = [name for name in self.models if name not in live and self._is_recorded(self.models[name])]
        return next(iter([*recorded, *live, *self.models]))

    def _is_recorded(self, model: ModelConfig) -> bool:
        """True if the model's recording has a draft for the first of these questions."""
        try:
            request = self._services.drafting.first_request(self._order(model, self._saved_instructions))
            return self._services.runs.models.is_recorded(model, request)
        except InputError:
            return False

    @property
    def _saved_instructions(self) -> str:
        return self.window.preferences.draft_instructions(self.kind) or DEFAULTS[self.kind]

    def _order(self, model: ModelConfig, instructions: str) -> DraftOrder:
        return DraftOrder(self.benchmark_id, self.kind, self.numbers, model, instructions)

    async def _measure(self) -> None:
        """Read the prompts of some questions in a thread, since there can be many."""
        self._subjects = await run.io_bound(self._read_subjects) or []
        if not self.subject.is_deleted:
            self.subject.text = self._subjects[0] if self._subjects else ""
            self._show_forecast()

    def _read_subjects(self) -> list[str]:
        subjects = []
        for number in self.numbers[:SAMPLED]:
            try:
                subjects.append(self._services.drafting.subject(self.kind, self.benchmark_id, number))
            except NotFoundError:  # deleted meanwhile
                continue
        return subjects

    def _show_forecast(self) -> None:
        model = self.models[self.model.value]
        name = f"{model.interface}:{model.model_name}"
        length = len(self.instructions.value or "")
        forecast = forecast_drafts(
            name,
            [length + len(subject) for subject in self._subjects],
            len(self.numbers),
            self._services.library.proposals.recent(name, self.kind),
            self._services.runs.prices.all(),
        )
        self.forecast.content = draft_forecast_view(forecast)

    def _reset(self) -> None:
        self.instructions.value = DEFAULTS[self.kind]

    def _start(self) -> None:
        instructions = self.instructions.value or ""
        try:
            self._services.drafting.start(self._order(self.models[self.model.value], instructions))
        except InputError as error:
            self.problem.clear()
            with self.problem:
                note(str(error), "bad")
            return
        self.window.preferences.draft_model = str(self.model.value)
        is_default = instructions.strip() == DEFAULTS[self.kind].strip()
        self.window.preferences.save_draft_instructions(self.kind, "" if is_default else instructions)
        self._dialog.close()
        self._started()


@dataclass(frozen=True)
class DraftForecast:
    """Forecast for a number of drafts."""

    model: str
    """`interface:model_name`."""
    read: Range
    written: Range
    dollars: Range | None
    """None: the model has no price."""
    earlier: int
    """Number of earlier drafts that it is based on; 0: the length of the prompts."""

    @property
    def played_back(self) -> bool:
        return self.model.partition(":")[0] in PLAYED_BACK


def forecast_drafts(
    model: str, prompts: Sequence[int], count: int, earlier: Sequence[ModelDraft], prices: Mapping[str, Price]
) -> DraftForecast:
    """Forecast `count` drafts. `prompts`: characters of the prompts of some of them."""
    used = [tokens for draft in earlier if (tokens := _tokens_of(draft)) is not None]
    if len(used) >= MIN_EARLIER_RESULTS:
        read, written = _mean([counts[0] for counts in used]), _mean([counts[1] for counts in used])
    else:
        used = []
        read, written = _from_prompts(prompts)
    read, written = read.times(count), written.times(count)
    ends = (read.low, written.low), (read.high, written.high)
    low, high = (dollars(ModelTokens(model, round(into), round(out)), prices.get(model)) for into, out in ends)
    return DraftForecast(model, read, written, None if low is None or high is None else Range(low, high), len(used))


def _tokens_of(draft: ModelDraft) -> tuple[int, int] | None:
    """Input and output tokens of all attempts; None: the provider did not report them."""
    counts = [(attempt.input_tokens, attempt.output_tokens) for attempt in draft.attempts]
    read, written = [count for count, _ in counts if count], [count for _, count in counts if count]
    return (sum(read), sum(written)) if len(read) == len(written) == len(counts) else None


def _from_prompts(prompts: Sequence[int]) -> tuple[Range, Range]:
    """Tokens in and out of one draft: from a single call to all retries, each with the reply before it."""
    if not prompts:
        return NOTHING, NOTHING
    length = fmean(prompts) + SCHEMA_LENGTH
    least, most = CHARACTERS_PER_TOKEN
    once = Range(length / most, length / least)
    written = Range(*OUTPUT_TOKENS_OF_JUDGE)
    read = Range(once.low, once.high * (RETRIES + 1) + written.high * RETRIES)
    return read, Range(written.low, written.high * (RETRIES + 1))


def _mean(values: Sequence[int]) -> Range:
    mean, error = fmean(values), stdev(values) / math.sqrt(len(values))
    margin = max(STANDARD_ERRORS_OF_FORECAST * error, MIN_MARGIN_SHARE_OF_FORECAST * mean)
    return Range(max(0.0, mean - margin), mean + margin)


def draft_forecast_view(forecast: DraftForecast) -> Html:
    """HTML of a forecast: `Estimate: 4,000 to 9,000 tokens · $0.01 to $0.05`, and its basis."""
    if forecast.played_back:
        return tag("p", "Replays recorded replies: no model is called, at no cost.")
    tokens = forecast.read + forecast.written
    money = (
        "cost unknown"
        if forecast.dollars is None
        else _span(*map(in_dollars, (forecast.dollars.low, forecast.dollars.high)))
    )
    return join_html(
        [
            tag("p", tag("b", f"Estimate: {_span(_round(tokens.low), _round(tokens.high))} tokens"), f" · {money}"),
            tag("p", _basis(forecast), class_="result-muted"),
            None if forecast.dollars is not None else _without_price(forecast.model),
        ]
    )


def _basis(forecast: DraftForecast) -> str:
    if forecast.earlier:
        return f"Estimated from {quantity(forecast.earlier, 'earlier draft')} by this model."
    return f"Estimated from prompt length, with up to {quantity(RETRIES, 'retry')} per draft."


def _without_price(model: str) -> Html:
    return tag("p", f"No price for {model_in_words(model)}. ", link(PAGE, "Enter prices"), class_="result-muted")


def _span(low: str, high: str) -> str:
    return low if low == high else f"{low} to {high}"


def _round(number: float) -> str:
    """Two significant digits: more would suggest precision that the forecast lacks."""
    return f"{int(float(f'{number:.1e}')):,}"
