"""A program of the person's own: the prompt on standard input, the answer on standard output."""

from adapters.headless.channel import ProcessChannel
from adapters.headless.contract import Answer
from adapters.headless.output import plain


def read(stdout: str) -> Answer:
    return Answer(text=plain(stdout))


CHANNEL = ProcessChannel(name="command", read=read)
