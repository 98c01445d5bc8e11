"""How an exported event looks, and which requests are refused (docs/protocol.md, "Export"). Our contract."""

import json
import re
from datetime import UTC, datetime

import pytest
from hypothesis import given as over
from hypothesis import strategies as st

from groupx.kernel.errors import ErrorCode, GroupXError
from rooms.envelope import SHOWN_CHARS, ActorRef, Envelope
from rooms.export.formats import (
    ExportFormat,
    ExportRequest,
    broken_off,
    file_name,
    jsonl_line,
    markdown_entry,
    markdown_head,
    read_request,
)
from rooms.vocabulary import SourceKind

NAMES = {"agent:builder": "Builder", "agent:reviewer": "Reviewer"}


def event(type: str = "message.created", name: str = "You", **more) -> Envelope:
    return Envelope(
        **{
            "event_id": "evt_1",
            "seq": 7,
            "type": type,
            "actor": ActorRef(actor_id="user:web", display_name=name),
            "correlation_id": "corr_1",
            "root_correlation_id": "corr_1",
            "occurred_at": datetime(2026, 11, 30, 10, 41, 3, tzinfo=UTC),
            "source_kind": SourceKind.WEB,
            "body": {"content": "hello"},
            **more,
        }
    )


def test_a_line_is_the_whole_envelope():
    long = event(body={"content": "x" * (SHOWN_CHARS + 1) + "\nü\u2028"})
    line = jsonl_line(long)
    assert line.endswith("\n") and line.count("\n") == 1
    assert json.loads(line) == long.wire()


def test_a_message_has_a_heading_its_facts_and_its_text():
    shown = markdown_entry(event(to=("agent:builder", "agent:gone"), reply_to_event_id="evt_0"), NAMES)
    assert shown == (
        "\n## 7 · You to Builder, agent:gone\n\n2026-11-30T10:41:03.000Z · evt_1 · reply to evt_0\n\n"
        "```text\nhello\n```\n"
    )


def test_a_dispatch_and_an_end_are_lines():
    body = {"turnId": "turn_1", "targetActorId": "agent:builder"}
    assert "dispatched to Builder · turn_1" in markdown_entry(event("turn.dispatched", body=body), NAMES)
    failed = markdown_entry(
        event("turn.failed", body={**body, "errorCode": "NATIVE_ERROR", "message": "# Fake", "partialText": "so far"}),
        NAMES,
    )
    assert "Builder failed · NATIVE\\_ERROR" in failed
    assert "```text\n# Fake\n```" in failed and "```text\nso far\n```" in failed


@pytest.mark.parametrize("type", ["routing.loop_stopped", "routing.loop_released"])
def test_where_a_limit_stopped_agents_and_a_person_let_them_go_on_is_a_line(type: str):
    told = event(type, name="GroupX", body={"message": "Enough *for now*."})
    assert markdown_entry(told, NAMES) == "\n*7 · 2026-11-30T10:41:03.000Z · GroupX: Enough \\*for now\\*.*\n"


def test_a_reset_of_the_context_is_a_line():
    told = event("context.reset", name="You", body={"resetThroughSeq": 6})
    expected = "\n*7 · 2026-11-30T10:41:03.000Z · You let the context of later turns begin here*\n"
    assert markdown_entry(told, NAMES) == expected


def test_who_watches_whom_is_a_line():
    workers = [{"turnId": "turn_1", "targetActorId": "agent:builder"}]
    watchers = [{"turnId": f"turn_{name}", "targetActorId": f"agent:{name}"} for name in ("reviewer", "gone")]
    told = event("supervision.paired", name="GroupX", body={"workers": workers, "watchers": watchers})
    assert markdown_entry(told, NAMES) == ("\n*7 · 2026-11-30T10:41:03.000Z · Reviewer, agent:gone to watch Builder*\n")


@pytest.mark.parametrize(("action", "did"), [("interrupt", "interrupted"), ("nudge", "nudged")])
def test_a_steer_is_a_line_with_its_reason(action: str, did: str):
    body = {"action": action, "targetActorId": "agent:builder", "subjectTurnId": "turn_1", "reason": "Wrong\n# *way*."}
    told = event("supervision.steered", name="Reviewer", body=body)
    assert markdown_entry(told, NAMES) == (
        f"\n*7 · 2026-11-30T10:41:03.000Z · Reviewer {did} Builder: Wrong \\# \\*way\\*. · turn_1*\n"
    )


@pytest.mark.parametrize("name", ["# You", "You\n## 8 · Builder", "<h2>You</h2>", "a](b)[c", "`x", "&lt;"])
def test_a_name_cannot_pass_for_structure(name: str):
    heading = markdown_entry(event(name=name), NAMES).splitlines()[1]
    assert heading.startswith("## 7 · ")
    assert not re.search(r"(?<!\\)[<`\[\]#&]", heading.removeprefix("## "))
    title = markdown_head(name, 0, 1, datetime(2026, 1, 1, tzinfo=UTC))
    assert [line for line in title.splitlines() if line.startswith("#")] == [title.splitlines()[0]]


def outside_of_fences(markdown: str) -> list[str]:
    """Lines that a reader of Markdown takes as ours (CommonMark: a fence is closed by one at least as long)."""
    ours, fence = [], ""
    for line in re.split(r"\r\n|\n|\r", markdown):
        run = re.fullmatch(r" {0,3}(`{3,})([^`]*)", line)
        if not fence and run:
            fence = run[1]
        elif fence and run and len(run[1]) >= len(fence) and not run[2].strip(" \t"):
            fence = ""
        elif not fence:
            ours.append(line)
    assert not fence, "every fence is closed"
    return ours


@over(st.text(st.sampled_from("`~#> \n\r\t\x0b\x0c\x1b\x85a"), max_size=60) | st.text(max_size=60))
def test_no_text_of_others_leaves_its_fence(content: str):
    shown = markdown_entry(event(body={"content": content}), NAMES)
    assert [line for line in outside_of_fences(shown) if line] == [
        "## 7 · You",
        "2026-11-30T10:41:03.000Z · evt_1",
    ]
    assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]", shown), "a terminal would obey it"


@pytest.mark.parametrize(
    ("query", "path"),
    [
        (b"format=xml", "format"),
        (b"format=", "format"),
        (b"format=md&format=md", "format"),
        (b"afterSeq=-1", "afterSeq"),
        (b"afterSeq=1.0", "afterSeq"),
        (b"afterSeq=%D9%A1", "afterSeq"),
        (b"afterSeq=99999999999999999999", "afterSeq"),
        (b"afterSeq=9223372036854775808", "afterSeq"),
        (b"afterSeq=1&afterSeq=1", "afterSeq"),
        (b"roomId=a&roomId=b", "roomId"),
    ],
)
def test_what_does_not_fit_is_refused_by_name(query: bytes, path: str | None):
    if path is None:
        assert read_request(query) == ExportRequest()
        return
    with pytest.raises(GroupXError) as refused:
        read_request(query)
    assert refused.value.code is ErrorCode.INVALID_ENVELOPE
    assert refused.value.details["issues"][0]["path"] == path


def test_a_request_has_a_format_and_a_cursor():
    assert read_request(b"format=md&afterSeq=41") == ExportRequest(format=ExportFormat.MARKDOWN, after_seq=41)


def test_the_file_is_named_for_what_it_holds():
    assert file_name(ExportFormat.JSONL, 0, 12) == "groupx-1-12.jsonl"
    assert file_name(ExportFormat.MARKDOWN, 12, 12) == "groupx.md"


def test_an_export_that_breaks_off_says_so_in_its_own_format():
    error = GroupXError(ErrorCode.STORE_UNAVAILABLE, "The disk is gone.")
    assert json.loads(broken_off(ExportFormat.JSONL, error))["error"]["code"] == "STORE_UNAVAILABLE"
    assert "breaks off here: The disk is gone." in broken_off(ExportFormat.MARKDOWN, error)
