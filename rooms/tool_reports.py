"""What a running turn's tools have reported so far, for readers that come late. Pure and bounded."""

from collections.abc import Iterator

MAX_CALLS, MAX_BYTES = 256, 1_048_576


class ToolReports[T]:
    """The first and the newest report of each tool call, calls in the order they began.

    Beyond MAX_CALLS or MAX_BYTES the oldest calls are forgotten: they come with the turn's durable records.
    """

    def __init__(self) -> None:
        self._calls: dict[str, list[tuple[T, int]]] = {}
        self._bytes = 0

    def take(self, tool_call_id: str, report: T, size_bytes: int) -> None:
        known = self._calls.setdefault(tool_call_id, [])
        if len(known) == 2:
            self._bytes -= known.pop()[1]
        known.append((report, size_bytes))
        self._bytes += size_bytes
        while len(self._calls) > MAX_CALLS or (self._bytes > MAX_BYTES and len(self._calls) > 1):
            oldest = self._calls.pop(next(iter(self._calls)))
            self._bytes -= sum(size for _, size in oldest)

    def __iter__(self) -> Iterator[T]:
        return (report for known in self._calls.values() for report, _ in known)
