"""Where the admin has its pages."""

from typing import Any

from django.contrib.admin.utils import quote
from django.urls import reverse


def address(model: Any, view: str, *args: Any) -> str:
    return reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_{view}", args=[quote(arg) for arg in args])
