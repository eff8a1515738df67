from __future__ import annotations
def question_traits(draft):
    pass
