"""Templates as forms: fields, comparisons and composition, edited in place in their Python source.

An edit replaces only the characters of what it changes, so comments, order, layout and hand-written code stay.
"""

from karenina_gui.authoring.template_form.form import (
    CodeField as CodeField,
    CustomBlock as CustomBlock,
    FormComposition as FormComposition,
    TemplateForm as TemplateForm,
    read_form as read_form,
)
from karenina_gui.authoring.template_form.form_edits import FormEdits as FormEdits
from karenina_gui.authoring.template_form.source_text import FormError as FormError
from karenina_gui.authoring.template_form.values import Call as Call, CodeValue as CodeValue, write_value as write_value

__all__ = [
    "Call",
    "CodeField",
    "CodeValue",
    "CustomBlock",
    "FormComposition",
    "FormEdits",
    "FormError",
    "TemplateForm",
    "read_form",
    "write_value",
]
