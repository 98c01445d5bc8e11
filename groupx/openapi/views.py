"""GET /api/schema and /api/docs (edge)."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from groupx.openapi.document import openapi_document
from groupx.openapi.page import docs_page
from rooms.envelope import dump


@require_safe
def schema(request: HttpRequest) -> HttpResponse:
    return HttpResponse(dump(openapi_document()), content_type="application/json")


@require_safe
def docs(request: HttpRequest) -> HttpResponse:
    return render(request, "api/docs.html", {"page": docs_page()})
