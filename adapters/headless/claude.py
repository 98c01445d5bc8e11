"""Claude Code: one `result` object."""

from adapters.headless.channel import ProcessChannel
from adapters.headless.results import read_result

CHANNEL = ProcessChannel(
    name="claude",
    executables=("claude",),
    args=("-p", "--output-format", "json"),
    model_flag="--model",
    read=read_result,
)
