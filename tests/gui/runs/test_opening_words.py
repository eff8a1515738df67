"""Words of the dialog that imports results."""

from __future__ import annotations

from karenina_gui.gui.runs.opening import with_article
from karenina_gui.schemas.results_file import SHAPES


def test_each_shape_of_a_file_has_the_article_that_it_is_spoken_with() -> None:
    assert [with_article(shape) for shape in SHAPES.values() if with_article(shape).startswith("An ")] == [
        "An Excel workbook"
    ]
