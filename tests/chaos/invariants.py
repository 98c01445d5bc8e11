"""What must be true of a room, whatever was done to it (docs/turns.md, docs/protocol.md). Pure."""

import json
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

from tests.chaos.evidence import Evidence, LoggedEvent, TurnRow
from tests.running_room import TERMINAL

ENDED = frozenset(kind.removeprefix("turn.") for kind in TERMINAL)
STEPS = ("turn.queued", "turn.dispatched", "turn.started")


@dataclass(frozen=True, kw_only=True)
class Verdict:
    accepted: int
    completed: int
    interrupted: int
    failed: int
    cancelled: int
    lost: int
    prompted_twice: int
    orphans: int
    gaps: int
    faults: tuple[str, ...]
    """Everything that must not be, in words; empty for a room that has kept its promises."""


def judge(evidence: Evidence) -> Verdict:
    lost, twice = [*_lost(evidence)], [*_prompted_twice(evidence)]
    orphans, gaps = [f"left over: {orphan}" for orphan in evidence.orphans], [*_gaps(evidence)]
    ends = Counter(turn.status for turn in evidence.turns)
    others = [*_log_faults(evidence), *_order_faults(evidence), *_answer_faults(evidence)]
    return Verdict(
        accepted=len(evidence.accepted) + len(evidence.retried),
        completed=ends["completed"],
        interrupted=ends["interrupted"],
        failed=ends["failed"],
        cancelled=ends["cancelled"],
        lost=len(lost),
        prompted_twice=len(twice),
        orphans=len(orphans),
        gaps=len(gaps),
        faults=(*lost, *twice, *orphans, *gaps, *others),
    )


def directive_of(message: LoggedEvent) -> dict[str, object]:
    """What the message commands the scripted agent to do."""
    content = message.body["content"]
    start = content.rfind("[[do {")
    found: dict[str, object] = json.loads(content[start + 5 : -2]) if start >= 0 else {}
    return found


# ---------------------------------------------------------------- the promises
def _lost(evidence: Evidence) -> Iterator[str]:
    """Accepted means: in the log exactly once, with its turns, and each of them ends."""
    written = Counter(event.event_id for event in evidence.log if event.type == "message.created")
    by_nonce = Counter(directive_of(e).get("n") for e in evidence.log if _is_request(e))
    turns = {turn.turn_id: turn for turn in evidence.turns}
    for nonce, answer in evidence.accepted.items():
        if written[answer["messageEventId"]] != 1 or by_nonce[nonce] != 1:
            yield f"message {nonce} was accepted and stands {by_nonce[nonce]} times in the log"
    promised = [turn["turnId"] for answer in evidence.accepted.values() for turn in answer["turns"]]
    promised += [answer["turnId"] for answer in evidence.retried.values()]
    for turn_id in promised:
        if turn_id not in turns:
            yield f"{turn_id} was promised and does not exist"
    if evidence.rests_at is not None:
        for turn in evidence.turns:
            if turn.status not in ENDED:
                yield f"{turn.turn_id} never ended: {turn.status}"


def _prompted_twice(evidence: Evidence) -> Iterator[str]:
    nonces = {event.event_id: directive_of(event).get("n") for event in evidence.log if _is_request(event)}
    turns_of = Counter((turn.target, nonces.get(turn.source_event_id)) for turn in evidence.turns)
    for key, times in evidence.prompts.items():
        if times > turns_of[key]:
            yield f"{key[0]} was prompted {times} times with {key[1]}, for {turns_of[key]} turns"
    for turn in evidence.turns:
        if turn.times_invoked > 1:
            yield f"{turn.turn_id} was handed to its agent {turn.times_invoked} times"


def _gaps(evidence: Evidence) -> Iterator[str]:
    for number, seqs in enumerate(evidence.readers, start=1):
        if list(seqs) != list(range(1, len(seqs) + 1)):
            broken = next(i for i, seq in enumerate(seqs, start=1) if seq != i)
            yield f"reader {number} got {seqs[broken - 1]} where {broken} follows"
        if evidence.rests_at is not None and len(seqs) < evidence.rests_at:
            yield f"reader {number} has {len(seqs)} of {evidence.rests_at} events"
    if evidence.resyncs:
        yield f"{evidence.resyncs} readers were told to begin again"


def _log_faults(evidence: Evidence) -> Iterator[str]:
    seqs = [event.seq for event in evidence.log]
    if seqs != list(range(1, len(seqs) + 1)):
        yield "the log has a hole"
    if evidence.broken_answers:
        yield f"{evidence.broken_answers} requests were answered as a fault of ours"
    if evidence.late_deltas:
        yield f"{evidence.late_deltas} live words came after the end of their turn"
    ends = Counter(event.body["turnId"] for event in evidence.log if event.type in TERMINAL)
    for turn in evidence.turns:
        expected = 1 if turn.status in ENDED else 0
        if ends[turn.turn_id] != expected:
            yield f"{turn.turn_id} is {turn.status} and has {ends[turn.turn_id]} terminal events"


def _order_faults(evidence: Evidence) -> Iterator[str]:
    """One turn at a time per agent, in the order of the queue; and each turn's steps in their order."""
    running: dict[str, str] = {}
    dispatched: dict[str, list[str]] = defaultdict(list)
    reached: dict[str, int] = {}
    targets = {turn.turn_id: turn for turn in evidence.turns}
    for event in evidence.log:
        turn = targets.get(str(event.body.get("turnId")))
        if turn is None:
            continue
        if event.type in STEPS:
            step = STEPS.index(event.type)
            if step < reached.get(turn.turn_id, 0):
                yield f"{turn.turn_id}: {event.type} came too late"
            reached[turn.turn_id] = step
        if event.type == "turn.dispatched":
            if running.get(turn.target, turn.turn_id) != turn.turn_id:
                yield f"{turn.turn_id} was dispatched while {running[turn.target]} ran"
            running[turn.target] = turn.turn_id
            if turn.turn_id not in dispatched[turn.target]:
                dispatched[turn.target].append(turn.turn_id)
        elif event.type in TERMINAL:
            reached[turn.turn_id] = len(STEPS)
            if running.get(turn.target) == turn.turn_id:
                del running[turn.target]
    for target, turn_ids in dispatched.items():
        if turn_ids != sorted(turn_ids, key=lambda turn_id: targets[turn_id].enqueue_seq):
            yield f"{target} did not take its turns in the order of its queue"


def _answer_faults(evidence: Evidence) -> Iterator[str]:
    """A completed turn has one answer, whole; any other has none."""
    messages = {event.event_id: event for event in evidence.log if event.type == "message.created"}
    answers: dict[str, list[LoggedEvent]] = defaultdict(list)
    for event in messages.values():
        if "turnId" in event.body:
            answers[event.body["turnId"]].append(event)
    for turn in evidence.turns:
        if turn.source_event_id not in messages:
            continue  # its message is lost, which is said already
        said = [str(answer.body["content"]) for answer in answers[turn.turn_id]]
        wanted = [_answer_to(messages[turn.source_event_id])] if turn.status == "completed" else []
        if said != wanted:
            yield f"{turn.turn_id} is {turn.status} and was answered {said}, not {wanted}"
        if turn.status == "completed" and not _was_prompted(evidence, turn, messages):
            yield f"{turn.turn_id} completed, and its agent never saw it"


def _was_prompted(evidence: Evidence, turn: TurnRow, messages: dict[str, LoggedEvent]) -> bool:
    nonce = directive_of(messages[turn.source_event_id]).get("n")
    return nonce is None or evidence.prompts[turn.target, str(nonce)] > 0


def _answer_to(request: LoggedEvent) -> str:
    steps = directive_of(request).get("steps", [{"text": "ok"}])
    assert isinstance(steps, list)
    return "".join(step["text"] for step in steps if "text" in step)


def _is_request(event: LoggedEvent) -> bool:
    return event.type == "message.created" and event.actor == "user:web"
