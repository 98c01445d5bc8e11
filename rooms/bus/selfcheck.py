"""What `aig selfcheck` tries: each check gives what is wrong, or None. They run `aig` as other programs do."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from rooms.bus.environment import DEPTH, HOME, MAX_DEPTH, MEMBER, NO_WAKE, ROOM, inherited
from rooms.bus.errors import Guarded

SENDERS, SENDS_EACH = 8, 5
LONG_AGO_SECONDS = 60
TIMEOUT_SECONDS = 60.0


def parallel_sends(home: Path) -> str | None:
    """Every message is there once, seqs have no gap."""
    started = [_start(home, "send", f"{sender}/{number}") for number in range(SENDS_EACH) for sender in range(SENDERS)]
    codes = [_ended(process).returncode for process in started]
    lines = [json.loads(line) for line in _aig(home, "export").stdout.splitlines()]
    if any(codes):
        return f"exit codes {sorted(set(codes))}"
    if [line["seq"] for line in lines] != list(range(1, len(started) + 1)):
        return f"{len(lines)} messages of {len(started)}, or not in their order"
    return None


def corrupt_line(home: Path) -> str | None:
    """It hides nothing and takes no seq."""
    _aig(home, "send", "before")
    with (home / "rooms/main/messages.jsonl").open("a") as log:
        log.write('{"seq": 2, "text": "cut sho')
    sent = _aig(home, "send", "after", "--json")
    seen = [json.loads(line)["text"] for line in _aig(home, "export").stdout.splitlines()]
    if sent.returncode or json.loads(sent.stdout)["seq"] != 2 or seen != ["before", "after"]:
        return sent.stderr.strip() or f"read {seen}"
    return None


def stale_lock(home: Path) -> str | None:
    """One that nobody holds any more lets a message through."""
    _aig(home, "use", "main")
    lock = home / "rooms/main/.lock"
    lock.mkdir()
    long_ago = lock.stat().st_mtime - LONG_AGO_SECONDS
    os.utime(lock, (long_ago, long_ago))
    sent = _aig(home, "send", "hello")
    return sent.stderr.strip() or None if sent.returncode else None


def guards(home: Path) -> str | None:
    """A wake at the greatest depth, and one from inside a wake, run nothing."""
    _aig(home, "member", "nobody", "--transport", "command")
    _aig(home, "send", "--to", "nobody", "hello")
    for variables in ({DEPTH: "3", MAX_DEPTH: "3"}, {NO_WAKE: "1"}):
        woken = _aig(home, "wake", "nobody", **variables)
        if woken.returncode != Guarded.exit_code:
            return f"with {variables} exit code {woken.returncode}: {woken.stderr.strip()}"
    return None


CHECKS: dict[str, Callable[[Path], str | None]] = {
    f"{SENDERS * SENDS_EACH} sends at once": parallel_sends,
    "a corrupt line": corrupt_line,
    "a stale lock": stale_lock,
    "guards against endless waking": guards,
}


def _start(home: Path, *arguments: str, **variables: str) -> subprocess.Popen[str]:
    own = (ROOM, MEMBER, DEPTH, MAX_DEPTH, NO_WAKE)
    environment = {name: value for name, value in inherited().items() if name not in own}
    return subprocess.Popen(
        [sys.executable, "-m", "rooms.bus", *arguments],
        env={**environment, HOME: str(home), **variables},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
    )


def _ended(process: subprocess.Popen[str]) -> subprocess.CompletedProcess[str]:
    try:
        stdout, stderr = process.communicate(timeout=TIMEOUT_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        stdout, stderr = process.communicate()
    return subprocess.CompletedProcess(process.args, process.returncode, stdout, stderr)


def _aig(home: Path, *arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
    return _ended(_start(home, *arguments, **variables))
