"""What a person sees at an address that has nothing to show (groupx/http.py). Our own contract."""

from dataclasses import fields

import pytest
from django.db import OperationalError, connection
from django.test import Client

from groupx.http import ProblemPage

FOR_A_PERSON = {"Accept": "text/html,application/xhtml+xml,*/*;q=0.8"}


def test_an_unknown_address_is_told_in_the_readers_language():
    page = Client(headers={**FOR_A_PERSON, "Accept-Language": "zh-CN"}).get("/nowhere")
    assert page.status_code == 404
    assert {field.name for field in fields(ProblemPage)} == set(vars(page.context["page"]))
    text = page.content.decode()
    assert '<html lang="zh-hans"' in text and "这个地址没有任何内容。" in text and "NOT_FOUND" in text
    assert "There is nothing at this address." in Client(headers=FOR_A_PERSON).get("/nowhere").content.decode()


@pytest.mark.parametrize("headers", [{}, {"Accept": "*/*"}, {"Accept": "application/json"}])
def test_a_program_gets_the_shape_of_rest(headers: dict[str, str]):
    answer = Client(headers=headers).get("/nowhere")
    assert (answer.status_code, answer.json()["error"]["code"]) == (404, "NOT_FOUND")


def test_the_api_answers_in_english_json_whoever_asks():
    answer = Client(headers={**FOR_A_PERSON, "Accept-Language": "zh-CN"}).get("/api/nowhere")
    assert answer.json()["error"]["message"] == "There is nothing at this address."


@pytest.mark.parametrize(
    ("error", "status", "says"),
    [
        (OperationalError("disk I/O error"), 503, "房间的数据库现在无法使用"),
        (ValueError("a fault"), 500, "GroupX 出错了"),
    ],
)
def test_a_failure_is_told_as_a_page_too(db: None, error: Exception, status: int, says: str):
    def fails(*_: object) -> None:
        raise error

    client = Client(headers={**FOR_A_PERSON, "Accept-Language": "zh-CN"}, raise_request_exception=False)
    with connection.execute_wrapper(fails):
        page = client.get("/")
    assert page.status_code == status and says in page.content.decode()
