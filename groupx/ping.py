"""GET /api/ping: the least that Django answers here, with no database and no work (edge).

The yardstick of the bench: what another address costs more than this one is ours, what this one costs is the
server's and the framework's.
"""

from typing import TypedDict

from django.http import HttpRequest, HttpResponse, JsonResponse
from pydantic import with_config
from rest_framework.exceptions import MethodNotAllowed

from groupx.http import as_groupx_error, json_error
from groupx.kernel.answers import ANSWER


@with_config(ANSWER)
class Ping(TypedDict):
    ok: bool


async def ping(request: HttpRequest) -> HttpResponse:
    """200 `{"ok": true}`."""
    if request.method in ("GET", "HEAD"):
        answer: Ping = {"ok": True}
        return JsonResponse(answer)
    refused = json_error(as_groupx_error(MethodNotAllowed(request.method or "")))
    refused.headers["Allow"] = "GET, HEAD"
    return refused
