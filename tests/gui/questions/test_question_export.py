"""Questions of the open benchmark as a download, from the menu."""

from __future__ import annotations

from nicegui.testing import User

from karenina_gui.app import Application
from karenina_gui.formats.tables.question_export import EXPORT_HEADERS
from karenina_gui.gui.shell import api
from karenina_gui.gui.shell.commands import BY_ID


async def test_the_questions_are_downloaded_as_a_table(user: User, application: Application) -> None:
    api.register(application.services())
    answer = await user.http_client.get("/api/benchmarks/1/questions.csv")
    assert answer.status_code == 200
    assert answer.text.lstrip("\ufeff").startswith(",".join(EXPORT_HEADERS))
    assert "-questions.csv" in answer.headers["content-disposition"]
    workbook = await user.http_client.get("/api/benchmarks/1/questions.xlsx")
    assert workbook.content.startswith(b"PK")
    assert (await user.http_client.get("/api/benchmarks/99/questions.csv")).status_code == 404


def test_both_tables_are_in_the_file_menu() -> None:
    assert [BY_ID[f"questions.{kind}"].menu for kind in ("csv", "xlsx")] == ["File", "File"]
