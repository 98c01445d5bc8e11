"""Google's generateContent, as the scripted model speaks it."""

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
    "promptTokenCount": INPUT_TOKENS,
    "cachedContentTokenCount": CACHED_TOKENS,
    "candidatesTokenCount": OUTPUT_TOKENS,
    "totalTokenCount": INPUT_TOKENS + OUTPUT_TOKENS,
}
_KINDS = {
    400: ("INVALID_ARGUMENT", "scripted error"),
    401: ("UNAUTHENTICATED", "API key not valid. Please pass a valid API key."),
    403: ("PERMISSION_DENIED", "The caller does not have permission"),
    404: ("NOT_FOUND", "models/scripted is not found for API version v1beta."),
    429: ("RESOURCE_EXHAUSTED", "You exceeded your current quota, please check your plan and billing details."),
    503: ("UNAVAILABLE", "The model is overloaded. Please try again later."),
}
_ids = itertools.count(1)


def error(scripted: ScriptedError) -> dict[str, Any]:
    status, message = _KINDS.get(scripted.status, ("INTERNAL", "An internal error has occurred."))
    if scripted.context_full:
        message = (
            f"The input token count ({CONTEXT_TOKENS + 1}) exceeds the maximum number of tokens allowed "
            f"({CONTEXT_TOKENS})."
        )
    details = []
    if scripted.retry_after_seconds is not None:
        delay = f"{scripted.retry_after_seconds}s"
        details = [{"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": delay}]
    return {"error": {"code": scripted.status, "message": message, "status": status, "details": details}}


def read(body: dict[str, Any]) -> Asked:
    declared = [
        function.get("name", "")
        for tool in body.get("tools") or []
        for function in tool.get("functionDeclarations") or []
    ]
    asked = Asked(declared)
    for message in body.get("contents", []):
        if message.get("role") == "model":
            continue
        parts = message.get("parts", [])
        results = [part["functionResponse"].get("response", {}) for part in parts if "functionResponse" in part]
        for result in results:
            asked.result(result.get("output") or result.get("error") or json.dumps(result))
        asked.person([part for part in parts if "text" in part], only_directives=bool(results))
    return asked


def events(model: str, answer: Plan) -> Iterator[dict[str, Any]]:
    if answer.reasoning:
        yield _chunk(model, [_thought(answer)])
    if answer.tool:
        yield _chunk(model, [_call(answer)])
    for word in answer.words():
        yield _chunk(model, [{"text": word}])
        answer.pause()
    yield _chunk(model, [{"text": ""}], "STOP")


def reply(model: str, answer: Plan) -> dict[str, Any]:
    parts = [_thought(answer)] if answer.reasoning else []
    return _chunk(model, [*parts, _call(answer) if answer.tool else {"text": answer.text}], "STOP")


def _thought(answer: Plan) -> dict[str, Any]:
    """A summary comes whole, below a subject."""
    return {"text": f"**Scripted thought**\n{answer.reasoning}", "thought": True}


def _call(answer: Plan) -> dict[str, Any]:
    return {"functionCall": {"name": answer.tool, "args": answer.arguments}}


def _chunk(model: str, parts: list[dict[str, Any]], finish: str | None = None) -> dict[str, Any]:
    candidate: dict[str, Any] = {"index": 0, "content": {"role": "model", "parts": parts}}
    if finish:
        candidate["finishReason"] = finish
    return {"candidates": [candidate], "modelVersion": model, "usageMetadata": USAGE, "responseId": f"g{next(_ids)}"}
