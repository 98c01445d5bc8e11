"""The rounds of a run, dealt into rooms: strike, look, judge; at the end of each room everything must have its end."""

import http.client
import shutil
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import batched, islice
from pathlib import Path

import psutil

from tests.chaos.blows import let_go, strike
from tests.chaos.evidence import Evidence, TurnRow, read_database, read_prompts
from tests.chaos.invariants import ENDED, Verdict, judge
from tests.chaos.load import Crowd
from tests.chaos.plan import Kind, Round, rounds
from tests.chaos.room import AGENTS, RoughRoom, missing_kinds, rough_room
from tests.running_room import STOP_SECONDS
from tests.waiting import wait_until

ROUNDS_PER_ROOM = 25
PEOPLE, READERS = 4, 3
HEALTHY_SECONDS, REST_SECONDS = 60, 150
ASKED_AGAIN = 25


@dataclass(frozen=True, kw_only=True)
class Options:
    seed: int
    count: int
    first: int = 1
    only: Kind | None = None
    keeps: bool = False


@dataclass
class Outcome:
    """Sums over all rooms, and what went wrong."""

    counts: Counter[str] = field(default_factory=Counter)
    kinds: Counter[Kind] = field(default_factory=Counter)
    left_out: dict[Kind, str] = field(default_factory=dict)
    faults: tuple[str, ...] = ()
    failed_in: str = ""
    replay: str = ""
    folder: Path | None = None


class Failed(Exception):
    """A room has not kept its promises."""

    def __init__(self, where: str, faults: Sequence[str]) -> None:
        super().__init__(where)
        self.where, self.faults = where, tuple(faults)


def run(options: Options, say: Callable[[str], None]) -> Outcome:
    """Run the rounds; stops at the first room that fails and keeps its folder."""
    base = Path(tempfile.mkdtemp(prefix="groupx-chaos-"))
    outcome = Outcome(left_out=missing_kinds(base))
    for kind, why in outcome.left_out.items():
        say(f"left out: {kind} ({why})")
    planned = islice(rounds(options.seed, options.only), options.first - 1, options.first - 1 + options.count)
    possible = [blow for blow in planned if blow.kind not in outcome.left_out]
    for number, blows in enumerate(batched(possible, ROUNDS_PER_ROOM), start=1):
        folder = base / f"room-{number}"
        folder.mkdir()
        try:
            verdict = _one_room(folder, blows, options, outcome, say)
        except Failed as failed:
            outcome.failed_in, outcome.faults, outcome.folder = failed.where, failed.faults, folder
            only = f" --only {options.only}" if options.only else ""
            count = blows[-1].number - blows[0].number + 1
            outcome.replay = (
                f"uv run python -m tests.chaos --seed {options.seed} --first {blows[0].number} --rounds {count}{only}"
            )
            return outcome
        for name in ("accepted", "completed", "interrupted", "failed", "cancelled"):
            outcome.counts[name] += getattr(verdict, name)
        if not options.keeps:
            shutil.rmtree(folder, ignore_errors=True)
    if options.keeps:
        outcome.folder = base
    else:
        shutil.rmtree(base, ignore_errors=True)
    return outcome


def _one_room(
    folder: Path, blows: Sequence[Round], options: Options, outcome: Outcome, say: Callable[[str], None]
) -> Verdict:
    with rough_room(folder) as room:
        crowd = Crowd(room, AGENTS, f"{options.seed}-{blows[0].number}", PEOPLE, READERS)
        try:
            for name in AGENTS:
                room.until_agent(name, "ready", "working")
            crowd.begin()
            for blow in blows:
                _one_round(room, crowd, blow, say)
                outcome.kinds[blow.kind] += 1
            return _come_to_rest(room, crowd, f"the rest after round {blows[-1].number}", say)
        except BaseException:
            _keep(room)
            raise
        finally:
            crowd.close()
            if options.keeps:
                _keep(room)
            outcome.counts["connections"] += sum(reader.connections for reader in crowd.readers)
            outcome.counts["refused"] += sum(load.statuses[503] for load in crowd.loads)
            outcome.counts["repeated"] += sum(load.unanswered for load in crowd.loads)


def _one_round(room: RoughRoom, crowd: Crowd, blow: Round, say: Callable[[str], None]) -> None:
    where = f"round {blow.number} ({blow})"
    began = time.monotonic()
    try:
        time.sleep(blow.delay_seconds)
        strike(room, blow, speaker=crowd.moments.wait_for(blow.moment))
        wait_until(lambda: _is_well(room), timeout_seconds=HEALTHY_SECONDS, what="the room is well again")
    except AssertionError as failure:
        raise Failed(where, [str(failure)]) from failure
    finally:
        let_go(room)
    verdict = judge(_evidence(room, crowd))
    took = time.monotonic() - began
    say(f"{where:<55} {took:5.1f} s   accepted {verdict.accepted}, completed {verdict.completed}")
    if verdict.faults:
        raise Failed(where, verdict.faults)


def _come_to_rest(room: RoughRoom, crowd: Crowd, where: str, say: Callable[[str], None]) -> Verdict:
    began = time.monotonic()
    crowd.end()
    try:
        wait_until(lambda: _all_have_ended(room), timeout_seconds=REST_SECONDS, what="all turns have ended")
    except AssertionError as failure:
        open_turns = [f"{t.turn_id} of {t.target} is {t.status}" for t in _turns(room) if t.status not in ENDED]
        raise Failed(where, [str(failure), *open_turns]) from failure
    faults = _asked_again(room, crowd)
    last_seq = len(read_database(room.database)[0])
    for reader in crowd.readers:
        with suppress(AssertionError):  # what it has not got is counted
            reader.until(last_seq)
    orphans = _stop(room)
    verdict = judge(_evidence(room, crowd, orphans=orphans, rests_at=last_seq))
    faults += verdict.faults
    say(f"{where:<55} {time.monotonic() - began:5.1f} s   {last_seq} events")
    if faults:
        raise Failed(where, faults)
    return verdict


def _evidence(room: RoughRoom, crowd: Crowd, *, orphans: Sequence[str] = (), rests_at: int | None = None) -> Evidence:
    accepted, retried = crowd.accepted, crowd.retried  # before the database: what was answered must be in it
    prompts = read_prompts(room.folder / name for name in AGENTS)  # and what was sent as well
    log, turns = read_database(room.database)
    return Evidence(
        log=log,
        turns=turns,
        accepted=accepted,
        retried=retried,
        prompts=prompts,
        readers=[list(reader.seqs) for reader in crowd.readers],
        broken_answers=sum(
            count
            for load in crowd.loads
            for status, count in list(load.statuses.items())
            if status >= 500 and status != 503
        ),
        late_deltas=sum(reader.late_deltas for reader in crowd.readers),
        resyncs=sum(reader.resyncs for reader in crowd.readers),
        orphans=orphans,
        rests_at=rests_at,
    )


def _is_well(room: RoughRoom) -> bool:
    """It serves, it can write, and somebody is there to take a turn: the next blow has to hit something."""
    with suppress(OSError, http.client.HTTPException, ValueError, KeyError):
        health = room.request("GET", "/api/health", timeout=5)[1]
        at_work = any(agent["status"] in ("ready", "working") for agent in health["agents"])
        return bool(at_work and health["status"] == "ok" and health["database"]["status"] == "ok")
    return False


def _turns(room: RoughRoom) -> list[TurnRow]:
    return read_database(room.database)[1]


def _all_have_ended(room: RoughRoom) -> bool:
    time.sleep(0.2)
    return all(turn.status in ENDED for turn in _turns(room))


def _asked_again(room: RoughRoom, crowd: Crowd) -> tuple[str, ...]:
    """A command that is sent once more gets the answer it got, whatever has happened since."""
    faults = []
    for load in crowd.loads:
        for nonce, answer in list(load.accepted.items())[-ASKED_AGAIN:]:
            body = load.bodies[nonce]
            status, again = room.command("/api/messages", command_id=nonce, **body)
            if (status, again) != (202, answer):
                faults.append(f"message {nonce} was answered {answer}, and again {status} {again}")
    return tuple(faults)


def _stop(room: RoughRoom) -> list[str]:
    """The ordered end; gives what is left of the room after it. Before it the readers get everything."""
    assert room.process is not None
    room.process.terminate()
    with suppress(Exception):
        room.process.wait(STOP_SECONDS)
    deadline = time.monotonic() + 2.0
    while (left := room.processes()) and time.monotonic() < deadline:
        time.sleep(0.1)
    words = []
    for process in left:
        with suppress(psutil.Error):
            words.append(f"{process.pid} {' '.join(process.cmdline())}")
    return words


def _keep(room: RoughRoom) -> None:
    """Out of the disk that is about to go."""
    kept = room.folder / "kept"
    kept.mkdir(exist_ok=True)
    for path in room.state.glob("*"):
        if path.is_file() and path.name != "filler":
            with suppress(OSError):
                shutil.copy2(path, kept)
