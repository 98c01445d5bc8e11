"""What every request, WebSocket and MCP call must satisfy before any work is done for it.

Local does not mean open: a web page elsewhere, or a DNS name that was made to point here, must not reach the
room. So the Host must be a loopback name with our port and a browser's Origin must be our own; writes must be
JSON, which a foreign form cannot send; bodies are bounded; and a room that closes takes nothing new.
"""

from collections.abc import Callable, Iterable

from groupx.kernel.errors import ErrorCode, GroupXError
from groupx.kernel.problems import error_body, problem_of
from rooms.asgi_json import Receive, Scope, Send, send_json
from rooms.envelope import dump

MAX_BODY_BYTES = 2 * 1024 * 1024
HEALTH_PATH = "/api/health"
LOOPBACK_NAMES = ("127.0.0.1", "localhost", "[::1]")
_SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})
_WRITES = frozenset({"POST", "PUT", "PATCH", "DELETE"})
_HTTP_PORT = 80

type Application = Callable[[Scope, Receive, Send], object]


def own_hosts(port: int) -> frozenset[str]:
    """How a client on this machine may call us in `Host`; the bare name means port 80."""
    named = {f"{name}:{port}" for name in LOOPBACK_NAMES}
    return frozenset(named | set(LOOPBACK_NAMES) if port == _HTTP_PORT else named)


class Guard:
    """Wraps the whole application. `is_closing` tells whether the room drains."""

    def __init__(self, application: Application, port: int, is_closing: Callable[[], bool]) -> None:
        self._application, self._is_closing = application, is_closing
        self._hosts = own_hosts(port)
        self._origins = frozenset(f"http://{host}" for host in self._hosts)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            _check_path(scope["path"])
            self._check_sender(scope)
            if scope["type"] == "http":
                self._check_request(scope)
                receive = await _bounded_body(scope, receive)
        except GroupXError as error:
            await refuse(scope, receive, send, error)
            return
        await self._application(scope, receive, send)  # type: ignore[misc]

    def _check_sender(self, scope: Scope) -> None:
        hosts = _values(scope, b"host")
        if len(hosts) != 1 or hosts[0].lower() not in self._hosts:
            raise GroupXError(
                ErrorCode.ORIGIN_FORBIDDEN, "This room answers on this machine only, under its own address and port."
            )
        origins = _values(scope, b"origin")
        if origins and (len(origins) != 1 or origins[0].lower() not in self._origins):
            raise GroupXError(ErrorCode.ORIGIN_FORBIDDEN, "Pages of other origins may not use this room.")
        if self._is_closing() and scope["path"] != HEALTH_PATH:
            raise GroupXError(ErrorCode.RUNTIME_CLOSING, "This room is closing and takes nothing new.")

    def _check_request(self, scope: Scope) -> None:
        lengths = _values(scope, b"content-length")
        if any(length.isdecimal() and int(length) > MAX_BODY_BYTES for length in lengths):
            raise _too_large()
        if scope["method"].upper() in _WRITES and scope["path"].startswith("/api/"):
            media_types = {value.partition(";")[0].strip().lower() for value in _values(scope, b"content-type")}
            if media_types != {"application/json"}:
                raise GroupXError(ErrorCode.UNSUPPORTED_MEDIA_TYPE, "Write with Content-Type: application/json.")


def _check_path(path: str) -> None:
    """One path has one spelling: routers that forgive slashes must not see another path than was judged here."""
    if not path.startswith("/") or "//" in path or "\0" in path:
        raise GroupXError(ErrorCode.NOT_FOUND, "There is nothing at this address.")


async def _bounded_body(scope: Scope, receive: Receive) -> Receive:
    """The body as one message that is no larger than allowed; what comes after it is passed through."""
    if scope["method"] in _SAFE_METHODS:
        return receive
    parts: list[bytes] = []
    size = 0
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            return _first(message, receive)
        parts.append(message.get("body", b""))
        size += len(parts[-1])
        if size > MAX_BODY_BYTES:
            raise _too_large()
        if not message.get("more_body"):
            return _first({"type": "http.request", "body": b"".join(parts), "more_body": False}, receive)


def _first(message: dict[str, object], receive: Receive) -> Receive:
    waiting = [message]

    async def replay() -> dict[str, object]:
        return waiting.pop() if waiting else await receive()

    return replay


async def refuse(scope: Scope, receive: Receive, send: Send, error: GroupXError) -> None:
    """Answer with this error and nothing else; a WebSocket is refused before it is one."""
    if scope["type"] == "websocket":
        await receive()
        await send({"type": "websocket.close"})  # before it was accepted: HTTP 403
        return
    await send_json(send, problem_of(error).http_status, dump(error_body(error)))


def _too_large() -> GroupXError:
    return GroupXError(
        ErrorCode.MESSAGE_TOO_LARGE, f"The body is larger than {MAX_BODY_BYTES} bytes.", limit=MAX_BODY_BYTES
    )


def _values(scope: Scope, name: bytes) -> list[str]:
    headers: Iterable[tuple[bytes, bytes]] = scope["headers"]
    return [value.decode("latin-1").strip() for key, value in headers if key == name]
