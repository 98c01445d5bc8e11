"""A noted conversation as it may be kept: without paths, ports, secrets and what is long and the same for all. Pure.

Ids stay what they are to each other: the same id has the same name everywhere.
"""

import re
from collections.abc import Mapping
from typing import Any

TEXT_CHARS = 400
LIST_ITEMS = 1
"""Of lists that tell what a CLI offers, not what happened."""
OFFERS = re.compile(
    r"commands?$|^tools$|skills$|agents$|plugins$|models?$|options$|modes$|themes$|authMethods|mcp_servers|output_styles",
    re.I,
)
_UUID = re.compile(r"\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b")
_PORT = re.compile(r"(127\.0\.0\.1|localhost):\d+")
_SECRET = re.compile(r"(api.?key|authorization|token|secret|password)$", re.I)
_SYSTEM = re.compile(r"Linux[ _]\S+|Debian[^\";)]*")


class Redaction:
    def __init__(self, places: Mapping[str, str]) -> None:
        """`places`: what is replaced word for word, longest first: folders, the session's id, the machine's name."""
        self._places = sorted(places.items(), key=lambda place: -len(place[0]))
        self._uuids = {name: name for name in places.values()}

    def of(self, value: Any, key: str = "") -> Any:
        match value:
            case dict():
                return {self._text(name): self.of(inner, name) for name, inner in value.items()}
            case list():
                kept = value[:LIST_ITEMS] if OFFERS.search(key) else value
                return [self.of(inner, key) for inner in kept]
            case str():
                return "SECRET" if _SECRET.search(key) and value else self._text(value)
            case _:
                return value

    def _text(self, text: str) -> str:
        for found, name in self._places:
            text = text.replace(found, name)
        text = _UUID.sub(lambda match: self._named(match[0]), text)
        text = _SYSTEM.sub("SYSTEM", _PORT.sub(r"\1:1", text))
        return text if len(text) <= TEXT_CHARS else text[:TEXT_CHARS] + "…"

    def _named(self, uuid: str) -> str:
        return self._uuids.setdefault(uuid, f"00000000-0000-4000-8000-{len(self._uuids):012}")
