"""The shared ring of the newest entries, and the bounded text of a running turn. Our contract."""

import asyncio

from rooms.envelope import SHOWN_CHARS
from rooms.ring import Ring
from rooms.text_so_far import TextSoFar
from tests.loop_steps import begun


def test_the_oldest_entries_leave_when_there_are_too_many():
    ring = Ring(max_entries=3, max_bytes=1_000)
    for seq in range(1, 6):
        ring.append(b"x", seq)

    assert (ring.first, ring.next) == (2, 5)
    assert [ring[index].seq for index in range(ring.first, ring.next)] == [3, 4, 5]


def test_the_oldest_entries_leave_when_they_are_too_large_and_a_single_large_one_stays():
    ring = Ring(max_entries=100, max_bytes=10)
    ring.append(b"12345678", 1)
    ring.append(b"12345678", 2)
    assert ring.first == 1

    ring.append(b"1" * 50, 3)
    assert (ring.first, ring.next) == (2, 3)


def test_the_ring_serves_a_reader_only_without_a_gap():
    ring = Ring(max_entries=3, max_bytes=1_000)
    for seq in (5, 6):
        ring.append(b"d", seq)
    ring.append(b"live")

    assert ring.durable_after(3) is None
    assert [entry.seq for entry in ring.durable_after(4) or []] == [5, 6]
    assert [entry.seq for entry in ring.durable_after(5) or []] == [6]
    assert ring.durable_after(6) is None


async def test_everybody_who_waits_hears_of_one_entry():
    ring = Ring(max_entries=3, max_bytes=1_000)
    waiting = [begun(ring.changed()) for _ in range(3)]

    ring.append(b"x")

    async with asyncio.timeout(5):
        await asyncio.gather(*waiting)


def test_of_a_long_text_the_beginning_is_kept_and_the_length_of_all():
    text = TextSoFar()
    assert text.append("x" * (SHOWN_CHARS - 2)) == "x" * (SHOWN_CHARS - 2)
    assert (text.append("abc"), text.is_cut) == ("ab", True)
    assert text.append("def") == ""

    assert text.shown == "x" * (SHOWN_CHARS - 2) + "ab"
    assert (text.shown_length, text.length) == (SHOWN_CHARS, SHOWN_CHARS + 4)


def test_thousands_of_small_pieces_are_one_text():
    text = TextSoFar()
    for number in range(2_500):
        text.append(str(number))
    assert text.shown == "".join(map(str, range(2_500)))
    assert (text.length, text.is_cut) == (len(text.shown), False)
