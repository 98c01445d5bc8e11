"""A message that is being written, as a request: static/js/draft.js; a refusal of it in names: named_text.js. Our own
contract."""

from typing import Any

from groupx.kernel.text import is_blank

from .node import needs_node, run_in_node

pytestmark = needs_node

BUILDER, REVIEWER = "agent:builder", "agent:reviewer"


def draft(**changes: object) -> dict[str, Any]:
    empty = {"clientCommandId": "web-1", "to": [BUILDER], "content": "Go", "observers": [], "replyTo": None}
    return {**empty, **changes}


def requests(*drafts: dict[str, Any]) -> Any:
    return run_in_node("words.mjs", "draft.js", [["requestOf", each] for each in drafts])


def test_a_plain_message_asks_for_nothing_else() -> None:
    assert requests(draft()) == [{"clientCommandId": "web-1", "to": [BUILDER], "content": "Go"}]


def test_a_reply_names_what_it_answers_and_observers_watch_live() -> None:
    [asked] = requests(draft(replyTo={"eventId": "evt_1", "words": "You: Hm"}, observers=[REVIEWER]))

    assert asked["replyToEventId"] == "evt_1"
    assert asked["supervision"] == {"observers": [REVIEWER], "mode": "live_steer"}


def test_who_is_to_do_the_work_does_not_watch_it() -> None:
    both, nobody = requests(
        draft(to=[BUILDER], observers=[BUILDER, REVIEWER]), draft(to=[REVIEWER], observers=[REVIEWER])
    )

    assert both["supervision"]["observers"] == [REVIEWER]
    assert "supervision" not in nobody


def test_what_nobody_sees_is_blank() -> None:
    texts = ["", " \n\u3000", "\u200b \u2060\ufeff", "\u3164", "x\u200b", "❤\ufe0f", "语"]

    found = run_in_node("words.mjs", "draft.js", [["isBlank", text] for text in texts])

    assert found == [is_blank(text) for text in texts] == [True] * 4 + [False] * 3


def test_a_sentence_of_the_room_is_shown_with_names_for_ids_and_words_for_limits() -> None:
    names = {BUILDER: "Builder", "agent:a.b": "Dotted"}
    said = [
        "agent:builder, whose message waits, is no enabled agent any more.",
        "Nobody in the room is called agent:stranger.",
        "Ask agent:a.b. It reached limits.rootTurns.",
    ]

    assert run_in_node("names.mjs", "named_text.js", {"names": names, "said": said}) == [
        "Builder, whose message waits, is no enabled agent any more.",
        "Nobody in the room is called agent:stranger.",
        "Ask Dotted. It reached the limit of turns per message.",
    ]
