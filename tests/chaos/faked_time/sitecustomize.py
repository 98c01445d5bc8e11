"""For every Python of a room under libfaketime, whose `clock_nanosleep` refuses the absolute times of `time.sleep`."""

import select
import time


def _sleep(seconds: float) -> None:
    select.select([], [], [], seconds)


time.sleep = _sleep
