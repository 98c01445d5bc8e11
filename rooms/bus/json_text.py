"""JSON as others wrote it, with whole characters only."""

import json
import re
from typing import Any

_ESCAPED_HALF = re.compile(r"\\ud[89a-f]", re.IGNORECASE)


def parsed(text: str) -> Any:
    """The value. JSON can name halves of characters; no file and no page can hold them, so they are replaced.

    Raises:
        ValueError, RecursionError: it is none.
    """
    value = json.loads(text)
    if _ESCAPED_HALF.search(text):
        value = json.loads(whole(json.dumps(value, ensure_ascii=False)))
    return value


def whole(text: str) -> str:
    """The text with a replacement character for each half of one."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
