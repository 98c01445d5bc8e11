"""Tool reports kept for latecomers: first and newest, bounded (docs/protocol.md, "Events")."""

from rooms.tool_reports import MAX_BYTES, MAX_CALLS, ToolReports


def test_of_each_call_the_first_and_the_newest_report_are_kept():
    reports: ToolReports[str] = ToolReports()
    for report in ("started", "half", "done"):
        reports.take("a", report, 1)

    assert list(reports) == ["started", "done"]


def test_too_many_calls_forget_the_oldest():
    reports: ToolReports[int] = ToolReports()
    for number in range(MAX_CALLS + 5):
        reports.take(str(number), number, 1)

    assert list(reports) == list(range(5, MAX_CALLS + 5))


def test_too_many_bytes_forget_the_oldest_but_never_the_only_one():
    reports: ToolReports[str] = ToolReports()
    reports.take("a", "big", MAX_BYTES * 2)
    assert list(reports) == ["big"]

    reports.take("b", "small", 1)
    assert list(reports) == ["small"]
