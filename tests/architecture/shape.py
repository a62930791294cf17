"""The shape of the source in numbers: lines, closures, slices, and aggregates named outside their registry.

python tests/architecture/shape.py           what is measured, beside the budget and the goal
python tests/architecture/shape.py --lower   write lower budgets where less is used; none is ever raised
"""

from __future__ import annotations

import ast
import sys
import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src"
BUDGETS = Path(__file__).with_name("sizes.toml")
AGENTS = ("analyst", "assistant", "driller", "researcher")
ROOMS = {
    "reading + language": ("reading", "language"),
    "plans + tables": ("plans", "tables"),
    "agents/analyst": ("agents/analyst",),
    "agents/driller + stats": ("agents/driller", "stats"),
    "agents/assistant": ("agents/assistant",),
    "agents/researcher + corpus": ("agents/researcher", "corpus"),
    "claims + evidence + reports + charts": ("claims", "evidence", "reports", "charts"),
    "faces + workbench + operations": ("faces", "workbench", "operations"),
    "store + records + runtime + tools": ("store", "records", "runtime", "tools"),
    "llm": ("llm",),
}
"""The rooms that share a budget; what is in none of them is the rest."""
REGISTRY = "averment/plans/registry.py"
"""Where the aggregates of the plan language are declared."""


class Budget(NamedTuple):
    """What may be used at most, what was used when it was first counted, and where it is to go."""

    most: int
    start: int
    goal: int | None


def modules(source: Path) -> dict[str, Path]:
    """Every module below a folder by its dotted name; a package is its ``__init__``."""
    matches: dict[str, Path] = {}
    for path in sorted(source.rglob("*.py")):
        parts = path.relative_to(source).with_suffix("").parts
        matches[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return matches


def graph(files: Mapping[str, Path]) -> dict[str, set[str]]:
    """What each module imports when it is loaded or when its types are checked; not what its functions import."""
    return {name: set(_imports(name, path, files)) - {name} for name, path in files.items()}


def _imports(name: str, path: Path, files: Mapping[str, Path]) -> Iterator[str]:
    package = name if path.name == "__init__.py" else name.rpartition(".")[0]
    for node in _outside_functions(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name in files)
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                above = package.split(".")[: len(package.split(".")) - node.level + 1]
                base = ".".join([*above, base] if base else above)
            inner = {f"{base}.{alias.name}" for alias in node.names}
            yield from inner & files.keys()
            if base in files and not inner <= files.keys():
                yield base


def _outside_functions(tree: ast.AST) -> Iterator[ast.AST]:
    for child in ast.iter_child_nodes(tree):
        if not isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            yield child
            yield from _outside_functions(child)


def package_of(module: str) -> str:
    """The package or single file of the root that a module counts in: the agents one by one."""
    parts = module.split(".")[1:]
    if parts[:1] == ["agents"] and len(parts) > 1:
        return "/".join(parts[:2])
    return parts[0] if parts else "averment"


def closure(edges: Mapping[str, set[str]], package: str) -> int:
    """How many modules a package and everything that it imports are."""
    seen = {name for name in edges if name == package or name.startswith(f"{package}.")}
    waiting = list(seen)
    while waiting:
        new = edges[waiting.pop()] - seen
        seen |= new
        waiting += new
    return len(seen)


def aggregates() -> frozenset[str]:
    """The names of the aggregates over values, as the plan language declares them; its counts are ordinary words."""
    from averment.plans.registry import AGGREGATES, COUNTS

    return frozenset(AGGREGATES) - COUNTS - {"rate"}


def _strings(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value


def measure() -> dict[str, int]:
    """Every figure that has a budget, by its name."""
    files = modules(SOURCE)
    edges = graph(files)
    importers = Counter(name for imported in edges.values() for name in imported)
    lines: Counter[str] = Counter()
    for name, path in files.items():
        lines[package_of(name)] += len(path.read_text(encoding="utf-8").splitlines())
    rooms = {package: room for room, packages in ROOMS.items() for package in packages}
    shared: Counter[str] = Counter()
    for package, count in lines.items():
        shared[rooms.get(package, "the rest")] += count
    known = aggregates()
    named = sum(
        text in known
        for path in files.values()
        if str(path.relative_to(SOURCE)) != REGISTRY
        for text in _strings(ast.parse(path.read_text(encoding="utf-8")))
    )
    return {
        "files": len(files),
        "lines": sum(lines.values()),
        **{f"lines of {room}": shared[room] for room in [*ROOMS, "the rest"]},
        **{f"closure {agent}": closure(edges, f"averment.agents.{agent}") for agent in AGENTS},
        "one importer, per thousand": round(1000 * sum(importers[name] == 1 for name in edges) / len(edges)),
        "aggregates named outside their registry": named,
    }


def read_budgets(text: str) -> dict[str, Budget]:
    """The budgets of a file by the name of what they limit."""
    return {
        name: Budget(entry["most"], entry["start"], entry.get("goal")) for name, entry in tomllib.loads(text).items()
    }


def written(budgets: Mapping[str, Budget]) -> str:
    """Budgets as the text of their file."""
    head = "# What may be used at most, what was used first, and the goal. Numbers only go down: shape.py --lower.\n"
    rows = [
        f'"{name}" = {{ most = {budget.most}, start = {budget.start}'
        + (f", goal = {budget.goal}" if budget.goal is not None else "")
        + " }\n"
        for name, budget in budgets.items()
    ]
    return head + "".join(rows)


def main() -> None:
    """Print each figure beside its budget; with ``--lower`` take over what is lower."""
    figures = measure()
    budgets = read_budgets(BUDGETS.read_text(encoding="utf-8"))
    for name, figure in figures.items():
        budget = budgets.get(name)
        print(f"{name:45} {figure:8,}", f"of {budget.most:,}, goal {budget.goal}" if budget else "has no budget")
    if "--lower" in sys.argv:
        lowered = {
            name: Budget(min(budget.most, figures[name]), budget.start, budget.goal)
            for name, budget in budgets.items()
            if name in figures
        }
        BUDGETS.write_text(written(lowered), encoding="utf-8")


if __name__ == "__main__":
    main()
