"""The catalogues under groupx/locale: what must be in them, read from the sources, and the files as they are.

Three domains per language. `django`: templates, and what Python translates at once. `djangojs`: the page's scripts.
`sentences`: what Python says without knowing its reader (groupx/kernel/sentences.py).
"""

import io
import json
import re
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from babel.messages.catalog import Catalog, Message
from babel.messages.extract import extract
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po
from django.utils.translation import to_locale
from django.utils.translation.template import templatize

from groupx.kernel.sentences import LOCALE_FOLDER
from groupx.languages import SPOKEN
from tests.architecture.sources import MODULES, ROOT
from tests.translations.prose import OF_ARGPARSE, OF_DJANGO, OF_PYDANTIC, PARTS, TRANSLATED_AT_ONCE, sentences_of

TEMPLATES = sorted((ROOT / "templates").rglob("*.html"))
SCRIPTS = sorted((ROOT / "static" / "js").rglob("*.js"))
LANGUAGES = [code for code, _name in SPOKEN if code != "en"]
DOMAINS = ("django", "djangojs", "sentences")
KEYWORDS = {
    **dict.fromkeys(TRANSLATED_AT_ONCE),
    "ngettext": (1, 2),
    "pgettext": ((1, "c"), 2),
}
HEADER = """\
# {name} for GroupX. `uv run python -m tests.translations` renews this file from the sources and compiles it.
msgid ""
msgstr ""
"Language: {locale}\\n"
"MIME-Version: 1.0\\n"
"Content-Type: text/plain; charset=UTF-8\\n"
"Content-Transfer-Encoding: 8bit\\n"
"Plural-Forms: nplurals={plurals};\\n"

"""
_NO_DATE = datetime(2000, 1, 1, tzinfo=UTC)


class Said(NamedTuple):
    """One thing to translate: its text, or singular and plural; its context; where it stands."""

    text: str | tuple[str, str]
    context: str | None
    place: str


# ---------------------------------------------------------------- what the sources say
def said_in(domain: str) -> Iterator[Said]:
    match domain:
        case "django":
            for path in TEMPLATES:
                # for Python's tokens: no comments, and one line, since the indents are the template's
                source = re.sub(r"^ ?#.*$", "", templatize(path.read_text()), flags=re.M).replace("\n", " ")
                yield from _extracted(path, "python", source)
            for path in MODULES:
                yield from _extracted(path, "python", path.read_text())
            for text in OF_DJANGO:
                yield Said(text, None, "tests/translations/prose.py")
        case "djangojs":
            for path in SCRIPTS:
                yield from _extracted(path, "javascript", path.read_text())
        case "sentences":
            for path in MODULES:
                name = str(path.relative_to(ROOT))
                for text, line in sentences_of(path, name):
                    yield Said(text, None, f"{name}:{line}")
            for text in (*PARTS, *OF_ARGPARSE, *OF_PYDANTIC):
                yield Said(text, None, "tests/translations/prose.py")


def _extracted(path: Path, method: str, source: str) -> Iterator[Said]:
    name = path.relative_to(ROOT)
    found = extract(method, io.BytesIO(source.encode()), keywords=KEYWORDS, options={"encoding": "utf-8"})
    for line, text, _comments, context in found:
        yield Said(text, context, f"{name}:{line}")


# ---------------------------------------------------------------- files
def po_path(language: str, domain: str) -> Path:
    return LOCALE_FOLDER / to_locale(language) / "LC_MESSAGES" / f"{domain}.po"


def compiled_path(language: str, domain: str) -> Path:
    if domain == "sentences":
        return LOCALE_FOLDER / to_locale(language) / "sentences.json"
    return po_path(language, domain).with_suffix(".mo")


def read_catalogue(language: str, domain: str) -> Catalog:
    path = po_path(language, domain)
    if not path.exists():
        return Catalog(locale=to_locale(language))
    with path.open("rb") as file:
        return read_po(file, locale=to_locale(language))


def renewed(language: str, domain: str) -> Catalog:
    """The catalogue with what is new, without what is gone; what resembles something known is marked fuzzy."""
    template = Catalog(fuzzy=False)
    for said in said_in(domain):
        template.add(said.text, context=said.context)
    catalogue = read_catalogue(language, domain)
    catalogue.update(template)
    for message in catalogue:
        if domain == "sentences":  # its places are in braces, a percent sign is one
            message.flags.discard("python-format")
    return catalogue


def is_translated(message: Message) -> bool:
    """Surely, and in every plural form."""
    forms = message.string if isinstance(message.string, tuple) else (message.string,)
    return not message.fuzzy and all(forms)


def as_po(catalogue: Catalog, domain: str) -> bytes:
    """Sorted, without lines and dates: a change of the file is a change of words."""
    out = io.BytesIO()
    write_po(out, catalogue, width=120, no_location=True, omit_header=True, sort_output=True, ignore_obsolete=True)
    plurals = f"{catalogue.num_plurals}; plural={catalogue.plural_expr}"
    header = HEADER.format(name=domain, locale=catalogue.locale_identifier, plurals=plurals)
    return header.encode() + out.getvalue()


def compiled(catalogue: Catalog, domain: str) -> bytes:
    if domain == "sentences":
        known = {message.id: message.string for message in catalogue if message.id and is_translated(message)}
        return (json.dumps(known, ensure_ascii=False, indent=0, sort_keys=True) + "\n").encode()
    catalogue.creation_date = catalogue.revision_date = _NO_DATE
    out = io.BytesIO()
    write_mo(out, catalogue)
    return out.getvalue()
