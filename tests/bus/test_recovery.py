"""After crashes and beside other implementations (docs/aig.md, "Log"): nothing is lost, no seq comes twice."""

import json
import os
import signal
import subprocess
import sys

import pytest

FOREIGN = (
    b'\xef\xbb\xbf{"id":"m0001-x","seq":1,"ts":1789743812212,"time":"2026-09-18T15:03:32.212Z","room":"main","from":"dsh",'
    b'"to":["opencode"],"kind":"ask","via":"cli","reply_to":null,"tags":[],"files":[],"text":"caf\\u00e9","meta":{}}\r\n'
    b'{"seq":2,"from":"opencode","to":"dsh","text":"bare","mood":{"nested":[1.50,"\\ud83d"]},"meta":7}\r\n'
    b"\r\n"
    b'{"seq":3,"from":"human","to":["*"],"text":"\xff"}\n'
    b'{"seq":"4","text":"no number"}\n{"seq":4.0}\n{"text":"none"}\n[1]\nnull\n'
    b'{"seq":5,"from":"dsh","to":["all"],"text":"no last line end"}'
)


@pytest.fixture
def foreign(aig):
    """A room as another program wrote it: a byte order mark, CRLF, extra and missing fields, no last line end."""
    aig.room().mkdir(parents=True)
    (aig.room() / "messages.jsonl").write_bytes(FOREIGN)
    (aig.room() / "state.json").write_text('{"nextSeq":6,"createdAt":"2026-09-18T15:03:32.212Z","theirs":true}')
    (aig.room() / "members.json").write_text('{"dsh":{"transport":"dsh","model":"m","note":"n","extra":[]}}\r\n')
    (aig.room() / "cursors").mkdir()
    (aig.room() / "cursors/opencode.json").write_text('{"seq":0,"theirs":[1]}')
    return aig


def test_a_foreign_room_is_read(foreign):
    seen = {
        member: [m["seq"] for m in foreign.records("read", "--as", member)] for member in ("opencode", "dsh", "eva")
    }
    assert seen == {"opencode": [1, 3, 5], "dsh": [2, 3], "eva": [3, 5]}
    assert "dsh → opencode (ask): café" in foreign.ok("read", "--all")
    assert json.loads((foreign.room() / "cursors/opencode.json").read_text())["theirs"] == [1]


def test_it_is_continued_on_a_line_of_its_own(foreign):
    assert foreign.records("send", "ours")[0]["seq"] == 6
    written = (foreign.room() / "messages.jsonl").read_bytes()
    assert written.startswith(FOREIGN + b"\n{") and written.endswith(b"}\n")
    state = json.loads((foreign.room() / "state.json").read_text())
    assert (state["nextSeq"], state["createdAt"], state["theirs"]) == (7, "2026-09-18T15:03:32.212Z", True)


def test_it_is_exported_without_loss(foreign):
    ended = foreign("export")
    lines = [line.strip(b"\xef\xbb\xbf\r").decode("utf-8", "replace") for line in FOREIGN.split(b"\n")]
    assert ended.out.splitlines() == [lines[0], lines[1], lines[3], lines[-1]]
    assert "5 lines" in ended.err


def test_it_is_shown_to_people_searched_and_judged(foreign):
    assert "[2] --:-- opencode → dsh: bare" in foreign.ok("tail")
    assert [message["seq"] for message in foreign.records("search", "BARE")] == [2]
    (status,) = foreign.records("status")
    assert (status["messages"], status["skippedLines"]) == (4, 5)


# ---------------------------------------------------------------- what a crash leaves
@pytest.mark.parametrize(
    "state",
    [None, "", "{", "[]", *(f'{{"nextSeq": {seq}}}' for seq in ("2", '"9"', "true", "0", "1e3", "9" * 20))],
)
def test_a_lost_corrupt_or_late_state_repeats_no_seq(aig, state):
    for text in ("one", "two", "three"):
        aig.ok("send", text)
    (aig.room() / "state.json").unlink() if state is None else (aig.room() / "state.json").write_text(state)
    assert aig.records("send", "four")[0]["seq"] == 4
    assert json.loads((aig.room() / "state.json").read_text())["nextSeq"] == 5


def test_a_state_ahead_of_the_log_is_believed(aig):
    aig.ok("send", "one")
    (aig.room() / "state.json").write_text('{"nextSeq": 10}')
    assert aig.records("send", "ten")[0]["seq"] == 10


def test_a_torn_line_is_left_behind_and_its_seq_is_used(aig):
    aig.ok("send", "one")
    log = aig.room() / "messages.jsonl"
    torn = log.read_bytes() + b'{"id":"m0002-x","seq":2,"text":"cut sh'
    log.write_bytes(torn)
    assert aig.records("send", "two")[0]["seq"] == 2
    assert log.read_bytes().startswith(torn + b"\n")
    assert [message["text"] for message in aig.records("read", "--all")] == ["one", "two"]


@pytest.mark.parametrize("noise", [b"\0" * 5000, b"[" * 200_000, b'{"seq":' + b"9" * 5000 + b"}", b"\xff\xfe\n" * 3])
def test_noise_in_the_log_stops_nobody(aig, noise):
    aig.ok("send", "one")
    with (aig.room() / "messages.jsonl").open("ab") as log:
        log.write(noise)
    assert aig.records("send", "two")[0]["seq"] == 2
    for command in (["read", "--all"], ["tail"], ["search", "t", "w"], ["export"]):
        assert aig.records(*command)[-1]["text"] == "two"
    aig.ok("status")


def test_lines_that_are_out_of_order_are_read_once_each(aig):
    aig.ok("use", "main")
    (aig.room() / "messages.jsonl").write_text("".join(f'{{"seq":{seq},"text":"{seq}"}}\n' for seq in (1, 3, 2, 5, 4)))
    assert [message["seq"] for message in aig.records("read", "--limit", "3")] == [1, 2, 3]
    assert [message["seq"] for message in aig.records("read")] == [4, 5]
    assert aig.records("send", "six")[0]["seq"] == 6


@pytest.mark.parametrize("bytes_left", [600, 20])
def test_a_full_disk_sends_nothing_and_leaves_no_half_line_and_no_lock(aig, bytes_left):
    aig.ok("send", "one")
    before = (aig.room() / "messages.jsonl").read_bytes()
    limited = f"import resource, sys; resource.setrlimit(resource.RLIMIT_FSIZE, ({bytes_left}, {bytes_left})); "
    run = "from rooms.bus.cli import main; sys.exit(main(['send', 'x' * 5000]))"
    ended = subprocess.run(
        [sys.executable, "-c", limited + "import signal; signal.signal(signal.SIGXFSZ, signal.SIG_IGN); " + run],
        env=aig.environment, capture_output=True, timeout=60, text=True,
    )  # fmt: skip
    assert ended.returncode == 1 and ended.stderr.count("\n") == 1, ended
    assert (aig.room() / "messages.jsonl").read_bytes() == before and not list(aig.room().glob(".lock*"))
    assert not list(aig.room().rglob("*.tmp"))
    assert aig.records("send", "two")[0]["seq"] == 2


def test_a_full_disk_keeps_nobody_from_reading(aig):
    aig.ok("send", "one", "--as", "bob")
    limited = "import resource, sys; resource.setrlimit(resource.RLIMIT_FSIZE, (20, 20)); "
    run = "from rooms.bus.cli import main; sys.exit(main(['read', '--peek']))"
    ended = subprocess.run(
        [sys.executable, "-c", limited + run], env=aig.environment, stdout=subprocess.PIPE, timeout=60, text=True
    )
    assert ended.returncode == 0 and ended.stdout.endswith("bob → all: one\n"), ended


def test_a_process_killed_with_the_lock_stops_nobody(aig):
    aig.ok("send", "one")
    holding = "import sys; from pathlib import Path; from rooms.bus.lock import Lock; "
    taken = "Lock(Path(sys.argv[1])).__enter__(); print('held', flush=True); sys.stdin.read()"
    holder = subprocess.Popen(
        [sys.executable, "-c", holding + taken, aig.room() / ".lock"],
        env=aig.environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
    )  # fmt: skip
    assert holder.stdout is not None and holder.stdin is not None
    assert holder.stdout.readline() == b"held\n"
    os.kill(holder.pid, signal.SIGKILL)
    os.waitid(os.P_PID, holder.pid, os.WEXITED | os.WNOWAIT)  # dead, and nobody has buried it
    assert aig.records("send", "two")[0]["seq"] == 2
    assert not list(aig.room().glob(".lock*"))
    holder.communicate(timeout=10)
