"""Strict requests (docs/protocol.md, "Requests"). Our contract."""

import pytest

from groupx.kernel.errors import ErrorCode, GroupXError
from groupx.kernel.shapes import parse, read_object, refuse_sender_fields
from turns.requests import SendMessage

GOOD = {"clientCommandId": "c", "to": ["agent:a"], "content": "hi"}


def refused(payload) -> GroupXError:
    with pytest.raises(GroupXError) as caught:
        parse(SendMessage, payload)
    return caught.value


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b"{oops",
        b"[1]",
        b"null",
        b'"hi"',
        b'{"a":NaN}',
        b'{"a":-Infinity}',
        b'{"a":"\xff"}',
        b'{"a":' + b"[" * 100_000,
        b'{"a":1,"a":2}',
    ],
    ids=["empty", "broken", "array", "null", "string", "nan", "infinity", "not-utf8", "deep", "key-twice"],
)
def test_a_body_that_is_no_json_object_is_refused(raw):
    with pytest.raises(GroupXError) as caught:
        read_object(raw)
    assert caught.value.code is ErrorCode.INVALID_ENVELOPE


@pytest.mark.parametrize("raw", [b'{"a":{"b":"\\ud800"}}', b'{"a":{"b":"x\\u0000"}}'])
def test_text_that_no_store_keeps_is_refused_with_its_path(raw):
    with pytest.raises(GroupXError) as caught:
        read_object(raw)
    assert caught.value.details["issues"][0]["path"] == "a.b"


def test_a_surrogate_pair_is_one_character_and_welcome():
    assert read_object(b'{"a":"\\ud83d\\ude00"}') == {"a": "😀"}


@pytest.mark.parametrize("field", ["from", "actor", "author", "provenance", "eventId"])
@pytest.mark.parametrize(
    "nest", [lambda f: {**GOOD, f: None}, lambda f: {**GOOD, "supervision": {f: 1}}, lambda f: {f: 1}]
)
def test_a_field_that_names_the_sender_is_refused_before_anything_else(field, nest):
    assert refused(nest(field)).code is ErrorCode.SENDER_FIELD_FORBIDDEN


def test_deeper_than_two_levels_is_no_request_field_any_more():
    refuse_sender_fields({"a": {"b": {"from": "x"}}})


@pytest.mark.parametrize(
    ("change", "path"),
    [
        ({"priority": 1}, "priority"),
        ({"transport": "structured"}, "transport"),
        ({"access": "unrestricted"}, "access"),
        ({"content": 5}, "content"),
        ({"content": None}, "content"),
        ({"content": " \t\n "}, "content"),
        ({"content": "\u200b\ufeff\u2060 "}, "content"),
        ({"to": "agent:a"}, "to"),
        ({"to": []}, "to"),
        ({"to": ["agent:a", "agent:a"]}, "to"),
        ({"to": ["user:web"]}, "to"),
        ({"to": ["a"]}, "to"),
        ({"to": ["agent:" + "a" * 65]}, "to"),
        ({"to": [f"agent:t{n}" for n in range(33)]}, "to"),
        ({"to": ["@all", "agent:a"]}, "to"),
        ({"clientCommandId": ""}, "clientCommandId"),
        ({"clientCommandId": "k" * 129}, "clientCommandId"),
        ({"replyToEventId": 5}, "replyToEventId"),
    ],
)
def test_a_wrong_field_is_named_by_its_path(change, path):
    error = refused({**GOOD, **change})

    assert error.code is ErrorCode.INVALID_ENVELOPE
    assert any(issue["path"].split(".")[0] == path for issue in error.details["issues"])


def test_a_text_that_is_too_long_is_told_in_characters():
    error = refused({**GOOD, "clientCommandId": "c" * 129})
    assert error.details["issues"] == [
        {"path": "clientCommandId", "message": "String should have at most 128 characters"}
    ]


def test_every_wrong_field_is_told_at_once():
    issues = refused({**GOOD, "content": 5, "bogus": 1}).details["issues"]

    assert {issue["path"] for issue in issues} == {"content", "bogus"}
    assert all(issue["message"] for issue in issues)
