"""The grammar reader: a question over a schema becomes candidate plans, each with its score and the words it leaves over."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from averment.plans.readback import read_back
from averment.reading.account import unaccounted
from averment.reading.lattice import cut, tilings
from averment.reading.operations import propose
from averment.reading.settle import settle
from averment.reading.slots import fill

if TYPE_CHECKING:
    from averment.plans.plan import Plan
    from averment.reading.lattice import Span, Tiling
    from averment.reading.schema import Schema, Table

MOST_TABLES = 4
LEFT_OVER = 0.8
JOINED = 0.22
AWAY = 0.2


@dataclass(frozen=True, slots=True)
class Candidate:
    """One reading of a question: its plan, how well it fits, what it leaves over, and its weakest link."""

    plan: Plan
    read_back: str
    score: float
    left: tuple[str, ...]
    weakest: float
    spans: tuple[Span, ...]


def read(question: str, schema: Schema) -> list[Candidate]:
    """Candidate readings, the best first."""
    lattice = cut(question, schema)
    found: dict[str, Candidate] = {}
    for tiling in tilings(lattice):
        for home in _homes(tiling, schema):
            _read_tiling(tiling, home, schema, found)
    return sorted(found.values(), key=lambda c: (-c.score, c.read_back))


def _read_tiling(tiling: Tiling, home: Table, schema: Schema, found: dict[str, Candidate]) -> None:
    links = [s.strength for s in tiling.spans if s.type in {"COLUMN", "VALUE", "ROW", "DENY"}]
    weakest = min(links, default=1.0)
    spans = tuple(s for s in tiling.spans if s.type not in {"STOP", "AND"})
    for state in fill(schema, home, tiling):
        for cost, raw in propose(state):
            plan = settle(schema, raw)
            if plan is None:
                continue
            lost = unaccounted(plan, spans)
            # A word that found no place while reading may still have left its trace in the plan.
            left = list(dict.fromkeys([*(w for w in state.unknown if w in lost or not _placed(w, spans)), *lost]))
            score = tiling.score - cost - LEFT_OVER * len(left) - JOINED * len(plan.joins)
            score -= AWAY * (plan.table != home.name)
            said = read_back(plan)
            kept = found.get(said)
            if kept is None or score > kept.score:
                found[said] = Candidate(plan, said, score, tuple(left), weakest, spans)


def _placed(word: str, spans: tuple[Span, ...]) -> bool:
    return any(span.type == "UNKNOWN" and span.text == word for span in spans)


def _homes(tiling: Tiling, schema: Schema) -> list[Table]:
    """The tables a question may be about: those it names, rows first, and the one that events are in."""
    if len(schema.tables) == 1:
        return list(schema.tables.values())
    named: list[str] = []
    for kind in ("ROW", "COLUMN", "VALUE"):
        for span in tiling.spans:
            if span.type == kind:
                data = span.data[0] if kind == "VALUE" else span.data
                name = data if kind == "ROW" else data.table
                if name and name not in named:
                    named.append(name)
    if schema.fact not in named:
        named.append(schema.fact)
    return [schema.tables[name] for name in named[:MOST_TABLES]]
