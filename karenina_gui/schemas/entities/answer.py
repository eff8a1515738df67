"""`from karenina_gui.schemas.entities.answer import BaseAnswer`, the path that the specification names."""

from karenina_gui.schemas.answer import BaseAnswer

__all__ = ["BaseAnswer"]
