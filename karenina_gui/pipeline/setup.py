"""Stage 1: validate the template."""

from __future__ import annotations

from karenina_gui.errors import InputError
from karenina_gui.pipeline.agentic_parsing import without_agent
from karenina_gui.pipeline.artifacts import ArtifactKeys as A
from karenina_gui.pipeline.context import VerificationContext
from karenina_gui.pipeline.stage import Stage
from karenina_gui.pipeline.template_evaluator import PreparedTemplate
from karenina_gui.schemas.template import TemplateOutline, TemplateProblem


class ValidateTemplate(Stage):
    """Compile the template in the sandbox and save its outline. An invalid template ends the job."""

    name = "ValidateTemplate"
    produces = [A.RAW_ANSWER, A.ANSWER, A.TEMPLATE_VALIDATION_ERROR]

    def execute(self, context: VerificationContext) -> None:
        if not context.template_code.strip():
            self._refuse(context, "The question has no answer template. Write one, or run the rubric only.")
            return
        sandbox = context.world.sandbox
        outline = sandbox.outline(context.template_code, trust=context.trusted)
        if not outline.valid:
            self._refuse(context, f"The answer template doesn’t work. {_describe(outline.first_error)}")
            return
        context[A.TEMPLATE_VALIDATION_ERROR] = None
        context.set_result_field("template.template_execution", outline.execution)
        self._reject_early(context, outline)
        context[A.RAW_ANSWER] = outline
        context[A.ANSWER] = PreparedTemplate(context.template_code, outline, sandbox, context.trusted)

    def _reject_early(self, context: VerificationContext, outline: TemplateOutline) -> None:
        """Reject a judge that cannot investigate, before the answering model is paid for."""
        model = context.parsing_model
        if context.agentic_parsing and outline.needs_judge and model is not None:
            try:
                problem = without_agent(context, model)
            except InputError as error:
                context.mark_port_error(error, model)
                return
            if problem is not None:
                context.mark_error(problem, "rejected")

    def _refuse(self, context: VerificationContext, message: str) -> None:
        context[A.TEMPLATE_VALIDATION_ERROR] = message
        context.mark_error(message, "template_validation")


def _describe(problem: TemplateProblem | None) -> str:
    if problem is None:
        return "No reason was reported."
    return f"Line {problem.line}: {problem.message}" if problem.line else problem.message
