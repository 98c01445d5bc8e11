"""Whether a packet would have room for the newest messages if all that is older were summed up. Pure."""

from collections.abc import Sequence
from dataclasses import replace

from groupx.kernel.errors import GroupXError

from .compaction_plan import RoomMessage, entry, quoted_limit, summary_limit
from .packet import PacketInputs, build_packet
from .packet_text import StandingSummary
from .vocabulary import SOFT_SHARE

LONGEST_HEAD = 500
"""Of an entry of a packet, with some targets."""


def is_whole_with(inputs: PacketInputs, kept: Sequence[RoomMessage]) -> bool:
    """Nothing of the delta is left out of this packet when a summary, as long as one can be, stands for all before
    `kept`."""
    begins_after = kept[0].seq - 1
    longest = StandingSummary(
        summary_id="x" * 64,
        writer="x" * 80,
        from_seq=inputs.through_seq,
        through_seq=begins_after,
        content="x" * quoted_limit(summary_limit(inputs.max_chars)),
    )
    said = [message for message in inputs.delta if message.seq is None or message.seq > begins_after]
    try:
        after = replace(inputs, summary=longest, after_seq=begins_after, delta=said, older_in_room=0)
        return not build_packet(after).needs_compaction
    except GroupXError:
        return False


def fits_any_packet(max_chars: int, kept: Sequence[RoomMessage]) -> bool:
    """The same for no turn in particular: beside a summary they leave the soft target some room."""
    room = int(max_chars * SOFT_SHARE) - quoted_limit(summary_limit(max_chars))
    return sum(len(entry(message)) + LONGEST_HEAD for message in kept) <= room
