"""What a site's robots.txt allows, by the rules of RFC 9309: the longest matching path wins, allow before disallow."""

from __future__ import annotations

import re
from dataclasses import dataclass

_OURS = "averment"
_MOST_LINES = 5_000
_MOST_WILDCARDS = 20


@dataclass(frozen=True, slots=True)
class Rules:
    """The paths one group of robots.txt names; no rules allow everything."""

    rules: tuple[tuple[bool, str], ...] = ()

    def allow(self, target: str) -> bool:
        """Whether a path with its query may be read."""
        best = (0, True)
        for allowed, pattern in self.rules:
            if _matches(pattern, target):
                best = max(best, (len(pattern), allowed))
        return best[1]


def parse_robots(text: str) -> Rules:
    """The rules for us: those of the groups that name us, else those for everyone."""
    ours: list[tuple[bool, str]] = []
    everyone: list[tuple[bool, str]] = []
    named = False
    agents: list[str] = []
    open_group = False
    for line in text.splitlines()[:_MOST_LINES]:
        field, _, value = line.partition("#")[0].partition(":")
        field, value = field.strip().lower(), value.strip()
        if field == "user-agent":
            agents = [*agents, value.lower()] if open_group else [value.lower()]
            open_group = True
            named = named or any(_OURS in agent for agent in agents)
        elif field in ("allow", "disallow"):
            open_group = False
            if value:
                rule = (field == "allow", value)
                if any(_OURS in agent for agent in agents):
                    ours.append(rule)
                if "*" in agents:
                    everyone.append(rule)
    return Rules(tuple(ours if named else everyone))


def _matches(pattern: str, target: str) -> bool:
    anchored = pattern.endswith("$")
    parts = re.split(r"\*+", pattern.removesuffix("$"))
    if len(parts) > _MOST_WILDCARDS:
        return False
    # Literal parts found one after the other: no pattern can make this slow.
    if not target.startswith(parts[0]):
        return False
    place = len(parts[0])
    for part in parts[1:-1] if anchored else parts[1:]:
        found = target.find(part, place)
        if found < 0:
            return False
        place = found + len(part)
    if not anchored:
        return True
    last = parts[-1] if len(parts) > 1 else ""
    return target.endswith(last) and len(target) - len(last) >= place if len(parts) > 1 else place == len(target)
