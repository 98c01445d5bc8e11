"""Examples of requests and answers, of one small history. A test holds them to their shapes."""

from typing import Any

EVENT_ID = "evt_2700aaf35bd5502bc18ecdf9"
TURN_ID = "turn_1abf503942634ed05bcd2bab"
ATTEMPT_ID = "att_8d0aaf35bd5502bc18ecdf11"
CORRELATION_ID = "corr_6182a50192e2e02f2b3c0c69"
_KEY = "0" * 64
_MOMENT = "2026-11-30T10:41:03.120Z"

COMMAND = {"clientCommandId": "5b3f9f0e"}
MESSAGE = {
    **COMMAND,
    "to": ["agent:builder"],
    "content": "Please look at the failing test.",
    "supervision": {"observers": ["agent:reviewer"], "mode": "live_steer"},
}
_QUEUED = {"status": "queued", "transport": "structured", "queuePosition": 0}
MESSAGE_ACCEPTED = {
    "messageEventId": EVENT_ID,
    "correlationId": CORRELATION_ID,
    "turns": [{"target": "agent:builder", "turnId": TURN_ID, **_QUEUED}],
    "watchTurns": [{"target": "agent:reviewer", "turnId": "turn_77e09c3a1d2f4b5c6a708192", **_QUEUED}],
    "watchEventId": "evt_91b6f20d8e4c5a3b2c1d0e9f",
    "pairEventId": "evt_c4a1e8b27f3d6095ab8c7d61",
}
MESSAGE_EVENT: dict[str, Any] = {
    "schema": "groupx.event/0.1",
    "eventId": EVENT_ID,
    "seq": 42,
    "roomId": "room:main",
    "type": "message.created",
    "actor": {"actorId": "user:web", "kind": "user", "displayName": "You"},
    "to": ["agent:builder"],
    "correlationId": CORRELATION_ID,
    "rootCorrelationId": CORRELATION_ID,
    "occurredAt": _MOMENT,
    "durability": "durable",
    "body": {"content": "Please look at the failing test."},
    "provenance": {"sourceKind": "web"},
}
HISTORY = {"events": [MESSAGE_EVENT], "nextCursor": 42}
STREAM = 'retry: 1000\n\nid: 42\ndata: {"schema":"groupx.event/0.1","eventId":"' + EVENT_ID + '","seq":42, …}\n\n'

CANCEL_ACCEPTED = {"turnId": TURN_ID, "accepted": True, "status": "cancelling"}
RETRY_ACCEPTED = {
    "turnId": "turn_a35daf95193dcfcaeb249304",
    "retryOf": TURN_ID,
    "target": "agent:builder",
    "status": "queued",
    "transport": "structured",
}
TURN = {
    "turnId": TURN_ID,
    "targetActorId": "agent:builder",
    "status": "completed",
    "transport": "structured",
    "sourceEventId": EVENT_ID,
    "correlationId": CORRELATION_ID,
    "rootCorrelationId": CORRELATION_ID,
    "hopCount": 0,
    "createdAt": _MOMENT,
    "endedAt": "2026-11-30T10:41:09.480Z",
    "usage": {
        "inputTokens": 1200,
        "cachedTokens": 800,
        "outputTokens": 310,
        "reasoningTokens": None,
        "totalTokens": 1510,
        "costUsd": 0.0125,
        "contextUsed": 1510,
        "contextSize": 200_000,
    },
    "attempts": [
        {
            "attemptId": ATTEMPT_ID,
            "turnId": TURN_ID,
            "number": 1,
            "dispatchPhase": "terminal",
            "deliveryCertainty": "delivered",
            "contextAfterSeq": 30,
            "contextThroughSeq": 43,
            "packetCharacters": 1840,
            "omissions": {},
            "cancelSteps": [],
            "preparedAt": _MOMENT,
        }
    ],
}
DRAFT = {"to": ["agent:builder"], "content": "Please look at the tests."}
PREVIEW = {
    "agents": [
        {
            "actorId": "agent:builder",
            "text": "[groupx_protocol]\n…",
            "characters": 1840,
            "omissions": {},
            "needsCompaction": False,
            "summaryThroughSeq": 30,
        }
    ]
}
PACKET = {
    "turnId": TURN_ID,
    "text": "[groupx_protocol]\n…",
    "omissions": {"roomMemory": 12},
    "summaryThroughSeq": 30,
}

AGENT = {
    "actorId": "agent:builder",
    "displayName": "Builder",
    "driver": "acp",
    "enabled": True,
    "status": "ready",
    "statusText": "",
    "capabilities": {"resume": {"evidence": "verified", "seenAt": "2026-11-30T10:41:03.120Z"}},
    "queueLength": 0,
    "cli": {"name": "example-agent", "version": "1.4.0"},
}
AGENTS = {"items": [{**AGENT, "cwd": "/home/me/project", "identity": ""}]}
USAGE_SUMS = {
    "turns": 4,
    "inputTokens": 41_200,
    "cachedTokens": 30_100,
    "outputTokens": 5_310,
    "reasoningTokens": None,
    "totalTokens": 46_510,
    "costUsd": 0.2175,
}
USAGE = {
    "timeZone": "Asia/Shanghai",
    "firstDay": "2026-11-24",
    "lastDay": "2026-11-30",
    "items": [{"day": "2026-11-30", "actorId": "agent:builder", **USAGE_SUMS}],
    "totals": USAGE_SUMS,
}
RESUME_ACCEPTED = {"actorId": "agent:builder", "accepted": True, "pausedFor": "spend_limit"}
GRANT = {"clientCommandId": "web-1", "rootCorrelationId": CORRELATION_ID, "limit": "rootTurns"}
LIMIT_GRANTED = {
    "rootCorrelationId": CORRELATION_ID,
    "limit": "rootTurns",
    "maximum": 96,
    "stoppedEventId": EVENT_ID,
    "messageEventId": EVENT_ID,
}
FRESH_SESSION_ACCEPTED = {"actorId": "agent:builder", "accepted": True}
RESTART_ACCEPTED = {"actorId": "agent:builder", "accepted": True}
BOOTSTRAP = {
    "room": {"roomId": "room:main", "title": "GroupX"},
    "epoch": "e0e89708b8b6a32591c57986dbdf31dc",
    "cursor": 42,
    "transport": "structured",
    "limits": {"messageCharacters": 131_072, "contextCharacters": 256_000, "queuePerAgent": 64, "targets": 32},
    "agents": [AGENT],
    "activeTurns": [],
    "recentEvents": [MESSAGE_EVENT],
}
HEALTH = {
    "service": "groupx",
    "protocol": "groupx.runtime/1",
    "status": "ok",
    "runtimeKey": _KEY,
    "runtimeScopeKey": _KEY,
    "database": {"status": "ok", "lastSeq": 42},
    "agents": [{"actorId": "agent:builder", "status": "ready", "statusText": ""}],
}
RUNTIME_COMMAND = {"runtimeScopeKey": _KEY}
SIGN_IN_LINK = {"path": "/admin/sign-in/?token=AAAAAQ0BpES1nolYS883uTtIci9Bu7va", "expiresInSeconds": 600}
RUNTIME_ACCEPTED = {"accepted": True, "runtimeKey": _KEY, "runtimeScopeKey": _KEY}
METRICS = '# TYPE groupx_queue_turns gauge\ngroupx_queue_turns{agent="builder"} 2.0\n'

# ---------------------------------------------------------------- memory
MEMORY_ID = "mem_6d43a5db6d53f0a3e1c2a1b4"
IDENTITY_ID = "idn_0b6ef54aa8f0c1d2e3f4a5b6"
REMEMBER_MEMORY = {
    **COMMAND,
    "scope": {"type": "room", "id": "room:main"},
    "kind": "decision",
    "content": "Releases are cut from main, on Mondays.",
    "sourceEventId": EVENT_ID,
}
REVISE = {**COMMAND, "content": "Releases are cut from main, on Tuesdays."}
MEMORY_KEPT = {"memoryId": MEMORY_ID, "status": "active", "eventId": EVENT_ID, "seq": 43, "createdAt": _MOMENT}
MEMORY_REVISED = {**MEMORY_KEPT, "memoryId": "mem_a8705e051d0b04465e5e217b", "seq": 44, "supersedes": MEMORY_ID}
_RETRACTED = {"status": "retracted", "eventId": EVENT_ID, "seq": 45, "retractedAt": _MOMENT}
MEMORY_RETRACTED = {"memoryId": MEMORY_ID, **_RETRACTED}
_RECORD = {"authorActorId": "user:web", "sourceKind": "web", "status": "active", "seq": 43, "createdAt": _MOMENT}
MEMORY = {
    **_RECORD,
    "memoryId": MEMORY_ID,
    "scope": {"type": "room", "id": "room:main"},
    "kind": "decision",
    "content": "Releases are cut from main, on Mondays.",
    "sourceEventId": EVENT_ID,
}
MEMORY_FORMER = {**MEMORY, "status": "superseded", "supersededBy": MEMORY_REVISED["memoryId"]}
MEMORY_PAGE = {"items": [MEMORY], "nextCursor": 17}
REMEMBER_IDENTITY = {
    **COMMAND,
    "subjectActorId": "agent:builder",
    "kind": "instruction",
    "content": "Builder is the one who merges.",
}
IDENTITY_KEPT = {"identityId": IDENTITY_ID, "status": "active", "eventId": EVENT_ID, "seq": 43, "createdAt": _MOMENT}
IDENTITY_REVISED = {**IDENTITY_KEPT, "identityId": "idn_adf658176922394118323926", "supersedes": IDENTITY_ID}
IDENTITY_RETRACTED = {"identityId": IDENTITY_ID, **_RETRACTED}
IDENTITY_PAGE = {
    "items": [
        {
            **_RECORD,
            "identityId": IDENTITY_ID,
            "kind": "instruction",
            "subjectActorId": "agent:builder",
            "content": "Builder is the one who merges.",
        }
    ]
}
SEARCH_PAGE = {
    "items": [
        {
            "kind": "message",
            "seq": 42,
            "authorActorId": "user:web",
            "occurredAt": _MOMENT,
            "excerpt": "Please look at the failing test.",
            "eventId": EVENT_ID,
            "correlationId": CORRELATION_ID,
        }
    ],
    "nextCursor": 42,
}

# ---------------------------------------------------------------- the file bus
BUS_MESSAGE = {
    "seq": 7,
    "id": "m0007-mf3k2p-a91x",
    "time": "2026-11-30T10:41:03.120Z",
    "from": "codex",
    "to": ["human"],
    "kind": "reply",
    "via": "dispatch",
    "replyTo": "m0006-mf3k1a-7b2c",
    "tags": [],
    "files": [],
    "text": "The test fails because of the clock.",
    "meta": {"channel": "codex", "durationMs": 4120, "tokens": {"input": 1100, "output": 70}},
}
BUS_PAGE = {"messages": [BUS_MESSAGE], "hasOlder": True}
BUS_STATE = {
    "room": "main",
    "members": [
        {
            "name": "codex", "transport": "codex", "model": "", "note": "Reviews.", "isPrimary": False, "unread": 2,
            "wake": {"state": "running", "since": "2026-11-30T10:41:05.000Z"},
        }
    ],
    "selfDrive": {"isOn": True},
}  # fmt: skip
BUS_ROOM = {**BUS_STATE, **BUS_PAGE, "lastSeq": 7}
WRITE_TO_BUS = {"clientCommandId": "web-1", "to": ["codex"], "text": "Why does the test fail?"}
BUS_WRITTEN = {"id": "m0006-mf3k1a-7b2c", "seq": 6}
BUS_WAKE_ACCEPTED = {"member": "codex", "accepted": True}

CONTEXT_USAGE = {
    "roomId": "room:main",
    "throughSeq": 1042,
    "estimatedCharacters": 30_720,
    "maxCharacters": 256_000,
    "compactionTriggerCharacters": 192_000,
    "utilizationPercent": 12.0,
    "uncompactedMessageCount": 34,
    "summaryThroughSeq": 870,
    "summaryCreatedAt": _MOMENT,
    "compactable": True,
}
CONTEXT_RESET = {
    "reset": True,
    "roomId": "room:main",
    "throughSeq": 1043,
    "estimatedCharacters": 0,
    "maxCharacters": 256_000,
    "compactionTriggerCharacters": 192_000,
    "utilizationPercent": 0.0,
    "uncompactedMessageCount": 0,
    "resetThroughSeq": 1042,
    "resetAt": _MOMENT,
    "compactable": False,
}
CONTEXT_COMPACTED = {"compacted": True, **CONTEXT_USAGE}
