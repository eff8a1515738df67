"""Other names by which people look for a command, such as those of other programs."""

from __future__ import annotations

from collections.abc import Mapping

SYNONYMS: Mapping[str, tuple[str, ...]] = {
    "question.new": ("add question", "create question"),
    "benchmark.new": ("add benchmark", "create benchmark"),
    "benchmark.restore": ("undo", "undelete", "trash", "recycle bin"),
    "benchmark.duplicate": ("copy benchmark", "clone", "new version"),
    "benchmark.details": ("rename benchmark", "version", "trust"),
    "questions.import": ("spreadsheet", "Excel", "CSV", "upload"),
    "benchmark.import": ("load", "upload", "checkpoint"),
    "benchmark.export": ("save", "download", "checkpoint", "share"),
    "results.open": ("load results", "upload results"),
    "question.duplicate": ("copy question", "clone"),
    "question.delete": ("remove question",),
    "questions.restore": ("undo", "undelete", "trash", "recycle bin"),
    "question.finish": ("review", "approve", "done", "ready"),
    "templates.test": ("check templates", "bench", "validate"),
    "samples.read": ("judge", "extract", "sample answers"),
    "result.keep": ("sample answer", "test case", "regression test"),
    "questions.search": ("search", "filter"),
    "trait.new": ("add trait", "criterion", "rating"),
    "trait.delete": ("remove trait",),
    "edit.settings": ("preferences", "options", "author"),
    "run.configure": ("start", "evaluate", "test models"),
    "run.list": ("history", "compare", "charts", "results"),
    "run.cancel": ("cancel", "abort"),
    "run.resume": ("continue",),
    "run.retry": ("repeat", "try again", "rerun"),
    "run.models": ("LLM", "provider", "endpoint"),
    "model.new": ("add model", "create model"),
    "model.delete": ("remove model",),
    "keys.open": ("token", "secret", "password"),
    "prices.open": ("cost", "budget"),
    "run.presets": ("configuration", "saved settings"),
    "view.dark": ("night", "appearance", "colors"),
    "view.light": ("day", "appearance", "colors"),
    "view.system": ("automatic", "appearance", "colors"),
    "view.navigation": ("menu", "navigation"),
    "help.guide": ("documentation", "manual"),
    "help.contents": ("documentation", "manual", "tutorial"),
    "help.shortcuts": ("keys", "hotkeys"),
}
"""Names by the id of a command, in addition to its title."""
