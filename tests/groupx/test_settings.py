"""What Django is told: languages that have words, hosts that are this machine. Our contract."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from django.templatetags.static import static
from django.test import Client

from groupx.languages import offered_languages
from groupx.page_files import files_version

CHECKOUT = Path(__file__).resolve().parents[2]


def test_a_language_is_offered_when_its_catalogue_was_compiled(tmp_path: Path):
    assert [code for code, _ in offered_languages(tmp_path)] == ["en"]
    catalogue = tmp_path / "zh_Hans" / "LC_MESSAGES" / "django.mo"
    catalogue.parent.mkdir(parents=True)
    catalogue.with_suffix(".po").touch()
    assert [code for code, _ in offered_languages(tmp_path)] == ["en"]

    catalogue.touch()

    assert [code for code, _ in offered_languages(tmp_path)] == ["en", "zh-hans"]


@pytest.mark.usefixtures("room")
@pytest.mark.parametrize(
    ("accepted", "spoken"),
    [
        ("zh-CN,zh;q=0.9", "zh-hans"),
        ("zh-Hans", "zh-hans"),
        ("zh", "zh-hans"),
        ("de,zh-CN;q=0.5", "zh-hans"),
        ("de", "en"),
        ("en-US,zh-CN;q=0.9", "en"),
        ("", "en"),
    ],
)
def test_the_page_speaks_the_browsers_language_and_names_it(accepted: str, spoken: str):
    page = Client(headers={"Accept-Language": accepted}).get("/")
    assert page.headers["Content-Language"] == spoken
    assert f'<html lang="{spoken}"' in page.content.decode()


@pytest.mark.usefixtures("room")
def test_a_chosen_language_is_kept_whatever_the_browser_prefers():
    client = Client(headers={"Accept-Language": "en"})
    chosen = client.post("/language/", {"language": "zh-hans", "next": "/"})
    assert (chosen.status_code, chosen.headers["Location"]) == (302, "/")
    cookie = chosen.cookies["groupx_language"]
    assert cookie["httponly"] and cookie["samesite"] == "Lax" and int(cookie["max-age"]) > 180 * 86_400
    assert client.get("/").headers["Content-Language"] == "zh-hans"
    client.post("/language/", {"language": "en", "next": "/"})
    assert client.get("/").headers["Content-Language"] == "en"


@pytest.mark.usefixtures("room")
def test_a_choice_of_language_leads_nowhere_else():
    chosen = Client().post("/language/", {"language": "xx", "next": "https://elsewhere.example/"})
    assert chosen.headers["Location"] == "/" and "groupx_language" not in chosen.cookies


def test_the_product_answers_under_the_names_of_this_machine_only():
    """Asked of a fresh process: a test run adds hosts of its own."""
    told = subprocess.run(
        [sys.executable, "-c", "from groupx import settings; print(settings.ALLOWED_HOSTS)"],
        cwd=CHECKOUT,
        env={name: value for name, value in os.environ.items() if not name.startswith(("GROUPX_", "DJANGO_"))},
        capture_output=True,
        text=True,
        timeout=30,
    )
    assert told.stdout.strip() == "['127.0.0.1', 'localhost', '[::1]']", told.stderr


def test_the_address_of_the_pages_files_changes_with_any_of_them(tmp_path: Path):
    (tmp_path / "js").mkdir()
    (tmp_path / "js" / "a.js").write_text("one")
    first = files_version(tmp_path)
    (tmp_path / "js" / "a.js").write_text("two")
    second = files_version(tmp_path)
    (tmp_path / "js" / "a.js").rename(tmp_path / "js" / "b.js")
    assert len({first, second, files_version(tmp_path)}) == 3


@pytest.mark.usefixtures("room")
def test_a_browser_keeps_the_pages_files():
    answer = Client().get(static("js/room.js"))
    answer.close()
    assert "immutable" in answer.headers["Cache-Control"]
