"""Which languages the page offers: English, and every other whose catalogue has been compiled."""

from collections.abc import Sequence
from pathlib import Path

from django.utils.translation import to_locale

SPOKEN = (("en", "English"), ("zh-hans", "中文"))
"""Each by its own name: who looks for it need not read the present one."""


def offered_languages(folder: Path) -> Sequence[tuple[str, str]]:
    """Codes with names. A language without words would be announced to browsers and show English."""
    return [(code, name) for code, name in SPOKEN if code == "en" or _catalogue(folder, code).is_file()]


def _catalogue(folder: Path, code: str) -> Path:
    return folder / to_locale(code) / "LC_MESSAGES" / "django.mo"
