"""How values stand in the admin's lists and pages: plain, as links along the relations, as long text and as JSON.

Each function here makes a column of a list or a row of a page: a callable that Django's admin takes where it takes a
field's name. What agents wrote is only ever text: everything goes through `format_html`.
"""

import json
from collections.abc import Callable
from datetime import UTC, date, datetime
from typing import Any
from urllib.parse import urlencode

from django.contrib import admin
from django.contrib.admin.utils import quote
from django.db.models import Model, QuerySet
from django.urls import reverse
from django.utils.functional import Promise
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

type Shown = Callable[[Any], Any]

CUT_CHARS = 20_000
"""Longer text is cut on a page; the whole of it is one link away."""
LISTED_LINKS = 10
NOTHING = "–"


def column(name: str, label: str | Promise, value: Shown | None = None) -> Shown:
    """`value(object)`, or its attribute `name`, under a label that can be translated."""

    @admin.display(description=label)
    def show(obj: Any) -> Any:
        return as_shown(value(obj) if value is not None else getattr(obj, name))

    show.__name__ = name
    return show


def as_shown(value: Any) -> Any:
    """The same on a list and on a page: times as the log writes them, and a sign where there is nothing."""
    if isinstance(value, datetime):
        return f"{value.astimezone(UTC):%Y-%m-%d %H:%M:%S}"
    if isinstance(value, date):
        return value.isoformat()
    return NOTHING if value is None or value == "" else value


def link_column(name: str, label: str | Promise, model: type[Model], key: Shown | None = None) -> Shown:
    """A link to the row of `model` that the foreign key `name` points at; asks the database for nothing."""

    def value(obj: Any) -> SafeString | None:
        pk = key(obj) if key is not None else getattr(obj, f"{name}_id")
        return row_link(model, pk) if pk else None

    return column(name, label, value)


def text_column(name: str, label: str | Promise) -> Shown:
    """A long text of a page, cut, with a link to the whole."""
    return column(name, label, lambda obj: long_text(obj, name, getattr(obj, name)))


def json_column(name: str, label: str | Promise, value: Shown | None = None) -> Shown:
    def shown(obj: Any) -> SafeString | None:
        return long_text(obj, name, as_readable_json(value(obj) if value is not None else getattr(obj, name)))

    return column(name, label, shown)


def flag_column(name: str, label: str | Promise) -> Shown:
    return column(name, label, lambda obj: _("yes") if getattr(obj, name) else _("no"))


def rows_column(name: str, label: str | Promise, rows: Callable[[Any], QuerySet[Any]], **where: Shown) -> Shown:
    """Links to the first rows that belong to this one, and to the list of all of them.

    `where` names the parameters of that list's address and how each follows from the object.
    """

    def value(obj: Any) -> SafeString | None:
        found = list(rows(obj)[: LISTED_LINKS + 1])
        if not found:
            return None
        links = format_html_join(
            "", "<li>{}</li>", ((row_link(type(row), row.pk, str(row)),) for row in found[:LISTED_LINKS])
        )
        query = {parameter: key(obj) for parameter, key in where.items()}
        more = _("All in a list") if len(found) > LISTED_LINKS else _("As a list")
        return format_html(
            '<ul class="gx-links">{}</ul><a href="{}?{}">{}</a>',
            links,
            list_address(type(found[0])),
            urlencode(query),
            more,
        )

    return column(name, label, value)


# ---------------------------------------------------------------- addresses
def list_address(model: type[Model]) -> str:
    return reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_changelist")


def row_address(model: type[Model], pk: Any) -> str:
    return reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_change", args=[quote(pk)])


def row_link(model: type[Model], pk: Any, words: str | None = None) -> SafeString:
    return format_html('<a href="{}">{}</a>', row_address(model, pk), words or pk)


# ---------------------------------------------------------------- text
def as_readable_json(value: Any) -> str:
    return "" if value in (None, {}, []) else json.dumps(value, ensure_ascii=False, indent=2)


def long_text(obj: Model, name: str, text: str) -> SafeString | None:
    if not text:
        return None
    shown = format_html('<pre class="gx-text" tabindex="0">{}</pre>', text[:CUT_CHARS])
    if len(text) <= CUT_CHARS:
        return shown
    address = reverse(f"admin:{obj._meta.app_label}_{obj._meta.model_name}_whole", args=[quote(obj.pk), name])
    words = _("Cut after %(shown)s of %(all)s characters.") % {"shown": f"{CUT_CHARS:,}", "all": f"{len(text):,}"}
    return format_html('{}<p class="gx-note">{} <a href="{}">{}</a></p>', shown, words, address, _("Show all"))
