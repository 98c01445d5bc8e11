"""Django's routes. The hot paths and streams are routed before Django, in asgi.py."""

from django.urls import include, path

urlpatterns = [
]
handler404 = "groupx.http.not_found"
