"""The example of an agent task: a small workspace, two agents that work in it, one that looks into what they left."""

from __future__ import annotations

from pathlib import Path

from karenina_gui.schemas.model_config import ModelConfig
from karenina_gui.schemas.verification_config import VerificationConfig
from karenina_gui.schemas.workspace import WorkspaceToolName

BENCHMARK = Path(__file__).parent / "agents.jsonld"
"""One finished question with a workspace."""

RECORDING = Path(__file__).parent / "agents.recording.json"
"""Words of the agents turn by turn, three replicates each; their tools really run, wherever it is played back."""

WORKSPACES = Path(__file__).parent / "workspaces"
"""Root of the workspaces. Work is done on copies."""

ANSWERING_MODELS = ("sample-agent", "sample-agent-hasty")
JUDGE = "sample-investigator"
TOOLS: tuple[WorkspaceToolName, ...] = ("list_files", "read_file", "write_file", "edit_file")
"""No commands: not every computer can confine them."""


def run_configuration(interface: str = "replay") -> VerificationConfig:
    """The run that the example is made for; `interface` differs only while the exchanges are being recorded."""
    recording = "agents" if interface == "replay" else None

    def model(name: str) -> ModelConfig:
        return ModelConfig(id=name, model_name=name, interface=interface, recording=recording)

    return VerificationConfig(
        answering_models=[model(name).model_copy(update={"workspace_tools": list(TOOLS)}) for name in ANSWERING_MODELS],
        parsing_models=[model(JUDGE)],
        replicate_count=3,
        async_max_workers=4,
        evaluation_mode="template_and_rubric",
        agentic_parsing=True,
        agentic_rubric_strategy="shared",
    )
