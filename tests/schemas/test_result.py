"""Identities of results."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from karenina_gui.schemas.result import GROUP_OF, FailureCategory, ModelIdentity, ResultMetadata, make_result_id


def test_names_and_ids_agree_with_upstream(shared: Path) -> None:
    vector = json.loads((shared / "vectors" / "ids.json").read_text())
    models = [
        ModelIdentity(**{k: m[k] for k in ("interface", "model_name", "tools", "config_id")})
        for m in vector["model_identity"]
    ]
    for model, expected in zip(models, vector["model_identity"], strict=True):
        assert (model.display, model.canonical) == (expected["display"], expected["canonical"])
    for case in vector["result_id"]:
        found = make_result_id(
            answering=models[case["answering"]],
            parsing=models[case["parsing"]],
            question_id=case["question_id"],
            replicate=case["replicate"],
            timestamp=case["timestamp"],
        )
        assert found == case["id"]


def test_replicates_and_judgments_have_ids_of_their_own() -> None:
    def result_id(replicate: int | None, judgment: int | None = None) -> str:
        model = ModelIdentity(interface="manual", model_name="m")
        return make_result_id(
            answering=model,
            parsing=None,
            question_id="q",
            replicate=replicate,
            timestamp="t",
            judge_replicate=judgment,
        )

    assert len({result_id(None), result_id(1), result_id(2), result_id(1, 1), result_id(1, 2)}) == 5


def test_metadata_refuses_unknown_keys_as_upstream_does() -> None:
    known: dict[str, Any] = {
        "question_id": "q",
        "template_id": "t",
        "answering": {"interface": "manual", "model_name": "m"},
    }
    ResultMetadata.model_validate(known)
    with pytest.raises(ValidationError):
        ResultMetadata.model_validate({**known, "error": "x"})


def test_every_failure_category_has_a_group() -> None:
    assert set(GROUP_OF) == set(FailureCategory.__args__)
