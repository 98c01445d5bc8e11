"""Which literals of our Python code are read by people: sentences, and the parts that are put into them.

Nothing marks a sentence (groupx/kernel/sentences.py): every literal that reads like prose is one, unless what it is
used for says that nobody is shown it. An f-string is a template with `{name}` for each value. Text that a function of
gettext translates at once is not among them.
"""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

WORDS = re.compile(r"[A-Za-z’']{2,}[,;:]? (?:[a-z]{2,}|[a-z]\b|[A-Z]{3,})")
"""Two words in a row."""
TRANSLATED_AT_ONCE = {"_", "gettext", "gettext_lazy", "ngettext", "pgettext"}
NOT_SHOWN_BY = {
    "compile",
    "execute",
    "executemany",
    "RunSQL",
    "add_header",
    "Literal",
    "format_html",
    "format_html_join",
    "sign_in_by",
}
"""Patterns, SQL, markup and the like."""
NOT_SHOWN_ERRORS = {"AssertionError", "NotImplementedError", "RuntimeError", "TypeError"}
"""A mistake in our own code: its words are for the log."""
NOT_SHOWN_FILES = {  # or folders
    "adapters/demo/agent.py": "a scripted agent says it, as a product of somebody else would",
    "adapters/demo/notes.py": "the same",
    "adapters/headless/": "of `aig`, see there",
    "assistant/operator/": "said to agents and their models",
    "assistant/prompt.py": "said to the assistant's CLI and its model",
    "memory/compaction_prompt.py": "said to agents and their models",
    "memory/rollup_prompt.py": "said to agents and their models",
    "turns/tools/": "said to agents and their models",
    "turns/watching.py": "said to agents and their models",
    "groupx/metrics.py": "for Prometheus",
    "groupx/openapi/": "the API's documentation, English as all of docs/",
    "groupx/service_files.py": "files and commands of other systems",
    "groupx/settings.py": "pragmas of the database",
    "rooms/bus/": "`aig` is for agents and scripts: one language, and none to load at its start",
}
AN_EXPORT = "a document: the same for every reader"
NOT_SHOWN_IN = {
    "markdown_head": AN_EXPORT,
    "markdown_end": AN_EXPORT,
    "markdown_entry": AN_EXPORT,
    "_of_observers": AN_EXPORT,
    "_ENDINGS": AN_EXPORT,
    "broken_off": AN_EXPORT,
    "_LINKS": "SQL",
    "ANSWER_IT": "said to agents",
    "_KEPT": "said to agents",
    "_NOT_KEPT": "said to agents",
}
"""Functions and constants."""
NOT_SHOWN = {
    "Method not found: {method}": "of JSON-RPC, said to an agent",
    "Value error, ": "taken away before it is shown",
    "invalid option": "looked for in what a program says",
    "GET /api/health HTTP": "a request",
    "HTTP/1.1 ": "an answer",
    "import sys; ": "a program",
    "Read the room anew.": "said to django-eventstream, which tells it to nobody",
    "INSERT INTO ": "SQL",
    "SELECT ": "SQL",
    "attachment; ": "a header",
    "GET, HEAD": "a header",
    "text/": "a header",
    "npm install": "a command",
    "pip install": "a command",
    "Gemini CLI": "a name",
    "Your final answer and what you publish": "of the packet: written for models",
    "You are {target_name}": "of the packet",
    "{older} older room messages": "of the packet",
    "{memories} memories are not in this packet": "of the packet",
    "Observe these turns with the tools": "of the packet",
    "Observe the turns named in": "of the packet",
    "The task has {number} characters": "of the packet",
    "{actor_name} ({actor_id}) wrote, id=": "said to agents",
    "this function joins": "a mistake in our own code",
}
"""Literals by how they begin, with the reason."""
PARTS = ("permission", "the file", "a text", "a list", "line {line}")
"""Words that are put into sentences and stand alone in the code."""
OF_DJANGO = ("- Select an option -", "Filter by %(field_name)s", "No %s matches the given query.")
"""Of its admin: what its own Chinese catalogue leaves out."""
OF_ARGPARSE = (
    "argument {name}: expected one argument",
    "argument {name}: invalid {type} value: {value}",
    "argument {name}: {problem}",
    "options",
    "positional arguments",
    "show this help message and exit",
    "the following arguments are required: {names}",
    "unrecognized arguments: {names}",
    "usage: ",
)
"""What it says in a help and of arguments that do not fit."""
OF_PYDANTIC = (
    "Extra inputs are not permitted",
    "Field required",
    "Input should be a valid boolean",
    "Input should be a valid dictionary",
    "Input should be a valid dictionary or instance of {class_name}",
    "Input should be a finite number",
    "Input should be a valid integer",
    "Input should be a valid list",
    "Input should be a valid number",
    "Input should be a valid string",
    "Input should be greater than {gt}",
    "Input should be greater than or equal to {ge}",
    "Input should be less than or equal to {le}",
    "Input should be {expected}",
    "List should have at least {min_length} item{expected_plural} after validation, not {actual_length}",
    "List should have at most {max_length} item{expected_plural} after validation, not {actual_length}",
    "String should have at least {min_length} character{expected_plural}",
    "String should have at most {max_length} character{expected_plural}",
)
"""What pydantic says of a field of a request or of groupx.json."""


def sentences_of(path: Path, name: str) -> Iterator[tuple[str, int]]:
    """(template, line) of every sentence in one file; `name` is its path in the project."""
    if name.startswith(tuple(NOT_SHOWN_FILES)):
        return
    for node in _shown(ast.parse(path.read_text())):
        text = template_of(node)
        if WORDS.search(re.sub(r"\{\w+\}", "{}", text)) and not text.startswith(tuple(NOT_SHOWN)):
            yield text, node.lineno


def _shown(node: ast.AST) -> Iterator[ast.JoinedStr | ast.Constant]:
    """Literals below `node`, but for docstrings and what nobody is shown."""
    match node:
        case ast.Expr(value=ast.Constant()) | ast.Assert() | ast.Import() | ast.ImportFrom():
            return
        case ast.FunctionDef(name=name) | ast.Assign(targets=[ast.Name(id=name)]) if name in NOT_SHOWN_IN:
            return
        case ast.AnnAssign(target=ast.Name(id=name)) if name in NOT_SHOWN_IN:
            return
        case ast.keyword(arg="description"):  # of a field: the API's documentation
            return
        case ast.Dict():
            for key, value in zip(node.keys, node.values, strict=True):
                if not (isinstance(key, ast.Constant) and key.value == "description"):
                    yield from _shown(value)
            return
        case ast.Call(func=ast.Name(id=called) | ast.Attribute(attr=called)) if called in NOT_SHOWN_BY:
            return
        case ast.Call(func=ast.Name(id=called)) if called in TRANSLATED_AT_ONCE or called in NOT_SHOWN_ERRORS:
            return
        case ast.Call(func=ast.Attribute(value=ast.Name(id="log"))):
            return
        case ast.JoinedStr():
            yield node
            for value in node.values:
                if isinstance(value, ast.FormattedValue):
                    yield from _shown(value.value)
            return
        case ast.Constant(value=str()):
            yield node
    for child in ast.iter_child_nodes(node):
        yield from _shown(child)


def template_of(node: ast.JoinedStr | ast.Constant) -> str:
    if isinstance(node, ast.Constant):
        return str(node.value)
    pieces, names = [], set()
    for value in node.values:
        if isinstance(value, ast.FormattedValue):
            name = _name_of(value.value)
            while name in names:
                name += "_too"
            names.add(name)
            pieces.append(f"{{{name}}}")
        elif isinstance(value, ast.Constant):
            pieces.append(str(value.value))
    return "".join(pieces)


def _name_of(node: ast.AST) -> str:
    """A word for translators: the last name in the expression that says what the value is."""
    match node:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name.strip("_").lower()
        case ast.Subscript(slice=ast.Constant(value=str(name))):
            return name.lower()
        case ast.Subscript(value=inner) | ast.BinOp(left=inner) | ast.UnaryOp(operand=inner):
            return _name_of(inner)
        case ast.BoolOp(values=[first, *_]):
            return _name_of(first)
        case ast.Call(func=ast.Name(id="len"), args=[_]):
            return "number"
        case ast.Call(args=[first, *_]):
            return _name_of(first)
        case ast.Call(func=ast.Attribute(value=inner)):
            return _name_of(inner)
    return "value"
