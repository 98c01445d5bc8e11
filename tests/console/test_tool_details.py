"""static/js/tool_details.js: what the adapters' allow-list of details looks like to a reader (adapters/contract/)."""

import pytest

from .node import needs_node, run_in_node

pytestmark = needs_node


@pytest.mark.parametrize(
    ("name", "value", "shown"),
    [
        ("output", "two\nlines", "two\nlines"),
        ("output", 3, "3"),
        ("input", {"path": "a.py", "limit": 3}, "path: a.py\nlimit: 3"),
        ("input", {"deep": {"er": 1}}, '{\n  "deep": {\n    "er": 1\n  }\n}'),
        ("locations", [{"path": "a.py", "line": 7}, {"path": "b.py"}], "a.py:7\nb.py"),
        ("diff", [{"path": "a.py", "oldText": "one\n", "newText": "two\n"}], "a.py\n− one\n+ two"),
        ("diff", [{"path": "new.py", "newText": "one\ntwo"}], "new.py\n+ one\n+ two"),
        ("diff", [{"odd": 1}], '[\n  {\n    "odd": 1\n  }\n]'),
    ],
)
def test_details_are_plain_text(name: str, value: object, shown: str) -> None:
    assert run_in_node("details.mjs", "tool_details.js", [[name, value]]) == [shown]
