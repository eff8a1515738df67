"""Values of options in the run form: read, checked, and set."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from karenina_gui.gui.components.typed_text import strip_control_chars
from karenina_gui.gui.run_setup.draft import RunDraft
from karenina_gui.gui.run_setup.draft_memory import ChoiceMemory
from karenina_gui.gui.run_setup.option import Option
from karenina_gui.schemas.benchmark_summaries import ExamplePool


@dataclass(frozen=True)
class OptionContext:
    """State that the controls edit."""

    choice: RunDraft
    memory: ChoiceMemory
    changed: Callable[[], Any]
    """Called after every change."""
    traits: Sequence[str] = ()
    """Names of the benchmark's traits."""
    llm_traits: Callable[[], Mapping[str, Sequence[str]]] = dict
    """{LLM trait: ids of its questions; empty: all questions}."""
    pools: Callable[[], Mapping[str, ExamplePool]] = dict
    """{id: examples} of the questions with examples of their own."""

    def set_option(self, option: Option, entered: Any) -> str | None:
        """Set a value; return the problem, or None."""
        entered = strip_control_chars(entered, None)
        if wrong := option.problem(entered):
            # Kept beside the setting, so that the invalid input reappears with the page.
            self.choice.refused[option.name] = entered
        else:
            if isinstance(entered, str) and entered in option.begins:
                needed, first = option.begins[entered]
                if self.choice.value(needed) is None:
                    self.choice.set(needed, first)
            self.choice.set(option.name, entered)
        self.changed()
        return wrong

    def control_value(self, option: Option) -> Any:
        return self.choice.refused.get(option.name, self.choice.value(option.name))
