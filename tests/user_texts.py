"""Texts that people read, with their places, and the rules for them: `python -m tests.user_texts [--check] [FOLDER …]`.

Without an option it lists every text. With `--check` it lists what breaks a rule, and fails if anything does.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PRODUCT = ROOT / "karenina_gui"

TO_MODELS = (
    "pipeline/prompts.py",
    "rubric/prompts.py",
    "evidence/prompts.py",
    "authoring/drafting/prompts.py",
    "judging/investigation.py",
    "schemas/rubric/methodology.py",
    "sandbox/workspace/workspace_tools.py",
    "sandbox/inside",
    "sandbox/workspace/workspace_folder.py",
    "adapters/tool_calls.py",
    "text/truncation.py",
    "schemas/template_placeholders.py",
    "example",
)
"""Prompts, marks in traces, and code of the sandbox: recordings match them to the letter."""

NOT_SHOWN = frozenset(
    [
        *("props", "classes", "style", "on", "run_javascript", "add_head_html", "add_css", "add_slot", "emit", "query"),
        *("getattr", "setattr", "hasattr", "cast", "TypeVar", "NewType", "Literal", "namedtuple", "getLogger"),
        *("compile", "fullmatch", "match", "search", "sub", "split", "finditer", "findall", "replace", "strftime"),
        *("startswith", "endswith", "removeprefix", "removesuffix", "encode", "decode", "open", "strptime"),
        *("execute", "executescript", "text", "Index", "UniqueConstraint", "create"),
        *("debug", "info", "warning", "exception"),
    ]
)
"""Calls whose arguments nobody reads."""

LIMITS = {"button": 3, "label": 3, "checkbox": 6, "title": 5, "toast": 12, "hint": 12, "tooltip": 15, "error": 25}
"""Words by kind of text, for each of its sentences where it has several."""


@dataclass(frozen=True)
class Text:
    path: Path
    line: int
    kind: str
    """One of `LIMITS`, else empty."""
    text: str
    """Placeholders as `{name}`."""

    @property
    def place(self) -> str:
        return f"{self.path.relative_to(ROOT)}:{self.line}"


@dataclass(frozen=True)
class Rule:
    pattern: re.Pattern[str]
    advice: str


def _rule(pattern: str, advice: str) -> Rule:
    return Rule(re.compile(pattern), advice)


RULES = (
    _rule(r"(?<![Tt]here )\b(is|are) (no|none)\b(?! longer)", "“is not”, “cannot be”, or “invalid”"),
    _rule(r"\banew\b", "“again”"),
    _rule(r"\bonce more\b", "“again”"),
    _rule(r"\b[Bb]eside(s)?\b", "“next to”, “with”, “in addition to”"),
    _rule(r"\bsigns?\b(?! (in|test|permutation)\b)", "“character”"),
    _rule(r"\b(stands?|stood|standing)\b", "“is”"),
    _rule(r"\bso that\b", "“so”"),
    _rule(r"\b[Ff]urther\b", "“more” or “additional”"),
    _rule(r"\b(is|are|was|were|still) going\b|\bgoes on\b|\bgo on\b", "“is running”, “continues”"),
    _rule(r"\b[Ww]h(o|at|om)ever\b", "“anyone who”"),
    _rule(r"\bwhose every\b|\bof which\b|\b[Oo]f what\b", "a sentence of its own"),
    _rule(r"\bshall\b", "“will” or “must”"),
    _rule(r"\bmend(ed|s)?\b|\bput(s)? right\b", "“fix”"),
    _rule(r"\bsurer\b|\bsurety\b", "“more precise”, “confidence”"),
    _rule(r"\b(is|are|was|were|be|been|has|have) kept\b|\b[Kk]ept\b", "“saved”, or “not deleted”"),
    _rule(r"\btold\b|\btells? apart\b|\btold apart\b", "“shown”, “reported”, “distinguish”"),
    _rule(r"\b(is|are|was|were|be) had\b|\bto be had\b|\bhad back\b", "“available”"),
    _rule(r"\b(forgotten|[Ff]orgets?)\b", "“removed”"),
    _rule(r"\btaken back\b|\btakes? back\b", "“undone”"),
    _rule(r"\bthings? that\b|\bnobody\b|\bsomebody\b", "name the person or thing"),
    _rule(r"\bas usual\b|\bthe usual\b", "“default”"),
    _rule(r"\b[Aa]ll the same\b", "“anyway”"),
    _rule(r"\b[Bb]y chance\b", "“random”, “at random”"),
    _rule(r"\bpoints of 100\b", "“percentage points”"),
    _rule(r"[\d}] %", "no space before %"),
    _rule(r"\w …", "no space before …"),
    _rule(r"(?<!\()\.\.\.(?! Answer Template)", "“…”"),
    _rule(r"(?<=\w)'(?=(s|t|re|ve|ll|d|m)\b)", "a curly apostrophe"),
    _rule(r"‘", "double quotes, “…”"),
    _rule(
        r"(?i)\b(colours?|coloured|behaviours?|licence|emphasised|recognised?|summarised?|normalis\w+|"
        r"organis\w+|minimis\w+|maximis\w+|optimis(e|ed|ing)|centre|misspelt|spelt|learnt|favour\w*|honour\w*|"
        r"tumour|grey|catalogue|labelled|analys(e|ed|es|ing)|whilst|artefacts?|e-mail)\b",
        "American spelling",
    ),
)


def texts(folders: tuple[Path, ...] = (PRODUCT,)) -> Iterator[Text]:
    """All texts of these folders, by file and line."""
    for folder in folders:
        for path in sorted(folder.rglob("*.py")) if folder.is_dir() else [folder]:
            inner = path.relative_to(PRODUCT).as_posix()
            if not inner.startswith(TO_MODELS):
                yield from _texts_of(path)


def _texts_of(path: Path) -> Iterator[Text]:
    tree = ast.parse(path.read_text("utf-8"))
    parents = {child: node for node in ast.walk(tree) for child in ast.iter_child_nodes(node)}
    found = []
    for node in ast.walk(tree):
        text = _written(node)
        if text is None or _is_part(node, parents) or not _is_read(text) or not _is_shown(node, parents):
            continue
        found.append(Text(path, node.lineno, _kind(node, parents), text))  # type: ignore[attr-defined]
    yield from sorted(found, key=lambda each: each.line)


def _written(node: ast.AST) -> str | None:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.JoinedStr):
        parts = [part.value if isinstance(part, ast.Constant) else _slot(part) for part in node.values]
        return "".join(map(str, parts))
    return None


def _slot(part: ast.AST) -> str:
    names = [each.id for each in ast.walk(part) if isinstance(each, ast.Name)]
    return "{" + (names[0] if names else "…") + "}"


def _is_part(node: ast.AST, parents: dict[ast.AST, ast.AST]) -> bool:
    """A piece of an f-string, or a docstring."""
    parent = parents.get(node)
    return isinstance(parent, ast.JoinedStr | ast.Expr | ast.FormattedValue)


_CODE = re.compile(
    r"=>|[{};]\s*$|^\s*[<.#]|</|\bfunction\b|\w\(\w*\)|^\w+=|\[\w+\]|\|\||&&|^SELECT|^[a-z]+://|\\[wdsb]|%\("
)
_WORD = re.compile(r"[^\W\d_]{2,}")


def _is_read(text: str) -> bool:
    plain = re.sub(r"\{\w*\}|\{…\}", "x", text).strip()
    words = _WORD.findall(plain)
    if not words or _CODE.search(plain) or ("_" in plain and " " not in plain):
        return False
    if " " not in plain:
        return plain[0].isupper() and plain[1:] == plain[1:].lower() and plain.isalpha()
    letters = sum(each.isalpha() or each in " ,.’“”'" for each in plain)
    return len(words) > 1 and letters / len(plain) > 0.8


def _is_shown(node: ast.AST, parents: dict[ast.AST, ast.AST]) -> bool:
    for above in _above(node, parents):
        # `ui.label("…").classes("hint")`: the label is shown, the class is not.
        if isinstance(above, ast.Call) and _called(above) in NOT_SHOWN and not _within(node, above.func):
            return False
        if isinstance(above, ast.keyword) and above.arg == "name" and _called(parents[above]).startswith("create"):
            return False  # of a background task
        if isinstance(above, ast.AnnAssign) and above.value is not node and _within(node, above.annotation):
            return False
        if isinstance(above, ast.stmt):
            break
    return True


def _within(node: ast.AST, tree: ast.AST) -> bool:
    return any(each is node for each in ast.walk(tree))


def _above(node: ast.AST, parents: dict[ast.AST, ast.AST]) -> Iterator[ast.AST]:
    while (above := parents.get(node)) is not None:
        yield above
        node = above


def _called(call: ast.AST) -> str:
    if not isinstance(call, ast.Call):
        return ""
    return call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")


BUTTONS = {"button": 0, "menu_item": 0, "icon_button": 1}
TITLES = {"dialog_title": 0, "heading": 0}
TOASTS = {"tell": 0, "notify": 0}
CHECKBOXES = {"checkbox": 0}
LABELS = {"text_input": 0, "text_area": 0, "field": 0, "number": 0, "select": 0, "expansion": 0}


def _kind(node: ast.AST, parents: dict[ast.AST, ast.AST]) -> str:
    above = parents.get(node)
    if isinstance(above, ast.keyword):
        return {"hint": "hint", "tooltip": "tooltip"}.get(above.arg or "", "")
    if isinstance(above, ast.Call):
        name, position = _called(above), above.args.index(node) if node in above.args else -1  # type: ignore[arg-type]
        for kind, places in (
            ("button", BUTTONS),
            ("title", TITLES),
            ("toast", TOASTS),
            ("checkbox", CHECKBOXES),
            ("label", LABELS),
        ):
            if places.get(name) == position:
                return kind
        if name == "tooltip":
            return "tooltip"
        if name.endswith("Error"):
            return "error"
    return ""


def faults(found: Text) -> Iterator[str]:
    """What is wrong with a text, each with what to write instead."""
    text = re.sub(r"\{\w+\}", "{…}", found.text)  # nobody reads the names of variables
    for rule in RULES:
        if broken := rule.pattern.search(text):
            yield f"“{broken[0]}”: {rule.advice}"
    if limit := LIMITS.get(found.kind):
        sentences = re.split(r"(?<=[.!?:])\s", text.replace("{…}", " "))
        longest = max(len(sentence.split()) for sentence in sentences)
        if longest > limit:
            yield f"{longest} words; a {found.kind} has at most {limit}"


def main(arguments: list[str]) -> int:
    folders = tuple(Path(each).resolve() for each in arguments if not each.startswith("-")) or (PRODUCT,)
    wrong = 0
    for found in texts(folders):
        if "--check" not in arguments:
            print(f"{found.place}: {found.kind or 'text'}: {found.text}")
            continue
        for fault in faults(found):
            wrong += 1
            print(f"{found.place}: {fault}\n    {found.text}")
    if wrong:
        print(f"{wrong} faults")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
