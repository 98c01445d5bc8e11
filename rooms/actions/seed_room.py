"""What must be in the database before anybody is served: the room, its actors, the store's identity."""

from groupx.kernel.clock import Clock
from groupx.kernel.config import GroupXConfig
from groupx.kernel.ids import new_token
from rooms.caller import PERSON, SYSTEM, Caller, operator_caller
from rooms.models import Actor, Room, SessionBinding, Store
from rooms.transactions import durable, joins
from rooms.vocabulary import MAIN_ROOM, SYSTEM_BINDING, WEB_BINDING, ActorKind


def agent_actor_id(agent_id: str) -> str:
    return f"agent:{agent_id}"


def assistant_of(config: GroupXConfig) -> Caller:
    """Who the room's assistant is, configured or not."""
    return operator_caller(config.assistant.name) if config.assistant else operator_caller()


@durable
def seed_room(config: GroupXConfig, *, clock: Clock) -> None:
    """Make or refresh the room, the person, the assistant, ourselves and the roster. Agents left out are disabled, not
    removed."""
    now = clock.now()
    Store.objects.get_or_create(id=1, defaults={"epoch": new_token()})
    Room.objects.get_or_create(room_id=MAIN_ROOM, defaults={"title": "main room"})
    assistant = assistant_of(config)
    channels = ((PERSON, WEB_BINDING), (assistant.actor, assistant.binding_id), (SYSTEM, SYSTEM_BINDING))
    for who, binding_id in channels:
        Actor.objects.update_or_create(
            actor_id=who.actor_id, defaults={"kind": who.kind.value, "display_name": who.display_name}
        )
        SessionBinding.objects.get_or_create(
            binding_id=binding_id, defaults={"actor_id": who.actor_id, "opened_at": now}
        )
    agents = Actor.objects.filter(kind=ActorKind.AGENT.value)
    agents.exclude(actor_id__in=[agent_actor_id(i) for i in config.enabled_agents]).update(enabled=False)
    for position, (agent_id, agent) in enumerate(config.agents.items()):
        Actor.objects.update_or_create(
            actor_id=agent_actor_id(agent_id),
            defaults={
                "kind": ActorKind.AGENT.value,
                "display_name": agent.name or agent_id,
                "driver": agent.driver,
                "identity": agent.identity or "",
                "cwd": agent.cwd,
                "roster_position": position,
                "enabled": agent.enabled,
            },
        )


@durable
def open_store(boot_id: str) -> None:
    """A run begins. After an unclean end under another boot the last commits may be lost: a new epoch says so."""
    store = Store.objects.get(id=1)
    if not store.closed_cleanly and store.boot_id != boot_id:
        store.epoch = new_token()
    store.boot_id, store.closed_cleanly = boot_id, False
    store.save()


def renew_epoch() -> None:
    """Whoever has read this log before must begin anew: its cursors mean nothing here. Joins the transaction."""
    joins()
    Store.objects.update_or_create(id=1, defaults={"epoch": new_token(), "boot_id": "", "closed_cleanly": True})


@durable
def close_store() -> None:
    Store.objects.filter(id=1).update(closed_cleanly=True)
