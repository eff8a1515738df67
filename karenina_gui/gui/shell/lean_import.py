"""Import NiceGUI without packages that are unused here; saves 0.1 s before the first page."""

from __future__ import annotations

import sys

# engineio, the socket library of NiceGUI, brings a client beside its server. The client looks for these packages, does
# without them where they are missing, and is used by nothing here (only NiceGUI's tunnel, On Air, would).
CLIENT_PACKAGES = ("aiohttp", "requests")


def import_nicegui() -> None:
    """Import NiceGUI; the hidden packages can be imported normally afterwards."""
    hidden = [name for name in CLIENT_PACKAGES if name not in sys.modules]
    sys.modules.update(dict.fromkeys(hidden))  # type: ignore[arg-type]  # None: as if it were not installed
    try:
        import nicegui  # noqa: F401
    finally:
        for name in hidden:
            del sys.modules[name]
