"""Shutdown and restart over HTTP (docs/protocol.md, "Stop and restart"): who may ask, and in which shape. Our contract.

That they end and renew a room is specified in test_start_stop.py, with real processes.
"""

import json
from typing import Any

import pytest
from django.conf import settings
from django.test import Client

SHUTDOWN, RESTART = "/api/runtime/shutdown", "/api/runtime/restart"


def post(path: str, body: Any) -> tuple[int, str]:
    answer = Client().post(path, json.dumps(body), content_type="application/json")
    return answer.status_code, answer.json()["error"]["code"]


@pytest.mark.parametrize("path", [SHUTDOWN, RESTART])
@pytest.mark.parametrize(
    "body",
    [
        {},
        [],
        {"runtimeScopeKey": 5},
        {"runtimeScopeKey": "abc"},
        {"runtimeScopeKey": "A" * 64},
        {"runtimeScopeKey": "a" * 64 + "\n"},
        {"runtimeScopeKey": "a" * 64, "force": True},
    ],
)
def test_the_body_is_exactly_one_key_of_64_hexadecimal_digits(path: str, body: Any):
    assert post(path, body) == (400, "INVALID_ENVELOPE")


@pytest.mark.parametrize("path", [SHUTDOWN, RESTART])
def test_the_key_of_another_room_is_a_conflict_and_so_is_the_runtime_key(path: str):
    for key in ("0" * 64, settings.RUN.runtime_key):
        assert post(path, {"runtimeScopeKey": key}) == (409, "RUNTIME_SCOPE_MISMATCH")


@pytest.mark.parametrize("path", [SHUTDOWN, RESTART])
def test_only_post_is_taken(path: str):
    answer = Client().get(path)
    assert (answer.status_code, answer.headers["Allow"]) == (405, "POST")


def test_a_process_that_serves_nothing_cannot_be_shut_down():
    assert post(SHUTDOWN, {"runtimeScopeKey": settings.RUN.runtime_scope_key}) == (503, "SESSION_NOT_AVAILABLE")
