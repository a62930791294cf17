"""Questions inside questions: "in the year with the fewest passengers, which month was busiest?"

A phrase that names a thing by its rank is cut out and read by itself; what it finds becomes a condition of the rest.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from averment.plans.plan import Test
from averment.reading.lattice.tilings import Tiling, worth
from averment.reading.resolve_joins import resolve_joins

if TYPE_CHECKING:
    from averment.plans.plan import Plan
    from averment.reading.lattice.spans import Lattice, Span
    from averment.reading.schema.schema_view import Schema

_LEADING = frozenset("in on for of during at from within among".split())
_ASKING = ("count", "which", "mean", "sum", "median", "much", "share", "list", "when", "rate", "distinct")


def splits(tiling: Tiling, lattice: Lattice) -> Iterator[tuple[Tiling, Tiling]]:
    """Ways to cut a tiling into a phrase that ranks and a question about what it finds."""
    spans = tiling.spans
    for place, span in enumerate(spans):
        if place == 0 or place >= len(spans) - 1:
            continue
        if _comma_before(span, lattice) and span.text != "where":
            head, tail = spans[:place], spans[place:]
            if _ranks(head) and not _asks(head) and _asks(tail):
                yield _tiling(head), _tiling(tail)
        if _opens(spans, place):
            head, tail = spans[:place], spans[place:]
            if _ranks(tail) and _names(tail) and _asks(head) and not _ranks(head):
                yield _tiling(tail), _tiling(head)


def _comma_before(span: Span, lattice: Lattice) -> bool:
    start = lattice.places[span.start][0]
    return lattice.question[:start].rstrip().endswith((",", ";", ":"))


def _opens(spans: tuple[Span, ...], place: int) -> bool:
    """Whether "in the", "of the" … stand here."""
    return spans[place].text in _LEADING and place + 1 < len(spans) and spans[place + 1].text == "the"


def _names(spans: tuple[Span, ...]) -> bool:
    """Whether a thing and its rank come close together: "the year with the most …", "the heaviest species"."""
    solid = [s for s in spans if s.type != "STOP"][:3]
    return any(s.type in {"COLUMN", "ROW", "PART"} for s in solid) and _ranks(tuple(solid))


def ranks(span: Span) -> bool:
    """Whether a span is a superlative."""
    return span.cue("most", "least", "common", "rare", "top") or (
        span.type == "GRADE" and span.data[1] in {"most", "least"}
    )


def _ranks(spans: tuple[Span, ...]) -> bool:
    return any(map(ranks, spans))


def _asks(spans: tuple[Span, ...]) -> bool:
    return any(s.cue(*_ASKING) for s in spans)


def _tiling(spans: tuple[Span, ...]) -> Tiling:

    return Tiling(spans, sum(worth(span) for span in spans))


def around_of(outer: Plan, inner: Plan, schema: Schema) -> Plan | None:
    """The outer plan over the rows of what the inner one finds."""
    keys = inner.by or inner.show
    if not keys or inner.rank is None or inner.rank.within or outer.statistic is not None:
        return None
    key = keys[0]
    column = schema.column(key.table or "", key.column or "")
    if any(value == key for value in outer.by) or (column is not None and column.has("measure")):
        return None
    plan = inner.model_copy(update={"show": inner.show[:1]}) if inner.show else inner
    test = Test(value=key, operator="in", inner=plan)
    return resolve_joins(schema, outer.model_copy(update={"where": (*outer.where, test), "joins": ()}))
