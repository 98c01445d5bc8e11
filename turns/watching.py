"""What an observer is told of a turn: milestones and a bounded snapshot. Pure.

Never reasoning, arguments or results of tools, output of the agent's process or its native messages: none of them is
among the facts that this is made of.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from rooms.envelope import dump
from rooms.live_sight import LiveSight, SeenTool
from turns.state import DeliveryCertainty
from turns.supervision import WorkerTurn
from turns.watch_answers import Milestone, Snapshot, Watched, WatchState

ANSWER_CHARS = 8_000
TASK_CHARS, EXCERPT_CHARS, REASON_CHARS = 1_000, 500, 500
MOST_MILESTONES, MOST_MESSAGES, MOST_TOOLS, MOST_WORKERS = 20, 8, 40, 16
TEXT_SECONDS = 2.0
"""Text that grows is a milestone at most once in that time."""


@dataclass(frozen=True, kw_only=True)
class Told:
    """Up to where an observer has been told of a turn: the log, and what was live in this process."""

    seq: int = 0
    tool_changes: int = 0
    text_length: int = 0
    text_at_seconds: float = float("-inf")
    """When it was last told of text, by a clock that only rises."""


@dataclass(frozen=True, kw_only=True)
class Facts:
    """What the log and the rows say of the watched turn at one moment."""

    subject: WorkerTurn
    workers: Sequence[WorkerTurn]
    certainty: DeliveryCertainty
    task_event_id: str
    task: str
    """Its beginning."""
    milestones: Sequence[Milestone]
    """Of the log, after what was told."""
    messages: Sequence[tuple[str, str]] = ()
    """Event id and beginning, newest last."""
    tools: Sequence[SeenTool] = ()
    """Of a turn that has ended."""
    last_steer_reason: str = ""
    last_seq: int = 0
    live: LiveSight | None = None
    waits_for_observer: bool = False
    """The watched turn cannot begin before the observer's own has ended."""

    @property
    def is_over(self) -> bool:
        """Waiting brings nothing more of this turn."""
        return self.subject.status.is_terminal or self.waits_for_observer


def news_in(facts: Facts, told: Told, now_seconds: float) -> list[Milestone]:
    """What is to be told, oldest first: the log, then what is live."""
    found = list(facts.milestones)
    if facts.live is not None and not facts.subject.status.is_terminal:
        found += [_of_tool(tool) for tool in facts.live.tools if tool.number > told.tool_changes]
        if is_text_due(facts.live, told, now_seconds):
            found.append({"kind": "message", "excerpt": facts.live.text[told.text_length :][-EXCERPT_CHARS:]})
    return found


def is_text_due(live: LiveSight, told: Told, now_seconds: float) -> bool:
    return len(live.text) > told.text_length and now_seconds >= told.text_at_seconds + TEXT_SECONDS


def told_after(facts: Facts, told: Told, now_seconds: float) -> Told:
    live = facts.live
    if live is None:
        return Told(seq=facts.last_seq)
    is_due = is_text_due(live, told, now_seconds)
    return Told(
        seq=facts.last_seq,
        tool_changes=live.changes,
        text_length=len(live.text) if is_due else told.text_length,
        text_at_seconds=now_seconds if is_due else told.text_at_seconds,
    )


def watched_answer(facts: Facts, news: Sequence[Milestone], *, note: str = "") -> Watched:
    """At most ANSWER_CHARS as JSON: what is oldest is left out first."""
    sight = _snapshot(facts)
    answer: Watched = {
        "state": _state(facts, news),
        "milestones": list(news)[-MOST_MILESTONES:],
        "snapshot": sight,
        "workers": [
            {"turnId": turn.turn_id, "agent": turn.target, "status": turn.status}
            for turn in facts.workers[-MOST_WORKERS:]
        ],
        "nextAfterSeq": facts.last_seq,
    }
    if note := note or _note(facts):
        answer["note"] = note
    _shorten(answer)
    return answer


def _shorten(answer: Watched) -> None:
    sight = answer["snapshot"]
    lists: list[list[Any]] = [sight["tools"], answer["milestones"], sight["messages"]]
    while len(dump(answer)) > ANSWER_CHARS and any(lists):
        max(lists, key=lambda items: len(dump(items)) if items else 0).pop(0)
    while len(dump(answer)) > ANSWER_CHARS:  # text of which each character takes six
        sight["task"]["excerpt"] = sight["task"]["excerpt"][: len(sight["task"]["excerpt"]) // 2]
        sight["textSoFar"] = sight["textSoFar"][len(sight["textSoFar"]) // 2 + 1 :]
        sight["lastSteerReason"] = sight.get("lastSteerReason", "")[:100]


def _state(facts: Facts, news: Sequence[Milestone]) -> WatchState:
    subject = facts.subject
    if subject.is_cancelled:
        return "subject_cancelled"
    if subject.status.is_terminal:
        return "terminal"
    if facts.waits_for_observer:
        return "waits_for_you"
    return "milestone" if news else "pending"


def _note(facts: Facts) -> str:
    subject = facts.subject
    others = [turn for turn in facts.workers if not turn.status.is_terminal and turn.turn_id != subject.turn_id]
    if facts.waits_for_observer:
        return (
            f"{subject.target} cannot begin this turn while yours is open: what stands before it waits for you. "
            f"Watching again does not help. End your turn, and it runs, unwatched by you.{_named(others)}"
        )
    if not subject.status.is_terminal:
        return ""
    following = [turn for turn in facts.workers if turn.target == subject.target and not turn.status.is_terminal]
    if following:
        return f"{subject.target} goes on in turn {following[0].turn_id}: watch again to see it."
    if subject.is_cancelled:
        return "It was cancelled, not by a steer; nothing comes of it any more."
    if others:
        return _named(others).strip()
    return "There is nothing left to watch. Answer with what you saw, or nudge to give its worker another turn."


def _named(others: Sequence[WorkerTurn]) -> str:
    if not others:
        return ""
    return f" There are other turns to watch: {', '.join(turn.turn_id for turn in others[-MOST_WORKERS:])}."


def _snapshot(facts: Facts) -> Snapshot:
    subject, live = facts.subject, facts.live
    if subject.status.is_terminal:
        live = None
    tools = live.tools if live is not None else facts.tools
    shown: Snapshot = {
        "subjectTurnId": subject.turn_id,
        "agent": subject.target,
        "status": subject.status,
        "deliveryCertainty": facts.certainty,
        "task": {"eventId": facts.task_event_id, "excerpt": _cut(facts.task, TASK_CHARS)},
        "messages": [
            {"eventId": event_id, "excerpt": _cut(text, EXCERPT_CHARS)}
            for event_id, text in facts.messages[-MOST_MESSAGES:]
        ],
        "textSoFar": live.text[-EXCERPT_CHARS:] if live is not None else "",
        "tools": [
            {"toolCallId": tool.tool_call_id, "name": tool.name, "status": tool.status} for tool in tools[-MOST_TOOLS:]
        ],
        "steers": subject.steers,
    }
    if facts.last_steer_reason:
        shown["lastSteerReason"] = _cut(facts.last_steer_reason, REASON_CHARS)
    if subject.error_code:
        shown["errorCode"] = subject.error_code
    return shown


def _of_tool(tool: SeenTool) -> Milestone:
    return {"kind": "tool", "toolCallId": tool.tool_call_id, "name": tool.name, "status": tool.status}


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[:most]}…"
