"""Which requests of an agent want something from a person. Pure."""

import re

_ASKS_A_PERSON = re.compile(r"permission|elicit|question|approv|confirm|user_?input|request_?input|ask_?user", re.I)


def asks_a_person(method: str) -> str | None:
    """What kind of answer a request of the agent wants from a person, None when it wants none."""
    if not _ASKS_A_PERSON.search(method):
        return None
    return "permission" if re.search("permission|approv|confirm", method, re.I) else "an answer"
