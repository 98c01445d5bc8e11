"""The one home of transaction policy.

A write is one function, one transaction, outermost and immediate: `@durable`. A function that joins its
caller's transaction is a plain function; `joins()` says so and checks it. A read that needs one consistent
view takes `snapshot()`. Async code reaches all of them through `in_db` (writes) and `in_reader` (reads): one
hop into a thread that keeps its connection, which costs a third of Django's own bridge. No transaction is
ever open across an await.
"""

import asyncio
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import wraps

from django.db import Error, InterfaceError, OperationalError, connection, transaction

from groupx.kernel.errors import ErrorCode, GroupXError

StoreError = Error
"""Whatever the database could not do. (In Django's tree InterfaceError stands beside DatabaseError, not below it.)"""
UNAVAILABLE = (OperationalError, InterfaceError)
"""Of these, the ones that may go away by themselves: any other would come again."""


def durable[**P, R](action: Callable[P, R]) -> Callable[P, R]:
    """Run the action in a transaction of its own, committed when it returns. Refuses to be nested."""

    @wraps(action)
    def run(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            with transaction.atomic(durable=True):
                return action(*args, **kwargs)
        except UNAVAILABLE as error:
            for listener in list(_failure_listeners):
                listener(str(error))
            raise

    return run


_failure_listeners: list[Callable[[str], None]] = []


def listen_for_failures(listener: Callable[[str], None]) -> Callable[[], None]:
    """Call `listener` with the database's words whenever a write of this process fails, in the thread that wrote.

    Gives the function that ends it.
    """
    _failure_listeners.append(listener)
    return lambda: _failure_listeners.remove(listener)


def durable_to_disk[**P, R](action: Callable[P, R]) -> Callable[P, R]:
    """As `durable`, and not even a power cut takes it back.

    SQLite runs with synchronous=NORMAL, which may lose the last commits with the power. FULL syncs the whole
    log, so it makes everything committed before durable too. The pragma cannot change inside a transaction.
    """
    inner = durable(action)

    @wraps(action)
    def run(*args: P.args, **kwargs: P.kwargs) -> R:
        if connection.vendor != "sqlite" or connection.in_atomic_block:
            return inner(*args, **kwargs)
        _pragma("synchronous=FULL")
        try:
            return inner(*args, **kwargs)
        finally:
            _pragma("synchronous=NORMAL")

    return run


def _pragma(setting: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute(f"PRAGMA {setting}")


def joins() -> None:
    """First line of a function that must run inside its caller's transaction."""
    if not connection.in_atomic_block:
        raise transaction.TransactionManagementError("this function joins a transaction; none is open")


@contextmanager
def snapshot() -> Iterator[None]:
    """Several reads of one moment. Takes no write lock: a deferred transaction on SQLite."""
    if connection.in_atomic_block:
        yield
        return
    with connection.cursor() as cursor:
        cursor.execute("BEGIN" if connection.vendor == "sqlite" else "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
        try:
            yield
        finally:
            cursor.execute("COMMIT")


after_commit = transaction.on_commit


def translate(error: StoreError) -> GroupXError:
    """A database that cannot answer, as the error clients get; the cause goes to the log, not to them."""
    return GroupXError(
        ErrorCode.STORE_UNAVAILABLE, "The room's database cannot be used right now. Nothing was changed; try again."
    )


class DatabaseThreads:
    """A few threads that keep their connection. Calls are executed in the order they came, per pool.

    A call before which another one waited in vain for the database has waited as well, and fails with it: with a
    locked database a hundred calls are refused after one busy timeout, not after a hundred.
    """

    def __init__(self, name: str, threads: int) -> None:
        self._name, self._threads = name, threads
        self._failures = 0
        self._last_failure: tuple[object, ...] = ()
        self.pending = 0
        """Calls that somebody waits for, those under way included."""
        self._pool: ThreadPoolExecutor | None = None
        self._lock = threading.Lock()

    def _executor(self) -> ThreadPoolExecutor:
        with self._lock:
            if self._pool is None:
                self._pool = ThreadPoolExecutor(self._threads, thread_name_prefix=self._name)
            return self._pool

    async def run[**P, R](self, function: Callable[P, R], *args: P.args, **kwargs: P.kwargs) -> R:
        came_after = self._failures
        self.pending += 1
        try:
            return await asyncio.get_running_loop().run_in_executor(
                self._executor(), lambda: self._call(came_after, function, args, kwargs)
            )
        finally:
            self.pending -= 1

    def _call[**P, R](self, came_after: int, function: Callable[P, R], args: P.args, kwargs: P.kwargs) -> R:
        if came_after != self._failures:
            raise OperationalError(*self._last_failure)
        try:
            return function(*args, **kwargs)
        except UNAVAILABLE as error:
            self._failures, self._last_failure = self._failures + 1, error.args
            connection.close()  # the next call starts with a fresh one
            raise

    def close(self) -> None:
        """End the threads and close their connections; the next call starts new ones."""
        with self._lock:
            pool, self._pool = self._pool, None
        if pool is None:
            return
        gate = threading.Barrier(self._threads + 1)

        def leave() -> None:
            connection.close()
            gate.wait(timeout=10)

        for _ in range(self._threads):
            pool.submit(leave)
        try:
            gate.wait(timeout=10)
        except threading.BrokenBarrierError:
            pass
        pool.shutdown(wait=True, cancel_futures=True)


_writer = DatabaseThreads("db-writer", 1)
_readers = DatabaseThreads("db-reader", 2)
in_db = _writer.run
in_reader = _readers.run


def pending_calls() -> dict[str, int]:
    """How many calls wait for the writer and the readers of this process."""
    return {"writer": _writer.pending, "readers": _readers.pending}


def close_database_threads() -> None:
    _writer.close()
    _readers.close()
