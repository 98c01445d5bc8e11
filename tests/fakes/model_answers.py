"""A plan of the scripted model as the events of each API that real CLIs speak."""

import itertools
import json
import re
import time
from collections.abc import Iterator
from typing import Any

from tests.fakes.model_plan import Plan

USAGE = {"prompt_tokens": 11, "completion_tokens": 7, "total_tokens": 18}
_ids = itertools.count(1)


def chat_events(model: str, answer: Plan) -> Iterator[dict[str, Any]]:
    """The chunks of a streamed chat completion."""
    head = {"id": f"chatcmpl-{next(_ids)}", "object": "chat.completion.chunk", "created": 1, "model": model}

    def chunk(delta: dict[str, Any], finish: str | None = None) -> dict[str, Any]:
        return {**head, "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}

    yield chunk({"role": "assistant", "content": ""})
    for word in re.findall(r"\S+\s*", answer.reasoning):
        yield chunk({"reasoning_content": word})
    for word in answer.words():
        yield chunk({"content": word})
        time.sleep(answer.pause_seconds)
    if answer.tool:
        yield chunk({"tool_calls": [{"index": 0, **_chat_call(answer)}]})
    yield chunk({}, "tool_calls" if answer.tool else "stop")
    yield {**head, "choices": [], "usage": USAGE}


def chat_reply(model: str, answer: Plan) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "assistant", "content": answer.text or None}
    if answer.tool:
        message["tool_calls"] = [_chat_call(answer)]
    finish = "tool_calls" if answer.tool else "stop"
    choices = [{"index": 0, "message": message, "finish_reason": finish}]
    return {"id": f"chatcmpl-{next(_ids)}", "object": "chat.completion", "created": 1, "model": model,
            "choices": choices, "usage": USAGE}  # fmt: skip


def _chat_call(answer: Plan) -> dict[str, Any]:
    function = {"name": answer.tool, "arguments": json.dumps(answer.arguments)}
    return {"id": f"call_{next(_ids)}", "type": "function", "function": function}


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
            for word in re.findall(r"\S+\s*", answer.reasoning):
                yield event("response.reasoning_summary_text.delta", summary_index=0, delta=word, **place)
        elif item["type"] == "message":
            yield event("response.content_part.added", content_index=0, part=_part(""), **place)
            for word in answer.words():
                yield event("response.output_text.delta", content_index=0, delta=word, **place)
                time.sleep(answer.pause_seconds)
            yield event("response.output_text.done", content_index=0, text=answer.text, **place)
            yield event("response.content_part.done", content_index=0, part=_part(answer.text), **place)
        else:
            yield event("response.function_call_arguments.delta", delta=item["arguments"], **place)
        yield event("response.output_item.done", output_index=len(output), item=item)
        output.append(item)
    yield event("response.completed", response=_response(response_id, model, "completed", output))


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
    usage = {"input_tokens": 11, "output_tokens": 7, "total_tokens": 18, "input_tokens_details": {"cached_tokens": 0},
             "output_tokens_details": {"reasoning_tokens": 0}}  # fmt: skip
    return {"id": response_id, "object": "response", "created_at": 1, "status": status, "model": model,
            "output": output, "usage": usage if status == "completed" else None, "error": None,
            "parallel_tool_calls": False, "tool_choice": "auto", "tools": [], "metadata": {}}  # fmt: skip
