"""Which API a request speaks, and how its answers are framed."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from tests.fakes import model_anthropic, model_gemini, model_openai
from tests.fakes.model_plan import Asked, Plan, ScriptedError

type Json = dict[str, Any]


@dataclass(frozen=True, kw_only=True)
class Api:
    path: re.Pattern[str]
    """Its end, without the query; the group `model`, where the path names it."""
    read: Callable[[Json], Asked]
    events: Callable[[str, Plan], Iterator[Json]]
    reply: Callable[[str, Plan], Json]
    error: Callable[[ScriptedError], Json]
    names_events: bool = False
    """A line `event:` before each."""
    last_line: str | None = None
    streams_by_path: str | None = None
    """The method in the path that asks for a stream; None: the body's field `stream` does."""

    def wants_stream(self, path: str, body: Json) -> bool:
        return bool(body.get("stream")) if self.streams_by_path is None else path.endswith(self.streams_by_path)


APIS = (
    Api(
        path=re.compile(r"/chat/completions$"),
        read=model_openai.read_chat,
        events=model_openai.chat_events,
        reply=model_openai.chat_reply,
        error=model_openai.error,
        last_line="[DONE]",
    ),
    Api(
        path=re.compile(r"/responses$"),
        read=model_openai.read_responses,
        events=model_openai.responses_events,
        reply=model_openai.responses_reply,
        error=model_openai.error,
        names_events=True,
    ),
    Api(
        path=re.compile(r"/messages$"),
        read=model_anthropic.read,
        events=model_anthropic.events,
        reply=model_anthropic.reply,
        error=model_anthropic.error,
        names_events=True,
    ),
    Api(
        path=re.compile(r"/models/(?P<model>[^/:]+):(?:streamGenerateContent|generateContent)$"),
        read=model_gemini.read,
        events=model_gemini.events,
        reply=model_gemini.reply,
        error=model_gemini.error,
        streams_by_path=":streamGenerateContent",
    ),
)

TOKEN_COUNTS = {"/messages/count_tokens": "input_tokens", ":countTokens": "totalTokens"}
"""End of a path to the field of its answer."""
