"""Words that ask: aggregates, splits, and the many little words that change nothing."""

from __future__ import annotations

from averment.agents.analyst.parts.nouns import Aggregate

AGGREGATES: dict[str, Aggregate] = {
    "total": "sum",
    "totals": "sum",
    "sum": "sum",
    "overall": "sum",
    "combined": "sum",
    "average": "avg",
    "averages": "avg",
    "mean": "avg",
    "means": "avg",
    "avg": "avg",
    "typical": "median",
    "median": "median",
    "medians": "median",
    "minimum": "min",
    "min": "min",
    "maximum": "max",
    "max": "max",
}

SPLITTERS = frozenset("by per each every across among within".split())
PASSED = frozenset("the each every all of our different individual a an its their single".split())
"""Words that may stand between a splitting word and what it splits by."""

ROW_NOUNS = frozenset("row record entry line case".split())

NEUTRAL = frozenset(
    """
    a an the of for in on at to from with and or me my us our we you i please show shows showing give gives list get
    what whats is are was were be been how much did do does has have had tell find see display draw plot graph chart
    charts visualise visualize compute calculate determine report make create using use based can could would like want
    need know there their its it this that these those all data dataset table over across during within as if into
    by per each every among split broken down grouped group value values figure figures number numbers level levels
    result results then than also so just look looks go went come came happen happened time terms respective
    respectively here now out up about
    """.split()
)
"""Words a question may hold that no reading needs a place for."""

ORDINARY = (
    frozenset("total sum average mean median day week month quarter year hour date time name first last code".split())
    | NEUTRAL
)
"""Words of column names that a phrase may hold in their plain meaning all the same."""

MONEY = frozenset("amount revenue sale turnover total price value income".split())
AMOUNT_WORDS = frozenset("sale revenue turnover income takings".split())
"""What people call the one amount a table has, whatever its column is called."""

UNIT_WORDS = frozenset("unit piece item".split())
QUANTITIES = frozenset("quantity qty unit count volume".split())

INTENSIVE = frozenset(
    """
    price rate temperature temp score rating age ratio percent percentage pct margin height speed density grade gpa
    index humidity pressure latitude longitude level fee salary wage depth width length average avg mean duration close
    open high low balance
    """.split()
)
"""A column named like this does not add up: its parts are averaged where no word says otherwise."""
