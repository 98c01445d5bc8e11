"""The lock of a room (docs/aig.md, "Lock"): who gets it, when it may be broken, and what can never happen."""

import json
import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from rooms.bus.errors import BusError
from rooms.bus.lock import STALE_SECONDS, Lock, look_at

NOBODY_SECONDS = 2 * STALE_SECONDS


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / ".lock"


def a_lock(path: Path) -> Lock:
    """One that does not wait."""
    return Lock(path, wait_seconds=0)


def aged(path: Path, seconds: float = NOBODY_SECONDS) -> Path:
    then = path.stat().st_mtime - seconds
    os.utime(path, (then, then))
    return path


def owned(path: Path, **owner: object) -> Path:
    path.mkdir()
    (path / "owner.json").write_text(json.dumps(owner))
    return path


def a_dead_pid() -> int:
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait()
    return process.pid


def names(path: Path) -> list[str]:
    return sorted(entry.name for entry in path.parent.iterdir())


def test_it_is_a_folder_that_tells_its_owner_and_is_gone_afterwards(path):
    with a_lock(path):
        owner = json.loads((path / "owner.json").read_text())
        assert (owner["pid"], owner["host"]) == (os.getpid(), os.uname().nodename)
    assert names(path) == []


def test_nobody_gets_it_while_it_is_held_and_the_refusal_says_by_whom(path):
    with a_lock(path):
        with pytest.raises(BusError, match=rf"by process {os.getpid()} "), a_lock(path):
            raise AssertionError("two have it")
        assert names(path) == [".lock"]


def test_it_is_given_back_whatever_happens_inside(path):
    with pytest.raises(KeyboardInterrupt), a_lock(path):
        raise KeyboardInterrupt
    assert names(path) == []


@pytest.mark.parametrize("owner", [None, "{", "[]", '{"pid": "1"}', '{"pid": -1, "host": "x"}'])
def test_who_does_not_tell_keeps_it_for_20_seconds(path, owner):
    path.mkdir()
    if owner is not None:
        (path / "owner.json").write_text(owner)
    with pytest.raises(BusError), a_lock(path):
        pass
    aged(path, STALE_SECONDS - 5)
    with pytest.raises(BusError), a_lock(path):
        pass
    aged(path)
    with a_lock(path):
        assert "token" in (path / "owner.json").read_text()
    assert names(path) == []


def test_one_from_the_future_is_as_old(path):
    path.mkdir()
    aged(path, -3600)
    with a_lock(path):
        pass


def test_one_of_a_dead_process_is_broken_at_once(path):
    owned(path, pid=a_dead_pid(), host=os.uname().nodename)
    with a_lock(path):
        pass
    assert names(path) == []


@pytest.mark.parametrize("elsewhere", [{"host": "another machine"}, {"pidNamespace": "pid:[1]"}])
def test_one_of_another_machine_or_sandbox_is_not_judged_by_its_pid(path, elsewhere):
    owned(path, **{"pid": a_dead_pid(), "host": os.uname().nodename, **elsewhere})
    with pytest.raises(BusError), a_lock(path):
        pass
    aged(path)
    with a_lock(path):
        pass


def test_one_that_is_only_freed_by_death_never_grows_old(path):
    owned(path, pid=os.getpid(), host=os.uname().nodename)
    aged(path)
    with pytest.raises(BusError), Lock(path, wait_seconds=0, stale_seconds=None):
        pass


# ---------------------------------------------------------------- breaking
def test_one_that_changes_hands_while_it_is_judged_was_not_left_behind(path):
    """Its owner gave it back and ended between two looks: what stands there now is somebody else's."""
    path.mkdir()
    os.mkfifo(path / "owner.json")
    owners = [{"pid": pid, "host": os.uname().nodename} for pid in (a_dead_pid(), os.getpid())]
    telling = threading.Thread(target=lambda: [(path / "owner.json").write_text(json.dumps(owner)) for owner in owners])
    telling.start()
    seen = look_at(path)
    telling.join()
    assert seen is not None and not seen.is_stale


def test_somebody_who_breaks_it_is_waited_for(path):
    aged(owned(path))
    path.with_name(".lock.breaking").mkdir()
    with pytest.raises(BusError), a_lock(path):
        pass
    assert names(path) == [".lock", ".lock.breaking"]


def test_somebody_who_died_breaking_it_is_not(path):
    aged(owned(path))
    aged(owned(path.with_name(".lock.breaking")))
    with Lock(path, wait_seconds=5):
        pass
    assert names(path) == []


def test_a_slow_breaker_cannot_take_a_fresh_lock(path):
    """It has judged an old one; until it acts the lock is somebody else's, and new."""
    with a_lock(path) as fresh:
        assert a_lock(path)._take_away(path) is False
        fresh.confirm()
        assert names(path) == [".lock"]


def test_who_stood_still_is_told_and_takes_nothing_from_the_next(path):
    slow = a_lock(path)
    with slow:
        aged(path)
        with a_lock(path) as next_one:
            with pytest.raises(BusError, match="another process"):
                slow.confirm()
            slow.__exit__(None, None, None)
            next_one.confirm()
    assert names(path) == []


def test_confirming_makes_it_new_again(path):
    with a_lock(path) as lock:
        aged(path, STALE_SECONDS - 1)
        lock.confirm()
        seen = look_at(path)
        assert seen is not None and abs(seen.age_seconds) < STALE_SECONDS / 2


def test_what_was_left_while_it_was_given_back_is_swept(path):
    aged(owned(path.with_name(".lock.gone-1-abc")))
    aged(owned(path))
    with a_lock(path):
        pass
    assert names(path) == []


def test_many_who_want_a_stale_one_get_it_one_after_the_other(path):
    aged(owned(path))
    barrier, inside, most, done = threading.Barrier(16), [], [], []

    def take() -> None:
        barrier.wait()
        with Lock(path):
            inside.append(1)
            most.append(len(inside))
            inside.pop()
            done.append(1)

    threads = [threading.Thread(target=take) for _ in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (len(done), max(most), names(path)) == (16, 1, [])


# ---------------------------------------------------------------- as a command meets it
def test_a_locked_room_ends_a_send_with_1_after_8_seconds_and_reading_goes_on(aig):
    aig.ok("send", "hello")
    with Lock(aig.room() / ".lock"):
        waiting = aig.start("send", "x")
        assert len(aig.records("read", "--as", "bob")) == 1
        out, err = waiting.communicate(timeout=30)
    assert (waiting.returncode, out) == (1, b"") and b"locked for 8 s" in err and err.count(b"\n") == 1
    assert len(aig.log()) == 1


def test_a_stale_lock_lets_a_message_through(aig):
    aig.ok("send", "one")
    aged(owned(aig.room() / ".lock", pid=os.getpid(), host=os.uname().nodename))
    aig.ok("send", "two")
    assert len(aig.log()) == 2 and not (aig.room() / ".lock").exists()


def test_a_link_to_nowhere_in_its_place_is_seen_and_taken_away_when_it_is_old(path):
    path.symlink_to("nowhere")
    with pytest.raises(BusError), a_lock(path):
        raise AssertionError("two have it")
    then = path.lstat().st_mtime - NOBODY_SECONDS
    os.utime(path, (then, then), follow_symlinks=False)
    with a_lock(path):
        assert path.is_dir() and not path.is_symlink()
