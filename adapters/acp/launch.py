"""How a profile and a configured agent become a command line and an environment. Pure."""

import json
from collections.abc import Mapping

from adapters.acp.profiles import Profile
from adapters.contract import AgentSpec


def command_line(profile: Profile, spec: AgentSpec) -> tuple[str, ...]:
    """The configured command, the profile's own arguments, and those of the open driver."""
    return (*spec.argv, *profile.args, *spec.args)


def added_environment(profile: Profile, spec: AgentSpec, inherited: Mapping[str, str]) -> dict[str, str]:
    """What is set on top of the inherited environment; what a person has set stays, but for the merged keys."""
    added = {**profile.unset_environment(inherited), **spec.env}
    for name, keys in profile.env_json.items():
        added[name] = _merged(added.get(name, inherited.get(name, "")), keys)
    return added


def _merged(current: str, keys: Mapping[str, object]) -> str:
    """The person's JSON object with `keys` on top; what is no JSON object could not have been used either."""
    try:
        value = json.loads(current) if current.strip() else {}
    except ValueError:
        value = {}
    return json.dumps({**(value if isinstance(value, dict) else {}), **keys}, ensure_ascii=False)
