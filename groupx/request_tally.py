"""How many requests were answered, by method, route and status. Names of routes are few, whatever is asked for."""

import re
from collections import Counter

from groupx.openapi.endpoints import ENDPOINTS

OTHER = "other"
_METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
_PLAIN = frozenset(
    {
        "/",
        "/mcp",
        "/mcp/operator",
        "/operator/mcp",
        *(endpoint.path for endpoint in ENDPOINTS if "{" not in endpoint.path),
    }
)
_WITH_VARIABLES = sorted({endpoint.path for endpoint in ENDPOINTS if "{" in endpoint.path})
_PATTERN = re.compile("|".join(f"({re.sub(r'{[^}]*}', '[^/]+', path)})" for path in _WITH_VARIABLES))


class RequestTally:
    def __init__(self) -> None:
        self.answers: Counter[tuple[str, str, int]] = Counter()
        """By method, route and status."""

    def count(self, method: str, path: str, status: int) -> None:
        self.answers[method if method in _METHODS else OTHER, route_of(path), status] += 1


def route_of(path: str) -> str:
    """The path as the OpenAPI document has it; `/static` for files; `other` for what is no address of the API."""
    if path in _PLAIN:
        return path
    if (found := _PATTERN.fullmatch(path)) is not None and found.lastindex is not None:
        return _WITH_VARIABLES[found.lastindex - 1]
    return "/static" if path.startswith("/static/") else OTHER
