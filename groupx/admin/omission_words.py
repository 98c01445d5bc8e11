"""What was left out of a packet for length, in words."""

from collections.abc import Mapping

from django.utils.translation import gettext as _
from django.utils.translation import ngettext


def in_words(omissions: Mapping[str, int]) -> str:
    return ", ".join(_of_section(section, count) for section, count in omissions.items())


def _of_section(section: str, count: int) -> str:
    match section:
        case "roomDelta":
            words = ngettext("%(count)d message of the room", "%(count)d messages of the room", count)
        case "coreMemory":
            words = ngettext("%(count)d core memory", "%(count)d core memories", count)
        case "datedMemory":
            words = ngettext("%(count)d day of its dated memory", "%(count)d days of its dated memory", count)
        case "roomMemory":
            words = ngettext("%(count)d memory of the room", "%(count)d memories of the room", count)
        case "identity":
            words = ngettext("%(count)d record of identity", "%(count)d records of identity", count)
        case _:
            words = _("%(count)d of %(section)s")
    return words % {"count": count, "section": section}
