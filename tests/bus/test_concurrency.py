"""Many processes write one room at once (docs/aig.md, "Lock"), also while some of them are killed."""

import json
import random
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.bus.aig import Aig
from tests.waiting import wait_until

KILLED = 5
IN_ONE_PROCESS = """
import sys
from pathlib import Path
from rooms.bus.append import append
from rooms.bus.folder import Room
from rooms.bus.message import Draft
room = Room(Path(sys.argv[1]), "main")
for number in range(int(sys.argv[3])):
    print(append(room, Draft("human", f"{sys.argv[2]}/{number}")).seq, flush=True)
"""


def send_all(aig: Aig, sender: int, count: int) -> list[str]:
    """Each message by a process of its own; the texts of those that ended with 0."""
    texts = [f"{sender}/{number}" for number in range(count)]
    return [text for text in texts if aig("send", text).code == 0]


@pytest.mark.parametrize(("senders", "each"), [(8, 3), pytest.param(32, 50, marks=pytest.mark.chaos)])
def test_every_send_of_many_processes_gets_its_own_seq(aig, senders, each):
    with ThreadPoolExecutor(senders) as pool:
        sent = list(pool.map(lambda sender: send_all(aig, sender, each), range(senders)))
    assert [len(texts) for texts in sent] == [each] * senders
    assert [message["seq"] for message in aig.log()] == list(range(1, senders * each + 1))
    assert sorted(message["text"] for message in aig.log()) == sorted(text for texts in sent for text in texts)


def writers(aig: Aig, count: int, each: int) -> list[subprocess.Popen[str]]:
    aig.ok("use", "main")
    return [
        subprocess.Popen(
            [sys.executable, "-c", IN_ONE_PROCESS, aig.home, str(writer), str(each)],
            env=aig.environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )
        for writer in range(count)
    ]  # fmt: skip


@pytest.mark.parametrize(("count", "each"), [(6, 30), pytest.param(32, 50, marks=pytest.mark.chaos)])
def test_writers_that_never_pause_all_get_through(aig, count, each):
    ended = [(*process.communicate(timeout=240), process.returncode) for process in writers(aig, count, each)]
    assert [(error, code) for _, error, code in ended if error or code] == []
    assert [message["seq"] for message in aig.log()] == list(range(1, count * each + 1))
    assert sorted(int(seq) for out, _, _ in ended for seq in out.split()) == list(range(1, count * each + 1))


@pytest.mark.parametrize(
    ("count", "each", "seed"), [(7, 20, 1), *(pytest.param(32, 50, seed, marks=pytest.mark.chaos) for seed in range(5))]
)
def test_a_kill_loses_nothing_that_was_sent_and_stops_nobody(aig, count, each, seed):
    chance, log = random.Random(seed), aig.room() / "messages.jsonl"
    processes = writers(aig, count, each)
    for victim in chance.sample(processes, KILLED):
        size = (log.stat().st_size if log.exists() else 0) + chance.randrange(1, 3_000)
        wait_until(
            lambda it=victim, least=size: it.poll() is not None or (log.exists() and log.stat().st_size >= least),
            timeout_seconds=60, what="the log grows",
        )  # fmt: skip
        victim.send_signal(signal.SIGKILL)
    ended = [(*process.communicate(timeout=240), process.returncode) for process in processes]
    assert {code for _, _, code in ended} <= {0, -signal.SIGKILL}, ended
    assert "".join(error for _, error, _ in ended) == ""
    seqs = [message["seq"] for message in map(_read, log.read_bytes().split(b"\n")) if message]
    assert seqs == sorted(set(seqs)), "strictly increasing"
    told = [int(seq) for out, _, _ in ended for seq in out.split()]
    assert len(told) == len(set(told)) and set(told) <= set(seqs)
    assert sum(code == 0 for _, _, code in ended) >= count - KILLED
    assert aig.records("send", "goes on")[0]["seq"] == seqs[-1] + 1


def _read(line: bytes) -> dict[str, int] | None:
    return json.loads(line) if line.endswith(b"}") else None
