"""Secrets in texts of others: every form in which one comes back."""

from __future__ import annotations

import json
import random
from base64 import b64encode, urlsafe_b64encode
from urllib.parse import quote

import pytest

from karenina_gui.text.secrets import hide, may_be_word, without_secrets

LONG = "sk-ant-api03-Qe7+/TxYz_0123456789-abcdefGHIJKLmnopqrstUVWXYZ_3f9a8b7c6d5e4f-_ZZtop"
SHORT = "k3y/of+14=chars"
FORMS = {
    "as it is": lambda key: key,
    "upper case": str.upper,
    "lower case": str.lower,
    "in a URL": lambda key: quote(key, safe=""),
    "every character escaped": lambda key: "".join(f"%{ord(c):02X}" for c in key),
    "escaped for JavaScript": lambda key: "".join(f"\\u{ord(c):04x}" for c in key),
    "base 64": lambda key: b64encode(key.encode()).decode(),
    "base 64 for URLs": lambda key: urlsafe_b64encode(key.encode()).decode(),
    "a header in base 64": lambda key: b64encode(f"B {key}".encode()).decode(),
    "a name and password in base 64": lambda key: b64encode(f"me:{key}!".encode()).decode(),
    "hexadecimal": lambda key: key.encode().hex(),
    "without its last characters": lambda key: key[:-3],
    "without its first characters": lambda key: key[3:],
    "shortened": lambda key: f"{key[: len(key) * 2 // 3]}…",
    "in two halves": lambda key: f"{key[: len(key) * 2 // 3]} {key[len(key) // 3 :]}",
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("key", [LONG, SHORT])
def test_a_secret_is_hidden_in_every_form(key: str, form: str) -> None:
    written = FORMS[form](key)
    shown = hide(f"You sent {written} to me, Ärger (İ).", key, "[key]")
    assert shown.startswith("You sent ")
    assert shown.endswith(" to me, Ärger (İ).")
    assert "[key]" in shown
    rest = shown.lower().removeprefix("you sent ").removesuffix(" to me, ärger (i̇).")
    assert not any(written.lower()[at : at + 8] in rest for at in range(len(written) - 7))


def test_texts_without_the_secret_stay_as_they_are() -> None:
    draw = random.Random(1)
    text = "".join(chr(draw.randrange(32, 900)) for _ in range(5000)) + " 100 % sure: sk-ant-api03- begins a key. %zz"
    assert hide(text, LONG, "[key]") == text
    assert hide(text, "", "[key]") == text


def test_a_short_secret_is_hidden_to_the_letter_alone() -> None:
    assert hide("Swordfish and swordfish", "swordfish", "[TOKEN]") == "Swordfish and [TOKEN]"
    assert may_be_word("ollama")
    assert not may_be_word("sk-test-1")
    assert not may_be_word("a-long-passphrase")


def test_secrets_are_hidden_in_nested_values() -> None:
    value = {"a": [LONG, ("b", {LONG: 1})], "c": None}
    assert LONG not in json.dumps(without_secrets(value, {LONG: "[key]"}))
    other = {"a": ["b"]}
    assert without_secrets(other, {LONG: "[key]"}) is other
