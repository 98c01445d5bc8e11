"""Requests that no well-behaved client sends, byte for byte, to a real server: each is answered, in the one error
shape, and none is a fault of ours. Source: docs/protocol.md, "Who may call", "Requests".
"""

import json

import pytest

from groupx.guard import MAX_BODY_BYTES
from tests.openapi.served import Answered, ServedRoom

GOOD = {"clientCommandId": "raw", "to": ["agent:builder"], "content": "hello"}
TARGETS = ("/api/messages", "/api/turns/turn_1/retry", "/api/runtime/shutdown")
"""A plain ASGI endpoint, a DRF one, and one of the roof."""


@pytest.fixture(autouse=True)
def nothing_is_a_fault(served: ServedRoom):
    """No answer is a 5xx by itself enough: a traceback in the log is one too."""
    before = len(served.faults())
    yield
    assert served.faults()[before:] == []


def command(**fields: object) -> bytes:
    return json.dumps({**GOOD, **fields}).encode()


BAD_BODIES = {
    "nothing": b"",
    "white space": b"  \n",
    "no JSON": b"{oops",
    "a list": b"[]",
    "a number": b"1",
    "null": b"null",
    "a string": b'"x"',
    "two objects": b"{}{}",
    "NaN": b'{"clientCommandId":NaN}',
    "Infinity": b'{"clientCommandId":-Infinity}',
    "a huge integer": b'{"clientCommandId":' + b"9" * 5_000 + b"}",
    "a huge float": b'{"clientCommandId":1e999999}',
    "a key twice": b'{"clientCommandId":"a","clientCommandId":"a"}',
    "deep lists": b'{"to":' + b"[" * 100_000 + b"]" * 100_000 + b"}",
    "lists just deep enough to parse": b'{"to":' + b"[" * 900 + b"]" * 900 + b"}",
    "lists as deep as the parser takes": b'{"to":' + b"[" * 5_000 + b"]" * 5_000 + b"}",
    "objects as deep as the parser takes": b'{"a":' * 5_000 + b"1" + b"}" * 5_000,
    "deep objects": b'{"a":' * 50_000 + b"1" + b"}" * 50_000,
    "objects just deep enough to parse": b'{"a":' * 900 + b"1" + b"}" * 900,
    "invalid UTF-8": b'{"clientCommandId":"\xff"}',
    "overlong UTF-8": b'{"clientCommandId":"\xc0\xaf"}',
    "a surrogate in UTF-8": b'{"clientCommandId":"\xed\xa0\x80"}',
    "half a surrogate pair": b'{"clientCommandId":"\\ud800"}',
    "half a surrogate pair as a key": b'{"\\udfff":1}',
    "NUL": b'{"clientCommandId":"a\\u0000"}',
    "a raw NUL": b'{"clientCommandId":"a\0"}',
    "UTF-16": '{"clientCommandId":"a"}'.encode("utf-16"),
    "a byte order mark": b"\xef\xbb\xbf{}",
    "gzip": b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03",
    "a form": b"clientCommandId=a&to=agent%3Abuilder",
    "an unknown field whose name is half a mebibyte": b'{"' + b"x" * 500_000 + b'":1}',
    "very many unknown fields": json.dumps({f"field{n}": n for n in range(20_000)}).encode(),
    "wrong types all over": b'{"clientCommandId":[],"to":{},"content":1.5,"runtimeScopeKey":true}',
}


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("body", BAD_BODIES.values(), ids=BAD_BODIES)
def test_a_body_that_is_no_request_is_refused_by_name(served: ServedRoom, target: str, body: bytes):
    answered = served.ask("POST", target, body)
    assert (answered.status, answered.code) == (400, "INVALID_ENVELOPE")
    assert len(answered.body) < 100_000, "a refusal does not repeat what it was given"


@pytest.mark.parametrize("target", TARGETS)
def test_a_sender_deep_in_wrong_data_is_refused_first(served: ServedRoom, target: str):
    assert served.ask("POST", target, b'{"to":[{"from":"x"}],"content":5}').code == "SENDER_FIELD_FORBIDDEN"


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize(
    "content_type",
    ["", "text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "application/jsonx",
     "application/json, text/plain", "\xff\xfe", "application/" + "x" * 5_000],
)  # fmt: skip
def test_writes_of_another_kind_are_415(served: ServedRoom, target: str, content_type: str):
    assert served.ask("POST", target, command(), content_type=content_type).code == "UNSUPPORTED_MEDIA_TYPE"


@pytest.mark.parametrize("content_type", ["application/json; charset=utf-16", "application/json;", "APPLICATION/JSON"])
def test_json_by_any_spelling_is_read_as_utf_8(served: ServedRoom, content_type: str):
    for target in TARGETS:
        assert served.ask("POST", target, b"{}", content_type=content_type).code == "INVALID_ENVELOPE"


@pytest.mark.parametrize("target", TARGETS)
def test_a_body_at_the_bound_is_read_and_one_above_it_is_not(served: ServedRoom, target: str):
    at_the_bound = b'{"x":"' + b"y" * (MAX_BODY_BYTES - 8) + b'"}'
    assert served.ask("POST", target, at_the_bound).code == "INVALID_ENVELOPE"
    assert served.ask("POST", target, at_the_bound + b" ").code == "MESSAGE_TOO_LARGE"


def chunked(served: ServedRoom, *chunks: bytes, end: bytes = b"0\r\n\r\n") -> Answered:
    head = (
        f"POST /api/messages HTTP/1.1\r\nHost: localhost:{served.port}\r\nContent-Type: application/json\r\n"
        "Transfer-Encoding: chunked\r\n\r\n"
    )
    return served.raw(head.encode() + b"".join(b"%x\r\n%b\r\n" % (len(chunk), chunk) for chunk in chunks) + end)


def test_chunked_bodies_are_bodies(served: ServedRoom):
    whole = command(clientCommandId="chunked")
    assert chunked(served, whole[:5], whole[5:]).status == 202
    assert chunked(served, b"{oops").code == "INVALID_ENVELOPE"
    assert chunked(served, *[b"x" * 0x100000] * 3).code == "MESSAGE_TOO_LARGE"


@pytest.mark.parametrize(
    "query",
    ["limit=", "limit=%00", "limit=%FF", "limit=1%0A", "limit=1&limit=1", "beforeSeq=1e3", "limit=" + "9" * 4_000,
     "limit=%D9%A1"],
)  # fmt: skip
def test_a_parameter_that_does_not_fit_is_refused_by_name(served: ServedRoom, query: str):
    answered = served.ask("GET", f"/api/history?{query}")
    assert answered.code == "INVALID_ENVELOPE"
    assert json.loads(answered.body)["error"]["details"]["issues"][0]["path"] == query.partition("=")[0]


@pytest.mark.parametrize(
    "query",
    ["?", "&&&&", "=", "a=b&a=c", "%", "%zz=%zz", "limit=1;limit=2", "x=" + "y" * 8_000, "&".join(["a=b"] * 3_000),
     "[]=1&a[b]=2", "format=xml", "_method=DELETE"],
)  # fmt: skip
def test_what_no_parameter_knows_changes_nothing(served: ServedRoom, query: str):
    for path in ("/api/history", "/api/bootstrap"):
        answered = served.ask("GET", f"{path}?{query}")
        assert answered.status == (400 if query.startswith("limit") and path == "/api/history" else 200)


@pytest.mark.parametrize("room", ["", "room:other", "%00", "%ED%A0%80", "x" * 4_000, "'%20OR%201=1--"])
def test_another_room_is_not_found_whatever_it_is_called(served: ServedRoom, room: str):
    for path in ("/api/history", "/api/bootstrap", "/api/events", "/api/export", "/api/agents", "/api/turns/turn_1"):
        assert served.ask("GET", f"{path}?roomId={room}").code == "NOT_FOUND"


@pytest.mark.parametrize(
    "path",
    ["/api/turns/%00", "/api/turns/a%00b", "/api/turns/%2F", "/api/turns/a%2F..%2F..", "/api/turns/%FF%FE",
     "/api/turns/%ED%A0%80", "/api/turns/%", "/api/turns/..", "/api/turns/.", "/api/../api/turns/turn_1",
     "/api/turns/" + "x" * 4_000, "/api//history", "//api/history", "/api/history/", "/API/history", "/api/events/",
     "/api/events/%0D%0A", "/api/turns/%F0%9F%98%80", "/api/turns/' OR 1=1".replace(" ", "%20"), "/api", "/api/",
     "/%2e%2e/%2e%2e/etc/passwd", "/static/%2e%2e/%2e%2e/groupx.json", "/static/..%2f..%2fgroupx.json",
     "/static/%00", "/static/" + "x" * 300, "/static/" + "x/" * 1_000, "/api/history;a=b", "/metrics/", "/mcp/",
     "/jsi18n/xx/1.js", "/jsi18n/%00/1.js"],
)  # fmt: skip
def test_a_strange_path_leads_nowhere(served: ServedRoom, path: str):
    assert served.ask("GET", path).code == "NOT_FOUND"


LONG = 20_000


def test_an_address_that_is_too_long_is_414(served: ServedRoom):
    for path in ("/" + "x" * LONG, "/api/history?" + "x" * LONG):
        answered = served.ask("GET", path)
        assert (answered.status, answered.code) == (414, "ADDRESS_TOO_LONG")


def test_headers_that_are_too_many_or_too_long_are_431(served: ServedRoom):
    host = f"Host: localhost:{served.port}\r\n"
    for headers in ("X: " + "y" * LONG + "\r\n", ("X: " + "y" * 1_000 + "\r\n") * 20, "X: y\r\n" * 600):
        answered = served.raw(f"GET /api/health HTTP/1.1\r\n{host}{headers}\r\n".encode())
        assert (answered.status, answered.code) == (431, "HEADERS_TOO_LARGE")


@pytest.mark.parametrize(
    "request_bytes",
    [b"\r\n\r\n\r\n", b"GET\r\n\r\n", b"hello\r\n\r\n", b"GET /\r\n\r\n", b"GET / HTTP/9.9\r\nHost: x\r\n\r\n",
     b"GET  / HTTP/1.1\r\n\r\n", b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n",
     b"GET / HTTP/1.1\r\nno colon\r\n\r\n", b"GET / HTTP/1.1\r\n: empty\r\n\r\n", b"GET / HTTP/1.1\r\nX: a\0b\r\n\r\n",
     b"POST / HTTP/1.1\r\nContent-Length: x\r\n\r\n", b"POST / HTTP/1.1\r\nContent-Length: -1\r\n\r\n",
     b"POST / HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
     b"POST / HTTP/1.1\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n",
     b"POST / HTTP/1.1\r\nTransfer-Encoding: gzip\r\n\r\n",
     b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
     b"GET /\xff HTTP/1.1\r\n\r\n", b"GET /?\xff HTTP/1.1\r\n\r\n", b"\xff\xff / HTTP/1.1\r\n\r\n",
     b"GET http://[ HTTP/1.1\r\n\r\n"],
)  # fmt: skip
def test_bytes_that_are_no_http_are_refused(served: ServedRoom, request_bytes: bytes):
    answered = served.raw(request_bytes)
    assert answered.code in ("INVALID_ENVELOPE", "ORIGIN_FORBIDDEN", "NOT_FOUND") and answered.status < 500


@pytest.mark.parametrize("method", ["PUT", "PATCH", "DELETE", "TRACE", "OPTIONS", "CONNECT", "BREW", "G" * 200])
@pytest.mark.parametrize(
    "path", ["/api/messages", "/api/history", "/api/events", "/api/export", "/api/health", "/api/schema", "/api/docs",
             "/metrics", "/", "/api/ping", "/api/turns/turn_1/retry", "/api/runtime/shutdown"],
)  # fmt: skip
def test_a_method_that_an_address_does_not_take_is_405_and_names_those_it_does(
    served: ServedRoom, method: str, path: str
):
    answered = served.ask(method, path, b"{}")
    assert (answered.status, answered.code) == (405, "METHOD_NOT_ALLOWED")
    assert answered.headers["allow"] and method not in answered.headers["allow"].split(", ")


def test_a_method_in_small_letters_is_the_same_method_for_everybody_who_judges_it(served: ServedRoom):
    for path in ("/api/history", "/api/bootstrap", "/"):
        assert served.ask("get", path).status == 200
    for target in TARGETS:
        assert served.ask("post", target, command(), content_type="text/plain").code == "UNSUPPORTED_MEDIA_TYPE"


@pytest.mark.parametrize(
    "path", ["/api/history", "/api/bootstrap", "/api/health", "/api/agents", "/api/schema", "/api/docs", "/metrics",
             "/api/ping", "/"],
)  # fmt: skip
def test_head_is_get_without_the_body(served: ServedRoom, path: str):
    answered = served.ask("HEAD", path)
    assert (answered.status, answered.body) == (200, b"")
    assert answered.headers["content-type"] == served.ask("GET", path).headers["content-type"]


@pytest.mark.parametrize("path", ["/api/history", "/api/schema", "/metrics", "/", "/api/events", "/nowhere"])
@pytest.mark.parametrize(
    "headers",
    [{"host": "evil.example"}, {"host": "localhost"}, {"host": ""}, {"host": "\xff"}, {"host": "127.0.0.1:1, x"},
     {"origin": "null"}, {"origin": "http://evil.example"}, {"origin": "\xff\x00"[:1]}, {"host": "[::1"}],
)  # fmt: skip
def test_a_foreign_host_or_origin_reaches_nothing(served: ServedRoom, path: str, headers: dict[str, str]):
    assert served.ask("GET", path, **headers).code == "ORIGIN_FORBIDDEN"


@pytest.mark.parametrize("root", ["/api", "/x", "%ff", "\xff"])
def test_no_header_moves_the_root_of_the_site(served: ServedRoom, root: str):
    assert served.ask("GET", "/api/history", daphne_root_path=root).status == 200
    assert served.ask("POST", "/x/api/turns/turn_1/retry", b"{}", daphne_root_path="/x").code == "NOT_FOUND"


def test_nothing_of_a_client_that_leaves_early_is_left(served: ServedRoom):
    for request in (b"POST /api/messages HTTP/1.1\r\nContent-Length: 100\r\n\r\nhalf", b"GET /api/eve"):
        served.send_and_leave(request)
    assert served.ask("GET", "/api/health").status == 200
