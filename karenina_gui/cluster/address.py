"""Address of a cluster's scheduler, and what protects the connection to it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from karenina_gui.errors import InputError
from karenina_gui.text.urls import is_local

if TYPE_CHECKING:
    from distributed import Security

NOT_INSTALLED = "A run on a cluster needs Dask. Install it with: pip install 'karenina-gui[cluster]'"
NOT_RECORDED = "A run on a cluster can’t be recorded. Record it on this computer, or run it without a recording."


@dataclass(frozen=True)
class ClusterAddress:
    """Address of a scheduler, and what protects the connection."""

    address: str
    """Such as `tls://cluster.example:8786`, or `tcp://127.0.0.1:8786`."""
    insecure: bool | None = False
    """True: the user accepts an address of another computer without TLS."""
    tls_ca: Path | None = None
    """Certificate of the authority that has signed those of scheduler and workers; this and the next two for `tls://`.

    None: the one in Dask's own configuration.
    """
    tls_cert: Path | None = None
    tls_key: Path | None = None

    def check(self) -> None:
        """Raise `InputError` if the package or a certificate is missing, or the address is invalid or not protected."""
        if find_spec("distributed") is None:
            raise InputError(NOT_INSTALLED)
        parts = urlsplit(self.address if re.fullmatch(r"(tcp|tls)://[^\s/@]+:\d+", self.address) else "")
        if not parts.hostname:
            raise InputError(
                f"{self.address!r} is not the address of a scheduler. Enter it with its port, such as "
                "tls://cluster.example:8786 or tcp://127.0.0.1:8786."
            )
        if parts.scheme == "tcp" and not self.insecure and not is_local(self.address):
            raise InputError(
                f"The connection to {self.address} would not be encrypted, and anyone on the network could start "
                "programs on the workers. Use a tls:// address, or confirm that the network is yours alone "
                "(--insecure-cluster, or in the settings)."
            )
        self.security()

    def security(self) -> Security | None:
        """Certificates for the connection; None: it is not encrypted. Raises `InputError`."""
        from distributed import Security

        if not self.address.startswith("tls://"):
            return None
        for path in filter(None, (self.tls_ca, self.tls_cert, self.tls_key)):
            if not path.is_file():
                raise InputError(f"The file {path} for the encrypted connection to the cluster doesn’t exist.")
        own: dict[str, Any] = {}
        for role in ("client", "worker"):
            own |= {f"tls_{role}_cert": self.tls_cert, f"tls_{role}_key": self.tls_key}
        files = {"tls_ca_file": self.tls_ca, **own}
        named = {name: str(path) for name, path in files.items() if path is not None}
        security = Security(require_encryption=True, **named)
        try:
            complete = security.get_connection_args("client").get("ssl_context")
        except OSError as error:
            raise InputError(f"The certificates for {self.address} can’t be used: {error}.") from None
        if not complete:
            raise InputError(
                f"The encrypted connection to {self.address} needs certificates. Name three files: that of the "
                "authority, that of this computer, and its key (--tls-ca, --tls-cert, --tls-key, or in the settings)."
            )
        return security
