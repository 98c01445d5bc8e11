"""OpenAI's Chat Completions and Responses, as the scripted model speaks them."""

import itertools
import json
from collections.abc import Iterator
from typing import Any

from tests.fakes.model_plan import (
    CACHED_TOKENS,
    CONTEXT_TOKENS,
    INPUT_TOKENS,
    OUTPUT_TOKENS,
    Asked,
    Plan,
    ScriptedError,
)

TOTAL_TOKENS = INPUT_TOKENS + OUTPUT_TOKENS
CHAT_USAGE = {
    "prompt_tokens": INPUT_TOKENS,
    "completion_tokens": OUTPUT_TOKENS,
    "total_tokens": TOTAL_TOKENS,
    "prompt_tokens_details": {"cached_tokens": CACHED_TOKENS},
}
RESPONSE_USAGE = {
    "input_tokens": INPUT_TOKENS,
    "output_tokens": OUTPUT_TOKENS,
    "total_tokens": TOTAL_TOKENS,
    "input_tokens_details": {"cached_tokens": CACHED_TOKENS},
    "output_tokens_details": {"reasoning_tokens": 0},
}
_KINDS = {
    400: ("invalid_request_error", None, "scripted error"),
    401: ("invalid_request_error", "invalid_api_key", "Incorrect API key provided: none."),
    404: ("invalid_request_error", "model_not_found", "The model does not exist or you do not have access to it."),
    429: ("requests", "rate_limit_exceeded", "Rate limit reached for requests."),
    503: ("server_error", None, "That model is currently overloaded with other requests."),
}
_ids = itertools.count(1)


# ---------------------------------------------------------------- errors
def error(scripted: ScriptedError) -> dict[str, Any]:
    if scripted.context_full:
        kind, code, message = "invalid_request_error", "context_length_exceeded", _TOO_LONG
    else:
        kind, code, message = _KINDS.get(scripted.status, ("server_error", None, "scripted error"))
    if scripted.retry_after_seconds is not None:
        message = f"{message} Please try again in {scripted.retry_after_seconds}s."
    return {"error": {"message": message, "type": kind, "param": None, "code": code}}


_TOO_LONG = (
    f"This model's maximum context length is {CONTEXT_TOKENS} tokens. However, your messages resulted in "
    f"{CONTEXT_TOKENS + 1} tokens. Please reduce the length of the messages."
)


# ---------------------------------------------------------------- Chat Completions
def read_chat(body: dict[str, Any]) -> Asked:
    asked = Asked([tool.get("function", {}).get("name", "") for tool in body.get("tools") or []])
    for message in body.get("messages", []):
        if message.get("role") == "user":
            asked.person(message.get("content"))
        elif message.get("role") == "tool":
            asked.result(message.get("content"))
    return asked


def chat_events(model: str, answer: Plan) -> Iterator[dict[str, Any]]:
    """The chunks of a streamed chat completion."""
    head = {"id": f"chatcmpl-{next(_ids)}", "object": "chat.completion.chunk", "created": 1, "model": model}

    def chunk(delta: dict[str, Any], finish: str | None = None) -> dict[str, Any]:
        return {**head, "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}

    yield chunk({"role": "assistant", "content": ""})
    for word in answer.thoughts():
        yield chunk({"reasoning_content": word})
    for word in answer.words():
        yield chunk({"content": word})
        answer.pause()
    if answer.tool:
        yield chunk({"tool_calls": [{"index": 0, **_chat_call(answer)}]})
    yield chunk({}, "tool_calls" if answer.tool else "stop")
    yield {**head, "choices": [], "usage": CHAT_USAGE}


def chat_reply(model: str, answer: Plan) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "assistant", "content": answer.text or None}
    if answer.tool:
        message["tool_calls"] = [_chat_call(answer)]
    finish = "tool_calls" if answer.tool else "stop"
    choices = [{"index": 0, "message": message, "finish_reason": finish}]
    return {"id": f"chatcmpl-{next(_ids)}", "object": "chat.completion", "created": 1, "model": model,
            "choices": choices, "usage": CHAT_USAGE}  # fmt: skip


def _chat_call(answer: Plan) -> dict[str, Any]:
    function = {"name": answer.tool, "arguments": json.dumps(answer.arguments)}
    return {"id": f"call_{next(_ids)}", "type": "function", "function": function}


# ---------------------------------------------------------------- Responses
def read_responses(body: dict[str, Any]) -> Asked:
    tools = [
        f"{tool['name']}/{inner['name']}" if "tools" in tool else tool.get("name") or tool.get("type", "")
        for tool in body.get("tools") or []
        for inner in (tool.get("tools") or [{}])
    ]
    asked = Asked(tools)
    if isinstance(body.get("input"), str):
        asked.person(body["input"])
        return asked
    for item in body.get("input") or []:
        if item.get("role") == "user":
            asked.person(item.get("content"))
        elif item.get("type") in ("function_call_output", "custom_tool_call_output"):
            asked.result(item.get("output"))
    return asked


def responses_events(model: str, answer: Plan) -> Iterator[dict[str, Any]]:
    """The events of a streamed response."""
    response_id, number = f"resp_{next(_ids)}", itertools.count()
    output: list[dict[str, Any]] = []

    def event(type_: str, **fields: Any) -> dict[str, Any]:
        return {"type": type_, "sequence_number": next(number), **fields}

    yield event("response.created", response=_response(response_id, model, "in_progress", []))
    for item in _response_items(answer):
        place = {"output_index": len(output), "item_id": item["id"]}
        empty = (
            {"summary": []}
            if item["type"] == "reasoning"
            else {"content": []}
            if "content" in item
            else {"arguments": ""}
        )
        yield event("response.output_item.added", output_index=len(output), item={**item, **empty})
        if item["type"] == "reasoning":
            for word in answer.thoughts():
                yield event("response.reasoning_summary_text.delta", summary_index=0, delta=word, **place)
        elif item["type"] == "message":
            yield event("response.content_part.added", content_index=0, part=_part(""), **place)
            for word in answer.words():
                yield event("response.output_text.delta", content_index=0, delta=word, **place)
                answer.pause()
            yield event("response.output_text.done", content_index=0, text=answer.text, **place)
            yield event("response.content_part.done", content_index=0, part=_part(answer.text), **place)
        else:
            yield event("response.function_call_arguments.delta", delta=item["arguments"], **place)
        yield event("response.output_item.done", output_index=len(output), item=item)
        output.append(item)
    yield event("response.completed", response=_response(response_id, model, "completed", output))


def responses_reply(model: str, answer: Plan) -> dict[str, Any]:
    *_, completed = responses_events(model, answer)
    reply: dict[str, Any] = completed["response"]
    return reply


def _response_items(answer: Plan) -> list[dict[str, Any]]:
    items: list[dict[str, Any]] = []
    if answer.reasoning:
        summary = [{"type": "summary_text", "text": answer.reasoning}]
        items.append({"type": "reasoning", "id": f"rs_{next(_ids)}", "summary": summary})
    if answer.tool:
        namespace, _, name = answer.tool.rpartition("/")
        call = {"name": name, "arguments": json.dumps(answer.arguments), "status": "completed"}
        item = {"type": "function_call", "id": f"fc_{next(_ids)}", "call_id": f"call_{next(_ids)}", **call}
        items.append({**item, "namespace": namespace} if namespace else item)
    else:
        message = {"role": "assistant", "status": "completed", "content": [_part(answer.text)]}
        items.append({"type": "message", "id": f"msg_{next(_ids)}", **message})
    return items


def _part(text: str) -> dict[str, Any]:
    return {"type": "output_text", "text": text, "annotations": []}


def _response(response_id: str, model: str, status: str, output: list[dict[str, Any]]) -> dict[str, Any]:
    return {"id": response_id, "object": "response", "created_at": 1, "status": status, "model": model,
            "output": output, "usage": RESPONSE_USAGE if status == "completed" else None, "error": None,
            "parallel_tool_calls": False, "tool_choice": "auto", "tools": [], "metadata": {}}  # fmt: skip
