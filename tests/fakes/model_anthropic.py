"""Anthropic's Messages, as the scripted model speaks them."""

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

USAGE = {
    "input_tokens": INPUT_TOKENS - CACHED_TOKENS,  # here without the cached part
    "cache_creation_input_tokens": 0,
    "cache_read_input_tokens": CACHED_TOKENS,
    "output_tokens": OUTPUT_TOKENS,
}
SIGNATURE = "c2NyaXB0ZWQ="
_KINDS = {
    400: ("invalid_request_error", "scripted error"),
    401: ("authentication_error", "invalid x-api-key"),
    403: ("permission_error", "Your API key does not have permission to use the specified resource."),
    404: ("not_found_error", "model: scripted"),
    413: ("request_too_large", "Request exceeds the maximum size"),
    429: ("rate_limit_error", "This request would exceed your account's rate limit. Please try again later."),
    529: ("overloaded_error", "Overloaded"),
}
_ids = itertools.count(1)


def error(scripted: ScriptedError) -> dict[str, Any]:
    if scripted.context_full:
        kind = "invalid_request_error"
        message = f"prompt is too long: {CONTEXT_TOKENS + 1} tokens > {CONTEXT_TOKENS} maximum"
    else:
        kind, message = _KINDS.get(scripted.status, ("api_error", "Internal server error"))
    return {"type": "error", "error": {"type": kind, "message": message}, "request_id": f"req_{next(_ids)}"}


def read(body: dict[str, Any]) -> Asked:
    asked = Asked([tool.get("name", "") for tool in body.get("tools") or []])
    for message in body.get("messages", []):
        if message.get("role") != "user":
            continue
        content = message.get("content")
        parts = content if isinstance(content, list) else [{"type": "text", "text": content}]
        results = [part for part in parts if part.get("type") == "tool_result"]
        for part in results:
            asked.result(part.get("content"))
        # beside results stand reminders; a person's words only where one spoke after a cancelled call
        asked.person([part for part in parts if part.get("type") == "text"], only_directives=bool(results))
    return asked


def events(model: str, answer: Plan) -> Iterator[dict[str, Any]]:
    whole = reply(model, answer)
    blocks = whole["content"]
    begun = {**USAGE, "output_tokens": 1}
    yield {"type": "message_start", "message": {**whole, "content": [], "stop_reason": None, "usage": begun}}
    for index, block in enumerate(blocks):
        yield {"type": "content_block_start", "index": index, "content_block": _empty(block)}
        for delta in _deltas(block, answer):
            yield {"type": "content_block_delta", "index": index, "delta": delta}
            if delta["type"] == "text_delta":
                answer.pause()
        yield {"type": "content_block_stop", "index": index}
    ending = {"stop_reason": whole["stop_reason"], "stop_sequence": None}
    yield {"type": "message_delta", "delta": ending, "usage": {"output_tokens": OUTPUT_TOKENS}}
    yield {"type": "message_stop"}


def reply(model: str, answer: Plan) -> dict[str, Any]:
    content: list[dict[str, Any]] = []
    if answer.reasoning:
        content.append({"type": "thinking", "thinking": answer.reasoning, "signature": SIGNATURE})
    if answer.tool:
        content.append(
            {"type": "tool_use", "id": f"toolu_{next(_ids)}", "name": answer.tool, "input": answer.arguments}
        )
    else:
        content.append({"type": "text", "text": answer.text})
    ending = {"stop_reason": "tool_use" if answer.tool else "end_turn", "stop_sequence": None, "usage": USAGE}
    head = {"id": f"msg_{next(_ids)}", "type": "message", "role": "assistant", "model": model}
    return {**head, "content": content, **ending}


def _empty(block: dict[str, Any]) -> dict[str, Any]:
    match block["type"]:
        case "thinking":
            return {"type": "thinking", "thinking": "", "signature": ""}
        case "tool_use":
            return {**block, "input": {}}
        case _:
            return {"type": "text", "text": ""}


def _deltas(block: dict[str, Any], answer: Plan) -> Iterator[dict[str, Any]]:
    match block["type"]:
        case "thinking":
            for word in answer.thoughts():
                yield {"type": "thinking_delta", "thinking": word}
            yield {"type": "signature_delta", "signature": SIGNATURE}
        case "tool_use":
            yield {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
        case _:
            for word in answer.words():
                yield {"type": "text_delta", "text": word}
