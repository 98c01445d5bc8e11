"""Tags of the admin's templates."""

from types import SimpleNamespace
from typing import Any

from django import template
from django.contrib.admin.templatetags.admin_list import date_hierarchy
from django.contrib.admin.views.main import ChangeList
from django.utils.translation import gettext as _

from groupx.admin.dates import Periods

register = template.Library()


@register.inclusion_tag("admin/date_hierarchy.html")
def dates_of(rows: ChangeList) -> dict[str, Any]:
    """Django's links to years, months and days, from an index instead of the whole table."""
    periods = Periods(rows.root_queryset, rows.date_hierarchy, rows.params)
    asked = SimpleNamespace(
        date_hierarchy=rows.date_hierarchy,
        model=rows.model,
        params=rows.params,
        queryset=periods,
        get_query_string=rows.get_query_string,
    )
    shown: dict[str, Any] = date_hierarchy(asked)
    return shown | {"field_name": _("time")}
