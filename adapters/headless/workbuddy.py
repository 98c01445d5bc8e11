"""WorkBuddy (CodeBuddy Code): an array of messages with a `result` at its end, after a banner.

On an error of the model it prints plain text and ends with 0: that text is then the answer.
"""

from adapters.headless.channel import ProcessChannel
from adapters.headless.results import read_result

CHANNEL = ProcessChannel(
    name="workbuddy",
    executables=("cbc", "codebuddy"),
    args=("-p", "--output-format", "json"),
    model_flag="--model",
    read=read_result,
)
