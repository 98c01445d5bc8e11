"""The `result` object that Claude Code prints at the end, and CLIs that took it over from it. Pure."""

from typing import Any

from adapters.headless.contract import Answer, NativeError
from adapters.headless.output import counted, json_objects, number, within, words


def read_result(stdout: str) -> Answer | None:
    """The last `{"type": "result"}`, alone, in an array or on a line of its own.

    Raises:
        NativeError: it says is_error.
    """
    results = [item for item in json_objects(stdout) if item.get("type") == "result"]
    if not results:
        return None
    result = results[-1]
    text = result.get("result")
    if result.get("is_error"):
        raise NativeError(words(text, within(result, "error", "message"), result.get("error"), *_errors(result)))
    return Answer(
        text=text if isinstance(text, str) else "",
        cost=number(result.get("total_cost_usd")),
        tokens=_tokens(result.get("usage")),
    )


def _errors(result: dict[str, Any]) -> list[str]:
    listed = result.get("errors")
    told = [str(error) for error in listed] if isinstance(listed, list) else []
    return [*told, str(result.get("subtype") or "no reason given")]


def _tokens(usage: object) -> dict[str, int] | None:
    return counted(
        input=within(usage, "input_tokens"),
        output=within(usage, "output_tokens"),
        cacheRead=within(usage, "cache_read_input_tokens"),
        cacheWrite=within(usage, "cache_creation_input_tokens"),
    )
