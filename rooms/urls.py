"""The room's page, its translations for scripts, and the agents' cards."""

from django.urls import path
from django.views.i18n import JavaScriptCatalog

from rooms import views

urlpatterns = [
    path("", views.room_page, name="room"),
    path("jsi18n/", JavaScriptCatalog.as_view(), name="javascript-catalog"),
    path("agents/cards/", views.agent_cards, name="agent-cards"),
    path("agents/stream/", views.agent_card_stream, name="agent-card-stream"),
]
