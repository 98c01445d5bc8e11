"""A program that makes a room's database with many messages and memories: `… fill_messages MESSAGES MEMORIES`.

The room is that of GROUPX_CONFIG. Two of three messages are English, the others Chinese; the transcript is indexed to
its end. The texts are the same each time. Nothing runs meanwhile.
"""

import itertools
import random
import sys
from collections.abc import Iterator

import django

django.setup()

from groupx import database  # noqa: E402 - settings first
from groupx.kernel.clock import Clock, SystemClock  # noqa: E402
from groupx.kernel.ids import new_correlation_id  # noqa: E402
from groupx.run_config import current_run  # noqa: E402
from memory.actions.index_transcript import index_transcript  # noqa: E402
from memory.actions.remember import remember_memory  # noqa: E402
from memory.drafts import MemoryDraft, Occasion  # noqa: E402
from memory.vocabulary import MemoryKind, MemoryScope  # noqa: E402
from rooms.actions.append_event import append_events  # noqa: E402
from rooms.bodies import MessageCreated  # noqa: E402
from rooms.caller import PERSON, web_caller  # noqa: E402
from rooms.new_event import NewEvent  # noqa: E402
from rooms.transactions import durable  # noqa: E402
from rooms.vocabulary import MAIN_ROOM, SourceKind  # noqa: E402
from tests.bench.searched_words import LANGUAGES, RARE_WORDS  # noqa: E402

MESSAGES_AT_ONCE = 5_000
MEMORIES_AT_ONCE = 500
WORDS_OF_A_TEXT = (8, 48)
ONE_IS_RARE_IN, FIRST_RARE = 5_000, 42


def texts() -> Iterator[str]:
    """Endlessly, of ordinary lengths."""
    chance = random.Random(0)
    for number in itertools.count(1):
        words, between = LANGUAGES[number % len(LANGUAGES)]
        chosen = chance.choices(words, k=chance.randint(*WORDS_OF_A_TEXT))
        rare = RARE_WORDS if number % ONE_IS_RARE_IN == FIRST_RARE else ()
        yield f"{number}: {between.join((*chosen, *rare))}"


@durable
def say(contents: list[str], clock: Clock) -> None:
    events = []
    for content in contents:
        correlation_id = new_correlation_id()
        events.append(
            NewEvent(
                body=MessageCreated(content=content),
                actor=PERSON,
                source_kind=SourceKind.WEB,
                correlation_id=correlation_id,
                root_correlation_id=correlation_id,
            )
        )
    append_events(events, clock=clock)


@durable
def keep(contents: list[str], clock: Clock) -> None:
    for content in contents:
        draft = MemoryDraft(
            scope_type=MemoryScope.ROOM,
            scope_id=MAIN_ROOM,
            agent_memory_type=None,
            kind=MemoryKind.NOTE.value,
            subject_id=None,
            content=content,
            source_event_id=None,
        )
        remember_memory(draft, caller=web_caller(), occasion=Occasion(), clock=clock)


def main() -> None:
    messages, memories = (int(argument) for argument in sys.argv[1:])
    clock = SystemClock()
    database.make_ready(current_run(), clock=clock)
    for some in itertools.batched(itertools.islice(texts(), memories), MEMORIES_AT_ONCE):
        keep(list(some), clock)
    for some in itertools.batched(itertools.islice(texts(), messages), MESSAGES_AT_ONCE):
        say(list(some), clock)
    indexed: int | None = 0
    while indexed is not None:
        indexed = index_transcript(indexed)
    database.close_cleanly()


if __name__ == "__main__":
    main()
