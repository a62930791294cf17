"""Questions that were once answered wrong with a proof: none is told wrong any more, and most are right."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Any

from averment.reading.judge.judging import judge
from averment.reading.judge.verdict import Verdict

if TYPE_CHECKING:
    from collections.abc import Callable

    from averment.plans.compile import CompiledPlan
    from conftest import Library

KEPT = tomllib.loads(Path(__file__).with_name("wrong_before.toml").read_text(encoding="utf-8"))
LEAST_RIGHT = 25


def _verdict(library: Library, question: str) -> Verdict:
    def run(compiled: CompiledPlan) -> Any:
        composed = compiled.compose(library.catalog.dialect)
        return library.engine.run(composed.sql, composed.params).table

    return judge(library.read(question), run, schema=library.schema, question=question)


def _is_same(wanted: Any, cell: Any) -> bool:
    if not isinstance(wanted, int | float):
        return str(cell).casefold() == str(wanted).casefold() or str(cell).startswith(f"{wanted}T")
    try:
        return abs(float(wanted) - float(cell)) <= 0.002 * max(1.0, abs(float(wanted)))
    except (TypeError, ValueError):
        return False


def _is_right(right: list[list[list[Any]]], rows: list[list[Any]]) -> bool:
    def holds(wanted: list[Any], row: list[Any]) -> bool:
        return all(any(_is_same(cell, each) for each in row) for cell in wanted)

    return any(len(one) == len(rows) and all(any(holds(w, r) for r in rows) for w in one) for one in right)


def test_what_was_answered_wrong_is_now_right_or_asked_about(library: Callable[..., Library]) -> None:
    told: dict[str, list[str]] = {"right": [], "asked": [], "wrong": []}
    opened: dict[tuple[str, ...], Library] = {}
    for case in KEPT["case"]:
        tables, question = tuple(case["tables"]), case["question"]
        if tables not in opened:
            opened[tables] = library(**{name: KEPT["tables"][name] for name in tables})
        verdict = _verdict(opened[tables], question)
        if verdict.kind != "answer" or verdict.best is None:
            offers = [offer.candidate.read_back for offer in verdict.offers]
            told["asked"].append(f"{question} {verdict.left} {offers}")
        elif _is_right(case["right"], verdict.best.rows):
            told["right"].append(question)
        else:
            told["wrong"].append(f"{question}: {verdict.best.candidate.read_back}")
    print({name: len(questions) for name, questions in told.items()}, *told["asked"], sep="\n")
    assert len(KEPT["case"]) == 35
    assert told["wrong"] == []
    assert len(told["right"]) >= LEAST_RIGHT, told["asked"]
