"""Query parameters in the URL of a chart."""

from __future__ import annotations

NAMES = {
    "trait": "metric",
    "answering": "model",
    "condition": "condition",
    "judge": "judge",
    "keyword": "keyword",
    "question_id": "question",
    "against": "against",
}
"""Fields of `ChartRequest` and their names in the URL."""
WITHIN = ("chart", "view", "errors", "clusters", "within", *NAMES.values())
"""All parameters that the URL accepts."""
