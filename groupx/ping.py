"""GET /api/ping: the least that Django answers here, with no database and no work (edge).

The yardstick of the bench: what another address costs more than this one is ours, what this one costs is the
server's and the framework's.
"""

from django.http import HttpRequest, HttpResponse, JsonResponse
from rest_framework.exceptions import MethodNotAllowed

from groupx.http import as_groupx_error, json_error


async def ping(request: HttpRequest) -> HttpResponse:
    """200 `{"ok": true}`."""
    if request.method == "GET":
        return JsonResponse({"ok": True})
    refused = json_error(as_groupx_error(MethodNotAllowed(request.method or "")))
    refused.headers["Allow"] = "GET"
    return refused
