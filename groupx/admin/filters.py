"""Filters of lists whose choices are known beforehand: no table is read through to find them."""

from collections.abc import Iterable
from typing import Any

from django.contrib.admin import SimpleListFilter
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from rooms.models import Actor, Room


class _FieldFilter(SimpleListFilter):
    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        return queryset.filter(**{self.parameter_name: self.value()}) if self.value() else queryset


def choice_filter(field: str, words: str | Promise, values: Iterable[str]) -> type[SimpleListFilter]:
    choices = [(str(value), str(value)) for value in values]

    class ChoiceFilter(_FieldFilter):
        title, parameter_name = words, field

        def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
            return choices

    return ChoiceFilter


def actor_filter(field: str) -> type[SimpleListFilter]:
    class ActorFilter(_FieldFilter):
        title, parameter_name = _("actor"), field

        def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
            return list(Actor.objects.order_by("roster_position", "actor_id").values_list("actor_id", "display_name"))

    return ActorFilter


class EventTypeFilter(SimpleListFilter):
    """With the rooms, so that the index of types can be used."""

    title, parameter_name = _("type"), "type"
    values: tuple[str, ...] = ()

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [(value, value) for value in self.values]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        return queryset.filter(room__in=room_ids(), type=self.value()) if self.value() else queryset


def room_ids() -> list[str]:
    return list(Room.objects.values_list("room_id", flat=True))
