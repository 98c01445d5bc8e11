"""The room's MCP server as a demo agent calls it: one JSON-RPC request a call, by the standard library.

The server keeps no session (docs/mcp.md, "Protocol"), so a call needs no handshake.
"""

import http.client
import json
import socket
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

PROTOCOL = "2025-11-25"
ANSWERS = ("application/json", "text/event-stream")
"""Whole, or after words of progress: clients have to take both."""
SILENCE_SECONDS = 75.0
"""Longer than any tool may wait."""


@dataclass(frozen=True, kw_only=True)
class McpServer:
    """As session/new names it."""

    url: str
    headers: dict[str, str] = field(repr=False)


def room_of(params: dict[str, Any]) -> McpServer | None:
    """The room's MCP server, as the parameters of a session name it."""
    for server in params.get("mcpServers", []):
        if server.get("type") == "http":
            headers = {header["name"]: header["value"] for header in server.get("headers", [])}
            return McpServer(url=server["url"], headers=headers)
    return None


@dataclass(frozen=True, kw_only=True)
class Given:
    is_error: bool
    result: dict[str, Any]
    """Of an error {code?, message}."""


class RoomTools:
    """Of one turn. `hang_up` comes from another thread, ends a call that waits and refuses those after it."""

    def __init__(self, server: McpServer) -> None:
        self._server = server
        self._socket: socket.socket | None = None
        self._is_over = False

    def call(self, tool: str, arguments: dict[str, Any]) -> Given:
        address = urlsplit(self._server.url)
        params = {"name": tool, "arguments": arguments}
        body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params})
        headers = {
            "Content-Type": "application/json",
            "Accept": ", ".join(ANSWERS),
            "MCP-Protocol-Version": PROTOCOL,
            **self._server.headers,
        }
        connection = http.client.HTTPConnection(address.hostname or "", address.port, timeout=SILENCE_SECONDS)
        try:
            connection.connect()
            self._socket = connection.sock
            if self._is_over:
                return _failed("The turn was cancelled.")
            connection.request("POST", address.path, body, headers)
            return _read(connection.getresponse().read().decode())
        except (OSError, http.client.HTTPException, ValueError) as error:
            return _failed(f"The room's tools cannot be reached: {type(error).__name__}.")
        finally:
            self._socket = None
            connection.close()

    def hang_up(self) -> None:
        self._is_over = True
        waiting = self._socket
        if waiting is not None:
            with suppress(OSError):  # it has ended by itself meanwhile
                waiting.shutdown(socket.SHUT_RDWR)


def _read(text: str) -> Given:
    """The answer of the tool, alone or as the last event of a stream."""
    events = [line.removeprefix("data:") for line in text.splitlines() if line.startswith("data:")]
    answers = [answer for answer in map(_object, events or [text]) if "result" in answer or "error" in answer]
    if not answers:
        return _failed("The room gave no answer.")
    result = answers[-1].get("result")
    if not isinstance(result, dict):
        return Given(is_error=True, result=answers[-1]["error"])
    return Given(is_error=result.get("isError") is True, result=result.get("structuredContent") or {})


def _object(text: str) -> dict[str, Any]:
    value = json.loads(text) if text.strip() else None
    return value if isinstance(value, dict) else {}


def _failed(sentence: str) -> Given:
    return Given(is_error=True, result={"message": sentence})
