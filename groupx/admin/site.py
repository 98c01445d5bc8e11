"""The admin's site: its tables, its start page, and how one gets in and out."""

from typing import Any

from django.conf import settings
from django.contrib.admin import AdminSite
from django.contrib.auth import login, logout
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import URLPattern, URLResolver, path
from django.utils.translation import gettext_lazy as _
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_protect
from django.views.decorators.http import require_GET, require_POST

from groupx.admin import (
    assistant_tables,
    capability_tables,
    context_tables,
    job_tables,
    lane_tables,
    limit_tables,
    memory_tables,
    room_tables,
    supervision_tables,
    turn_tables,
)
from groupx.admin.glance import glance_at
from groupx.kernel.clock import SystemClock
from groupx.sign_in import take_sign_in

_CLOCK = SystemClock()
TABLES = (
    turn_tables.TABLES
    | supervision_tables.TABLES
    | lane_tables.TABLES
    | limit_tables.TABLES
    | capability_tables.TABLES
    | memory_tables.TABLES
    | context_tables.TABLES
    | job_tables.TABLES
    | assistant_tables.TABLES
    | room_tables.TABLES
)
SIGN_IN_TEMPLATE = "admin/sign_in.html"


class RoomAdminSite(AdminSite):
    site_header = site_title = _("GroupX admin")
    index_title = _("The room at a glance")
    empty_value_display = "–"
    enable_nav_sidebar = False  # the bar on top has the tables, on a phone too

    def get_urls(self) -> list[URLResolver | URLPattern]:
        unwanted = {"password_change", "password_change_done"}
        kept = [known for known in super().get_urls() if getattr(known, "name", None) not in unwanted]
        return [path("sign-in/", self.sign_in, name="sign-in"), *kept]

    def get_app_list(self, request: HttpRequest, app_label: str | None = None) -> list[dict[str, Any]]:
        """Tables in the order of TABLES: what one looks for first stands first."""
        places = {model: place for place, model in enumerate(TABLES)}
        apps: list[dict[str, Any]] = super().get_app_list(request, app_label)
        for app in apps:
            app["models"].sort(key=lambda table: places[table["model"]])
        return apps

    def index(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        glance = glance_at(settings.RUN, _CLOCK.now())
        return super().index(request, {"glance": glance, **(extra_context or {})})

    def login(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        """There is nothing to fill in: the page says where the link is to be had."""
        if self.has_permission(request):
            return redirect("admin:index")
        return render(request, SIGN_IN_TEMPLATE, {"link_failed": False})

    @staticmethod
    @never_cache
    @require_GET
    @csrf_protect  # gives the new session a secret of its own
    def sign_in(request: HttpRequest) -> HttpResponse:
        """GET /admin/sign-in/?token=: uses the link up; 403 with the way to a new one when it is no good."""
        user = take_sign_in(request.GET.get(settings.SESAME_TOKEN_NAME, ""))
        if user is None:
            answer = render(request, SIGN_IN_TEMPLATE, {"link_failed": True}, status=403)
        else:
            login(request, user)
            answer = redirect("admin:index")
        answer.headers["Referrer-Policy"] = "no-referrer"
        return answer

    def logout(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        return _sign_out(request)


@require_POST
def _sign_out(request: HttpRequest) -> HttpResponse:
    logout(request)
    return redirect("admin:login")


site = RoomAdminSite()
for model, table in TABLES.items():
    site.register(model, table)
