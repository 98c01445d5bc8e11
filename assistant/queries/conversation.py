"""What was asked and answered, and what is open."""

from collections.abc import Iterable
from dataclasses import dataclass

from assistant.answers import MessageTold, item_of
from assistant.models import AssistantMessage
from assistant.state import QuestionState, Role

NEWEST = 200
_OPEN = (QuestionState.RUNNING.value, QuestionState.WAITING.value)


def newest_messages() -> list[MessageTold]:
    """The newest NEWEST, oldest first."""
    return [item_of(row) for row in AssistantMessage.objects.order_by("-id")[:NEWEST]][::-1]


@dataclass(frozen=True, kw_only=True)
class Exchange:
    """A question with its reply, if there is one."""

    question: MessageTold
    reply: MessageTold | None

    @property
    def state(self) -> QuestionState:
        return self.question["state"]


def exchanges_of(client_command_ids: Iterable[str]) -> dict[str, Exchange]:
    """By clientCommandId; what is unknown is left out."""
    found: dict[str, dict[str, MessageTold]] = {}
    for row in AssistantMessage.objects.filter(client_command_id__in=list(client_command_ids)):
        found.setdefault(row.client_command_id, {})[row.role] = item_of(row)
    return {
        command_id: Exchange(question=items[Role.USER], reply=items.get(Role.ASSISTANT))
        for command_id, items in found.items()
        if Role.USER in items
    }


def open_questions() -> list[MessageTold]:
    """The one that runs and those that wait, oldest first."""
    return [item_of(row) for row in AssistantMessage.objects.filter(state__in=_OPEN).order_by("id")]


@dataclass(frozen=True, kw_only=True)
class BrainsOrders:
    """What the database wants of the brain's process."""

    has_waiting: bool
    cancelled: tuple[str, ...]
    """Questions that run and are to be stopped."""


def brains_orders() -> BrainsOrders:
    rows = AssistantMessage.objects.filter(state__in=_OPEN).values_list("client_command_id", "state", "is_cancel_asked")
    found = list(rows)
    return BrainsOrders(
        has_waiting=any(state == QuestionState.WAITING for _, state, _ in found),
        cancelled=tuple(command_id for command_id, state, is_asked in found if is_asked),
    )
