"""When a failed start is tried again, and when short lives count as one (docs/turns.md, "Lanes"). Pure."""

from turns.start_patience import LATEST_SECONDS, SHORT_LIFE_SECONDS, StartPatience


def test_nothing_failed_means_try():
    assert StartPatience().may_try(0, woken=False, has_waiting=False)


def test_a_new_message_tries_again_after_five_seconds():
    patience = StartPatience()
    patience.failed(100)

    assert not patience.may_try(104, woken=True, has_waiting=True)
    assert patience.may_try(105, woken=True, has_waiting=True)


def test_a_queue_that_only_waits_tries_ever_more_seldom():
    patience, now, waits = StartPatience(), 0.0, []
    for _ in range(9):
        patience.failed(now)
        began = now
        while not patience.may_try(now, woken=False, has_waiting=True):
            now += 5
        waits.append(now - began)

    assert waits[:3] == [10, 20, 40]
    assert waits[-1] == LATEST_SECONDS


def test_an_empty_queue_waits_for_ever():
    patience = StartPatience()
    patience.failed(0)

    assert not patience.may_try(1e9, woken=False, has_waiting=False)


def test_three_short_lives_in_a_row_are_hopeless_and_a_long_one_is_not():
    patience = StartPatience()
    assert [patience.is_hopeless_after(1) for _ in range(3)] == [False, False, True]

    patience = StartPatience()
    assert [patience.is_hopeless_after(s) for s in (1, 1, SHORT_LIFE_SECONDS, 1)] == [False, False, False, False]


def test_a_turn_that_completed_forgets_the_short_lives():
    patience = StartPatience()
    patience.is_hopeless_after(1)
    patience.is_hopeless_after(1)
    patience.worked()

    assert not patience.is_hopeless_after(1)
