"""Django middleware of ours."""

from collections.abc import Callable

from django.contrib.auth.middleware import AuthenticationMiddleware
from django.contrib.messages.middleware import MessageMiddleware
from django.contrib.sessions.middleware import SessionMiddleware
from django.http import HttpRequest, HttpResponse, HttpResponseNotAllowed
from django.utils.decorators import sync_only_middleware
from rest_framework.exceptions import MethodNotAllowed

from groupx.http import answer_error, as_groupx_error, json_error
from groupx.kernel.logs import get_logger
from rooms.transactions import StoreError, translate

log = get_logger()

ADMIN_PATH = "/admin/"


@sync_only_middleware
def keep_the_chain_sync(get_response: Callable[[HttpRequest], HttpResponse]) -> Callable[[HttpRequest], HttpResponse]:
    return get_response


@sync_only_middleware
class SayThatTheStoreIsUnavailable:
    """503 when the database cannot answer, and the traceback in the log."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self._get_response(request)

    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponse | None:
        if not isinstance(exception, StoreError):
            return None
        log.error("database_unavailable", path=request.path, exc_info=exception)
        return answer_error(request, translate(exception))


@sync_only_middleware
class RefuseMethodsInOneShape:
    """A page that does not take a method says so as the API does."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        answer = self._get_response(request)
        if not isinstance(answer, HttpResponseNotAllowed):
            return answer
        refused = json_error(as_groupx_error(MethodNotAllowed(request.method or "")))
        refused.headers["Allow"] = answer.headers["Allow"]
        return refused


@sync_only_middleware
class SignInForTheAdminOnly:
    """Sessions, who is signed in, messages: below /admin/. Nothing else, the API least of all, pays for them."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self._without = get_response
        self._with = SessionMiddleware(AuthenticationMiddleware(MessageMiddleware(get_response)))

    def __call__(self, request: HttpRequest) -> HttpResponse:
        chain = self._with if request.path_info.startswith(ADMIN_PATH) else self._without
        return chain(request)
