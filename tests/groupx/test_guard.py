"""Who may reach the room at all: docs/errors.md, "Refusals of requests". Our contract."""

import json
from typing import Any

import pytest
from asgiref.testing import ApplicationCommunicator

from groupx.guard import MAX_BODY_BYTES, Guard

PORT = 4310
JSON = (b"content-type", b"application/json")


class Room:
    """What stands behind the guard: notes what reached it and answers."""

    def __init__(self) -> None:
        self.reached: list[tuple[str, bytes]] = []

    async def __call__(self, scope: dict, receive: Any, send: Any) -> None:
        if scope["type"] == "websocket":
            await receive()
            self.reached.append((scope["path"], b""))
            await send({"type": "websocket.accept"})
            return
        message = await receive()
        assert not message.get("more_body")
        self.reached.append((scope["path"], message["body"]))
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b"{}"})


async def asked(
    *headers: tuple[bytes, bytes],
    method: str = "GET",
    path: str = "/api/bootstrap",
    host: bytes | None = b"127.0.0.1:4310",
    body: list[bytes] | None = None,
    port: int = PORT,
    closing: bool = False,
    kind: str = "http",
) -> tuple[int, str | None, Room]:
    """Status, error code and what was behind; 101 for an accepted WebSocket, 403 for a refused one."""
    room = Room()
    scope = {
        "type": kind,
        "method": method,
        "path": path,
        "headers": [*([(b"host", host)] if host is not None else []), *headers],
    }
    client = ApplicationCommunicator(Guard(room, port, lambda: closing), scope)
    if kind == "websocket":
        await client.send_input({"type": "websocket.connect"})
        answer = await client.receive_output(5)
        return (101 if answer["type"] == "websocket.accept" else 403), None, room
    parts = body or [b""]
    for number, part in enumerate(parts, 1):
        await client.send_input({"type": "http.request", "body": part, "more_body": number < len(parts)})
    start = await client.receive_output(5)
    answer = json.loads((await client.receive_output(5))["body"])
    return start["status"], answer.get("error", {}).get("code"), room


@pytest.mark.parametrize("host", [b"127.0.0.1:4310", b"localhost:4310", b"[::1]:4310", b"LOCALHOST:4310"])
async def test_every_loopback_name_with_our_port_is_us(host):
    assert (await asked(host=host))[0] == 200


@pytest.mark.parametrize(
    "host",
    [
        None,
        b"",
        b"evil.example",
        b"evil.example:4310",
        b"127.0.0.1",
        b"localhost:4311",
        b"127.0.0.1:4310.evil.example",
        b"0.0.0.0:4310",
    ],
)
async def test_any_other_host_is_refused_before_any_work(host):
    status, code, room = await asked(host=host)
    assert (status, code, room.reached) == (403, "ORIGIN_FORBIDDEN", [])


async def test_two_hosts_are_no_host():
    assert (await asked((b"host", b"127.0.0.1:4310")))[0] == 403


async def test_the_bare_name_means_port_80():
    assert (await asked(host=b"localhost", port=80))[0] == 200
    assert (await asked(host=b"localhost:80", port=80))[0] == 200
    assert (await asked((b"origin", b"http://localhost"), host=b"localhost", port=80))[0] == 200


@pytest.mark.parametrize("origin", [b"http://127.0.0.1:4310", b"http://localhost:4310", b"http://[::1]:4310"])
async def test_our_own_pages_may_call(origin):
    assert (await asked((b"origin", origin)))[0] == 200


@pytest.mark.parametrize(
    "origin",
    [
        b"http://evil.example",
        b"null",
        b"",
        b"https://127.0.0.1:4310",
        b"http://127.0.0.1",
        b"http://localhost:4311",
        b"http://localhost:4310/",
    ],
)
@pytest.mark.parametrize("path", ["/api/messages", "/", "/mcp", "/api/events", "/static/app.js"])
async def test_pages_of_other_origins_are_refused_on_every_path(origin, path):
    status, code, room = await asked((b"origin", origin), JSON, method="POST", path=path)
    assert (status, code, room.reached) == (403, "ORIGIN_FORBIDDEN", [])


@pytest.mark.parametrize(
    "headers", [[(b"origin", b"http://evil.example")], [(b"origin", b"http://localhost:4310")] * 2]
)
async def test_a_websocket_of_another_origin_is_refused_before_it_is_accepted(headers):
    status, _, room = await asked(*headers, kind="websocket", path="/ws/lanes/a")
    assert (status, room.reached) == (403, [])


async def test_a_websocket_without_origin_is_no_browser_and_may_come():
    assert (await asked(kind="websocket", path="/ws/lanes/a"))[0] == 101
    assert (await asked(kind="websocket", path="/ws/lanes/a", host=b"rebound.example:4310"))[0] == 403


@pytest.mark.parametrize("media_type", [b"application/json", b"application/json; charset=utf-8", b"Application/JSON"])
async def test_writes_are_json(media_type):
    status, _, room = await asked((b"content-type", media_type), method="POST", body=[b"{}"])
    assert (status, room.reached) == (200, [("/api/bootstrap", b"{}")])


@pytest.mark.parametrize(
    "headers",
    [
        [],
        [(b"content-type", b"text/plain")],
        [(b"content-type", b"application/x-www-form-urlencoded")],
        [JSON, (b"content-type", b"text/plain")],
    ],
)
@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE"])
async def test_a_write_that_is_not_json_is_refused(method, headers):
    status, code, room = await asked(*headers, method=method)
    assert (status, code, room.reached) == (415, "UNSUPPORTED_MEDIA_TYPE", [])


@pytest.mark.parametrize(
    "path",
    ["//api/messages", "///api/messages", "/api//messages", "/api/messages//", "api/messages", "", "*", "/api/a\0b",
     "http://127.0.0.1:4310/api/messages"],
)  # fmt: skip
async def test_a_path_has_one_spelling(path):
    for media_type in (b"text/plain", b"application/json"):
        status, code, room = await asked((b"content-type", media_type), method="POST", path=path, body=[b"{}"])
        assert (status, code, room.reached) == (404, "NOT_FOUND", [])
    assert (await asked(kind="websocket", path=path))[0] == 403


async def test_forms_outside_the_api_have_their_own_protection():
    assert (await asked((b"content-type", b"application/x-www-form-urlencoded"), method="POST", path="/admin/"))[
        0
    ] == 200


async def test_a_body_of_the_largest_size_arrives_whole_and_one_byte_more_does_not():
    largest = b"x" * MAX_BODY_BYTES
    status, _, room = await asked(JSON, method="POST", body=[largest[:9], largest[9:]])
    assert (status, room.reached[0][1] == largest) == (200, True)

    status, code, room = await asked(JSON, method="POST", body=[largest, b"x"])
    assert (status, code, room.reached) == (413, "MESSAGE_TOO_LARGE", [])


async def test_a_body_that_announces_to_be_too_large_is_not_read():
    length = (b"content-length", b"%d" % (MAX_BODY_BYTES + 1))
    assert (await asked(JSON, length, method="POST"))[1] == "MESSAGE_TOO_LARGE"


async def test_a_closing_room_takes_nothing_new_and_still_tells_its_health():
    assert (await asked(path="/api/health", closing=True))[0] == 200
    for path in ("/", "/api/events", "/api/bootstrap"):
        status, code, room = await asked(path=path, closing=True)
        assert (status, code, room.reached) == (503, "RUNTIME_CLOSING", [])
    assert (await asked(kind="websocket", path="/ws/lanes/a", closing=True))[0] == 403
    assert (await asked(path="/api/health", host=b"evil.example", closing=True))[0] == 403
