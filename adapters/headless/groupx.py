"""An agent of the GroupX room on this machine: no process, but a message in the room and the turn that it makes.

The member's `model` names the agent. The room is asked at GROUPX_URL, by default the one of the default port.
"""

import json
import secrets
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from adapters.headless.contract import Answer, ChannelFailed, Task
from adapters.headless.output import counted, number, within, words

URL_VARIABLE = "GROUPX_URL"
DEFAULT_URL = "http://127.0.0.1:4310"
REQUEST_SECONDS = 20.0
QUIET_SECONDS = 40.0
"""The room writes into its stream every 15 s; longer silence is a broken connection."""
RECONNECT_SECONDS = 0.5
ENDS = ("turn.completed", "turn.failed", "turn.cancelled", "turn.interrupted")
PROMPT_BYTES = 128_000
"""The room takes 131,072 characters."""

_OPENER = urllib.request.build_opener(urllib.request.ProxyHandler({}))  # the room is never behind a proxy


@dataclass(frozen=True, kw_only=True)
class GroupXChannel:
    name: str = "groupx"
    executables: tuple[str, ...] = ()
    prompt_bytes: int | None = PROMPT_BYTES

    def run(self, task: Task) -> Answer:
        if not task.model:
            raise ChannelFailed("The member has no model: for the transport groupx it names the agent to ask.")
        room = _Room(task.env.get(URL_VARIABLE) or DEFAULT_URL)
        deadline = time.monotonic() + task.timeout_seconds
        message = room.post("/api/messages", {"to": [f"agent:{task.model}"], "content": task.prompt})
        turn_id = str(within(message["turns"][0], "turnId"))
        has_ended = False
        try:
            after = room.get(f"/api/events/{quote(str(message['messageEventId']))}")["seq"]
            answer = _outcome(room, turn_id, after, deadline)
            has_ended = True
        finally:
            if not has_ended:
                room.cancel(turn_id)
        if not answer.text.strip():
            raise ChannelFailed(f"{task.model} gave an empty answer.")
        return answer


def _outcome(room: "_Room", turn_id: str, after: int, deadline: float) -> Answer:
    answer_event: dict[str, Any] = {}
    for event in room.events(after, deadline):
        body = event.get("body", {})
        if body.get("turnId") != turn_id:
            continue
        if event["type"] == "message.created":
            answer_event = event
        elif event["type"] == "turn.completed":
            if within(answer_event, "body", "truncated"):
                answer_event = room.get(f"/api/events/{quote(answer_event['eventId'])}")
            usage = room.get(f"/api/turns/{quote(turn_id)}").get("usage")
            return Answer(
                text=words(within(answer_event, "body", "content")),
                cost=number(within(usage, "costUsd")),
                tokens=_tokens(usage),
            )
        elif event["type"] in ENDS:
            said = words(body.get("message"), body.get("errorCode"), event["type"])
            raise ChannelFailed(f"The turn in GroupX ended as {event['type'].partition('.')[2]}: {said}")
    raise AssertionError("the events end with an answer or an exception")


def _tokens(usage: object) -> dict[str, int] | None:
    return counted(
        input=within(usage, "inputTokens"),
        output=within(usage, "outputTokens"),
        reasoning=within(usage, "reasoningTokens"),
        cacheRead=within(usage, "cachedTokens"),
        total=within(usage, "totalTokens"),
    )


class _Room:
    """The broker's REST interface, as far as one question needs it."""

    def __init__(self, url: str) -> None:
        self._url = url.rstrip("/")
        if not self._url.startswith("http://"):
            raise ChannelFailed(f"{URL_VARIABLE} is “{url}”; it must be an address like {DEFAULT_URL}.")

    def get(self, path: str) -> dict[str, Any]:
        return self._ask(urllib.request.Request(self._url + path))

    def post(self, path: str, body: dict[str, Any]) -> dict[str, Any]:
        """A command with an id of its own, sent once."""
        data = json.dumps({"clientCommandId": f"aig-{secrets.token_hex(16)}", **body}).encode()
        headers = {"Content-Type": "application/json"}
        return self._ask(urllib.request.Request(self._url + path, data=data, headers=headers, method="POST"))

    def cancel(self, turn_id: str) -> None:
        """Nobody waits for that turn any more. What cannot be told is not told."""
        try:
            self.post(f"/api/turns/{quote(turn_id)}/cancel", {})
        except ChannelFailed:
            return

    def events(self, after: int, deadline: float) -> Iterator[dict[str, Any]]:
        """Durable events after this seq, over broken connections and restarts of the room.

        Raises:
            ChannelFailed: the time is over, or the room forgot the cursor.
        """
        while (left := deadline - time.monotonic()) > 0:
            try:
                url = f"{self._url}/api/events?afterSeq={after}"
                with _OPENER.open(url, timeout=min(QUIET_SECONDS, left)) as stream:
                    while time.monotonic() < deadline and (line := stream.readline()):
                        if not line.startswith(b"data:"):
                            continue
                        event = json.loads(line[5:])
                        if event.get("type") == "stream.resync":
                            raise ChannelFailed("The room was restored from a backup while it answered.")
                        if isinstance(event.get("seq"), int):
                            after = event["seq"]
                            yield event
            except urllib.error.HTTPError as error:
                raise ChannelFailed(_problem(error)) from None
            except (OSError, ValueError):
                pass
            time.sleep(max(0.0, min(RECONNECT_SECONDS, deadline - time.monotonic())))
        raise ChannelFailed("No answer from GroupX in time; the turn was cancelled.")

    def _ask(self, request: urllib.request.Request) -> dict[str, Any]:
        try:
            with _OPENER.open(request, timeout=REQUEST_SECONDS) as response:
                answer = json.loads(response.read())
        except urllib.error.HTTPError as error:
            raise ChannelFailed(_problem(error)) from None
        except (OSError, ValueError) as error:
            raise ChannelFailed(f"GroupX does not answer at {self._url} ({error}). Is it running?") from None
        return answer if isinstance(answer, dict) else {}


def _problem(error: urllib.error.HTTPError) -> str:
    try:
        told = within(json.loads(error.read()), "error")
    except (OSError, ValueError):
        told = None
    code, message = within(told, "code"), within(told, "message")
    return f"GroupX refused: {message} ({code})" if message else f"GroupX answered with HTTP {error.code}."


CHANNEL = GroupXChannel()
