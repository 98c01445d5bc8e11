"""Gemini CLI: one object with `response` and `stats`, or with `error`."""

from adapters.headless.channel import ProcessChannel
from adapters.headless.contract import Answer, NativeError
from adapters.headless.output import counted, json_objects, number, within, words


def read(stdout: str) -> Answer | None:
    told = [item for item in json_objects(stdout) if "response" in item or "error" in item]
    if not told:
        return None
    last = told[-1]
    if error := last.get("error"):
        raise NativeError(words(within(error, "message"), error, "no reason given"))
    response = last.get("response")
    return Answer(text=response if isinstance(response, str) else "", tokens=_tokens(within(last, "stats", "models")))


def _tokens(models: object) -> dict[str, int] | None:
    """Of all models that took part: a small one may have chosen the large one."""
    if not isinstance(models, dict):
        return None
    names = {
        "input": "prompt",
        "output": "candidates",
        "reasoning": "thoughts",
        "cacheRead": "cached",
        "total": "total",
    }
    sums = {}
    for ours, theirs in names.items():
        counts = [number(within(model, "tokens", theirs)) for model in models.values()]
        if told := [count for count in counts if count is not None]:
            sums[ours] = sum(told)
    return counted(**sums)


CHANNEL = ProcessChannel(
    name="gemini",
    executables=("gemini",),
    args=("--skip-trust", "--output-format", "json"),
    model_flag="--model",
    env={"GEMINI_CLI_NO_RELAUNCH": "true"},  # else a second process
    read=read,
)
