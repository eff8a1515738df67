from __future__ import annotations

from karenina_gui.gui.pages.workspaces.file_editor import manner


def test_what_a_file_in_another_encoding_becomes_is_said_before_and_after() -> None:
    assert manner("utf-8", "utf-8", "☁") == ""
    assert "keep this encoding" in manner("utf-16-le", "utf-16-le", "☁")
    assert manner("cp1252", "cp1252", "é").endswith("the file is saved in UTF-8.")
    assert manner("cp1252", "utf-8", "é☁").endswith(
        "It is now saved in UTF-8. Windows-1252 (Latin-1) doesn’t support “☁”."
    )
