"""The words of commands that run without Django: the same catalogue, in the language of the terminal."""

import gettext as catalogues
import locale
import os
from pathlib import Path

LOCALE_FOLDER = Path(__file__).resolve().parent / "locale"
LANGUAGE_VARIABLES = ("LC_ALL", "LC_MESSAGES", "LANG")


def _folders() -> list[str]:
    """Chinese in any spelling is our one Chinese; everything else is looked up as it is."""
    named = next((os.environ[name] for name in LANGUAGE_VARIABLES if os.environ.get(name)), "")
    language = locale.normalize(named).partition(".")[0]
    return ["zh_Hans"] if language.startswith("zh") else [language]


gettext = catalogues.translation("django", LOCALE_FOLDER, languages=_folders(), fallback=True).gettext
