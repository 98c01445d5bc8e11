"""What an agent is able to, and how that is known, in words. Whoever shows them translates them. Pure."""

from adapters.contract import Capability, Evidence


def _(text: str) -> str:
    """Marks it for the catalogue of what is translated at once."""
    return text


CAPABILITY_WORDS = {
    Capability.PROMPT: _("answer"),
    Capability.STREAM: _("answer word by word"),
    Capability.REASONING: _("show its thoughts"),
    Capability.TOOLS: _("show the tools it uses"),
    Capability.CANCEL: _("stop when cancelled"),
    Capability.RESUME: _("resume sessions"),
    Capability.UNRESTRICTED: _("work without asking"),
    Capability.MCP: _("use the room's tools"),
    Capability.USAGE: _("tell its tokens"),
    Capability.COST: _("tell its cost"),
}
EVIDENCE_WORDS = {
    Evidence.VERIFIED: _("seen in a turn"),
    Evidence.PROBED: _("seen without a turn"),
    Evidence.DOCUMENTED: _("said of it, not seen yet"),
    Evidence.UNSUPPORTED: _("not able to"),
}
