"""OpenCode: one event a line. A prompt that is an argument reaches the model with quotes around it: standard input."""

from collections import Counter

from adapters.headless.channel import ProcessChannel
from adapters.headless.contract import Answer, NativeError
from adapters.headless.output import counted, json_objects, number, within, words


def read(stdout: str) -> Answer | None:
    """All its text; a blank line where it worked in between. Tokens and cost are told per call of the model."""
    events = [event for event in json_objects(stdout) if isinstance(event.get("type"), str)]
    if not events:
        return None
    text, has_worked, failure = "", False, ""
    costs: list[float] = []
    tokens: Counter[str] = Counter()
    for event in events:
        match event["type"]:
            case "text":
                more = within(event, "part", "text")
                if isinstance(more, str) and more:
                    text = f"{text.rstrip()}\n\n{more}" if has_worked and text.strip() else text + more
                    has_worked = False
            case "step_finish":
                has_worked = True
                tokens.update(_tokens(within(event, "part", "tokens")) or {})
                if (cost := number(within(event, "part", "cost"))) is not None:
                    costs.append(cost)
            case "tool_use":
                has_worked = True
            case "error":
                error = event.get("error")
                said = (within(error, "data", "message"), within(error, "message"), within(error, "name"), error)
                failure = words(*said, "no reason given")
    if failure:
        raise NativeError(failure)
    return Answer(text=text.strip("\n"), cost=sum(costs) if costs else None, tokens=dict(tokens) or None)


def _tokens(told: object) -> dict[str, int] | None:
    return counted(
        input=within(told, "input"),
        output=within(told, "output"),
        reasoning=within(told, "reasoning"),
        cacheRead=within(told, "cache", "read"),
        cacheWrite=within(told, "cache", "write"),
        total=within(told, "total"),
    )


CHANNEL = ProcessChannel(
    name="opencode",
    executables=("opencode",),
    args=("run", "--format", "json"),
    model_flag="--model",
    read=read,
)
