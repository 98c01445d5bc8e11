"""What a running attempt has said so far, as pieces: each save writes only what is new, however long the whole is.

The pieces go when the attempt ends; the text then stands in its terminal event and in the attempt itself.
"""

from django.db import connection
from django.db.models import Sum
from django.db.models.functions import Length

from rooms.envelope import SHOWN_CHARS
from rooms.transactions import joins
from turns.models import PartialText


def add_piece(attempt_id: str, text: str) -> int:
    """Gives its number."""
    joins()
    position = PartialText.objects.filter(attempt_id=attempt_id).count()
    PartialText.objects.create(attempt_id=attempt_id, position=position, text=text)
    return position


def kept_text(attempt_id: str) -> str:
    """All that was saved of an attempt that has not ended."""
    pieces = PartialText.objects.filter(attempt_id=attempt_id).order_by("position")
    return "".join(pieces.values_list("text", flat=True))


def kept_beginning(attempt_id: str) -> tuple[str, int]:
    """As much of it as a page shows, and the length of all."""
    pieces = PartialText.objects.filter(attempt_id=attempt_id).order_by("position")
    length = pieces.aggregate(length=Sum(Length("text")))["length"] or 0
    found: list[str] = []
    chars = 0
    for text in pieces.values_list("text", flat=True).iterator(chunk_size=1):
        found.append(text)
        chars += len(text)
        if chars >= SHOWN_CHARS:
            break
    return "".join(found)[:SHOWN_CHARS], length


def forget_pieces(attempt_id: str) -> None:
    joins()
    with connection.cursor() as cursor:  # on the way of every turn: spare it Django's collector
        cursor.execute("DELETE FROM turns_partialtext WHERE attempt_id = %s", [attempt_id])
