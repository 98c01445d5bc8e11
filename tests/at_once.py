"""Several acts in the same moment, each in a thread with a database connection of its own."""

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

from django.db import connection

from groupx.kernel.errors import ErrorCode, GroupXError

PATIENCE_SECONDS = 30


def at_once[T](*acts: Callable[[], T]) -> list[T | ErrorCode]:
    """What each gave, or was refused with; all held at a barrier, then let go."""
    start = threading.Barrier(len(acts), timeout=PATIENCE_SECONDS)

    def run(act: Callable[[], T]) -> T | ErrorCode:
        try:
            connection.ensure_connection()
            start.wait()
            return act()
        except GroupXError as error:
            return error.code
        finally:
            connection.close()

    with ThreadPoolExecutor(len(acts)) as threads:
        begun = [threads.submit(run, act) for act in acts]
        return [each.result(PATIENCE_SECONDS) for each in begun]
