"""What scripted agents that speak JSON-RPC have in common: hearing, refusing as a real one would, scripted replies."""

import os
import sys
from abc import abstractmethod
from typing import Any

from agent_process import Agent  # siblings: this runs as part of a script
from agent_wire import Wire, log

STARTUP = {
    "replies": "method -> {result}|{error}|{hang}|{exit}|{frames: [...], then one of these}",
}


class RpcAgent(Agent):
    prompt_method: str
    refusal_code: int

    def __init__(self, wire: Wire, startup: dict[str, Any]) -> None:
        super().__init__(wire, startup)
        self._initialized = False
        self._last_id = -1

    def new_id(self) -> int:
        self._last_id += 1
        return self._last_id

    def take(self, frame: dict[str, Any]) -> None:
        method, request_id = frame.get("method"), frame.get("id")
        if method is None:
            log("answer", id=request_id, result=frame.get("result"), error=frame.get("error"))
            self.expect(request_id).set()
            return
        params = frame.get("params")
        scripted = self.startup.get("replies", {}).get(method)
        problem = None if scripted is not None else self._problem(method, params)
        log("heard", method=method, params={} if method == self.prompt_method else params, problem=problem)
        if problem is not None:
            if request_id is not None:
                self.wire.send({"id": request_id, "error": {"code": self.refusal_code, "message": problem}})
            return
        assert isinstance(params, dict)
        if scripted is not None:
            self._scripted_reply(scripted, request_id)
        else:
            self._answer(method, request_id, params)

    @abstractmethod
    def _problem(self, method: str, params: object) -> str | None:
        """What a real CLI would refuse about a request."""

    @abstractmethod
    def _answer(self, method: str, request_id: object, params: dict[str, Any]) -> None: ...

    def _scripted_reply(self, reply: dict[str, Any], request_id: object) -> None:
        self._initialized = True
        for frame in reply.get("frames", []):
            self.wire.send(frame)
        sys.stderr.write(reply.get("stderr", ""))
        sys.stderr.flush()
        if "exit" in reply:
            os._exit(reply["exit"])
        if "hang" not in reply:
            self.wire.send({"id": request_id, **{key: reply[key] for key in ("result", "error") if key in reply}})

    def _result(self, request_id: object, result: object) -> None:
        self.wire.send({"id": request_id, "result": result})
