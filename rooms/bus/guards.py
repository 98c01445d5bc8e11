"""Who may wake whom: what keeps agents from waking each other without end. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass

DEFAULT_MAX_DEPTH = 3
YES = frozenset({"1", "true", "yes", "on"})
DEPTH_VARIABLE, MAX_DEPTH_VARIABLE, NO_WAKE_VARIABLE = "AIGROUP_DEPTH", "AIGROUP_MAX_DEPTH", "AIGROUP_NO_WAKE"


@dataclass(frozen=True, kw_only=True)
class Chain:
    """Where in a chain of wakes this process stands, as its environment says."""

    depth: int = 0
    max_depth: int = DEFAULT_MAX_DEPTH
    may_not_wake: bool = False

    def next_environment(self) -> dict[str, str]:
        """For the process of a member that is woken from here."""
        return {
            DEPTH_VARIABLE: str(self.depth + 1),
            MAX_DEPTH_VARIABLE: str(self.max_depth),
            NO_WAKE_VARIABLE: "1",
        }


def chain_of(env: Mapping[str, str]) -> Chain:
    """
    Raises:
        ValueError: a variable is no whole number; the message is a sentence.
    """
    return Chain(
        depth=_number(env, DEPTH_VARIABLE, 0),
        max_depth=_number(env, MAX_DEPTH_VARIABLE, DEFAULT_MAX_DEPTH),
        may_not_wake=env.get(NO_WAKE_VARIABLE, "").strip().lower() in YES,
    )


def _number(env: Mapping[str, str], name: str, default: int) -> int:
    text = env.get(name, "")
    if not text:
        return default
    if not (text.isascii() and text.isdecimal() and len(text) < 10):
        raise ValueError(f"{name} is “{text}”; it must be a whole number such as {default}.")
    return int(text)


def why_chain_ends(chain: Chain, *, caller_is_primary: bool, is_forced: bool) -> str | None:
    """A sentence when nobody may be woken from here, whoever it is; None when it may go on.

    The depth holds for the primary and for --force-wake too: it is what ends every chain.
    """
    if chain.depth >= chain.max_depth:
        return (
            f"Nobody is woken: this is wake {chain.depth} of a chain, {MAX_DEPTH_VARIABLE} allows {chain.max_depth}. "
            "Answer in the room instead."
        )
    if chain.may_not_wake and not is_forced and not caller_is_primary:
        return (
            "Nobody is woken: you were woken yourself, and members in turn wake nobody "
            f"({NO_WAKE_VARIABLE}). Answer in the room; the room's primary or --force-wake may."
        )
    return None


def why_not_wakeable(
    member: str, *, is_member: bool, transport: str, has_command: bool, channels: frozenset[str]
) -> str | None:
    """A sentence when this member has no channel; None when it can be woken."""
    if not is_member:
        return f"“{member}” is no member of this room. Add it: aig member {member} --transport T"
    if not transport:
        return f"“{member}” has no channel to be woken through. Set one: aig member {member} --transport T"
    if transport not in channels:
        known = ", ".join(sorted(channels))
        return f"“{member}” has the transport “{transport}”, which is none of: {known}."
    if transport == "command" and not has_command:
        return f"“{member}” has the transport command but no command: set it in members.json as a list of strings."
    return None
