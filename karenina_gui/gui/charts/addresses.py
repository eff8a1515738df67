"""What the address of a chart can say."""

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
"""Parts of a request and their names in an address."""
WITHIN = ("chart", "view", "errors", "clusters", "within", *NAMES.values())
"""All that its query can say."""
