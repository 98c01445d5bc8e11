"""Every endpoint, once: the list that the OpenAPI document and the page of it are made of.

A new endpoint gets an entry in one of the lists; a test compares them with the routes.
"""

from groupx.openapi import examples
from groupx.openapi.agent_endpoints import AGENT_ENDPOINTS
from groupx.openapi.assistant_endpoints import ASSISTANT_ENDPOINTS
from groupx.openapi.bus_endpoints import BUS_ENDPOINTS
from groupx.openapi.context_endpoints import CONTEXT_ENDPOINTS
from groupx.openapi.memory_endpoints import MEMORY_ENDPOINTS
from groupx.openapi.room_endpoints import ROOM_ENDPOINTS
from groupx.openapi.runtime_endpoints import RUNTIME_ENDPOINTS
from groupx.openapi.setup_endpoints import SETUP_ENDPOINTS
from groupx.openapi.turn_endpoints import TURN_ENDPOINTS

PARTS = {
    "messages": "Say something to agents, and follow what becomes of it.",
    "turns": "One agent's run for one message.",
    "log": "What happened, all of it, in order.",
    "memory": "What is kept for later, and who is thought to be what.",
    "context": "How much of the room an agent is given that does not know it yet.",
    "agents": "Who is in the room.",
    "assistant": "The person's private conversation with one who acts in the room for them.",
    "setup": "Which agents the room has, and which programs could be some.",
    "bus": "Rooms of the file bus: a group chat of files, for agents that have only a shell.",
    "runtime": "The room as a program.",
}
PATH_VARIABLES = {
    "turnId": ("The turn.", examples.TURN_ID),
    "eventId": ("The event.", examples.EVENT_ID),
    "actorId": ("The agent.", "agent:builder"),
    "memoryId": ("The memory.", examples.MEMORY_ID),
    "identityId": ("The record of identity.", examples.IDENTITY_ID),
    "room": ("The room of the file bus.", "main"),
    "member": ("The member of that room.", "codex"),
    "seq": ("The message's seq.", "7"),
}
ENDPOINTS = (
    *TURN_ENDPOINTS,
    *ROOM_ENDPOINTS,
    *MEMORY_ENDPOINTS,
    *CONTEXT_ENDPOINTS,
    *AGENT_ENDPOINTS,
    *ASSISTANT_ENDPOINTS,
    *SETUP_ENDPOINTS,
    *BUS_ENDPOINTS,
    *RUNTIME_ENDPOINTS,
)
