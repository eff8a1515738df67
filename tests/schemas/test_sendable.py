"""What no request can carry, said in words."""

from __future__ import annotations

import math

import pytest

from karenina_gui import ModelConfig
from karenina_gui.schemas.sendable import unsendable


@pytest.mark.parametrize("number", [math.nan, math.inf, [{"deep": -math.inf}]])
def test_a_parameter_that_json_has_no_number_for_is_named(number: object) -> None:
    model = ModelConfig(model_name="m", extra_kwargs={"seed": 1.0, "top_p": number})
    assert str(unsendable(model)).startswith("The additional parameter “top_p” (in extra_kwargs) is ")


@pytest.mark.parametrize("field", ["endpoint_base_url", "anthropic_base_url"])
@pytest.mark.parametrize("sign", ["\n", "\t", "\x01", "\x7f", "\u200b"])
def test_a_sign_that_nobody_sees_in_an_address_is_told(field: str, sign: str) -> None:
    model = ModelConfig.model_validate({"model_name": "m", field: f"http://he{sign}re/v1"})
    assert str(unsendable(model)).startswith(f"The URL in {field} contains an invisible character")


def test_nothing_is_said_of_what_can_be_sent() -> None:
    extra = {"top_p": 0.9, "stop": ["\n"], "nested": {"numbers": [1, 2.5, None, True]}}
    assert unsendable(ModelConfig(model_name="m", endpoint_base_url="http://here/v1", extra_kwargs=extra)) is None
