"""Envelopes, bodies and the frames of the event stream: what holds for every content (docs/protocol.md, "Envelope",
"Events", "Long text")."""

import json
from datetime import UTC
from enum import EnumType
from types import NoneType, UnionType
from typing import Any, Literal, get_args, get_origin

from hypothesis import example, given
from hypothesis import strategies as st
from pydantic import BaseModel

from groupx.kernel.errors import ErrorCode, GroupXError
from rooms.bodies import BODY_OF, Body
from rooms.envelope import SHOWN_CHARS, ActorRef, Envelope, dump, shorten_body
from rooms.requests import MAX_SEQ
from rooms.sse import frame, read_request
from rooms.text_so_far import TextSoFar
from rooms.vocabulary import EventType, SourceKind
from tests.openapi.validation import validator_of

EVENT = validator_of({"$ref": "#/components/schemas/Event"})
texts = st.text()
details = st.dictionaries(texts, st.none() | st.integers() | texts | st.lists(texts, max_size=3), max_size=4)


SIMPLE = {str: texts, bool: st.booleans(), int: st.integers(0, 2**53), float: st.floats(0, 1e9), NoneType: st.none()}


def anything_of(annotation: Any) -> st.SearchStrategy[Any]:
    """Anything that a field of this type may hold."""
    of, arguments = get_origin(annotation), get_args(annotation)
    if annotation in SIMPLE:
        return SIMPLE[annotation]
    if of is UnionType:
        return st.one_of([anything_of(argument) for argument in arguments])
    if of is Literal:
        return st.sampled_from(arguments)
    if isinstance(annotation, EnumType):
        return st.sampled_from(annotation)
    if of is dict:
        return details
    if of in (list, tuple):
        return st.lists(anything_of(arguments[0]), max_size=3).map(of)
    return bodies_of(annotation)


def bodies_of[B: BaseModel](kind: type[B]) -> st.SearchStrategy[B]:
    fields = {name: anything_of(field.annotation) for name, field in kind.model_fields.items()}
    return st.fixed_dictionaries(fields).map(lambda values: kind(**values))


bodies = st.one_of([bodies_of(kind) for kind in BODY_OF.values()])
actors = st.builds(
    ActorRef,
    actor_id=st.sampled_from(["user:web", "agent:a", "system:groupx"]),
    display_name=texts,
    instance_id=st.none() | texts,
)


@st.composite
def envelopes(draw: st.DrawFn) -> Envelope:
    body = draw(bodies)
    return Envelope(
        event_id=draw(texts),
        seq=draw(st.none() | st.integers(1, MAX_SEQ)),
        type=body.event_type.value,
        actor=draw(actors),
        correlation_id=draw(texts),
        root_correlation_id=draw(texts),
        occurred_at=draw(st.datetimes(timezones=st.just(UTC))),
        body=body.wire(),
        source_kind=draw(st.sampled_from(SourceKind)),
        to=tuple(draw(st.lists(texts, max_size=3))),
        reply_to_event_id=draw(st.none() | texts),
        causation_id=draw(st.none() | texts),
    )


@given(envelopes())
def test_every_envelope_is_as_documented(envelope: Envelope):
    EVENT.validate(json.loads(dump(envelope.wire())))


@given(bodies)
def test_a_body_comes_back_from_the_wire(body: Body):
    assert type(body).model_validate(json.loads(dump(body.wire()))) == body


def events_in(stream: bytes) -> list[tuple[str | None, str]]:
    """As the HTML standard parses an event stream: lines end with CR LF, LF or CR; (id, data) of each event."""
    found, event_id, data = [], None, []
    for line in stream.decode().replace("\r\n", "\n").replace("\r", "\n").split("\n"):
        name, _, value = line.partition(":")
        match name:
            case "id":
                event_id = value.removeprefix(" ")
            case "data":
                data.append(value.removeprefix(" "))
            case "" if not line and data:
                found.append((event_id, "\n".join(data)))
                event_id, data = None, []
    return found


@given(st.lists(envelopes(), max_size=3))
def test_whatever_is_said_stays_inside_its_own_frame(told: list[Envelope]):
    stream = b"".join(frame(dump(envelope.wire()), envelope.seq) for envelope in told)
    assert [(event_id, json.loads(data)) for event_id, data in events_in(stream)] == [
        (str(envelope.seq) if envelope.seq else None, json.loads(dump(envelope.wire()))) for envelope in told
    ]


queries = st.binary() | st.builds(
    lambda pairs: "&".join(f"{name}={value}" for name, value in pairs).encode("ascii", "replace"),
    st.lists(
        st.tuples(st.sampled_from(["afterSeq", "epoch", "roomId", "x"]), st.integers().map(str) | texts), max_size=4
    ),
)


@given(queries, st.lists(st.binary(max_size=24) | st.integers().map(lambda n: str(n).encode()), max_size=2))
@example(b"afterSeq=1", [b"2"])
@example(b"", [b"", b"5"])
@example(b"afterSeq=9223372036854775808", [])
def test_any_cursor_is_a_place_in_the_log_or_refused(query: bytes, last_event_ids: list[bytes]):
    try:
        asked = read_request(query, last_event_ids)
    except GroupXError as refused:
        assert refused.code is ErrorCode.INVALID_ENVELOPE
    else:
        assert 0 <= asked.after_seq <= MAX_SEQ and asked.epoch != ""
        assert {int(value) for value in last_event_ids if value.strip()} <= {asked.after_seq}


LONG = st.integers(SHOWN_CHARS - 2, SHOWN_CHARS + 2).map(lambda length: "x" * length)
details_that_may_be_long = st.dictionaries(texts, texts | LONG | st.lists(LONG, max_size=2), min_size=1, max_size=3)


@given(st.fixed_dictionaries({"content": texts | LONG}) | st.fixed_dictionaries({"details": details_that_may_be_long}))
def test_what_is_shown_is_bounded_and_says_when_it_was_cut(body: dict[str, object]):
    shown = shorten_body(body)
    name = next(iter(body))
    whole = body[name] if isinstance(body[name], str) else dump(body[name])
    assert isinstance(whole, str)
    if len(whole) <= SHOWN_CHARS:
        assert shown == body
        return
    assert (shown["truncated"], shown["fullLength"]) == (True, len(whole))
    short = shown[name] if isinstance(shown[name], str) else dump(shown[name])
    assert len(short) <= SHOWN_CHARS


@given(st.lists(texts | LONG, max_size=6))
def test_the_text_so_far_is_the_beginning_of_what_was_said_and_the_length_of_all(pieces: list[str]):
    kept = TextSoFar()
    told = "".join([kept.append(piece) for piece in pieces])
    whole = "".join(pieces)
    assert told == kept.shown == whole[:SHOWN_CHARS]
    assert (kept.length, kept.shown_length, kept.is_cut) == (len(whole), len(told), len(whole) > SHOWN_CHARS)


def test_every_type_of_event_is_tried():
    assert set(BODY_OF) == set(EventType)
