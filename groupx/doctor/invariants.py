"""What must hold between the rows of a room, asked by queries that only read (docs/turns.md)."""

import json
import sqlite3
from collections.abc import Iterator, Set
from dataclasses import dataclass

from groupx import run_files
from groupx.doctor.findings import Findings, Level, Repair
from groupx.doctor.situation import Situation, as_it_runs
from groupx.terminal_words import gettext as _
from turns.state import TERMINAL, WITH_A_LANE, LaneStatus

NEWEST_RECEIPTS = 1000
MOST_NAMED = 5
TELLING = frozenset({LaneStatus.FAILED, LaneStatus.NATIVE_POLICY_BLOCKED, LaneStatus.RETRYING})


def _listed(statuses: Set[str]) -> str:
    return ", ".join(f"'{status}'" for status in sorted(statuses))


@dataclass(frozen=True, kw_only=True)
class Invariant:
    """`sql` names what breaks it: one text a row."""

    code: str
    sql: str
    message: str
    hint: str | None = None
    repair: Repair | None = None
    level: Level = Level.PROBLEM


def invariants() -> Iterator[Invariant]:
    """Those that hold at any moment, whether the room runs or not."""
    restore = _("This cannot come from GroupX alone; a backup from before may be better.")
    yield Invariant(
        code="SEQ_HOLES",
        sql="SELECT room_id FROM rooms_event GROUP BY room_id HAVING max(seq) <> count(*)",
        message=_("Events are missing between others: %(named)s."),
        hint=restore,
    )
    yield Invariant(
        code="LAST_SEQ_WRONG",
        sql="""SELECT room_id FROM rooms_room AS room WHERE last_seq <>
               (SELECT coalesce(max(seq), 0) FROM rooms_event WHERE room_id = room.room_id)""",
        message=_("The room's count of events does not fit its events: %(named)s."),
        hint=_("Nothing can be written while it is too low."),
        repair=Repair.LAST_SEQ,
    )
    yield Invariant(
        code="TWO_RUNNING",
        sql=f"""SELECT target_id FROM turns_turn WHERE ended_at IS NULL AND status IN ({_listed(WITH_A_LANE)})
                GROUP BY target_id HAVING count(*) > 1""",
        message=_("More than one turn of an agent is running: %(named)s."),
        repair=Repair.TURNS,
    )
    yield Invariant(
        code="ATTEMPTS_OPEN",
        sql=f"""SELECT attempt_id FROM turns_turnattempt JOIN turns_turn USING (turn_id)
                WHERE dispatch_phase <> 'terminal' AND status IN ({_listed(TERMINAL)})""",
        message=_("%(count)d attempts are open although their turns have ended."),
        repair=Repair.ATTEMPTS,
    )
    yield Invariant(
        code="TURN_END_MISSING",
        sql=f"""SELECT turn_id FROM turns_turn AS turn WHERE status IN ({_listed(TERMINAL)}) AND NOT EXISTS (
                SELECT 1 FROM rooms_event WHERE room_id = turn.room_id
                AND idempotency_key = 'turn:' || turn.turn_id || ':terminal')""",
        message=_("%(count)d turns have ended without the event that says so: %(named)s."),
        hint=restore,
    )
    yield Invariant(
        code="RECEIPT_WITHOUT_EVENT",
        sql=f"""SELECT client_command_id FROM (
                SELECT client_command_id, json_extract(result, '$.messageEventId') AS made
                FROM rooms_clientcommand ORDER BY id DESC LIMIT {NEWEST_RECEIPTS})
                WHERE made IS NOT NULL AND made NOT IN (SELECT event_id FROM rooms_event WHERE event_id = made)""",
        message=_("%(count)d commands were answered for messages that are not there: %(named)s."),
        hint=restore,
    )


def invariants_of_memory() -> Iterator[Invariant]:
    """What summaries, resets and dated memory say of the log and of each other."""
    restore = _("This cannot come from GroupX alone; a backup from before may be better.")
    yield Invariant(
        code="SUMMARY_BEYOND_LOG",
        sql="SELECT summary_id FROM memory_summary JOIN rooms_room USING (room_id) WHERE through_seq > last_seq",
        message=_("Summaries stand for events that are not there: %(named)s."),
        hint=restore,
    )
    yield Invariant(
        code="RESET_BEYOND_LOG",
        sql="""SELECT room_id FROM memory_contextfloor JOIN rooms_room USING (room_id)
               WHERE reset_through_seq > last_seq""",
        message=_("The context was reset at an event that is not there: %(named)s."),
        hint=restore,
    )
    yield Invariant(
        code="SUMMARY_BEFORE_RESET",
        sql="""SELECT summary_id FROM memory_summary JOIN memory_contextfloor USING (room_id)
               WHERE status = 'active' AND through_seq <= reset_through_seq""",
        message=_("A summary counts although the context was reset after it: %(named)s."),
        hint=restore,
    )
    yield Invariant(
        code="SUMMARY_OF_ATTEMPT_MISSING",
        sql="""SELECT attempt_id FROM turns_turnattempt WHERE summary_through_seq IS NOT NULL
               AND summary_through_seq NOT IN (SELECT through_seq FROM memory_summary)""",
        message=_("%(count)d attempts were given summaries that are not there: %(named)s."),
        hint=restore,
    )
    yield Invariant(
        code="ROLLUP_MISPLACED",
        sql="""SELECT record_id FROM memory_memoryrecord AS record WHERE EXISTS (
               SELECT 1 FROM memory_rollupsource AS source WHERE source.record_id = record.id
               AND (source.actor_id <> record.scope_id OR source.day IS NOT record.day))""",
        message=_("Dated memory was made of turns of another agent or day: %(named)s."),
        hint=_("Retract it; what the agent did on that day stays in the transcript."),
    )


def left_over() -> Iterator[Invariant]:
    """What a run that did not end in order leaves behind; wrong only while no lane works."""
    yield Invariant(
        code="TURNS_LEFT",
        sql=f"SELECT turn_id FROM turns_turn WHERE ended_at IS NULL AND status IN ({_listed(WITH_A_LANE)})",
        message=_("%(count)d turns were running when the room ended."),
        hint=_("The next start settles them; nothing is sent again."),
        repair=Repair.TURNS,
        level=Level.NOTE,
    )
    yield Invariant(
        code="TURNS_WITHOUT_AGENT",
        sql="""SELECT turn_id FROM turns_turn JOIN rooms_actor ON actor_id = target_id
               WHERE ended_at IS NULL AND NOT enabled""",
        message=_("%(count)d turns wait for agents that are not in the room any more."),
        hint=_("The next start ends them, with a sentence."),
        repair=Repair.TURNS,
        level=Level.NOTE,
    )
    yield Invariant(
        code="SESSIONS_LEFT",
        sql="""SELECT binding_id FROM rooms_sessionbinding JOIN rooms_actor USING (actor_id)
               WHERE closed_at IS NULL AND kind = 'agent'""",
        message=_("%(count)d sessions of agents were not closed."),
        hint=_("The agent's next start closes them."),
        repair=Repair.TURNS,
        level=Level.NOTE,
    )
    yield Invariant(
        code="JOBS_LEFT",
        sql="SELECT job_id FROM turns_agentjob WHERE ended_at IS NULL",
        message=_("%(count)d jobs of agents were open when the room ended."),
        hint=_("Nobody waits for them any more; what they were for is asked again when it is needed."),
        level=Level.NOTE,
    )
    yield Invariant(
        code="COMPACTION_LEFT",
        sql="SELECT room_id FROM memory_compactionlease",
        message=_("The room was summing itself up when it ended."),
        hint=_("Nothing of it is half done; the next one begins again."),
        level=Level.NOTE,
    )


def check_invariants(database: sqlite3.Connection, situation: Situation, found: Findings) -> None:
    database.execute("BEGIN")  # one moment: a room that runs goes on writing
    try:
        broken = 0
        for invariant in (*invariants(), *invariants_of_memory(), *(() if situation.is_running else left_over())):
            named = [str(row[0]) for row in database.execute(invariant.sql)]
            if not named:
                continue
            broken += 1
            shown = ", ".join(named[:MOST_NAMED]) + (" …" if len(named) > MOST_NAMED else "")
            message = invariant.message % {"count": len(named), "named": shown}
            tell = found.problem if invariant.level is Level.PROBLEM else found.note
            tell(invariant.code, message, invariant.hint, invariant.repair, count=len(named), named=named[:100])
        if not broken:
            found.ok("INVARIANTS", _("Events, turns, attempts and receipts fit each other"))
    finally:
        database.execute("COMMIT")


def check_lanes(database: sqlite3.Connection, situation: Situation, found: Findings) -> None:
    """What agents' cards say of a room that runs."""
    if not situation.is_running:
        return
    cards = database.execute(
        """SELECT lane.actor_id, lane.status, lane.status_text, lane.last_error FROM turns_lane AS lane
           JOIN rooms_actor USING (actor_id) WHERE enabled ORDER BY roster_position"""
    )
    for actor_id, status, text, last_error in cards:
        if status in TELLING:
            error = json.loads(last_error or "null") or {}
            found.warning(
                error.get("code") or status.upper(),
                _("%(agent)s is %(status)s: %(text)s")
                % {"agent": actor_id, "status": status, "text": text or error.get("message", "")},
                error.get("hint") or _("Mend it, then press Restart on its card."),
            )
    working = as_it_runs(situation).config.enabled_agents
    for (target,) in database.execute(
        f"SELECT target_id FROM turns_turn WHERE ended_at IS NULL AND status IN ({_listed(WITH_A_LANE)})"
    ).fetchall():
        agent_id = target.partition(":")[2]
        if agent_id not in working or not run_files.is_locked(situation.run.run_dir / f"lane-{agent_id}.lock"):
            found.warning(
                "TURN_WITHOUT_LANE",
                _("A turn of %(agent)s is running, but no worker is at work for it.") % {"agent": target},
                _("Its worker settles it when it comes back, or the next start of the room does."),
            )
