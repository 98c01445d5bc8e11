"""GET /api/health while the database cannot be written (docs/protocol.md, "Reading"). Our contract."""

import json
from typing import Any

import pytest

from groupx.health import health_endpoint


async def health(reason: str | None) -> tuple[int, dict[str, Any]]:
    sent: list[dict[str, Any]] = []

    async def send(message: dict[str, Any]) -> None:
        sent.append(message)

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": b""}

    endpoint = health_endpoint(lambda: False, lambda: reason)
    await endpoint({"type": "http", "method": "GET", "path": "/api/health", "query_string": b""}, receive, send)
    return sent[0]["status"], json.loads(sent[1]["body"])


@pytest.mark.django_db(transaction=True)
async def test_a_database_that_cannot_be_written_is_named_with_its_own_words(live_room):
    status, shown = await health("database is locked")

    assert (status, shown["status"]) == (200, "ok")  # what can be read is served
    assert shown["database"] == {"status": "unwritable", "reason": "database is locked", "lastSeq": 0}


@pytest.mark.django_db(transaction=True)
async def test_a_database_that_works_has_no_reason(live_room):
    assert (await health(None))[1]["database"] == {"status": "ok", "lastSeq": 0}
