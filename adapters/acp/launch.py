"""How a profile and a configured agent become a command line and an environment. Pure."""

import json
import re
from collections.abc import Mapping
from dataclasses import replace

from adapters.acp.profiles import Profile
from adapters.contract import AgentSpec

_USAGE_ERROR = re.compile(r"unexpected|unknown|unrecogni[sz]ed|invalid option", re.I)


def command_line(profile: Profile, spec: AgentSpec) -> tuple[str, ...]:
    """The configured command, the profile's own arguments, and those of the open driver."""
    return (*spec.argv, *profile.args, *spec.args)


def added_environment(profile: Profile, spec: AgentSpec, inherited: Mapping[str, str]) -> dict[str, str]:
    """What is set on top of the inherited environment; what a person has set stays, but for the merged keys."""
    added = {**{name: value for name, value in profile.env.items() if name not in inherited}, **spec.env}
    for name, keys in profile.env_json.items():
        added[name] = _merged(added.get(name, inherited.get(name, "")), keys)
    return added


def with_older_flags(profile: Profile, unknown: frozenset[str]) -> Profile:
    """The profile for an installed version that does not know these flags."""
    args = (profile.older_flags[arg] if arg in unknown else arg for arg in profile.args)
    return replace(profile, args=tuple(arg for arg in args if arg is not None))


def refused_flags(profile: Profile, last_words: str) -> frozenset[str]:
    """Those of the flags with an older form that a usage error on standard error names."""
    refused = " ".join(line for line in last_words.splitlines() if _USAGE_ERROR.search(line))
    return frozenset(
        flag
        for flag in profile.older_flags
        if flag in profile.args and re.search(rf"(?<![\w-])(?:--)?{re.escape(flag.lstrip('-'))}(?![\w-])", refused)
    )


def _merged(current: str, keys: Mapping[str, object]) -> str:
    """The person's JSON object with `keys` on top; what is no JSON object could not have been used either."""
    try:
        value = json.loads(current) if current.strip() else {}
    except ValueError:
        value = {}
    return json.dumps({**(value if isinstance(value, dict) else {}), **keys}, ensure_ascii=False)
