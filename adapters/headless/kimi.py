"""Kimi Code: one message a line; tells no usage. It takes no prompt from standard input."""

from adapters.headless.channel import ProcessChannel
from adapters.headless.contract import Answer
from adapters.headless.output import json_objects, text_of


def read(stdout: str) -> Answer | None:
    """The last thing that the assistant said; what it said before calling a tool is no answer."""
    messages = [item for item in json_objects(stdout) if "role" in item]
    if not messages:
        return None
    said = [message for message in messages if message["role"] == "assistant" and not message.get("tool_calls")]
    return Answer(text=text_of(said[-1].get("content")) if said else "")


CHANNEL = ProcessChannel(
    name="kimi",
    executables=("kimi",),
    args=("--output-format", "stream-json"),
    model_flag="--model",
    prompt_flag="-p",
    read=read,
)
