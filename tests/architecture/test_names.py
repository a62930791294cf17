"""Names: words that were replaced stay away, and a module's name is its own within its package."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from pathlib import Path

HOUSE = Path(__file__).parents[2] / "src" / "averment"

WORDS = frozenset(
    "cookbook crew deferring desk disputable forge gathered gathering hush likeness logbook mend mended mender mending "
    "nursery recast reign remark remarks settle settled shelf spine unsettled weigh weighed wordbook".split()
)
"""Words that no module, class or function has in its name: the word of the field stands in their place."""

NOUNS = frozenset(
    "acts advised asked_anew asking begun_by between carried carry carry_files certainty contrast drawn either "
    "filing go_on heard in_context kept looking magic marked meant noted open_in opened picks pointed presence reached "
    "recast said seed_report seen session_mirror sets settled several signs taken tiles told typing_ wide work".split()
)
"""What no module and no class is called: past participles, and words that say too little."""

SAME = {
    "faces": frozenset("app chat corpus mcp meanings research".split()),
    "records": frozenset("plan request run".split()),
}
"""Names that a package has twice, told apart by the folder: as a command and as a route, or as a record of an agent."""


def _modules() -> list[Path]:
    return sorted(path.relative_to(HOUSE) for path in HOUSE.rglob("*.py") if path.name != "__init__.py")


def _room(module: Path) -> str:
    parts = module.parent.parts
    return "/".join(parts[:2] if parts[:1] == ("agents",) else parts[:1])


def _words(name: str) -> set[str]:
    return {word.lower() for word in re.findall(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])", name)}


def test_no_name_has_a_word_that_was_replaced() -> None:
    found: list[str] = []
    for path in sorted(HOUSE.rglob("*.py")):
        place = path.relative_to(HOUSE)
        names = [(place.stem, True)] + [
            (node.name, isinstance(node, ast.ClassDef))
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
            if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)
        ]
        found += [
            f"{place}: {name}"
            for name, is_noun in names
            if _words(name) & WORDS or (is_noun and name.strip("_").lower() in NOUNS)
        ]
    assert found == []


def test_the_name_of_a_module_is_its_own_within_its_package() -> None:
    places: dict[tuple[str, str], list[str]] = defaultdict(list)
    for module in _modules():
        if module.parent.parts and module.stem not in SAME.get(_room(module), ()):
            places[_room(module), module.stem].append(str(module))
    assert [each for each in places.values() if len(each) > 1] == []


def test_every_exception_is_one() -> None:
    rooms = [(_room(module), module.stem) for module in _modules()]
    assert [
        (room, name) for room, names in SAME.items() for name in sorted(names) if rooms.count((room, name)) < 2
    ] == []
