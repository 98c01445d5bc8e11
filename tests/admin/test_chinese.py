"""The admin in Chinese: every page is drawn, in words of its language (docs/architecture.md, "Languages")."""

import re
from typing import Any

from django.test import Client

from groupx.kernel.config import GroupXConfig
from tests.admin.addresses import address
from tests.admin.test_tables import each_table

CHINESE = {"Accept-Language": "zh-CN"}


@each_table
def test_every_table_and_row_is_drawn_in_chinese(model: Any, history: GroupXConfig, person: Client) -> None:
    row = model.objects.first()
    for where in (address(model, "changelist"), address(model, "change", row.pk)):
        page = person.get(where, headers=CHINESE)
        text = page.content.decode()
        assert page.status_code == 200 and '<html lang="zh-hans"' in text
        assert not re.search(r">\s*(?:Home|Filter by|Select|Search|Show all|- Select)", text)


def test_the_start_page_and_the_sign_in_are_drawn_in_chinese(history: GroupXConfig, person: Client) -> None:
    start = person.get("/admin/", headers=CHINESE)
    assert start.status_code == 200 and "房间概览" in start.content.decode()
    outside = Client(headers=CHINESE).get("/admin/", follow=True)
    assert "没有密码。链接可让你在本机登录一次。" in outside.content.decode()


def test_the_apis_page_is_drawn_in_chinese(room: GroupXConfig, client: Client) -> None:
    page = client.get("/api/docs", headers=CHINESE)
    assert page.status_code == 200 and "数据结构" in page.content.decode()
