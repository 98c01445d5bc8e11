"""The schemas of tools as clients get them: plain and flat. Pure.

What pydantic writes is right, but more than many agents' CLIs understand: they refuse or lose `$ref`, `anyOf` and
patterns on the way to their model's API. The room's own parser checks everything all the same.
"""

from collections.abc import Mapping
from typing import Any

from pydantic import TypeAdapter

from groupx.kernel.shapes import OwnShape

_KEPT = (
    "type", "description", "enum", "properties", "required", "items", "additionalProperties", "default", "minimum",
    "maximum", "minItems", "maxItems", "minLength", "maxLength",
)  # fmt: skip
_SAYING_NOTHING = {"additionalProperties": (True,), "maximum": (2**63 - 1,)}


def input_schema(request: type[OwnShape], words: Mapping[str, str] | None = None) -> dict[str, Any]:
    """What a call may send. Null is not told of: it is taken where a field may be absent.

    `words` is said of arguments by their name, rather than what the shape says.
    """
    schema = {"properties": {}, **_plain(request.model_json_schema(), with_null=False)}
    schema.pop("description", None)  # the tool has one
    for name, argument in schema["properties"].items():
        if words and name in words:
            argument["description"] = words[name]
    return schema


def output_schema(answer: type[Mapping[str, Any]]) -> dict[str, Any]:
    """What comes back. At the top nothing is required: clients hold errors to this schema as well."""
    schema = _plain(TypeAdapter(answer).json_schema(mode="serialization"), with_null=True)
    schema.pop("description", None)
    schema.pop("required", None)
    _open(schema)
    return schema


def _open(schema: dict[str, Any]) -> None:
    """A later version may tell more."""
    if schema.get("additionalProperties") is False:
        del schema["additionalProperties"]
    for inner in (*schema.get("properties", {}).values(), schema.get("items"), schema.get("additionalProperties")):
        if isinstance(inner, dict):
            _open(inner)


def _plain(schema: dict[str, Any], *, with_null: bool) -> dict[str, Any]:
    known = schema.get("$defs", {})

    def plain(part: dict[str, Any]) -> dict[str, Any]:
        while "$ref" in part:
            part = {**known[part["$ref"].rpartition("/")[2]], **{k: v for k, v in part.items() if k != "$ref"}}
        if "anyOf" in part:
            return plain(_one_of(part, with_null=with_null))
        if "const" in part:
            part = {**part, "type": "string", "enum": [part["const"]]}
        if part.get("pattern") and part.get("type") == "string":
            part = {"minLength": 1, **part}
        found = {key: part[key] for key in _KEPT if part.get(key) not in (None, *_SAYING_NOTHING.get(key, ()))}
        if "properties" in found:
            found["properties"] = {name: plain(inner) for name, inner in found["properties"].items()}
        for key in ("items", "additionalProperties"):
            if isinstance(found.get(key), dict):
                found[key] = plain(found[key])
        return found

    return plain(schema)


def _one_of(part: dict[str, Any], *, with_null: bool) -> dict[str, Any]:
    """Null aside, the first of several that are alike: without its patterns it says little more than the others."""
    choices = [choice for choice in part["anyOf"] if choice.get("type") != "null"]
    if len({choice.get("type", choice.get("$ref")) for choice in choices}) != 1:
        raise TypeError(f"cannot be said without a choice: {part}")
    rest = {key: value for key, value in part.items() if key != "anyOf"}
    if not with_null or len(choices) == len(part["anyOf"]):
        return {**choices[0], **rest}
    return {**choices[0], **rest, "type": [choices[0]["type"], "null"]}
