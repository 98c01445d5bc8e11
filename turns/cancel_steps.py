"""The steps by which a turn that was asked to end was ended, with their times (docs/turns.md, "Lanes"). Pure."""

from typing import Any

from adapters.contract import StopRecord


def step(name: str, ms: int) -> dict[str, Any]:
    """`ms` since the native cancel."""
    return {"step": name, "ms": ms}


def steps_of_close(record: StopRecord, asked_ms: int) -> list[dict[str, Any]]:
    """What ending the process took; `asked_ms` is when that was asked for."""
    taken = (
        ("end_of_input", 0),
        ("terminated", record.terminated_ms),
        ("killed", record.killed_ms),
        ("process_ended", record.ended_ms),
    )
    return [step(name, asked_ms + ms) for name, ms in taken if ms is not None]
