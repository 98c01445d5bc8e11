"""The setup page as the server gives it (our contract: docs/architecture.md, "Front end")."""

import json
import re
from dataclasses import fields
from html.parser import HTMLParser
from pathlib import Path

from django.test import Client

from groupx.kernel.config_file import parse_config
from groupx.run_config import allowed_drivers
from groupx.setup.draft import SetupDraft, merged
from groupx.setup.page import MODULES, SetupPage, demo_agents
from tests.architecture.sources import ROOT


class Elements(HTMLParser):
    def __init__(self, html: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))


def test_it_uses_its_documented_context_and_neither_inline_code_nor_style_nor_a_database(client: Client) -> None:
    answer = client.get("/setup")
    assert isinstance(answer.context["page"], SetupPage)
    text = (ROOT / "templates" / "setup" / "setup.html").read_text()
    assert set(re.findall(r"\bpage\.(\w+)", text)) == {field.name for field in fields(SetupPage)}
    assert "unsafe" not in answer.headers["Content-Security-Policy"]
    for tag, attributes in Elements(answer.content.decode()).elements:
        assert tag != "style" and not any(name == "style" or name.startswith("on") for name in attributes)
        assert tag != "script" or attributes.get("src")
        assert len((attributes.get("class") or "").split()) <= 1


def test_it_names_every_module_that_its_script_imports() -> None:
    scripts, seen, left = ROOT / "static" / "js", set(), ["setup"]
    while left:
        for name in re.findall(r'from "\./(\w+)\.js"', (scripts / f"{left.pop()}.js").read_text()):
            if name not in seen:
                seen.add(name)
                left.append(name)
    assert sorted(seen) == sorted(MODULES)


def test_every_field_that_can_be_wrong_has_a_line_that_says_so(client: Client) -> None:
    html = client.get("/setup").content.decode()
    checked = re.findall(r'data-field="([\w.]+)"', html)
    assert html.count("data-note") == len(checked) - checked.count("enabled")
    assert {"id", "name", "cwd", "command", "identity", "serverPort", "storagePath"} <= set(checked)


def test_the_scripted_agents_that_it_offers_can_be_saved(client: Client) -> None:
    button = next(a for _, a in Elements(client.get("/setup").content.decode()).elements if "data-agents" in a)
    offered = json.loads(button["data-agents"] or "")
    assert offered == demo_agents()
    draft = SetupDraft.model_validate({"agents": offered})
    config = parse_config(merged(None, draft), Path("groupx.json"), allowed_drivers()).config
    assert list(config.enabled_agents) == ["builder", "reviewer", "scribe"]


def test_an_address_with_a_slash_leads_to_it(client: Client) -> None:
    assert client.get("/setup/").headers["Location"] == "/setup"
