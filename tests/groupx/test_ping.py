"""GET /api/ping (docs/protocol.md, "Reading"): the yardstick answers without the database. Our contract."""

from django.test import Client


def test_a_ping_is_answered_without_asking_the_database():
    answer = Client().get("/api/ping")
    assert (answer.status_code, answer.json()) == (200, {"ok": True})


def test_a_ping_by_another_method_is_refused_as_everywhere():
    answer = Client().post("/api/ping", {}, content_type="application/json")
    assert (answer.status_code, answer.headers["Allow"]) == (405, "GET, HEAD")
    assert answer.json()["error"]["code"] == "METHOD_NOT_ALLOWED"
