"""Django middleware of ours."""

from collections.abc import Callable

from django.db import DatabaseError
from django.http import HttpRequest, HttpResponse
from django.utils.decorators import sync_only_middleware

from groupx.http import json_error
from groupx.kernel.logs import get_logger
from rooms.transactions import translate

log = get_logger()


@sync_only_middleware
def keep_the_chain_sync(get_response: Callable[[HttpRequest], HttpResponse]) -> Callable[[HttpRequest], HttpResponse]:
    return get_response


@sync_only_middleware
class SayThatTheStoreIsUnavailable:
    """Pages answer as the API does when the database cannot: 503, and the traceback in the log."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self._get_response(request)

    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponse | None:
        if not isinstance(exception, DatabaseError):
            return None
        log.error("database_unavailable", path=request.path, exc_info=exception)
        return json_error(translate(exception))
