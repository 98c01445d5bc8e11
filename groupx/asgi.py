"""What answers which path before Django does, all of it behind the guard."""

from channels.routing import ProtocolTypeRouter, URLRouter
from django.core.asgi import get_asgi_application
from django.urls import URLPattern, path, re_path

from assistant import api as assistant_api
from assistant.consumers import BrainSocket, tell_brain
from assistant.desk import AssistantDesk
from assistant.live import LiveTalk
from assistant.operator.desk import OperatorDesk
from assistant.operator.room import OperatorRoom
from groupx.guard import Guard
from groupx.health import health_endpoint
from groupx.metrics import CONTENT_TYPE, RoomMetrics
from groupx.request_tally import RequestTally
from groupx.runtime import ServerRuntime
from groupx.setup import api as setup_api
from groupx.setup.desk import SetupDesk
from groupx.setup.detect import Detection
from memory import context_api
from memory.manual_compaction import ManualCompactions
from rooms.actions.seed_room import agent_actor_id, assistant_of
from rooms.asgi_json import Receive, Scope, Send, endpoint
from rooms.consumers import EventStream
from rooms.export.stream import ExportStream
from turns import fast_api
from turns.compaction import compact_now
from turns.consumers import LaneSocket
from turns.tools.member_desk import MemberDesk
from turns.tools.mount import McpMount
from turns.tools.tool import ToolRoom


def build_application(runtime: ServerRuntime, answered: RequestTally) -> Guard:
    lanes = LaneSocket(
        runtime.tail,
        runtime.lane_secret,
        runtime.clock,
        card_changed=runtime.card_changed,
        store_failed=runtime.store_watch.failed,
    )
    run, config = runtime.run, runtime.run.config
    desk = SetupDesk(run.config_path, runtime.port, runtime, Detection(runtime.clock), runtime.clock, running=run)
    tools = ToolRoom(
        agents=[agent_actor_id(agent_id) for agent_id in config.enabled_agents],
        limits=config.limits,
        timeouts=config.timeouts,
        clock=runtime.clock,
        tail=runtime.tail,
    )
    mcp = McpMount(MemberDesk(tools))
    compactions = _compactions(runtime)
    operator = OperatorRoom(
        caller=assistant_of(config),
        agents=tools.agents,
        limits=config.limits,
        timeouts=config.timeouts,
        clock=runtime.clock,
        tail=runtime.tail,
        setup=desk,
        compactions=compactions,
    )
    operator_mcp = McpMount(OperatorDesk(operator))

    async def lane(scope: Scope, receive: Receive, send: Send) -> None:
        mcp.prepare()  # its agent is about to look for the room's tools
        await lanes(scope, receive, send)

    brain, assistant = _assistant(runtime)

    async def brain_socket(scope: Scope, receive: Receive, send: Send) -> None:
        operator_mcp.prepare()
        await brain(scope, receive, send)

    metrics = RoomMetrics(runtime, answered, lanes)
    http = URLRouter(
        [
            path("api/events", EventStream(runtime.tail, runtime.clock)),
            path("api/export", ExportStream(runtime.clock)),
            path("api/health", health_endpoint(lambda: runtime.is_draining, runtime.why_unwritable)),
            *fast_api.routes,
            *context_api.routes,
            path("api/context/compact", context_api.compact_endpoint(compactions)),
            *setup_api.routes(desk),
            *assistant,
            path("metrics", endpoint({"GET": metrics.get_metrics}, CONTENT_TYPE)),
            path("mcp", mcp),
            path("mcp/operator", operator_mcp),
            path("operator/mcp", operator_mcp),  # some clients replace a path that does not end in /mcp
            re_path(r"", get_asgi_application()),
        ]
    )
    websocket = URLRouter(
        [
            path("ws/lanes/<str:agent_id>", lane),
            path("ws/assistant", brain_socket),
            re_path(r"", _no_such_socket),
        ]
    )
    routes = ProtocolTypeRouter({"http": http, "websocket": websocket})
    return Guard(routes, runtime.port, lambda: runtime.is_draining)


def _assistant(runtime: ServerRuntime) -> tuple[BrainSocket, list[URLPattern]]:
    """The socket of the assistant's brain, and the routes of the side conversation."""
    config, clock = runtime.run.config, runtime.clock
    live = LiveTalk(config.limits.sse_bytes, clock)
    socket = BrainSocket(
        live,
        runtime.lane_secret,
        clock,
        committed=runtime.tail.wake,
        store_failed=runtime.store_watch.failed,
    )
    desk = AssistantDesk(config, live, socket.is_connected, tell_brain, clock)
    socket.look = desk.look
    runtime.on_drain(desk.close)
    runtime.run_beside("assistant", desk.run)
    return socket, assistant_api.routes(desk, live, clock)


def _compactions(runtime: ServerRuntime) -> ManualCompactions:
    """Those that a person asks for. They end as soon as the room drains: agents that write are ended then as well."""
    context_chars = runtime.run.config.limits.context_characters

    async def compact() -> bool:
        return (await compact_now(runtime.tell, context_chars=context_chars, clock=runtime.clock)).compacted

    compactions = ManualCompactions(compact, context_chars, runtime.clock)
    runtime.on_drain(compactions.close)
    runtime.run_beside("manual-compactions", compactions.run)
    return compactions


async def _no_such_socket(scope: Scope, receive: Receive, send: Send) -> None:
    await receive()
    await send({"type": "websocket.close"})
