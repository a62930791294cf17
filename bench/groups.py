"""Groups of tables that questions join, and which of them are set aside: measured on at most three times, never read.

python bench/groups.py FOLDER...    the groups set aside in folders that hold questions.jsonl beside their tables

A group is every table that questions connect; it is named by its folder and its first table. It is set aside if the
SHA-256 of this name begins with a byte below 51, which is a fifth of them.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable
from hashlib import sha256
from pathlib import Path

ASIDE_BELOW = 51


def groups(sources: Iterable[Iterable[str]]) -> dict[str, str]:
    """The group of each table, named by the first of its tables."""
    root: dict[str, str] = {}

    def top(name: str) -> str:
        while root.setdefault(name, name) != name:
            name = root[name]
        return name

    for tables in sources:
        first, *others = sorted(map(top, tables))
        for other in others:
            one, two = sorted((top(first), top(other)))
            root[two] = one
    return {name: top(name) for name in root}


def is_aside(name: str) -> bool:
    """Whether a group of this name is set aside."""
    return sha256(name.encode()).digest()[0] < ASIDE_BELOW


def set_aside(folder: Path) -> list[str]:
    """The names of the groups of a folder that are set aside."""
    lines = (folder / "questions.jsonl").read_text(encoding="utf-8").splitlines()
    found = groups(json.loads(line)["sources"] for line in lines)
    return sorted({f"{folder.name}/{name}" for name in found.values() if is_aside(f"{folder.name}/{name}")})


if __name__ == "__main__":
    for folder in map(Path, sys.argv[1:]):
        names = set_aside(folder)
        print(f"{folder.name} = {json.dumps(names)}  # {len(names)}")
