"""What a cell answers about traits and patterns, and that it needs nothing more once it is locked."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import pytest

from karenina_gui.sandbox.template_code import execute
from tests.sandbox.templates import CLASSIC, REGEX_ONLY, VERIFIED, traits


def test_a_trait_is_the_last_function_of_its_source() -> None:
    source = "def words(text):\n    return len(text.split())\ndef short(text):\n    return words(text) < 3\n"
    assert traits(source, "a b", "a b c") == [{"value": True}, {"value": False}]
    assert traits(source, "a b c", entry="words") == [{"value": 3}]


@pytest.mark.parametrize(
    ("source", "entry", "item"),
    [
        ("def f(text):\n    return text.size\n", None, {"error": "AttributeError", "line": 2}),
        ("def f(text):\n    return [text]\n", None, {"error": "TypeError", "line": None}),
        ("def f(text):\n    leave()\n", None, {"error": "NameError", "line": 2}),
        ("def f(text:\n", None, {"error": "SyntaxError", "line": 1}),
        ("x = 1\n", None, {"error": "NameError", "line": None}),
        ("def f(text):\n    return 1\n", "g", {"error": "NameError", "line": None}),
    ],
)
def test_a_trait_that_breaks_says_where(source: str, entry: str | None, item: dict[str, Any]) -> None:
    (found,) = traits(source, "x", entry=entry)
    assert {key: found[key] for key in item} == item
    assert found["message"]


def test_patterns_are_found_with_their_places() -> None:
    searches = [
        {"pattern": "BCL", "case_sensitive": True},
        {"pattern": "BCL", "case_sensitive": False},
        {"pattern": "([", "case_sensitive": True},
        {"pattern": "", "case_sensitive": True},
    ]
    sensitive, insensitive, broken, empty = execute({"op": "regex", "searches": searches, "text": "bcl" * 300})["items"]
    assert sensitive == {"found": False, "spans": []}
    assert insensitive["spans"][:2] == [[0, 3], [3, 6]]
    assert "unterminated character set" in broken["error"]
    assert len(empty["spans"]) == 200


AFTER_THE_LOCK = """
import json, sys
from karenina_gui.sandbox.template_code import execute, warm_up
warm_up()
touched = []
sys.addaudithook(lambda event, arguments: touched.append(arguments[0]) if event in ("open", "import") else None)
for request in json.loads(sys.stdin.read()):
    execute(request)
print(json.dumps([str(item) for item in touched]))
"""


def test_nothing_is_opened_or_imported_once_the_cell_is_warm() -> None:
    unusual = (
        "import calendar, csv, difflib, fractions, heapq, hashlib, html, textwrap, unicodedata\n"
        "from pydantic import AnyUrl, ConfigDict, HttpUrl, IPvAnyAddress, SecretStr, computed_field\n"
        "from typing import Annotated\n"
        "import datetime, uuid, warnings\n"
        "class Answer(BaseAnswer):\n"
        "    when: datetime.datetime = Field(description='w')\n    url: HttpUrl | None = None\n"
        "    key: uuid.UUID | None = None\n    secret: SecretStr = SecretStr('x')\n"
        "    span: datetime.timedelta = None\n"
        "    many: Annotated[list[int], Field(min_length=1)] = Field(default_factory=lambda: [1])\n"
        "    def verify(self):\n"
        "        warnings.warn('careful')\n"
        "        return datetime.datetime.strptime('2020', '%Y').strftime('%a') == '' or self.nothing\n"
    )
    values = {"when": "2020-01-02T03:04:05Z", "url": "https://example.org", "key": "0" * 32, "span": "PT1H"}
    requests = [
        *({"op": "outline", "source": source} for source in (CLASSIC, VERIFIED, REGEX_ONLY, unusual, "1 +", "{}[1]")),
        {"op": "validate", "source": unusual, "values": {"when": "never", "url": "x", "key": "y", "span": []}},
        {"op": "validate", "source": unusual, "values": {"when": None, "url": True}},
        {"op": "verify", "source": unusual, "items": [{"values": values}]},
        {"op": "verify", "source": unusual, "items": [{"values": {"when": None}, "nulls": ["when"]}]},
        {"op": "verify", "source": VERIFIED, "items": [{"values": {"target": "x", "dose": 1}, "trace": "x"}]},
        {"op": "trait", "source": "def f(text):\n    return text.upper().encode('idna').decode()", "texts": ["é"]},
    ]
    done = subprocess.run(
        [sys.executable, "-c", AFTER_THE_LOCK], input=json.dumps(requests), capture_output=True, text=True, check=True
    )
    # Python itself looks for the line of a syntax error in a file of this name, and does without.
    assert set(json.loads(done.stdout)) <= {"<string>"}
