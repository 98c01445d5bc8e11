"""The room's page, its translations for scripts, and the agents' cards."""

from django.urls import path

from rooms import views

urlpatterns = [
    path("", views.room_page, name="room"),
    path("jsi18n/<str:language>/<str:version>.js", views.script_catalogue, name="script-words"),
    path("agents/<str:language>/cards/", views.agent_cards, name="agent-cards"),
    path("agents/<str:language>/stream/", views.agent_card_stream, name="agent-card-stream"),
]
