"""Django's routes. The hot paths and streams are routed before Django, in asgi.py."""

from django.urls import include, path
from django.views.generic import RedirectView
from django.views.i18n import set_language

from groupx.admin.site import site
from groupx.openapi import views
from groupx.ping import ping
from groupx.setup.page import setup_page

urlpatterns = [
    path("api/", include("turns.urls")),
    path("api/", include("memory.urls")),
    path("api/schema", views.schema, name="api-schema"),
    path("api/docs", views.docs, name="api-docs"),
    path("api/runtime/", include("groupx.runtime_api")),
    path("api/ping", ping),
    path("api/bus/", include("rooms.bus_page.api_urls")),
    path("setup", setup_page, name="setup"),
    path("setup/", RedirectView.as_view(url="/setup", permanent=False)),
    path("bus", RedirectView.as_view(url="/bus/", permanent=False)),
    path("bus/", include("rooms.bus_page.urls")),
    path("language/", set_language, name="language"),
    path("api/admin/", include("groupx.sign_in_api")),
    path("admin/", site.urls),
    path("", include("rooms.urls")),
]
handler404 = "groupx.http.not_found"
handler500 = "groupx.http.server_error"
