from __future__ import annotations
class TemplateTab:
    def __init__(self, draft): pass
