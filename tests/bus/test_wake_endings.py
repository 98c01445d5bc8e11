"""Wakes that do not end well, two at a time, and what the room and the machine look like afterwards."""

import json
import os
import signal
import threading

import pytest

from tests.bus.waking import Waking, gone
from tests.waiting import wait_until


@pytest.mark.parametrize("ignores_term", [False, True])
def test_a_cli_that_hangs_is_ended_with_its_children(waking: Waking, ignores_term):
    waking.member("codex")
    waking.plan(hangs=True, child=True, ignores_term=ignores_term)
    said = waking.aig.refused("ask", "codex", "Hello?", "--timeout", "1", code=4)
    assert "No answer within 1 s" in said
    [call] = waking.calls
    assert gone(call["pid"], call["child"])
    assert waking.aig.log()[1]["kind"] == "dispatch-error" and waking.aig.cursor("codex") == 0


def test_a_child_that_holds_the_pipes_delays_no_answer(waking: Waking):
    waking.member("codex")
    waking.plan(answer="Done.", child=True)
    assert waking.aig.ok("ask", "codex", "Hello?") == "Done.\n"
    assert gone(waking.calls[0]["child"])


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_a_wake_that_is_stopped_ends_its_cli_and_tells_the_room(waking: Waking, number):
    waking.member("codex")
    started = waking.pipe("started")
    waking.plan(hangs=True, child=True, started=str(started))
    process = waking.aig.start("ask", "codex", "Hello?")
    assert started.read_text() == "started"
    process.send_signal(number)
    process.communicate(timeout=30)
    assert process.returncode == (130 if number is signal.SIGINT else 4)
    [call] = waking.calls
    assert gone(call["pid"], call["child"])
    failure = waking.aig.log()[-1]
    assert (failure["kind"], failure["to"]) == ("dispatch-error", ["human"])
    assert "was stopped" in failure["text"]


def test_the_second_wake_waits_for_the_first_and_finds_nothing_left(waking: Waking):
    waking.member("codex")
    waking.aig.ok("send", "for one wake only")
    started, gate = waking.pipe("started"), waking.pipe("gate")
    waking.plan(started=str(started), waits_for=str(gate), answer="Once.")
    first = waking.aig.start("wake", "codex")
    assert started.read_text() == "started"
    second = waking.aig.start("wake", "codex")
    lock = waking.aig.room() / "wakes" / "codex.lock"
    assert json.loads(lock.read_text())["pid"] == first.pid
    gate.write_text("go on")
    assert (first.wait(60), second.wait(60)) == (0, 0)
    assert b"Nothing is unread" in second.communicate()[1]
    first.communicate()
    assert len(waking.calls) == 1 and [m["text"] for m in waking.aig.log()] == ["for one wake only", "Once."]


def test_two_asks_at_once_are_answered_by_one_run_or_two_and_each_prints_an_answer_to_its_own(waking: Waking):
    waking.member("codex")
    started, gate = waking.pipe("started"), waking.pipe("gate")
    waking.plan(started=str(started), waits_for=str(gate), answer="First.")
    first = waking.aig.start("ask", "codex", "one")
    assert started.read_text() == "started"
    others = [waking.aig.start("ask", "codex", text) for text in ("two", "three")]
    wait_until(lambda: len(waking.aig.log()) == 3, timeout_seconds=60, what="three questions")
    waking.plan(answer="Second.")
    gate.write_text("go on")
    said = [process.communicate(timeout=60)[0].decode() for process in (first, *others)]
    assert said == ["First.\n", "Second.\n", "Second.\n"]
    assert len(waking.calls) == 2


def test_a_wake_that_was_killed_holds_up_nobody(waking: Waking):
    waking.member("codex")
    started = waking.pipe("started")
    waking.plan(hangs=True, started=str(started))
    killed = waking.aig.start("ask", "codex", "Hello?")
    assert started.read_text() == "started"
    os.kill(killed.pid, signal.SIGKILL)
    killed.communicate()
    os.killpg(waking.calls[0]["pid"], signal.SIGKILL)  # nobody was left to end its CLI
    waking.plan(answer="At last.")
    waking.aig.ok("wake", "codex")
    assert waking.aig.log()[-1]["text"] == "At last." and len(waking.calls) == 2


def test_an_answer_whose_cursor_was_lost_to_a_crash_is_not_asked_for_again(waking: Waking):
    waking.member("codex")
    waking.aig.ok("ask", "codex", "Hello?")
    (waking.aig.room() / "cursors" / "codex.json").unlink()  # as if it had not been written any more
    waking.aig.ok("wake", "codex")
    assert len(waking.calls) == 1 and waking.aig.cursor("codex") == 1


def test_what_comes_in_during_a_wake_waits_for_the_next(waking: Waking):
    waking.member("codex")
    waking.aig.ok("send", "before")
    started, gate = waking.pipe("started"), waking.pipe("gate")
    waking.plan(started=str(started), waits_for=str(gate), answer="To what was before.")
    process = waking.aig.start("wake", "codex")
    assert started.read_text() == "started"
    waking.aig.ok("send", "meanwhile")
    gate.write_text("go on")
    process.communicate(timeout=60)
    assert waking.aig.cursor("codex") == 1
    waking.plan(answer="To what came meanwhile.")
    waking.aig.ok("wake", "codex")
    assert "meanwhile" in waking.calls[1]["stdin"] and "\nbefore\n" not in waking.calls[1]["stdin"]
    assert waking.aig.cursor("codex") == 2


def test_a_prompt_that_is_an_argument_takes_the_oldest_that_fit(waking: Waking):
    waking.member("dsh")
    for number in range(5):
        waking.aig.ok("send", "-", stdin=f"{number}".encode() * 30_000)
    waking.aig.ok("wake", "dsh")
    prompt = waking.calls[0]["argv"][-1]
    assert 90_000 < len(prompt.encode()) <= 100_000
    assert ["0" * 30_000 in prompt, "2" * 30_000 in prompt, "3" * 30_000 in prompt] == [True, True, False]
    assert "2 newer ones did not fit" in prompt
    assert waking.aig.cursor("dsh") == 3
    waking.aig.ok("wake", "dsh")
    assert waking.aig.cursor("dsh") == 6 - 1


def test_a_message_too_long_for_an_argument_is_cut_and_says_so(waking: Waking):
    waking.member("dsh")
    waking.aig.ok("send", "-", stdin="é".encode() * 100_000)
    waking.aig.ok("wake", "dsh")
    prompt = waking.calls[0]["argv"][-1]
    assert 95_000 < len(prompt.encode()) <= 100_000 and "of 200000 bytes" in prompt
    assert waking.aig.cursor("dsh") == 1


def test_many_wakes_of_one_member_run_it_once(waking: Waking):
    waking.member("codex")
    waking.aig.ok("send", "only once")
    barrier = threading.Barrier(6)

    def wake() -> None:
        barrier.wait(30)
        assert waking.aig("wake", "codex").code == 0

    threads = [threading.Thread(target=wake) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert len(waking.calls) == 1 and len(waking.aig.log()) == 2


def test_the_folder_of_nobody_fails_as_one_that_is_not_there(waking: Waking):
    waking.member("codex", cwd="~no-such-user/x")
    assert "does not exist" in waking.aig.refused("ask", "codex", "Hello?", code=4)
    assert waking.aig.log()[-1]["kind"] == "dispatch-error" and not waking.calls


def test_a_wake_that_is_stopped_before_its_turn_has_told_nobody_and_does_not_say_so(waking: Waking):
    waking.member("codex")
    waking.aig.ok("send", "for one wake only")
    started, gate = waking.pipe("started"), waking.pipe("gate")
    waking.plan(started=str(started), waits_for=str(gate), answer="Once.")
    first = waking.aig.start("wake", "codex")
    assert started.read_text() == "started"
    second = waking.aig.start("ask", "codex", "Hello?")
    wait_until(lambda: len(waking.aig.log()) == 2, timeout_seconds=60, what="the question")
    second.terminate()
    assert b"was stopped by SIGTERM" in (said := second.communicate(timeout=30)[1]) and b"told" not in said
    gate.write_text("go on")
    first.communicate(timeout=60)
    assert (first.returncode, second.returncode) == (0, 4)
