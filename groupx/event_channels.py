"""What the live channels of pages are to django-eventstream: agents' cards, and rooms of the file bus."""

from collections.abc import Mapping
from typing import Any

from django.conf import settings
from django.http import HttpRequest
from django_eventstream.event import Event

from rooms.bus_page import stream as bus
from rooms.fragments import CardChannels, NoStorage


class PageChannels(CardChannels):
    def get_channels_for_request(self, request: HttpRequest, view_kwargs: Mapping[str, Any]) -> set[str]:
        if "bus_room" in view_kwargs:
            return bus.channels_of(view_kwargs["bus_room"])
        return super().get_channels_for_request(request, view_kwargs)

    def can_read_channel(self, user: object, channel: str) -> bool:
        return bus.is_bus_channel(channel) or super().can_read_channel(user, channel)


class NothingStored(NoStorage):
    def append_event(self, channel: str, event_type: str, data: str) -> Event:
        if bus.is_bus_channel(channel):
            return bus.appended(channel, event_type, data)
        return super().append_event(channel, event_type, data)

    def get_events(self, channel: str, last_id: int, limit: int = 100) -> list[Event]:
        if bus.is_bus_channel(channel):
            return bus.events_after(settings.BUS_HOME, channel, last_id, limit)
        return super().get_events(channel, last_id, limit)

    def get_current_id(self, channel: str) -> int:
        if bus.is_bus_channel(channel):
            return bus.current_id(settings.BUS_HOME, channel)
        return super().get_current_id(channel)
