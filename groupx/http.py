"""GroupXError to HTTP, once for all REST views (DRF). What leaves DRF uses the same table and body."""

from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.utils.translation import get_language
from rest_framework import exceptions
from rest_framework.negotiation import DefaultContentNegotiation
from rest_framework.parsers import JSONParser
from rest_framework.renderers import BaseRenderer
from rest_framework.request import Request
from rest_framework.response import Response

from groupx.kernel.errors import ErrorCode, GroupXError
from groupx.kernel.logs import get_logger
from groupx.kernel.problems import error_body, problem_of
from groupx.kernel.sentences import sentences
from groupx.kernel.shapes import read_object
from rooms.transactions import StoreError, translate

log = get_logger()


class StrictJSONParser(JSONParser):
    """The request body as our own strict reader takes it; DRF contributes the request cycle only."""

    def parse(self, stream: Any, media_type: str | None = None, parser_context: Any = None) -> dict[str, Any]:
        return read_object(stream.read())


class AlwaysJson(DefaultContentNegotiation):
    """Whatever `Accept` says, the answer is JSON, as it is at the endpoints that are not DRF's."""

    def select_renderer(
        self, request: Request, renderers: list[BaseRenderer], format_suffix: str | None = None
    ) -> tuple[BaseRenderer, str]:
        return renderers[0], renderers[0].media_type


def as_groupx_error(error: Exception) -> GroupXError:
    match error:
        case GroupXError():
            return error
        case exceptions.MethodNotAllowed():
            return GroupXError(ErrorCode.METHOD_NOT_ALLOWED, "This address does not take that method.")
        case exceptions.UnsupportedMediaType():
            return GroupXError(ErrorCode.UNSUPPORTED_MEDIA_TYPE, "Write with Content-Type: application/json.")
        case exceptions.NotFound() | Http404():
            return GroupXError(ErrorCode.NOT_FOUND, "There is nothing at this address.")
        case StoreError():
            log.exception("database_unavailable")
            return translate(error)
    log.error("request_failed", exc_info=error)
    return _fault()


def exception_handler(error: Exception, context: dict[str, Any]) -> Response:
    known = as_groupx_error(error)
    headers = {}
    if known.code is ErrorCode.METHOD_NOT_ALLOWED:
        headers["Allow"] = ", ".join(context["view"].allowed_methods)
    return Response(error_body(known), status=problem_of(known).http_status, headers=headers)


def not_found(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    return answer_error(request, GroupXError(ErrorCode.NOT_FOUND, "There is nothing at this address."))


def server_error(request: HttpRequest) -> HttpResponse:
    """Outside of REST; Django has logged the traceback."""
    return answer_error(request, _fault())


def _fault() -> GroupXError:
    return GroupXError(ErrorCode.INTERNAL_ERROR, "Something went wrong in GroupX; the log says more.")


@dataclass(frozen=True, kw_only=True)
class ProblemPage:
    """What `problem.html` may use, as `page`."""

    words: str
    """The sentence, in the reader's language."""
    code: str


def answer_error(request: HttpRequest, error: GroupXError) -> HttpResponse:
    """A page for a person who went to an address; the shape of REST for whoever did not ask for HTML."""
    if request.path.startswith("/api/") or "text/html" not in request.headers.get("Accept", ""):
        return json_error(error)
    words = sentences(get_language() or settings.LANGUAGE_CODE)(error.message)
    page = ProblemPage(words=words, code=error.code.value)
    return render(request, "problem.html", {"page": page}, status=problem_of(error).http_status)


def json_error(error: GroupXError) -> JsonResponse:
    return JsonResponse(error_body(error), status=problem_of(error).http_status)
