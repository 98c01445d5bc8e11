"""The words of the page's scripts: one script per language, made once and named by its content (edge)."""

from dataclasses import dataclass
from functools import cache
from hashlib import sha256

from django.http import HttpRequest
from django.utils.translation import override
from django.views.i18n import JavaScriptCatalog


@dataclass(frozen=True, kw_only=True)
class ScriptWords:
    """`gettext` and its like, with the translations of one language."""

    script: bytes
    content_type: str
    version: str


@cache
def script_words(language: str) -> ScriptWords:
    """Django's catalogue costs tens of milliseconds to make; it cannot change while the process runs."""
    request = HttpRequest()
    request.method = "GET"
    with override(language):
        made = JavaScriptCatalog.as_view()(request)
    script = bytes(made.content)
    return ScriptWords(
        script=script, content_type=made.headers["Content-Type"], version=sha256(script).hexdigest()[:12]
    )
