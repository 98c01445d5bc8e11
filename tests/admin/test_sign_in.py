"""How one gets into the admin: by a link that works once, and no other way (our contract: docs/admin.md, "Sign in")."""

import json
import logging
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from urllib.parse import parse_qs, urlsplit

import pytest
from django.conf import settings
from django.contrib.auth import authenticate
from django.contrib.auth.models import User
from django.contrib.sessions.models import Session
from django.db import connection
from django.test import Client
from django.urls import reverse

from groupx.kernel.config import GroupXConfig
from groupx.sign_in import USERNAME, new_sign_in_token, sign_in_path, take_sign_in

LINK_API = "/api/admin/sign-in"
INDEX = "/admin/"


@pytest.fixture
def link(room: GroupXConfig) -> str:
    return sign_in_path(new_sign_in_token())


def is_signed_in(client: Client) -> bool:
    return client.get(INDEX).status_code == 200


def test_a_link_signs_in_and_leads_to_the_start_page(link: str, client: Client) -> None:
    answer = client.get(link)
    assert (answer.status_code, answer.headers["Location"]) == (302, INDEX)
    assert is_signed_in(client)


def test_a_link_works_once(link: str, client: Client) -> None:
    client.get(link)
    other = Client()
    assert other.get(link).status_code == 403
    assert not is_signed_in(other)


def test_signing_in_ends_the_links_that_were_given_before(link: str, client: Client) -> None:
    client.get(sign_in_path(new_sign_in_token()))
    assert Client().get(link).status_code == 403


def test_of_two_who_open_one_link_at_once_one_gets_in(live_room: GroupXConfig) -> None:
    token = new_sign_in_token()
    gate = threading.Barrier(2)

    def take() -> bool:
        gate.wait(timeout=10)
        try:
            return take_sign_in(token) is not None
        finally:
            connection.close()

    with ThreadPoolExecutor(2) as both:
        assert sorted(both.map(lambda _: take(), range(2))) == [False, True]


def test_a_link_is_good_for_ten_minutes(link: str, monkeypatch: pytest.MonkeyPatch) -> None:
    begin = time.time()
    monkeypatch.setattr("sesame.tokens_v2.time.time", lambda: begin + settings.SIGN_IN_LINK_SECONDS - 2)
    assert take_sign_in(token_of(link)) is not None


def test_an_old_link_signs_nobody_in(link: str, client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    begin = time.time()
    monkeypatch.setattr("sesame.tokens_v2.time.time", lambda: begin + settings.SIGN_IN_LINK_SECONDS)
    assert client.get(link).status_code == 403
    assert not is_signed_in(client)


def token_of(link: str) -> str:
    return parse_qs(urlsplit(link).query)[settings.SESAME_TOKEN_NAME][0]


@pytest.mark.parametrize("token", ["", "x", "A" * 40, "é", "\0", "A" * 100_000])
def test_what_is_no_link_of_ours_signs_nobody_in(token: str, room: GroupXConfig, client: Client) -> None:
    assert client.get(sign_in_path(token)).status_code == 403


def test_a_failed_link_says_how_to_get_another(link: str, client: Client) -> None:
    client.get(link)
    page = Client().get(link).content.decode()
    assert "groupx signin" in page and 'href="/"' in page


def test_only_get_uses_a_link_up(link: str, client: Client) -> None:
    assert client.head(link).status_code == 405
    assert client.post(link).status_code == 405
    assert client.get(link).status_code == 302


# ---------------------------------------------------------------- no other way
def test_without_a_session_every_page_asks_for_a_link(room: GroupXConfig, client: Client) -> None:
    for page in (INDEX, reverse("admin:rooms_event_changelist"), reverse("admin:turns_turn_change", args=["turn_x"])):
        answer = client.get(page, follow=True)
        assert answer.redirect_chain[-1][0].startswith("/admin/login/")
        text = answer.content.decode()
        assert "groupx signin" in text and "password" in text and "<input" not in text


def test_there_is_no_password(link: str) -> None:
    user = User.objects.get()
    assert (user.username, user.is_superuser, user.has_usable_password()) == (USERNAME, True, False)
    for password in ("", "admin", user.password):
        assert authenticate(username=USERNAME, password=password) is None
    for name in ("password_change", "password_change_done"):
        assert Client().get(f"/admin/{name}/").status_code != 200


def test_nobody_is_made_before_the_first_link_is(room: GroupXConfig) -> None:
    assert not User.objects.exists()


def test_signing_out_ends_the_session(link: str, client: Client) -> None:
    client.get(link)
    assert client.get("/admin/logout/").status_code == 405
    assert client.post("/admin/logout/").status_code == 302
    assert not is_signed_in(client)
    assert not Session.objects.exists()


# ---------------------------------------------------------------- the session
def test_the_cookies_are_the_rooms_own_and_go_to_the_admin_alone(link: str, client: Client) -> None:
    answer = client.get(link)
    port = settings.RUN.config.server.port
    assert set(answer.cookies) == {f"groupx_admin_{port}", f"groupx_csrf_{port}"}
    for cookie in answer.cookies.values():
        assert (cookie["path"], cookie["samesite"], cookie["httponly"]) == ("/admin/", "Strict", True)
    assert answer.cookies[f"groupx_admin_{port}"]["max-age"] == 12 * 60 * 60


def test_forms_are_safe_from_other_pages(link: str) -> None:
    client = Client(enforce_csrf_checks=True)
    client.get(link)
    for page in ("/admin/logout/", reverse("admin:turns_turn_changelist")):
        assert client.post(page, {"action": "cancel_turns"}).status_code == 403
    assert is_signed_in(client)


def test_the_room_and_the_api_know_no_session(link: str, client: Client) -> None:
    client.get(link)
    for page in ("/", "/api/agents"):
        answer = client.get(page)
        assert not answer.cookies and not hasattr(answer.wsgi_request, "session")


def test_the_address_of_a_link_goes_nowhere_else(link: str, client: Client, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)  # of others no more than warnings is ever logged
    used = client.get(link)
    failed = Client().get(link)
    for answer in (used, failed):
        assert answer.headers["Referrer-Policy"] == "no-referrer"
        assert "no-store" in answer.headers["Cache-Control"]
    assert token_of(link) not in failed.content.decode()
    assert token_of(link) not in caplog.text


# ---------------------------------------------------------------- asking for a link
def test_the_page_gets_a_fresh_link(room: GroupXConfig, client: Client) -> None:
    answer = client.post(LINK_API, {}, content_type="application/json")
    assert answer.status_code == 201
    assert answer.headers["Cache-Control"] == "no-store"
    body = answer.json()
    assert body["expiresInSeconds"] == 600
    assert client.get(body["path"]).status_code == 302


@pytest.mark.parametrize("body", ['{"next": "http://evil.example"}', "[]", "nothing"])
def test_asking_for_a_link_takes_nothing(body: str, room: GroupXConfig, client: Client) -> None:
    answer = client.post(LINK_API, body, content_type="application/json")
    assert answer.status_code == 400
    assert json.loads(answer.content)["error"]["code"] == "INVALID_ENVELOPE"


def test_a_link_is_not_given_for_a_mere_look(room: GroupXConfig, client: Client) -> None:
    assert client.get(LINK_API).status_code == 405
