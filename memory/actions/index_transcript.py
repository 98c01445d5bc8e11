"""The index of the transcript is brought a step nearer to the log's end."""

from memory.full_text import TRANSCRIPT, add_to_index, last_indexed, merge_index
from rooms.transactions import durable

STEP_CHARACTERS = 16_384
STEP_MESSAGES = 64
MERGED_PAGES = 16


@durable
def index_transcript(after: int) -> int | None:
    """Index the next messages and tidy up a little: about 10 ms in which nobody else writes.

    `after`: an event up to which all is known to be indexed. Gives the last event that now is, None when there was
    nothing to do.
    """
    after = max(after, last_indexed(TRANSCRIPT))
    waiting = TRANSCRIPT.rows().filter(pk__gt=after).order_by("pk").values_list("pk", "searched")[:STEP_MESSAGES]
    taken: list[tuple[int, str]] = []
    characters = 0
    for pk, content in waiting.iterator(chunk_size=1):
        if taken and characters + len(content) > STEP_CHARACTERS:
            break
        taken.append((pk, content))
        characters += len(content)
    if not taken:
        return None
    add_to_index(TRANSCRIPT, taken)
    merge_index(TRANSCRIPT, MERGED_PAGES)
    return taken[-1][0]
