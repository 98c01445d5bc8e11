"""The words of the page's scripts: one script per language, made once and named by its content (edge)."""

import json
from dataclasses import dataclass
from functools import cache
from hashlib import sha256

from django.http import HttpRequest
from django.utils.translation import override
from django.views.i18n import JavaScriptCatalog

from groupx.kernel.sentences import known_sentences


@dataclass(frozen=True, kw_only=True)
class ScriptWords:
    """`gettext` and its like with the translations of one language, and `groupxSentences`: see sentences.js."""

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
    known = json.dumps(dict(known_sentences(language)), ensure_ascii=False)
    script = bytes(made.content) + f"globalThis.groupxSentences = {known};\n".encode()
    return ScriptWords(
        script=script, content_type=made.headers["Content-Type"], version=sha256(script).hexdigest()[:12]
    )
