"""Requests as bytes, canonical JSON, cut text: what holds for every input (docs/protocol.md, "Requests")."""

import json

from hypothesis import example, given
from hypothesis import strategies as st

from groupx.kernel.canonical import canonical_json, fingerprint
from groupx.kernel.errors import ErrorCode, GroupXError
from groupx.kernel.shapes import MAX_ISSUES, parse, parse_query, read_object
from groupx.kernel.text import clip, is_storable, storable
from rooms.requests import HistoryQuery
from turns.requests import SendMessage

texts = st.text()  # without surrogates
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | texts,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(texts, inner, max_size=4),
    max_leaves=20,
)
json_objects = st.dictionaries(texts, json_values, max_size=6)
REFUSALS = {ErrorCode.INVALID_ENVELOPE, ErrorCode.SENDER_FIELD_FORBIDDEN}


def is_storable_throughout(value: object) -> bool:
    match value:
        case str():
            return is_storable(value)
        case dict():
            return all(is_storable_throughout(part) for pair in value.items() for part in pair)
        case list():
            return all(is_storable_throughout(part) for part in value)
    return True


@given(st.binary())
@example(b'{"a":1e999}')
@example(b'{"a":' + b"[" * 2_000 + b"]" * 2_000 + b"}")
@example(b'{"\xed\xa0\x80":1}')
def test_any_bytes_are_an_object_or_refused(raw: bytes):
    try:
        value = read_object(raw)
    except GroupXError as refused:
        assert refused.code is ErrorCode.INVALID_ENVELOPE
    else:
        assert isinstance(value, dict) and is_storable_throughout(value)


@given(json_objects)
def test_what_was_sent_is_what_is_read(value: dict[str, object]):
    for ascii_only in (True, False):
        raw = json.dumps(value, ensure_ascii=ascii_only).encode()
        if is_storable_throughout(value):
            assert read_object(raw) == value


def shuffled(value: object) -> object:
    match value:
        case dict():
            return {key: shuffled(inner) for key, inner in reversed(value.items())}
        case list():
            return [shuffled(inner) for inner in value]
    return value


@given(json_objects)
def test_a_fingerprint_does_not_depend_on_the_order_of_keys(value: dict[str, object]):
    assert fingerprint(shuffled(value)) == fingerprint(value)
    assert json.loads(canonical_json(value)) == value


@given(json_objects, json_objects)
def test_different_requests_have_different_canonical_json(one: dict[str, object], other: dict[str, object]):
    assert (canonical_json(one) == canonical_json(other)) is (repr(sorted_deep(one)) == repr(sorted_deep(other)))


def sorted_deep(value: object) -> object:
    match value:
        case dict():
            return [(key, sorted_deep(inner)) for key, inner in sorted(value.items())]
        case list():
            return tuple(sorted_deep(inner) for inner in value)
    return value


@given(json_objects)
@example({"to": ["agent:a"] * 100, "content": 1, **{f"field{n}": n for n in range(100)}})
@example({"x" * 100_000: 1})
def test_any_object_is_a_message_or_refused_in_a_few_words(value: dict[str, object]):
    try:
        parse(SendMessage, value)
    except GroupXError as refused:
        assert refused.code in REFUSALS
        issues = refused.details["issues"]
        assert isinstance(issues, list) and 1 <= len(issues) <= MAX_ISSUES
        assert len(json.dumps(issues)) < 30_000 and len(refused.message) < 1_000


@given(st.text(st.characters(codec="latin-1")))
@example("limit=1&limit=1")
@example("limit=%D9%A1")
@example("beforeSeq=" + "9" * 5_000)
def test_any_query_is_read_or_refused(query: str):
    try:
        asked = parse_query(HistoryQuery, query)
    except GroupXError as refused:
        assert refused.code is ErrorCode.INVALID_ENVELOPE
    else:
        assert 1 <= asked.limit <= 500 and asked.before_seq >= 1


@given(st.text(st.characters(exclude_categories=[])), st.integers(1, 20))
def test_stored_text_is_storable_and_cut_text_is_short(text: str, most: int):
    assert is_storable(storable(text)) and len(storable(text)) == len(text)
    assert len(clip(text, most)) <= most and (len(text) > most or clip(text, most) == text)
