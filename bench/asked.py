"""Questions asked of the workbench as anybody would ask them, and how the answers fared.

Shared by the adapters of the table sets. A case ends in one of four ways: answered (right, or wrong with confidence),
asked back with readings to choose from (a right one among them, or not), or declined.
"""

from __future__ import annotations

import hashlib
import importlib.util
import json
import sys
import tempfile
import time
import tomllib
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

from averment import Workbench
from averment.errors import AvermentError

Rows = list[list[Any]]
Right = Callable[[dict[str, Any], Rows], bool]
"""Whether rows are what a case asks for."""

Shape = Callable[[Any, Rows], Rows]
"""Rows of a plan in the form that a set compares."""

SET_ASIDE = Path(__file__).with_name("set_aside_public.toml")
ANSWERED = frozenset({"completed", "partial_success"})


def read_lines(path: Path) -> list[dict[str, Any]]:
    """The objects of a file, one a line."""
    return [json.loads(line) for line in path.read_text(encoding="utf8").splitlines() if line]


def read_cases(data: Path) -> list[dict[str, Any]]:
    """The cases of a set, with ``--part seen`` or ``--part aside`` those that may be read or that are set aside.

    With ``--sample N`` N of them, evenly spaced.
    """
    cases = read_lines(data / "cases.jsonl")
    if "--part" in sys.argv:
        aside = sys.argv[sys.argv.index("--part") + 1] == "aside"
        cases = [case for case in cases if is_aside(data.name, str(case.get("db") or case["table"])) is aside]
    most = int(sys.argv[sys.argv.index("--sample") + 1]) if "--sample" in sys.argv else len(cases)
    return cases if most >= len(cases) else [cases[at * len(cases) // most] for at in range(most)]


def is_aside(name: str, place: str) -> bool:
    """Whether a database or table of a set is only measured on."""
    kept = tomllib.loads(SET_ASIDE.read_text(encoding="utf8"))[name]
    return hashlib.sha256(place.encode()).digest()[0] >= kept["look_below"]


def ask_all(
    cases: list[dict[str, Any]], source: Callable[[dict[str, Any]], Path], text: Callable[[dict[str, Any]], str]
) -> Iterator[tuple[dict[str, Any], Any, float]]:
    """Each case with its run, or None where the run failed, and its seconds; why it failed is said on stderr."""
    with tempfile.TemporaryDirectory() as home, Workbench(home=home) as workbench:
        for case in cases:
            began = time.perf_counter()
            try:
                run = workbench.analyze(text(case), sources=[source(case)], deliverables=("tables", "summary"))
            except AvermentError as error:
                print(f"{case['id']} failed: {error.code}", file=sys.stderr)
                run = None
            except Exception as error:  # A fault of the product, counted like any other failure, but never hidden.
                print(f"{case['id']} crashed: {error!r}", file=sys.stderr)
                run = None
            yield case, run, round(time.perf_counter() - began, 4)


def prediction(case: dict[str, Any], run: Any, seconds: float, shape: Shape | None = None) -> dict[str, Any]:
    """What a scorer reads: rows, or that there are none; and the readings that were offered instead.

    ``shape`` puts rows of a plan into the form that a set wants.
    """
    body: dict[str, Any] = {"id": case["id"], "seconds": seconds}
    formed = shape or (lambda _, rows: rows)
    if run is not None and run.status in ANSWERED and run.table is not None:
        return {**body, "rows": formed(run.plan, rows_of(run.table))}
    shown = [] if run is None else [(offer.plan, [list(map(plain, row)) for row in offer.rows]) for offer in run.offers]
    offers = [formed(plan, rows) for plan, rows in shown]
    return {**body, "abstained": True, "offers": offers}


def rows_of(table: Any) -> Rows:
    """The rows of an Arrow table as JSON writes them."""
    columns = [column.to_pylist() for column in table.columns]
    return [[plain(value) for value in row] for row in zip(*columns, strict=True)]


def plain(value: Any) -> Any:
    """A cell as JSON writes it."""
    return value if value is None or isinstance(value, str | int | float | bool) else str(value)


def scorer(data: Path) -> ModuleType:
    """The set's own scorer, for how it compares rows."""
    spec = importlib.util.spec_from_file_location(f"{data.name}_score", data / "score.py")
    assert spec is not None and spec.loader is not None  # a set has its scorer beside it
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def tally(predictions: list[dict[str, Any]], cases: list[dict[str, Any]], right: Right) -> dict[str, float]:
    """How the cases fared, as shares of all: right, wrong with confidence, offered right, asked, declined, covered."""
    known = {case["id"]: case for case in cases}
    found: Counter[str] = Counter()
    for each in predictions:
        case = known[each["id"]]
        if "rows" in each:
            found["right" if right(case, each["rows"]) else "wrong"] += 1
        elif not each["offers"]:
            found["declined"] += 1
        else:
            found["offered_right" if any(right(case, rows) for rows in each["offers"]) else "asked"] += 1
    count = max(1, len(predictions))
    shares = {name: round(found[name] / count, 4) for name in ("right", "wrong", "offered_right", "asked", "declined")}
    return {"n": len(predictions), **shares, "covered": round((found["right"] + found["offered_right"]) / count, 4)}


def report(predict: Callable[[Path], Iterator[dict[str, Any]]], right: Callable[[Path], Right], data: Path) -> None:
    """Ask all cases of a set and print how they fared."""
    began = time.process_time()
    predictions = list(predict(data))
    print(f"{time.process_time() - began:.0f} CPU s", file=sys.stderr)
    print(json.dumps(tally(predictions, read_lines(data / "cases.jsonl"), right(data))))
