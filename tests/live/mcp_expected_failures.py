"""Scenarios of the protocol's conformance suite that the room's /mcp cannot pass, by reason (docs/mcp.md). What passes
unexpectedly is a failure of the run as well.
"""

import json

OF_EITHER_ERA = {
    "the suite's own tool, which gives images, audio or resources, or reports the progress of a fixture": [
        "tools-call-image",
        "tools-call-audio",
        "tools-call-embedded-resource",
        "tools-call-mixed-content",
        "tools-call-with-progress",
    ],
    "not offered: the server has tools and nothing else": [
        "completion-complete",
        "resources-list",
        "resources-read-text",
        "resources-read-binary",
        "resources-templates-read",
        "prompts-list",
        "prompts-get-simple",
        "prompts-get-with-args",
        "prompts-get-embedded-resource",
        "prompts-get-with-image",
    ],
    "it wants a page of localhost to be served; this address serves no page. Foreign ones are refused, as it wants": [
        "dns-rebinding-protection",
    ],
}
OF_THE_HANDSHAKE = {
    "not offered: the server has tools and nothing else": [
        "logging-set-level",
        "tools-call-with-logging",
        "resources-subscribe",
        "resources-unsubscribe",
    ],
    "the server asks nothing of a client": [
        "tools-call-sampling",
        "tools-call-elicitation",
        "elicitation-sep1034-defaults",
        "elicitation-sep1330-enums",
    ],
    "it wants a session id; a stateless server has none": ["server-sse-multiple-streams"],
}
GROUPS = {"2025-11-25": (OF_EITHER_ERA, OF_THE_HANDSHAKE), "2026-07-28": (OF_EITHER_ERA,)}
"""By version of the protocol."""


def baseline_of(version: str) -> str:
    """For the suite's `--expected-failures`: YAML, of which JSON is a part."""
    return json.dumps({"server": [name for group in GROUPS[version] for names in group.values() for name in names]})
