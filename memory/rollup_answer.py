"""What an agent may answer when it is asked for a day of its memory. Pure."""

from groupx.kernel.text import is_blank, storable

from .rollup_prompt import NOTHING_TO_KEEP
from .vocabulary import MAX_ROLLUP_CHARACTERS

_ORNAMENTS = " \t`*_\"'.“”。"
"""What an agent may put around a word that was to stand alone."""


class InvalidRollup(Exception):
    """What came back cannot be kept; says why, in words for the log and the admin."""


def read_answer(answer: str) -> str | None:
    """The day's new text; None when nothing of the turns is to be kept.

    Raises:
        InvalidRollup: it is empty or too long.
    """
    text = storable(answer).strip()
    if is_blank(text):
        raise InvalidRollup("The answer was empty.")
    if any(line.strip(_ORNAMENTS) == NOTHING_TO_KEEP for line in text.splitlines()):
        return None
    if len(text) > MAX_ROLLUP_CHARACTERS:
        raise InvalidRollup(f"The answer has {len(text):,} characters; at most {MAX_ROLLUP_CHARACTERS:,} are kept.")
    return text
