"""Routes of rooms/bus_page/api.py, below /api/bus/ (edge)."""

from django.urls import path

from rooms.bus_page import api

urlpatterns = [
    path("<str:room>", api.BusRoomView.as_view()),
    path("<str:room>/messages", api.BusMessagesView.as_view()),
    path("<str:room>/messages/<int:seq>", api.BusMessageView.as_view()),
    path("<str:room>/members/<str:member>/wake", api.BusWakeView.as_view()),
    path("<str:room>/self-drive", api.BusSelfDriveView.as_view()),
]
