"""Client commands: run an action once per (binding, clientCommandId), replay its answer ever after."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from groupx.kernel.canonical import fingerprint
from groupx.kernel.clock import Clock
from groupx.kernel.errors import ErrorCode, GroupXError
from rooms.caller import Caller
from rooms.command_names import CommandName
from rooms.envelope import dump
from rooms.models import ClientCommand
from rooms.prepared import PreparedInsert, PreparedSelect
from rooms.transactions import durable, joins


@dataclass(frozen=True)
class Receipt:
    """`text` is the answer byte for byte, the same for the first call and every repetition."""

    text: str

    @property
    def result(self) -> dict[str, Any]:
        return json.loads(self.text)


_RECEIPT = PreparedSelect(
    lambda binding_id, command_id: ClientCommand.objects.filter(
        binding_id=binding_id, client_command_id=command_id
    ).values_list("payload_hash", "result")
)
_INSERT = PreparedInsert(ClientCommand)


@durable
def run_once(
    caller: Caller,
    client_command_id: str,
    command_type: CommandName,
    payload: dict[str, Any],
    action: Callable[[], Mapping[str, Any]],
    *,
    clock: Clock,
) -> Receipt:
    """`answer_once` in a transaction of its own."""
    return answer_once(caller, client_command_id, command_type, payload, action, clock=clock)


def answer_once(
    caller: Caller,
    client_command_id: str,
    command_type: CommandName,
    payload: dict[str, Any],
    action: Callable[[], Mapping[str, Any]],
    *,
    clock: Clock,
) -> Receipt:
    """Run `action` and keep its answer, or give the answer kept before. Joins the caller's transaction.

    `payload` is what the caller sent, in canonical order (docs/protocol.md, "Commands"). A refusal of the action
    leaves no receipt: the same command may be tried again.

    Raises:
        GroupXError: CLIENT_COMMAND_CONFLICT when this id was used for something else; whatever `action` raises.
    """
    joins()
    payload_hash = _hash(command_type, payload)
    known = _known(caller, client_command_id, payload_hash)
    if known is not None:
        return known
    receipt = Receipt(dump(action()))
    _INSERT.insert_rows(
        [
            ClientCommand(
                binding_id=caller.binding_id,
                client_command_id=client_command_id,
                command_type=command_type.value,
                payload_hash=payload_hash,
                result=receipt.text,
                created_at=clock.now(),
            )
        ]
    )
    return receipt


def kept_answer(
    caller: Caller, client_command_id: str, command_type: CommandName, payload: dict[str, Any]
) -> Receipt | None:
    """The answer kept before, if there is one: for a command that is long under way before it has one to keep.

    Raises:
        GroupXError: CLIENT_COMMAND_CONFLICT when this id was used for something else.
    """
    return _known(caller, client_command_id, _hash(command_type, payload))


def _hash(command_type: CommandName, payload: dict[str, Any]) -> str:
    return fingerprint({"command": command_type.value, "payload": payload})


def _known(caller: Caller, client_command_id: str, payload_hash: str) -> Receipt | None:
    known = _RECEIPT.fetch_first(caller.binding_id, client_command_id)
    if known is None:
        return None
    known_hash, known_result = known
    if known_hash != payload_hash:
        raise GroupXError(
            ErrorCode.CLIENT_COMMAND_CONFLICT,
            "This clientCommandId was already used for another request. Use a new one.",
        )
    return Receipt(known_result)
