"""The assistant's address opens for the handle of the brain's present session, and for nothing else."""

import pytest

from assistant.models import AssistantBrain
from assistant.queries.brain import check_operator_handle
from groupx.kernel.config import GroupXConfig
from groupx.kernel.errors import ErrorCode, GroupXError
from groupx.kernel.ids import handle_hash, new_handle
from rooms.caller import operator_caller
from rooms.models import Actor, SessionBinding

pytestmark = pytest.mark.django_db


def test_the_handle_of_the_open_session_is_known():
    handle = new_handle()
    AssistantBrain.objects.create(handle_hash=handle_hash(handle))
    check_operator_handle(handle)


@pytest.mark.parametrize("shown", ["", "another", handle_hash("right")])
@pytest.mark.parametrize("held", ["", handle_hash("right")])
def test_any_other_is_refused(shown: str, held: str):
    AssistantBrain.objects.create(handle_hash=held or None)
    with pytest.raises(GroupXError) as refused:
        check_operator_handle(shown)
    assert refused.value.code is ErrorCode.MCP_BINDING_MISMATCH


def test_without_a_brain_no_handle_is_known():
    with pytest.raises(GroupXError):
        check_operator_handle("right")


def test_the_assistant_acts_as_a_user_on_a_binding_of_its_own(room: GroupXConfig):
    caller = operator_caller()
    assert Actor.objects.get(actor_id=caller.actor.actor_id).kind == "user"
    assert SessionBinding.objects.get(binding_id=caller.binding_id).actor_id == caller.actor.actor_id
