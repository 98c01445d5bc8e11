"""Which languages the page offers: English, and every other whose catalogue has been compiled."""

from collections.abc import Sequence
from pathlib import Path

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _
from django.utils.translation import to_locale

SPOKEN = (("en", _("English")), ("zh-hans", _("Chinese")))


def offered_languages(folder: Path) -> Sequence[tuple[str, Promise]]:
    """Codes with names. A language without words would be announced to browsers and show English."""
    return [(code, name) for code, name in SPOKEN if code == "en" or _catalogue(folder, code).is_file()]


def _catalogue(folder: Path, code: str) -> Path:
    return folder / to_locale(code) / "LC_MESSAGES" / "django.mo"
