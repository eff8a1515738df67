"""Texts, addresses and files that a careless or hostile person might give to the application."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path
from random import Random
from typing import Any

TEXTS = (
    '<img src=x onerror="window.__owned=1">',
    '"><svg onload="window.__owned=1"><script>window.__owned=1</script>',
    "</textarea></title><script>window.__owned=1</script>",
    '[a link](javascript:window.__owned=1) ![a picture](x" onerror="window.__owned=1)',
    "<a href='javascript:window.__owned=1'>a link</a>",
    "javascript:window.__owned=1",
    "<details open ontoggle=window.__owned=1>",
    "'; DROP TABLE question; --",
    '" OR 1=1 --',
    "%' ESCAPE '\\",
    "\u202eright to left\u202c \u05e9\u05dc\u05d5\u05dd \u0645\u0631\u062d\u0628\u0627",
    "\u200b\u200d\ufeff\u2060",
    "👩‍👩‍👧‍👦🏴󠁧󠁢󠁥󠁮󠁧󠁿 🇺🇳 e" + "\u0301\u0316\u0489" * 30,
    "half of a face \ud83d and the other \ude00",
    "\udc00",
    "nothing \x00 after this",
    "\x1b[31mred\x1b[0m \x07\x08\x7f",
    "one\r\ntwo\u2028three\u2029four\n\n\n\tfive",
    "{{ 7 * 7 }} {{raw_answer}} ${7*7} {% raw %} #{7*7} %s %n {0} {",
    "{{ constructor.constructor('window.__owned=1')() }}",
    "../../x",
    "..\\..\\x",
    "~",
    "CON",
    "x" * 300 + ".txt",
    "=1+1",
    '=HYPERLINK("http://127.0.0.1:9/","x")',
    "@SUM(A1)",
    "1e999",
    "-1e999",
    "NaN",
    "Infinity",
    "-0",
    "-1",
    "0",
    "1",
    "0.5",
    "1,5",
    "0x10",
    "1_000",
    "\u0661\u0662",
    "\u00b2",
    "9" * 400,
    "99999999999999999999",
    "2147483648",
    "true",
    "null",
    "[]",
    "{}",
    '{"a": ',
    '{"a": NaN, "b": 1e999}',
    "[" * 3000,
    "(" * 3000,
    "(a+)+$",
    "[",
    "(?P<x",
    "\\",
    '"',
    "'",
    "``` \n<!-- ]]> # *",
    "__proto__",
    "constructor",
    "",
    "   ",
    "long " * 20_000,
    "word" * 5_000,
    "a: &a [*a, *a]",
    "http://127.0.0.1:9/",
    "http://[::1",
    "class Answer(BaseAnswer):\n    x: int = VerifiedField(",
    "class Answer(BaseAnswer):\n    x: str = VerifiedField(description='', ground_truth='', verify_with=ExactMatch())",
    "import os\nos.abort()",
    "while True: pass",
)
"""What is typed into fields."""

NUMBERS = (
    "0",
    "-1",
    "1",
    "2",
    "3",
    "4",
    "99999999999999999999",
    "1e9",
    "abc",
    "%00",
    "1.5",
    "\u0661",
    "%F0%9F%98%80",
    "%ff",
)
"""What stands in addresses where a number is meant."""

QUERIES = (
    "", "?tab=template", "?tab=rubric", "?tab=workspace", "?tab=%00", "?tab=%3Cscript%3E", "?preset=", "?preset=%00",
    "?again=1", "?again=-1", "?again=99999999999999999999", "?id=x", "?import=1", "?new=1", "?restore=1", "?k-eval=1",
    "?open=1", "?benchmark=1", "?benchmark=99999999999999999999", "?benchmark=x", "?enter=OPENAI_API_KEY",
    "?enter=%00", "?name", "?number=1", "?model=%00&sort=%ff", "?text=%00", "?text=%27%25", "?outcome=passed,x",
    "?replicate=%C2%B2", "?replicate=999999999", "?trait=%22&is=yes", "?sort=-seconds", "?sort=trait%3A%00",
    "?chart=heatmap", "?chart=cost&view=table", "?chart=x&metric=%00&within=nan", "?chart=convergence&within=1e-9",
    "?clusters=keyword&errors=fail", "?against=%00", "#text=%F0%9F%98%80", "#%ff", "?a=1&a=2&a=" + "9" * 2000,
)  # fmt: skip


def make_files(folder: Path, random: Random, valid: list[Path]) -> list[Path]:
    """Small files of every kind that can be brought in, most of them broken; `valid` ones are varied as well."""
    folder.mkdir(parents=True, exist_ok=True)
    plain = {
        "empty.csv": b"",
        "zeros.csv": b"question,answer\n\x00,\x00\n",
        "latin.csv": "question;answer\nWas kostet ein Brötchen?;1 €\n".encode("cp1252"),
        "broken.json": b'{"a": ',
        "deep.json": b"[" * 100_000,
        "list.json": b"[1, NaN, null]",
        "broken.jsonld": b"\xff\xfe\x00",
        "no.xlsx": b"PK\x03\x04 and nothing more",
        "no.zip": b"PK\x03\x04 and nothing more",
        "empty.yaml": b"",
        "circle.yaml": b"a: &a [*a, *a]\n",
        "picture.png": b"\x89PNG\r\n\x1a\n",
        "<img src=x onerror=window.__owned=1>.txt": b"a text",
        "\u202etxt.csv": b'"question","answer"\n"a","b"\n"a","c"\n,\n',
    }
    files = []
    for name, content in plain.items():
        (folder / name).write_bytes(content)
        files.append(folder / name)
    rows = [
        f'"{text.replace(chr(34), chr(34) * 2)}","{number}"' for number, text in enumerate(TEXTS) if len(text) < 999
    ]
    (folder / "texts.csv").write_text("question,answer\n" + "\n".join(rows), "utf-8", errors="replace")
    with zipfile.ZipFile(folder / "outside.zip", "w") as archive:
        archive.writestr("../outside.txt", "x")
        archive.writestr("inside/<b>.txt", "x")
    with zipfile.ZipFile(folder / "inside.zip", "w") as archive:
        archive.writestr("a/b.txt", "x")
        archive.writestr("\u202e/=1+1.py", "print(1)")
    files += [folder / "texts.csv", folder / "outside.zip", folder / "inside.zip"]
    for file in valid:
        content = json.loads(file.read_bytes())
        for number in range(3):
            varied = folder / f"varied-{number}-{file.name}"
            varied.write_text(json.dumps(_varied(content, random, 3 * number)), "utf-8")
            files.append(varied)
    return files


def _varied(document: Any, random: Random, times: int) -> Any:
    """The same document with some of its values replaced."""
    document = json.loads(json.dumps(document))
    for _ in range(times):
        values: tuple[Any, ...] = (None, [], {}, -1, 1e308, True, "2020-13-45T99:99", [None], {"": None})
        place = document
        while True:
            keys = list(place) if isinstance(place, dict) else list(range(len(place)))
            if not keys:
                break
            key = random.choice(keys)
            if isinstance(place[key], dict | list) and place[key] and random.random() < 0.95:
                place = place[key]
                continue
            text = random.choice([text for text in TEXTS if len(text) < 5_000])
            place[key] = random.choice((text, random.choice(values)))
            break
    return document
