"""A served room as a client on a socket sees it: every byte of a request is the test's, every answer is read whole."""

import http.client
import io
import json
import socket
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from tests.openapi.validation import validator_of
from tests.waiting import wait_until

TIMEOUT_SECONDS = 20
ERROR = validator_of({"$ref": "#/components/schemas/ErrorAnswer"})


@dataclass(frozen=True, kw_only=True)
class Answered:
    status: int
    headers: Mapping[str, str]
    """Names in lower case."""
    body: bytes

    @property
    def code(self) -> str:
        """Of a refusal, which must have the one error shape."""
        assert self.headers["content-type"] == "application/json", (self.status, self.body[:200])
        shown = json.loads(self.body)
        ERROR.validate(shown)
        return cast(str, shown["error"]["code"])


class ServedRoom:
    def __init__(self, port: int, log: Path, process: subprocess.Popen[bytes]) -> None:
        self.port, self._log, self.process = port, log, process

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def log_tail(self) -> str:
        return self._log.read_text(errors="replace")[-4_000:]

    def faults(self) -> list[str]:
        """What the server logged as a fault of ours."""
        words = ('"level": "error"', '"level": "critical"', "Traceback")
        return [line for line in self._log.read_text(errors="replace").splitlines() if any(w in line for w in words)]

    def wait_until_healthy(self) -> None:
        def is_healthy() -> bool:
            assert self.process.poll() is None, self.log_tail()
            try:
                return self.ask("GET", "/api/health").status == 200
            except OSError:
                return False

        wait_until(is_healthy, timeout_seconds=60, what="a healthy server")

    def ask(self, method: str, target: str, body: bytes = b"", **headers: str) -> Answered:
        """A well-formed request; `target` is sent as it is."""
        given = {"Host": f"127.0.0.1:{self.port}", "Content-Type": "application/json", "Content-Length": str(len(body))}
        given |= {name.replace("_", "-").title(): value for name, value in headers.items()}
        lines = [f"{method} {target} HTTP/1.1", *(f"{name}: {value}" for name, value in given.items())]
        return self.raw("\r\n".join(lines).encode("latin-1") + b"\r\n\r\n" + body, method)

    def send_and_leave(self, request: bytes) -> None:
        with socket.create_connection(("127.0.0.1", self.port), timeout=TIMEOUT_SECONDS) as client:
            client.sendall(request)

    def raw(self, request: bytes, method: str = "GET") -> Answered:
        """Any bytes. Fails when the connection is closed without an answer."""
        with socket.create_connection(("127.0.0.1", self.port), timeout=TIMEOUT_SECONDS) as client:
            client.sendall(request)
            response = http.client.HTTPResponse(client, method=method)
            response.begin()
            headers = {name.lower(): value for name, value in response.getheaders()}
            return Answered(status=response.status, headers=headers, body=response.read())


def parsed(raw: bytes) -> Any:
    return json.load(io.BytesIO(raw))
