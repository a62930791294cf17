"""The gates of a reading: what leaves nothing to guess, and each reason for which a reading is asked about instead."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, cast

import pytest

from averment.plans.plan import Plan
from averment.plans.statistics import statistic_of
from averment.reading.judge.gates import gates_of, is_plain, why_open
from averment.reading.judge.verdict import Reading
from averment.reading.lattice.spans import Span
from averment.reading.reader import Candidate
from spoken import (
    AGE,
    COUNT,
    DEPARTED,
    FEE,
    GUEST,
    JOIN,
    NAME,
    NIGHTS,
    PITCH,
    TOWN,
    bar,
    column,
    cue,
    figure,
    held,
    meets,
    named,
    plan,
    rows,
    said,
    some,
    span,
    worked_out,
)

SUM = figure("sum", FEE)
TOTAL, BY, HOW_MANY, LIST = cue("total", "sum"), cue("by"), cue("how many", "count"), cue("list")
BY_PITCH = plan(SUM, by=(PITCH,))
WORDS = (TOTAL, named(FEE), BY, named(PITCH))
ELM = held(PITCH, "Elm")


def reading(made: Plan = BY_PITCH, words: Any = WORDS, name: str = "total fee, by pitch", **more: Any) -> Reading:
    found: dict[str, Any] = {"rows": [["Elm", 3.0]], "odds": 0.9, "score": 1.0, "left": (), **more}
    spans = tuple(said(*words)[0])
    own = Candidate(made, name, found["score"], found["left"], 1.0, spans)
    return Reading(own, cast("Any", None), ("c0",), found["rows"], found["odds"])


OTHER = reading(plan(figure("sum", AGE)), (TOTAL, named(AGE)), "total age", score=0.1, odds=0.2)
PLAIN: dict[str, tuple[Reading, bool]] = {
    "whole names and a figure": (reading(), True),
    "no rows": (reading(rows=[]), False),
    "a word left over": (reading(left=("tips",)), False),
    "a name in the plural": (reading(words=(TOTAL, named(FEE, strength=0.95), BY, named(PITCH))), True),
    "a name that only comes near": (reading(words=(TOTAL, named(FEE, strength=0.94), BY, named(PITCH))), False),
    "a value as it stands": (reading(words=(*WORDS, ELM)), True),
    "a value that only comes near": (reading(words=(*WORDS, held(PITCH, "Elm", strength=0.94))), False),
    "a cue that only comes near": (reading(words=(*WORDS, replace(LIST, strength=0.5))), True),
    "a table's noun": (reading(words=(*WORDS, rows(strength=0.92))), True),
    "a table's noun that only comes near": (reading(words=(*WORDS, rows(strength=0.91))), False),
    "records": (reading(words=(*WORDS, rows("records", None, 0.5))), True),
    "tractors": (reading(words=(*WORDS, rows("tractors", None, 0.5))), False),
    "records of a table": (reading(words=(*WORDS, rows("records", "stays", 0.5))), False),
    "a column called records": (reading(words=(*WORDS, named(FEE, "records", 0.5))), False),
    "a word that nothing names": (reading(words=(*WORDS, span("UNKNOWN", "so"))), False),
    "a guess": (reading(words=(*WORDS, replace(LIST, guessed=True))), False),
    "no word for the figure": (reading(words=(named(FEE), BY, named(PITCH))), False),
    "stays by pitch": (reading(plan(COUNT, by=(PITCH,)), (rows(), BY, named(PITCH))), True),
    "an overview": (reading(plan(statistic=statistic_of("overview")), (LIST,)), True),
    "another statistic": (reading(plan(statistic=some("trend")), (LIST,)), False),
    "a join that no word speaks of": (reading(plan(SUM, by=(PITCH,), joins=(JOIN,))), False),
    "a join that is said": (reading(plan(SUM, by=(TOWN,), joins=(JOIN,)), (TOTAL, named(FEE), BY, named(TOWN))), True),
}


@pytest.mark.parametrize("case", PLAIN)
def test_nothing_is_left_to_guess_only_where_every_word_is_a_name_and_says_what(case: str) -> None:
    best, plain = PLAIN[case]
    assert is_plain(best, [best]) is plain


def test_a_second_whole_reading_leaves_something_to_guess() -> None:
    best = reading()
    assert not is_plain(best, [best, OTHER])
    assert is_plain(best, [best, replace(OTHER, candidate=replace(OTHER.candidate, left=("tips",)))])


def listed(*tests: Any, joined: bool = True, **parts: Any) -> Plan:
    return plan(**{"show": (NAME,), "where": tests, "joins": (JOIN,) if joined else (), **parts})


NOT_ELM = meets(PITCH, "!=", "Elm")
RATIO = figure("sum", FEE, over=figure("sum", NIGHTS))
GAP = meets(DEPARTED, "null")
GUESTS_OF = figure("distinct", GUEST)
FEWER = bar(COUNT, "<", 5)
CUT = column("cut", "stays", "measure")
NET = column("net", expression=worked_out(FEE, "-", NIGHTS), before=CUT)
DEFINED = column("pace", expression=worked_out(FEE, "/", NIGHTS))
PER_NIGHT = plan(figure("mean", worked_out(FEE, "/", NIGHTS)))
KINDS = [[4]]  # As many as the column has.
OPEN: dict[str, tuple[Reading, str | None]] = {
    "a sure reading": (reading(), None),
    "a guess": (reading(words=(replace(TOTAL, guessed=True), named(FEE))), "total only comes near what is meant"),
    # Who did not stay at Elm has no stay, or one elsewhere.
    "names of those not at elm": (reading(listed(NOT_ELM)), "no row at all"),
    "names of those at none of two": (reading(listed(meets(PITCH, "not in", "Elm", "Oak"))), "no row at all"),
    "names of those turned away": (reading(listed(meets(PITCH, "=", "Elm", negated=True))), "no row at all"),
    "names of those at elm": (reading(listed(meets(PITCH, "=", "Elm"))), None),
    "names not from oslo": (reading(listed(meets(TOWN, "!=", "Oslo"))), None),
    "pitches of those not at elm": (reading(listed(NOT_ELM, show=(PITCH,))), None),
    "names, by pitches not elm": (reading(listed(NOT_ELM, by=(PITCH,))), None),
    "rows not at elm": (reading(listed(NOT_ELM, joined=False)), None),
    "how many not at elm": (reading(plan(COUNT, where=(NOT_ELM,), joins=(JOIN,))), None),
    # As many kinds as there are say nothing.
    "kinds under a condition": (
        reading(plan(figure("distinct", PITCH), where=(meets(AGE, ">", 3),)), (HOW_MANY, named(PITCH)), rows=KINDS),
        "rows may be meant",
    ),
    "fewer kinds under a condition": (
        reading(plan(figure("distinct", PITCH), where=(meets(AGE, ">", 3),)), (HOW_MANY, named(PITCH)), rows=[[3]]),
        None,
    ),
    # A ratio by what nobody speaks of.
    "a fee by nights that are not said": (reading(plan(RATIO), (named(FEE), cue("rate"))), "divides by what no word"),
    "a fee by nights": (reading(plan(RATIO), (named(FEE), named(NIGHTS))), None),
    "a fee a night": (reading(plan(RATIO), (named(FEE), rows("night", None))), None),
    "a mean of the unsaid ratio": (reading(PER_NIGHT, (named(FEE),)), "divides by what no word"),
    "a mean of nights by the unsaid fee": (
        reading(plan(figure("mean", worked_out(NIGHTS, "/", FEE))), (named(NIGHTS),)), "divides by what no word",
    ),
    "a mean of an unsaid product": (reading(plan(figure("mean", worked_out(FEE, "*", NIGHTS))), (named(FEE),)), None),
    "a pace that is defined so": (reading(PER_NIGHT, (named(DEFINED),)), None),
    "a pace that a relative names": (reading(PER_NIGHT, (named(DEFINED, "speed"),)), "divides by what no word"),
    "by how many rows": (reading(plan(figure("sum", FEE, over=COUNT)), (named(FEE),)), None),
    # Each row that is out, or each thing once.
    "guests who did not leave": (reading(plan(GUESTS_OF, where=(GAP,))), "each row may be counted"),
    "different guests who did not leave": (
        reading(plan(GUESTS_OF, where=(GAP,)), (cue("different", "distinct"),)), None,
    ),
    "stays that did not end": (reading(plan(COUNT, where=(GAP,))), None),
    "guests at elm": (reading(plan(GUESTS_OF, where=(meets(PITCH, "=", "Elm"),))), None),
    # Who has fewer may have none.
    "fewer than five": (reading(plan(COUNT, by=(NAME,), joins=(JOIN,), having=(FEWER,))), "none at all"),
    "at most five": (reading(plan(COUNT, by=(NAME,), joins=(JOIN,), having=(bar(COUNT, "<=", 5),))), "none at all"),
    "at least five": (reading(plan(COUNT, by=(NAME,), joins=(JOIN,), having=(bar(COUNT, ">=", 5),))), None),
    "fees below five": (reading(plan(SUM, by=(NAME,), joins=(JOIN,), having=(bar(SUM, "<", 5),))), None),
    "fewer than five, in one table": (reading(plan(COUNT, by=(GUEST,), having=(FEWER,))), None),
    # Before or after what is taken off.
    "a net that leaves the cut out": (reading(words=(TOTAL, named(NET))), "before or after cut"),
    "a net, and the cut set aside": (reading(words=(TOTAL, named(NET), span("ASIDE", "before cut", CUT))), None),
    "a net and the cut": (reading(words=(TOTAL, named(NET), named(CUT))), None),
}  # fmt: skip


@pytest.mark.parametrize("case", OPEN)
def test_a_reading_that_may_mean_something_else_is_asked_about(case: str) -> None:
    best, why = OPEN[case]
    found = why_open(best, [best])
    assert (found is None) if why is None else (found is not None and why in found)


@pytest.mark.parametrize(
    ("score", "odds", "left", "open_"),
    [
        (0.5, 0.5, (), False),
        (0.985, 0.5, (), True),  # nearer than a fiftieth
        (0.975, 0.5, (), False),
        (1.015, 0.5, (), True),  # also where it fits a little better
        (0.5, 0.88, (), True),  # odds nearer than three hundredths
        (0.5, 0.86, (), False),
        (1.0, 0.9, ("tips",), False),  # what leaves a word out is no rival
    ],
)
def test_a_rival_is_near_by_its_fit_or_by_its_odds(
    score: float, odds: float, left: tuple[str, ...], open_: bool
) -> None:
    best = reading()
    rival = reading(plan(figure("sum", AGE)), (TOTAL, named(AGE)), "total age", score=score, odds=odds, left=left)
    assert why_open(best, [best, rival]) == ("“total age” does" if open_ else None)


def test_the_likelier_of_two_rivals_is_named() -> None:
    best = reading()
    rivals = [reading(name=name, score=1.0, odds=odds) for name, odds in (("less", 0.3), ("more", 0.4))]
    assert why_open(best, [best, *rivals]) == "“more” does"


COMPOSER, ARTIST = column("composer", "tracks", kind="text"), column("artist", "artists", "label", kind="text")


def _named_bach(of: Any, *more: Span, strength: float = 1.0, **parts: Any) -> Reading:
    words = (HOW_MANY, held(of, "Bach", strength=strength), *more)
    return reading(plan(COUNT, table=of.table), words, f"by {of.name}", **parts)


@pytest.mark.parametrize(
    ("best", "other", "same"),
    [
        (_named_bach(COMPOSER), _named_bach(ARTIST, score=0.11), True),
        (_named_bach(COMPOSER), _named_bach(ARTIST, score=0.09), False),
        (_named_bach(COMPOSER), _named_bach(ARTIST, score=0.11, strength=0.89), False),
        (_named_bach(COMPOSER, strength=0.89), _named_bach(ARTIST, score=0.11), False),
        (_named_bach(COMPOSER, named(COMPOSER)), _named_bach(ARTIST, score=0.11), False),
        (_named_bach(ARTIST), _named_bach(COMPOSER, score=0.11), False),
        (_named_bach(COMPOSER), _named_bach(column("name", "tracks", "label"), score=0.11), False),
        (_named_bach(column("writer", "tracks", "label")), _named_bach(ARTIST, score=0.11), False),
        (_named_bach(COMPOSER), reading(words=(ELM, held(ARTIST, "Bach")), score=0.11), False),
    ],
)
def test_a_value_that_is_also_the_name_of_a_thing_is_asked_about(best: Reading, other: Reading, same: bool) -> None:
    other = replace(other, odds=0.1)
    assert (why_open(best, [best, other]) == f"a name is also one of “{other.candidate.read_back}”") is same
    assert same or why_open(best, [best, other]) is None


def _counted(table: str, *words: Span, joined: bool = False, **more: Any) -> Reading:
    made = plan(COUNT, table=table, joins=(JOIN,) if joined else ())
    return reading(made, words, f"number of rows, in {table}", **{"score": 0.1, "odds": 0.1, **more})


@pytest.mark.parametrize(
    ("words", "joined", "left", "open_"),
    [
        ((HOW_MANY,), False, (), True),
        ((HOW_MANY, rows(strength=0.9)), False, (), False),
        ((HOW_MANY, rows(strength=0.89)), False, (), True),
        ((HOW_MANY, rows("guests", "guests")), False, (), True),
        ((HOW_MANY,), True, (), False),
        ((HOW_MANY,), False, ("tips",), False),
    ],
)
def test_the_same_of_another_table_is_asked_about_unless_the_table_is_named(
    words: tuple[Span, ...], joined: bool, left: tuple[str, ...], open_: bool
) -> None:
    best = _counted("stays", *words, score=1.0, odds=0.9)
    other = _counted("guests", HOW_MANY, joined=joined, left=left)
    assert (why_open(best, [best, other]) == "the same could be meant of another table") is open_
    unlike = replace(other, candidate=replace(other.candidate, read_back="number of guests, in guests"))
    assert why_open(best, [best, unlike]) is None


def test_a_name_that_ends_in_no_table_is_not_the_same_as_another_without_one() -> None:
    best, other = reading(name="fees"), reading(name="ages", score=0.1, odds=0.1)
    assert why_open(best, [best, other]) is None


def test_each_gate_says_why_it_is_closed() -> None:
    best = reading()
    assert set(gates_of(best, [best], answers_from=0.9, unable=None).values()) == {None}
    low = replace(best, odds=0.5)
    closed = gates_of(low, [low], answers_from=0.9, unable=best.candidate)
    assert closed["odds of at least 0.9"] == "0.50"
    assert closed["the likeliest reading can be carried out"] == "not “total fee, by pitch”"
    linked = reading(words=(*WORDS, replace(LIST, probability=0.9, text="crop")))
    assert (
        gates_of(linked, [linked], answers_from=0.9, unable=None)["every word has its place"]
        == "nothing is called crop"
    )
    left = reading(left=("tips", "taxes"))
    assert gates_of(left, [left], answers_from=0.9, unable=None)["every word has its place"] == "leaves out tips, taxes"
