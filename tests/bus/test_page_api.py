"""REST and pages of the file bus's rooms (docs/protocol.md, "Rooms of the file bus"), without a server around them."""

import json
import re
from dataclasses import fields
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.test import Client

from rooms.bus.append import append
from rooms.bus.folder import Home, Room
from rooms.bus.joining import make_room
from rooms.bus.message import Draft
from rooms.bus_page.views import MODULES, BusRoomPage, BusRoomsPage
from tests.architecture.sources import ROOT

pytestmark = pytest.mark.django_db


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Home:
    home = Home(tmp_path / "home")
    monkeypatch.setattr(settings, "BUS_HOME", home)
    return home


@pytest.fixture
def room(home: Home) -> Room:
    room = home.room("main")
    make_room(room)
    (room.path / "members.json").write_text('{"codex": {"transport": "codex"}, "reader": {"note": "reads"}}')
    return room


def post(client: Client, path: str, **body: Any) -> tuple[int, Any]:
    answer = client.post(path, json.dumps(body), content_type="application/json")
    return answer.status_code, answer.json()


def say(room: Room, sender: str, text: str, **more: Any) -> int:
    return append(room, Draft(sender, text, **more)).seq


# ---------------------------------------------------------------- reading
def test_a_room_is_told_with_its_newest_messages_and_members(client: Client, room: Room):
    for number in range(205):
        say(room, "codex", f"text {number}")
    told = client.get("/api/bus/main").json()
    assert [m["seq"] for m in told["messages"]] == list(range(6, 206))
    assert (told["lastSeq"], told["hasOlder"], told["selfDrive"]) == (205, True, {"isOn": False})
    assert [(m["name"], m["transport"], m["unread"]) for m in told["members"]] == [
        ("human", "", 0), ("codex", "codex", 0), ("reader", "", 205),
    ]  # fmt: skip
    older = client.get("/api/bus/main/messages?beforeSeq=6&limit=3").json()
    assert ([m["seq"] for m in older["messages"]], older["hasOlder"]) == ([3, 4, 5], True)
    older = client.get("/api/bus/main/messages?beforeSeq=3&limit=3").json()
    assert ([m["seq"] for m in older["messages"]], older["hasOlder"]) == ([1, 2], False)


def test_an_answer_of_a_woken_member_tells_what_it_cost(client: Client, room: Room):
    meta = {"channel": "codex", "cost": 0.5, "tokens": {"input": 3, "odd": "x"}, "durationMs": 9, "other": [1]}
    say(room, "codex", "done", kind="reply", via="dispatch", reply_to="m1", meta=meta)
    [message] = client.get("/api/bus/main").json()["messages"]
    assert message["meta"] == {"channel": "codex", "cost": 0.5, "tokens": {"input": 3}, "durationMs": 9}
    assert (message["replyTo"], message["kind"], message["via"]) == ("m1", "reply", "dispatch")


def test_a_log_that_others_wrote_is_shown_as_far_as_it_can_be(client: Client, room: Room):
    lines = [
        {"seq": 1, "from": "x", "to": "*", "text": 5, "ts": 10**30, "meta": {"cost": float("inf")}},
        {"seq": 2},
        {"seq": "3"},
    ]
    room.log.write_text("\n".join([*map(json.dumps, lines), "torn {"]))
    (room.path / "presence").mkdir()
    (room.path / "presence" / "codex.json").write_text('{"lastSeen": 1e400, "pid": -1}')
    (room.path / "presence" / "reader.json").write_text(f'{{"lastSeen": {10**20}, "pid": 1, "host": "h"}}')
    told = client.get("/api/bus/main").json()
    assert [(m["seq"], m["from"], m["to"], m["text"], m["time"]) for m in told["messages"]] == [
        (1, "x", [], "", ""), (2, "", [], "", ""),
    ]  # fmt: skip


def test_a_members_file_that_is_broken_costs_the_members_only(client: Client, room: Room):
    say(room, "codex", "still here")
    room.members.write_text("{")
    told = client.get("/api/bus/main").json()
    assert [m["text"] for m in told["messages"]] == ["still here"]
    assert "members.json cannot be read" in told["selfDrive"]["note"]
    status, refused = post(client, "/api/bus/main/members/codex/wake")
    assert (status, refused["error"]["code"]) == (503, "BUS_UNAVAILABLE")


def test_a_long_text_is_cut_and_told_whole_when_it_is_asked_for(client: Client, room: Room):
    say(room, "codex", "x" * 300_000)
    [message] = client.get("/api/bus/main").json()["messages"]
    assert (len(message["text"]), message["truncated"], message["fullLength"]) == (262_144, True, 300_000)
    assert len(client.get("/api/bus/main/messages/1").json()["text"]) == 300_000
    assert client.get("/api/bus/main/messages/2").status_code == 404


@pytest.mark.parametrize("name", ["nope", "..", "a b", "x" * 65, "%2e%2e", "a%00b"])
@pytest.mark.parametrize("path", ["/api/bus/{}", "/api/bus/{}/messages", "/bus/{}", "/bus/{}/stream/"])
def test_a_room_that_is_not_there_is_not_found(client: Client, room: Room, path, name):
    assert client.get(path.format(name)).status_code == 404


def test_names_are_compared_as_they_are_written_in_files(client: Client, home: Home):
    make_room(home.room("caf\u00e9"))
    assert client.get("/api/bus/cafe\u0301").json()["room"] == "caf\u00e9"


# ---------------------------------------------------------------- writing
def test_the_person_writes_as_human_and_only_once(client: Client, room: Room):
    message = {"clientCommandId": "c1", "to": ["codex"], "text": "Hello"}
    first = post(client, "/api/bus/main/messages", **message)
    assert first[0] == 201 and post(client, "/api/bus/main/messages", **message) == first
    [line] = room.log.read_text().splitlines()
    written = json.loads(line)
    assert (written["from"], written["via"], written["to"], written["kind"]) == ("human", "web", ["codex"], "chat")
    status, refused = post(client, "/api/bus/main/messages", **{**message, "text": "Other"})
    assert (status, refused["error"]["code"]) == (409, "CLIENT_COMMAND_CONFLICT")
    assert post(client, "/api/bus/main/messages", **{**message, "clientCommandId": "c2"})[1]["seq"] == 2


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ({"text": " "}, "INVALID_ENVELOPE"),
        ({"text": "x" * 131_073}, "INVALID_ENVELOPE"),
        ({"to": ["all"]}, "INVALID_ENVELOPE"),
        ({"to": ["../x"]}, "INVALID_ENVELOPE"),
        ({"to": ["a", "a"]}, "INVALID_ENVELOPE"),
        ({"from": "codex"}, "SENDER_FIELD_FORBIDDEN"),
        ({"via": "cli"}, "INVALID_ENVELOPE"),
    ],
)
def test_what_does_not_fit_is_refused_and_nothing_is_written(client: Client, room: Room, body, code):
    status, refused = post(client, "/api/bus/main/messages", **{"clientCommandId": "c", "text": "x", **body})
    assert (status, refused["error"]["code"]) == (400, code)
    assert not room.log.exists()


@pytest.mark.parametrize("member", ["reader", "human", "nobody", "a b"])
def test_who_has_no_channel_is_not_woken(client: Client, room: Room, member):
    status, refused = post(client, f"/api/bus/main/members/{member}/wake")
    assert (status, refused["error"]["code"]) == (409, "MEMBER_NOT_WAKEABLE")


def test_without_a_server_nobody_is_woken_and_nothing_is_switched(client: Client, room: Room):
    for path, body in (("members/codex/wake", {}), ("self-drive", {"isOn": True})):
        status, refused = post(client, f"/api/bus/main/{path}", **body)
        assert (status, refused["error"]["code"]) == (503, "SESSION_NOT_AVAILABLE")
    assert not (room.path / "self-drive.json").exists()


# ---------------------------------------------------------------- pages
class Elements(HTMLParser):
    def __init__(self, html: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))


@pytest.mark.parametrize(
    ("path", "template", "shape"), [("/bus/", "bus_rooms.html", BusRoomsPage), ("/bus/main", "bus.html", BusRoomPage)]
)
def test_a_page_uses_its_documented_context_and_neither_inline_code_nor_style(
    client: Client, room: Room, path, template, shape
):
    answer = client.get(path)
    assert isinstance(answer.context["page"], shape)
    text = (ROOT / "templates" / "rooms" / template).read_text()
    assert set(re.findall(r"\bpage\.(\w+)", text)) == {field.name for field in fields(shape)}
    assert "unsafe" not in answer.headers["Content-Security-Policy"]
    for tag, attributes in Elements(answer.content.decode()).elements:
        assert tag != "style" and not any(name == "style" or name.startswith("on") for name in attributes)
        assert tag != "script" or attributes.get("src")
        assert len((attributes.get("class") or "").split()) <= 1


def test_the_page_names_every_module_that_its_script_imports(client: Client, room: Room):
    scripts, seen, left = ROOT / "static" / "js", set(), ["bus"]
    while left:
        for name in re.findall(r'from "\./(\w+)\.js"', (scripts / f"{left.pop()}.js").read_text()):
            if name not in seen:
                seen.add(name)
                left.append(name)
    assert sorted(seen) == sorted(MODULES)


def test_the_list_shows_rooms_and_how_to_make_one(client: Client, home: Home):
    assert "aig use main" in client.get("/bus/").content.decode()
    for name in ("quiet", "busy", "房间"):
        make_room(home.room(name))
    say(home.room("busy"), "codex", "x")
    home.use(home.room("房间"))
    html = client.get("/bus/").content.decode()
    assert html.index(">busy<") < html.index(">quiet<")
    assert "/bus/%E6%88%BF%E9%97%B4" in html and "current" in html
    assert client.get("/bus").headers["Location"] == "/bus/"


def test_a_cursor_of_the_stream_that_is_no_number_is_refused(client: Client, room: Room):
    answer = client.get("/bus/main/stream/?afterSeq=x")
    assert (answer.status_code, answer.json()["error"]["code"]) == (400, "INVALID_ENVELOPE")


# ---------------------------------------------------------------- what anybody may have written
def test_halves_of_characters_and_odd_numbers_are_shown_as_far_as_they_can_be(client: Client, room: Room):
    room.log.write_text(
        '{"seq":1,"from":"a\\ud83d","text":"half \\uD83D","meta":{"model":"\\ud83d","cost":1e999}}\n'
        '{"seq":2,"from":"b","text":"whole \\ud83d\\ude00","meta":{"cost":' + "9" * 400 + ',"tokens":{"a":NaN}}}\n'
    )
    room.members.write_text('{"x\\ud83d": {"transport": "\\ud83d"}}')
    told = client.get("/api/bus/main").json()
    assert [m["text"] for m in told["messages"]] == ["half \ufffd", "whole \U0001f600"]
    assert ["cost" in m["meta"] for m in told["messages"]] == [False, False]
    assert [m["name"] for m in told["members"]] == ["human", "x\ufffd"]
