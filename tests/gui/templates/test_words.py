"""Words that the code editor completes."""

from __future__ import annotations

from karenina_gui.gui.pages.templates.editor import FIELD_ARGUMENTS, arguments
from karenina_gui.schemas.primitives import PRIMITIVES


def test_every_comparison_offers_its_settings_in_their_order() -> None:
    offered = {name: [each["label"] for each in listed] for name, listed in arguments().items()}
    for name, primitive in PRIMITIVES.items():
        if name != "SemanticMatch":
            assert offered[name] == list(primitive.model_fields), name
    assert offered["VerifiedField"] == list(FIELD_ARGUMENTS)


def test_choices_are_offered_as_source() -> None:
    (_, mode) = arguments()["NumericTolerance"]
    assert mode["values"] == ['"relative"', '"absolute"']
    comparison = arguments()["VerifiedField"][2]
    assert comparison["label"] == "verify_with"
    assert {"BooleanMatch()", "NumericTolerance("} <= {*comparison["values"]}
