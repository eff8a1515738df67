"""What the lists of models say about each."""

from __future__ import annotations

from karenina_gui.app import Application
from karenina_gui.gui.pages.models.model_text import ModelWords


def test_a_model_is_described_without_repeating_its_name(application: Application) -> None:
    words, models = ModelWords(application.runs.models), application.library.models.all()
    careful = models["sample-careful"]
    assert "Recorded run<span" in words.line("sample-careful", careful)
    assert "Recorded run · sample-careful<span" in words.line("careful", careful)
