"""`aig read` and `aig wait` (docs/aig.md, "Cursors"): what is unread, and how far a cursor moves."""

import json

import pytest

from tests.waiting import wait_until


def texts(aig, *arguments, **more):
    return [message["text"] for message in aig.records(*arguments, **more)]


@pytest.fixture
def talk(aig):
    """Four messages: to everybody, to bob, to eva, from bob."""
    aig.ok("send", "for all")
    aig.ok("send", "for bob", "--to", "bob")
    aig.ok("send", "for eva", "--to", "eva")
    aig.ok("send", "of bob", "--as", "bob")
    return aig


def test_unread_is_what_others_sent_to_everybody_or_to_me(talk):
    assert texts(talk, "read", "--as", "bob") == ["for all", "for bob"]
    assert texts(talk, "read", "--as", "eva") == ["for all", "for eva", "of bob"]
    assert texts(talk, "read") == ["of bob"]


def test_reading_moves_the_cursor_to_the_last_one_shown(talk):
    talk.ok("read", "--as", "bob")
    assert talk.cursor("bob") == 2
    assert texts(talk, "read", "--as", "bob") == []
    kept = json.loads((talk.room() / "cursors/bob.json").read_text())
    assert set(kept) == {"seq", "updatedAt"} and kept["updatedAt"].endswith("Z")


def test_peeking_leaves_it(talk):
    assert texts(talk, "read", "--peek", "--as", "bob") == texts(talk, "read", "--peek", "--as", "bob") != []
    assert talk.cursor("bob") == 0


def test_a_limit_shows_the_oldest_and_moves_to_the_last_of_them(talk):
    assert texts(talk, "read", "--limit", "1", "--as", "eva") == ["for all"]
    assert talk.cursor("eva") == 1
    assert texts(talk, "read", "--limit", "1", "--as", "eva") == ["for eva"]


def test_all_is_the_whole_history_and_moves_to_its_last_line(talk):
    assert texts(talk, "read", "--all", "--as", "bob") == ["for all", "for bob", "for eva", "of bob"]
    assert talk.cursor("bob") == 4


def test_all_with_peek_leaves_the_cursor(talk):
    assert len(texts(talk, "read", "--all", "--peek", "--as", "bob")) == 4
    assert talk.cursor("bob") == 0


def test_a_cursor_never_moves_back(talk):
    talk.ok("read", "--all", "--as", "eva")
    assert texts(talk, "read", "--all", "--limit", "2", "--as", "eva") == ["for all", "for bob"]
    assert talk.cursor("eva") == 4


def test_nothing_unread_prints_nothing_and_makes_no_cursor(aig):
    ended = aig("read", "--as", "bob")
    assert (ended.code, ended.out) == (0, "") and "bob" in ended.err
    assert not (aig.room() / "cursors/bob.json").exists()


@pytest.mark.parametrize("content", ["", "{", "[]", '{"seq": "5"}', '{"seq": -1}', '{"seq": true}'])
def test_a_corrupt_cursor_counts_as_0_with_a_warning(talk, content):
    (talk.room() / "cursors").mkdir(exist_ok=True)
    (talk.room() / "cursors/bob.json").write_text(content)
    ended = talk("read", "--json", "--as", "bob")
    assert len(ended.records) == 2 and "cursor of bob" in ended.err
    assert talk.cursor("bob") == 2


def test_two_readers_of_one_member_at_once_leave_the_furthest_cursor(talk):
    started = [talk.start("read", "--as", "eva", "--all", "--limit", str(limit)) for limit in (1, 4, 2, 3)]
    for process in started:
        process.communicate(timeout=60)
    assert [process.returncode for process in started] == [0] * 4 and talk.cursor("eva") == 4


@pytest.mark.parametrize("limit", ["0", "-1", "x", "1.5"])
def test_a_limit_is_a_positive_number(aig, limit):
    assert "--limit" in aig.refused("read", "--limit", limit)


# ---------------------------------------------------------------- wait
def test_waiting_ends_at_once_when_there_is_something_unread(talk):
    assert texts(talk, "wait", "--as", "bob", "--timeout", "30") == ["for all", "for bob"]
    assert talk.cursor("bob") == 2


def test_waiting_ends_with_the_message_that_comes(aig):
    waiting = aig.start("wait", "--as", "bob", "--timeout", "30")
    seen = aig.room() / "presence/bob.json"
    wait_until(seen.exists, timeout_seconds=20, what="bob waits")
    aig.ok("send", "of no interest", "--to", "eva")
    aig.ok("send", "mine", "--as", "bob")
    aig.ok("send", "at last", "--to", "bob")
    out, err = waiting.communicate(timeout=20)
    assert (waiting.returncode, err) == (0, b"") and out.decode().endswith("human → bob: at last\n")
    assert aig.cursor("bob") == 3


def test_waiting_for_nothing_ends_with_3_and_leaves_the_cursor(talk):
    talk.ok("read", "--as", "bob")
    assert "bob" in talk.refused("wait", "--as", "bob", "--timeout", "0.2", code=3)
    assert talk.cursor("bob") == 2


@pytest.mark.parametrize("timeout", ["-1", "nan", "inf", "soon"])
def test_a_timeout_is_a_number_of_seconds(aig, timeout):
    assert "--timeout" in aig.refused("wait", f"--timeout={timeout}")
