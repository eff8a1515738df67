"""Stage 2: ask the question, or take the answer that is already there."""

from __future__ import annotations

from karenina_gui.adapters.ports import AgentConfig, AgentResult, LLMRequest
from karenina_gui.errors import InputError, PortError
from karenina_gui.pipeline.artifacts import ArtifactKeys as A
from karenina_gui.pipeline.context import VerificationContext
from karenina_gui.pipeline.generated_answer import GeneratedAnswer, Generation, GenerationFailure
from karenina_gui.pipeline.prompts import generation_messages
from karenina_gui.pipeline.stage import Stage
from karenina_gui.schemas.messages import Message, TextBlock, ThinkingBlock, render_trace, stored, trace_metrics


class GenerateAnswer(Stage):
    """Three ways to an answer: one generated for another judge, an agent's loop, or a direct call."""

    name = "GenerateAnswer"
    produces = [A.RAW_LLM_RESPONSE, A.RECURSION_LIMIT_REACHED, A.ANSWERING_MODEL_STR, A.ANSWERING_MCP_SERVERS]
    overrides = [A.VERIFY_RESULT]

    def execute(self, context: VerificationContext) -> None:
        model = context.answering_model
        context.generation = context.cached_answer_data or self._generate(context)
        if isinstance(context.generation, GenerationFailure):
            if context.cached_answer_data is None:
                context.count_failed(context.generation.error, model, "answer_generation")
            context.mark_port_error(context.generation.error, model)
            return
        answer = context.generation
        context[A.RAW_LLM_RESPONSE] = answer.text
        context[A.RECURSION_LIMIT_REACHED] = answer.limit_reached
        context[A.ANSWERING_MODEL_STR] = f"{model.interface}:{model.model_name}"
        context[A.ANSWERING_MCP_SERVERS] = sorted(model.tool_servers) or None
        self._record(context, answer)
        if answer.timeout_reached:
            context.mark_error(f"{model.id}: the agent ran out of time before it had answered.", "timeout")
        if answer.refusal is not None:
            context[A.VERIFY_RESULT] = False
            context.mark_failure("refusal", "The provider declined to answer.", answer.refusal or None)

    def _generate(self, context: VerificationContext) -> Generation:
        prompts = context.config.prompt_config
        sent = generation_messages(
            context.examples.before(context.question_text),
            system_prompt=context.answering_model.system_prompt,
            instructions=prompts.generation if prompts else None,
        )
        try:
            agent = context.world.ports.uses_agent(context.answering_model)
            answer = _ask_agent(context, sent) if agent else _ask(context, sent)
        except (PortError, InputError) as error:
            return GenerationFailure(error)
        if context.on_answer is not None:
            context.on_answer(answer)
        return answer

    def _record(self, context: VerificationContext, answer: GeneratedAnswer) -> None:
        messages = answer.messages or (Message.of("assistant", answer.text),)
        if not context.answer_counted:
            context.count("answer_generation", context.answering_model, (answer.usage,), answer.retries)
        if answer.cut_off:
            context.caveats.append("partial_content")
            limit = context.answering_model.max_tokens
            context.warnings.append(f"The answer was cut off: the model reached its limit of {limit} tokens.")
        context.set_result_field("template.trace_messages", stored(messages))
        context.set_result_field("template.conversation_context", stored(answer.sent))
        context.set_result_field("template.response_timeout_partial", answer.timeout_reached)
        context.set_result_field("answered_by", answer.model)
        if answer.agent:
            context.set_result_field(
                "template.agent_metrics", trace_metrics(messages, limit_reached=answer.limit_reached)
            )


def _ask(context: VerificationContext, sent: tuple[Message, ...]) -> GeneratedAnswer:
    request = LLMRequest(sent, replicate=context.replicate, question_id=context.question_id)
    response = context.world.ports.llm(context.answering_model).invoke(request)
    text = response.content or response.refusal or ""
    return GeneratedAnswer(
        text=text,
        messages=(_assistant(text, response.thinking),),
        sent=sent,
        usage=response.usage,
        retries=response.retries,
        refusal=response.refusal,
        stop_reason=response.stop_reason,
        model=response.model,
    )


def _ask_agent(context: VerificationContext, sent: tuple[Message, ...]) -> GeneratedAnswer:
    model = context.answering_model
    config = AgentConfig(
        max_turns=model.max_turns,
        timeout=model.agent_timeout,
        question_id=context.question_id,
        replicate=context.replicate,
    )
    result = context.world.ports.agent(model).run(sent, (), model.tool_servers, config)
    return GeneratedAnswer(
        text=result.raw_trace if result.raw_trace is not None else _text_form(result),
        messages=result.messages,
        sent=sent,
        usage=result.usage,
        retries=result.retries,
        limit_reached=result.limit_reached,
        timeout_reached=result.timeout_reached,
        agent=True,
        model=result.model,
    )


def _text_form(result: AgentResult) -> str:
    """The answer itself where the agent said one thing and used no tool; else the whole trace."""
    spoken = [message for message in result.messages if message.role in ("assistant", "tool")]
    if not spoken:
        return result.final_response
    plain = len(spoken) == 1 and not spoken[0].tool_uses and not spoken[0].thinking
    return spoken[0].text if plain else render_trace(result.messages)


def _assistant(text: str, thinking: str | None) -> Message:
    blocks = [ThinkingBlock(thinking=thinking)] if thinking else []
    return Message(role="assistant", content=(*blocks, *([TextBlock(text=text)] if text else [])))
