"""A live check in a room that runs: a message to the agent like any other, followed on the room's event stream."""

import http.client
import json
import time
import uuid
from collections.abc import Iterator
from contextlib import closing, suppress
from typing import Any

from adapters.contract import Capability, Evidence
from groupx.doctor.live_report import LiveReport, Narrator, question
from groupx.kernel.config import RunConfig
from groupx.kernel.errors import ErrorCode, GroupXError
from groupx.listener import listen_address
from groupx.terminal_words import gettext as _
from groupx.terminal_words import in_words
from rooms.actions.seed_room import agent_actor_id
from turns.state import LaneStatus

REQUEST_SECONDS = 15.0
AT_WORK = (LaneStatus.READY, LaneStatus.STARTING, LaneStatus.RETRYING, LaneStatus.WORKING)
SIGNS_OF_LIFE = ("turn.started", "turn.content.delta", "turn.reasoning.delta", "tool.progress")
TERMINALS = {
    "turn.completed": "completed",
    "turn.failed": "failed",
    "turn.cancelled": "cancelled",
    "turn.interrupted": "interrupted",
}


def check_in_room(run: RunConfig, agent_id: str, *, seconds: int, narrator: Narrator) -> LiveReport:
    """The message and its answer stand in the room's transcript.

    Raises:
        GroupXError: SESSION_NOT_AVAILABLE when the room does not answer, or refuses the message.
    """
    try:
        return _Check(run, agent_id, narrator).run(seconds)
    except (OSError, http.client.HTTPException, ValueError, KeyError) as error:
        raise GroupXError(
            ErrorCode.SESSION_NOT_AVAILABLE,
            _("The room does not answer as it should (%(reason)s).") % {"reason": str(error) or type(error).__name__},
        ) from error


class _Check:
    def __init__(self, run: RunConfig, agent_id: str, narrator: Narrator) -> None:
        self._server, self._agent_id, self._narrator = run.config.server, agent_id, narrator
        self._actor_id = agent_actor_id(agent_id)
        self._answer = ""
        self._end: dict[str, Any] = {}
        """The body of the terminal event, with its status."""
        self._is_heard = self._has_thought = False

    def run(self, seconds: float) -> LiveReport:
        deadline = time.monotonic() + seconds
        cursor = self._ask("GET", "/api/bootstrap")["cursor"]
        with closing(self._connection()) as stream:
            stream.request("GET", f"/api/events?afterSeq={cursor}")
            frames = _frames(stream, deadline)
            turn_id = self._send()
            self._narrator.step(_("%(agent)s is asked in the running room to say hello") % {"agent": self._agent_id})
            self._tell_why_it_waits()
            with suppress(TimeoutError):
                for frame in frames:
                    if frame["body"].get("turnId") == turn_id and self._has_ended(frame):
                        break
        self._narrator.end_line()
        if not self._end:
            self._end = self._out_of_time(turn_id, seconds)
        return self._report(turn_id)

    def _send(self) -> str:
        message = {"clientCommandId": f"doctor-{uuid.uuid4().hex}", "to": [self._actor_id], "content": question()}
        turn_id: str = self._ask("POST", "/api/messages", message)["turns"][0]["turnId"]
        return turn_id

    def _tell_why_it_waits(self) -> None:
        """A paused agent may take all the time that there is."""
        agent = self._agent()
        if agent["status"] not in AT_WORK:
            said = " · ".join(filter(None, (agent["status"], in_words(agent["statusText"]))))
            self._narrator.step(_("Its card says: %(status)s") % {"status": said})

    def _heard(self) -> None:
        """Words come live and may be here before the news that the agent has the message."""
        if not self._is_heard:
            self._is_heard = True
            self._narrator.step(_("The agent has the message"))

    def _has_ended(self, frame: dict[str, Any]) -> bool:
        kind, body = frame["type"], frame["body"]
        if kind in SIGNS_OF_LIFE:
            self._heard()
        if kind == "turn.content.delta":
            self._narrator.text(body["text"])
        elif kind == "turn.reasoning.delta" and not self._has_thought:
            self._has_thought = True
            self._narrator.step(_("It thinks"))
        elif kind == "tool.progress" and body["nativeType"] == "tool.started":
            self._narrator.step(_("It uses: %(tool)s") % {"tool": body["name"]})
        elif kind == "message.created":
            self._answer = body["content"]
        elif kind in TERMINALS:
            self._end = {**body, "status": TERMINALS[kind]}
        return bool(self._end)

    def _out_of_time(self, turn_id: str, seconds: float) -> dict[str, Any]:
        """Take the message back, and say what the agent's card says."""
        self._ask("POST", f"/api/turns/{turn_id}/cancel", {"clientCommandId": f"doctor-{uuid.uuid4().hex}"})
        agent = self._agent()
        message = _("It did not answer within %(seconds)d s; its turn was cancelled. Its card says: %(status)s.") % {
            "seconds": seconds,
            "status": " · ".join(filter(None, (agent["status"], in_words(agent["statusText"]).rstrip(".。")))),
        }
        return {
            "status": "cancelled", "message": message, "errorCode": ErrorCode.TURN_TIME_LIMIT.value,
            "hint": agent.get("lastError", {}).get("hint"),
        }  # fmt: skip

    def _report(self, turn_id: str) -> LiveReport:
        agent = self._agent()
        known = {Capability(name): Evidence(one["evidence"]) for name, one in agent["capabilities"].items()}
        cli = agent.get("cli") or {}
        used = self._ask("GET", f"/api/turns/{turn_id}")["usage"]
        return LiveReport(
            agent_id=self._agent_id,
            driver=agent["driver"],
            status=self._end["status"],
            took_ms=self._narrator.took_ms,
            is_in_room=True,
            cli=" ".join(filter(None, (cli.get("name") or agent["driver"], cli.get("version")))),
            answer=self._answer,
            error_code=self._end.get("errorCode"),
            message=self._end.get("message") or "",
            hint=self._end.get("hint"),
            usage={name: value for name, value in used.items() if value is not None},
            seen={what: how for what, how in known.items() if how in (Evidence.VERIFIED, Evidence.UNSUPPORTED)},
            is_kept=self._end["status"] == "completed",
        )

    def _agent(self) -> dict[str, Any]:
        agents = self._ask("GET", "/api/agents")["items"]
        found: dict[str, Any] = next(agent for agent in agents if agent["actorId"] == self._actor_id)
        return found

    # ------------------------------------------------------------ the wire
    def _connection(self) -> http.client.HTTPConnection:
        return http.client.HTTPConnection(listen_address(self._server.host), self._server.port, timeout=REQUEST_SECONDS)

    def _ask(self, method: str, path: str, body: dict[str, Any] | None = None) -> dict[str, Any]:
        with closing(self._connection()) as connection:
            content = None if body is None else json.dumps(body)
            connection.request(method, path, content, {"Content-Type": "application/json"} if content else {})
            answer: dict[str, Any] = json.loads(connection.getresponse().read())
        if error := answer.get("error"):
            raise GroupXError(ErrorCode.SESSION_NOT_AVAILABLE, f"{error['message']} ({error['code']})")
        return answer


def _frames(stream: http.client.HTTPConnection, deadline: float) -> Iterator[dict[str, Any]]:
    """The envelopes of the event stream as they come.

    Raises:
        TimeoutError: the deadline has come.
        ConnectionError: the stream has ended.
    """
    socket = stream.sock
    response = stream.getresponse()
    while (left := deadline - time.monotonic()) > 0:
        socket.settimeout(left)
        line = response.readline()
        if not line:
            raise ConnectionError(_("the event stream has ended"))
        if line.startswith(b"data:"):
            yield json.loads(line[5:])
    raise TimeoutError
