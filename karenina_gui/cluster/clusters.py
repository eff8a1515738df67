"""Clusters of the application's runs."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from karenina_gui.cluster.address import NOT_RECORDED, ClusterAddress
from karenina_gui.errors import InputError

if TYPE_CHECKING:
    from karenina_gui.adapters.consents import Consents
    from karenina_gui.adapters.outages import Outages
    from karenina_gui.adapters.ports import Cancelled
    from karenina_gui.cluster.coordinator import RemoteRun
    from karenina_gui.runs.request import RunRequest
    from karenina_gui.schemas.verification_config import VerificationConfig


@dataclass(frozen=True)
class Clusters:
    """Connections of the application's runs with the clusters of their configurations (see `RemoteRuns`)."""

    protection: ClusterAddress
    """Certificates for them; its address does not count."""
    consents: Consents

    def problem(self, config: VerificationConfig, *, recorded: bool = False) -> str | None:
        """Reason why the run cannot be given to its cluster; None: it can, or has none. The cluster is not asked."""
        from karenina_gui.cluster.transport import refuse_keys

        if config.cluster is None:
            return None
        try:
            replace(self.protection, address=config.cluster).check()
            refuse_keys(config)
        except InputError as error:
            return str(error)
        return NOT_RECORDED if recorded else None

    def connect(self, request: RunRequest, outages: Outages, cancelled: Cancelled) -> RemoteRun:
        from karenina_gui.cluster.coordinator import RemoteRun  # loads the engine

        where = replace(self.protection, address=str(request.config.cluster))
        return RemoteRun(where, request, outages, cancelled, self.consents.agreed, tells_steps=True)
