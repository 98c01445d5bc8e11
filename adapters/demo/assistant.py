"""The demo's assistant: a scripted brain that does what plain words ask of it, by the tools that it is given.

Runs as agent.py does. “Have Builder …”, “Tell Scribe …”, “Ask Reviewer …”, “Announce …”, “Stop everything”, “What was
said?”, and otherwise who is in the room; in Chinese as well (tasks.py).
"""

import argparse
import re
import secrets
from functools import partial

from adapters.demo.agent import Agent, Prompt, serve
from adapters.demo.errands import Errands
from adapters.demo.tasks import task_of

QUESTION = "[question]\n"


def question_of(text: str) -> str:
    """What the person asks, without what comes with it."""
    return text.partition(QUESTION)[2] or text


class AssistantPrompt(Prompt):
    read = staticmethod(question_of)

    def _play(self) -> None:
        self._think(times=1)
        wanted = self._wanted(self._text)
        if "fail" in wanted or "crash" in wanted or "slow" in wanted:
            return super()._play()
        language = "zh" if re.search("[\u4e00-\u9fff]", self._text) else "en"
        errands = Errands("assistant", language, self._room, partial(self._wire.update, self._session_id))
        self._say(errands.run(task_of(self._text), secrets.token_hex(8)))
        self._end()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--version", action="version", version="groupx-demo 1.0.0")
    parser.parse_known_args()
    serve(partial(Agent, name="assistant", prompt=AssistantPrompt))


if __name__ == "__main__":
    main()
