"""Scripts and style sheets: rules for their source."""

from __future__ import annotations

from karenina_gui.static_files import static_folder

LONGEST = 120


def test_no_line_is_too_long() -> None:
    files = [file for file in sorted(static_folder().rglob("*")) if file.suffix in (".js", ".css")]
    lines = [
        (file.name, number, line)
        for file in files
        for number, line in enumerate(file.read_text("utf-8").splitlines(), 1)
    ]
    assert len(lines) > 1000
    assert [(name, number) for name, number, line in lines if len(line) > LONGEST] == []


def test_types_of_every_script_are_checked() -> None:
    scripts = list(static_folder().rglob("*.js"))
    assert [file.name for file in scripts if not file.read_text("utf-8").startswith("// @ts-check\n")] == []
