"""The pages of the file bus, below /bus/."""

from django.urls import path

from rooms.bus_page import views

urlpatterns = [
    path("", views.bus_rooms, name="bus-rooms"),
    path("<str:room>", views.bus_room, name="bus-room"),
    path("<str:room>/stream/", views.bus_stream, name="bus-stream"),
]
