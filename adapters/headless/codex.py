"""Codex: one event a line; the last agent message is the answer."""

from adapters.headless.channel import ProcessChannel
from adapters.headless.contract import Answer, NativeError
from adapters.headless.output import counted, json_objects, text_of, within, words


def read(stdout: str) -> Answer | None:
    events = [event for event in json_objects(stdout) if isinstance(event.get("type"), str)]
    if not events:
        return None
    text, tokens, warning = "", None, ""
    for event in events:
        match event["type"]:
            case "item.completed" if within(event, "item", "type") == "agent_message":
                text = text_of(within(event, "item", "text"))
            case "turn.completed":
                tokens = _tokens(event.get("usage"))
            case "turn.failed":
                raise NativeError(_reason(words(within(event, "error", "message"), warning, "no reason given")))
            case "error":  # alone no failure: it may be tried again
                warning = words(event.get("message"))
    if warning and not text:
        raise NativeError(_reason(warning))
    return Answer(text=text, tokens=tokens)


def _reason(said: str) -> str:
    """Errors of the model come as the JSON that its API sent."""
    return next((words(within(told, "error", "message"), said) for told in json_objects(said)), said)


def _tokens(usage: object) -> dict[str, int] | None:
    return counted(
        input=within(usage, "input_tokens"),
        output=within(usage, "output_tokens"),
        reasoning=within(usage, "reasoning_output_tokens"),
        cacheRead=within(usage, "cached_input_tokens"),
    )


CHANNEL = ProcessChannel(
    name="codex",
    executables=("codex",),
    # the person has chosen the folder; it need be no repository
    args=("exec", "--json", "--skip-git-repo-check", "-"),
    model_flag="--model",
    read=read,
)
