"""WikiTableQuestions: questions over one web table, read by all the analyst's skills together."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from averment.agents.analyst.aggregate.reading import Reading
from averment.agents.analyst.query.reading import QueryReading

from averment.agents.analyst.rules import SURE, RuleReasoner
from averment.agents.analyst.skill import Candidate, Question
from averment.errors import AvermentError
from averment.tables.compose_select import compose_select
from averment.tables.select_spec import Select
from tables_direct import Opened, ask_all, plain, read_cases, timed


def predict(data_dir: Path) -> Iterator[dict[str, Any]]:
    """One prediction for each case: the first column of what the best sure reading returns."""
    reasoner = RuleReasoner()
    for case, source in ask_all(read_cases(data_dir), "table", data_dir / "tables", ""):
        began = time.perf_counter()
        values = [] if source is None else _answer(reasoner, source, case["question"])
        if not values:
            yield {"id": case["id"], "abstained": True, "seconds": timed(began)}
        else:
            yield {"id": case["id"], "answer": values, "seconds": timed(began)}


def _answer(reasoner: RuleReasoner, source: Opened, text: str) -> list[Any]:
    asked = Question(text=text, profiles=source.profiles, catalog=source.catalog, engine=source.engine)
    candidates = reasoner.candidates(asked)
    if not candidates or candidates[0].score < SURE:
        return []
    select = _select(candidates[0])
    if select is None:
        return []
    composed = compose_select(select, source.catalog.dialect)
    try:
        table = source.engine.run(composed.sql, composed.params).table
    except AvermentError:
        return []
    return [plain(value) for value in table.column(0).to_pylist() if value is not None]


def _select(candidate: Candidate) -> Select | None:
    """The query of a reading; None for readings that are no query, whose answers are reports and not cells."""
    if candidate.skill in {"rows", "query"}:
        return QueryReading.model_validate(candidate.reading).select
    if candidate.skill == "aggregate":
        return Reading.model_validate(candidate.reading).query()
    return None
