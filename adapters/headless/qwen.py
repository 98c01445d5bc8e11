"""Qwen Code: an array of messages with a `result` at its end."""

from adapters.headless.channel import ProcessChannel
from adapters.headless.results import read_result

CHANNEL = ProcessChannel(
    name="qwen",
    executables=("qwen",),
    args=("--output-format", "json"),
    model_flag="--model",
    read=read_result,
)
