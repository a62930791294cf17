"""Names of columns and verbs: each is accounted for by what a plan does, and left over where it only comes near."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from averment.plans.plan import Combine, Join, Plan, Rank, Value
from averment.reading.account.word_accounts import unaccounted
from averment.reading.lattice.spans import Span
from spoken import (
    AGE,
    ARRIVED,
    BILL,
    COUNT,
    DEPARTED,
    FEE,
    GUEST,
    JOIN,
    NAME,
    NIGHTS,
    PETS,
    PITCH,
    SCORE,
    STAY,
    TOWN,
    bar,
    column,
    cue,
    figure,
    grade,
    held,
    meets,
    named,
    part,
    plan,
    rows,
    said,
    span,
    worked_out,
)

pytestmark = pytest.mark.thorough

SUM, MEAN = figure("sum", FEE), figure("mean", FEE)
BERTH = column("berth", "stays", "label", kind="text", unique=True)
TITLE = column("book_title", "guests", kind="text")
OWED = column("owed", expression=worked_out(FEE, "-", BILL))
PER_NIGHT = column("per_night", expression=worked_out(FEE, "/", NIGHTS))
TAUGHT = column("yield", figure=figure("sum", FEE))
POINTING = column("guest_id", "stays", "key", kind="text")
FILED = column("filed_by", kind="text")
PORT = column("embarkation", kind="text")
EMBARKED = column("embarked_date", kind="date", filled=30)
OPENED = column("opened", kind="date")
LEFT = column("opened", kind="date", filled=30)
QUIET, QUIET_PCT = column("quiet"), column("quiet_pct")
HOW_MANY, WHICH = cue("how many", "count"), cue("which")
LASTING = figure("mean", Value(kind="days", operands=(ARRIVED.value, DEPARTED.value)))
ELM = held(PITCH, "Elm")
ANYWHERE = SimpleNamespace(stands_in=lambda _: True)
IN_2024 = span("TIME", "2024", SimpleNamespace(recurring=None))
AT_ELM, GAP = meets(PITCH, "=", "Elm"), meets(DEPARTED, "null")


def word(text: str) -> Span:
    return span("UNKNOWN", text)


Cases = dict[str, tuple[Plan, tuple[Span | str, ...], list[str]]]
NAMES: Cases = {
    "a taught figure": (plan(SUM), (named(TAUGHT),), []),
    "another figure": (plan(MEAN), (named(TAUGHT),), ["yield"]),
    "a taught figure below the line": (plan(figure("sum", BILL, over=SUM)), (named(TAUGHT),), []),
    "a taught figure in a bar": (plan(COUNT, by=(PITCH,), having=(bar(SUM, ">", 3),)), (named(TAUGHT),), []),
    "a difference": (plan(figure("sum", worked_out(FEE, "-", BILL))), (named(OWED),), []),
    "both beside each other": (plan(SUM, figure("sum", BILL)), (named(OWED),), ["owed"]),
    "a ratio by both": (plan(figure("sum", FEE, over=figure("sum", NIGHTS))), (named(PER_NIGHT),), []),
    "a ratio by one": (plan(SUM), (named(PER_NIGHT),), ["per_night"]),
    "a key by its owner": (plan(SUM, by=(TOWN,)), (named(POINTING),), []),
    "a key by its own table": (plan(SUM, by=(GUEST,)), (named(POINTING),), ["guest_id"]),
    "no key": (plan(SUM, by=(TOWN,)), (named(column("guest_kind")),), ["guest_kind"]),
    "berths a sum is of": (plan(SUM, where=(AT_ELM,)), (named(FEE), "of", named(BERTH, "berths"), ELM), []),
    "a berth a sum is of": (plan(SUM, where=(AT_ELM,)), (named(FEE), "of", named(BERTH), ELM), ["berth"]),
    "berths, without a condition": (plan(SUM), (named(FEE), "of", named(BERTH, "berths")), ["berths"]),
    "berths, listed": (plan(SUM, where=(AT_ELM,)), (cue("list"), named(BERTH, "berths"), ELM), ["berths"]),
    "the top berths": (plan(SUM, where=(AT_ELM,), rank=Rank()), (cue("top"), named(BERTH, "berths"), ELM), ["berths"]),
    "berths, ranked": (plan(SUM, where=(AT_ELM,), rank=Rank()), (named(FEE), named(BERTH, "berths"), ELM), ["berths"]),
    "berths by pitch": (plan(SUM, by=(PITCH,), where=(AT_ELM,)), (named(FEE), named(BERTH, "berths"), ELM), ["berths"]),
    "pitches, which come back": (
        plan(SUM, where=(meets(GUEST, "=", "Ann"),)), (named(FEE), named(PITCH, "pitches")), ["pitches"],
    ),
    "berths, where none is figured": (
        plan(show=(FEE,), where=(AT_ELM,)), (named(FEE), named(BERTH, "berths")), ["berths"],
    ),
    "names of another table": (plan(SUM, where=(AT_ELM,)), (named(FEE), named(NAME, "names")), ["names"]),
    "how long a berth waits": (plan(LASTING), ("a", named(BERTH)), []),
    "how long a berth waits, by pitch": (plan(LASTING, by=(PITCH,)), ("a", named(BERTH)), []),
    "how long a pitch waits": (plan(LASTING), ("a", named(PITCH)), ["pitch"]),
    "berths that are counted": (plan(COUNT), (HOW_MANY, named(BERTH, "berths")), []),
    "berths in a bar": (plan(show=(PITCH,), having=(bar(COUNT, ">", 3),)), (HOW_MANY, named(BERTH, "berths")), []),
    "a share of berths": (plan(figure("rate")), (named(BERTH, "berths"),), []),
    "pitches that are counted as rows": (plan(COUNT), (HOW_MANY, named(PITCH, "pitches")), ["pitches"]),
    "names of another table, counted": (plan(COUNT), (HOW_MANY, named(NAME, "guests")), ["guests"]),
    "names that are counted": (plan(COUNT), (HOW_MANY, named(BERTH, "berth names")), ["berth names"]),
    "the key of a mean row": (plan(MEAN), (named(STAY),), []),
    "the key of a mean row, by pitch": (plan(MEAN, by=(PITCH,)), (named(STAY),), ["stay_id"]),
    "a key that comes back": (plan(MEAN), (named(POINTING),), ["guest_id"]),
    "the key of another table": (plan(MEAN), (named(column("id", "tents", "key", unique=True)),), ["id"]),
    "keys that are out": (plan(COUNT, where=(GAP,)), (HOW_MANY, named(POINTING)), []),
    "keys that are not out": (plan(COUNT, where=(AT_ELM,)), (HOW_MANY, named(POINTING)), ["guest_id"]),
    "fees of keys that are out": (plan(SUM, where=(GAP,)), (cue("total", "sum"), named(POINTING)), ["guest_id"]),
    "which keys are out": (plan(COUNT, where=(GAP,)), (WHICH, named(POINTING)), ["guest_id"]),
    "a label of what is combined": (
        plan(show=(PITCH,), combine=Combine(operation="union", other=plan(show=(PITCH,)))), (named(BERTH),), [],
    ),
    "a label of what is not": (plan(show=(PITCH,)), (named(BERTH),), ["berth"]),
    "a fantasy book": (plan(COUNT, where=(AT_ELM,)), (ELM, named(TITLE, "book")), []),
    "a book": (plan(COUNT, where=(AT_ELM,)), (rows(), named(TITLE, "book"), ELM), ["book"]),
    "a fantasy guest": (plan(COUNT, where=(AT_ELM,)), (ELM, named(GUEST)), ["guest"]),
    "embarked at a port": (
        plan(COUNT, where=(meets(PORT, "=", "Ulm"),)), (named(EMBARKED, "embarked"), "at", held(PORT, "Ulm")), [],
    ),
    "embarked at elm": (plan(COUNT, where=(AT_ELM,)), (named(EMBARKED, "embarked"), "at", ELM), ["embarked"]),
    "embark at a port": (
        plan(COUNT, where=(meets(PORT, "=", "Ulm"),)), (named(EMBARKED, "embark"), held(PORT, "Ulm")), [],
    ),
    "a date at a port": (
        plan(COUNT, where=(meets(PORT, "=", "Ulm"),)), (named(EMBARKED, "date"), held(PORT, "Ulm")), ["date"],
    ),
    "sailed from here": (
        plan(COUNT),
        (named(EMBARKED, "embarked"), span("TEST", "here", ANYWHERE)),
        [],
    ),
    "sail from here": (plan(COUNT), (named(EMBARKED, "embark"), span("TEST", "here", ANYWHERE)), ["embark"]),
    "guested from here": (plan(COUNT), (named(GUEST, "guested"), span("TEST", "here", ANYWHERE)), ["guested"]),
    "opened, which all are": (plan(COUNT), (rows(), named(OPENED)), []),
    "opened, which some are": (plan(COUNT), (rows(), named(LEFT)), ["opened"]),
    "open": (plan(COUNT), (rows(), named(OPENED, "open")), ["open"]),
    "a text that all have": (plan(COUNT), (rows(), named(GUEST, "booked")), ["booked"]),
    "filed, which all are": (plan(COUNT), (HOW_MANY, rows(), named(FILED, "filed")), []),
    "how many people filed": (plan(COUNT), (HOW_MANY, rows("people", None), named(FILED, "filed")), ["filed"]),
    "filed by": (plan(COUNT), (HOW_MANY, rows(), named(FILED, "filed by")), ["filed by"]),
    "file": (plan(COUNT), (HOW_MANY, rows(), named(FILED, "file")), ["file"]),
    "filed, and added up": (plan(SUM), (named(FEE), named(FILED, "filed")), ["filed"]),
    "filed, which some are": (plan(COUNT), (HOW_MANY, rows(), named(column("filed_by", filled=3), "filed")), ["filed"]),
    "quiet, of its share": (plan(figure("mean", QUIET_PCT)), (named(QUIET),), []),
    "quiet, of something else": (plan(figure("mean", column("quiet_sum"))), (named(QUIET),), ["quiet"]),
    "quiet pct, of its share": (plan(figure("mean", column("noise_pct"))), (named(QUIET),), ["quiet"]),
}  # fmt: skip
RAISED = Join(left="stays", left_column="raised_by", right="guests", right_column="name")
VERBS: Cases = {
    "usually, of a mean": (plan(MEAN), (word("usually"),), []),
    "usually, of a sum": (plan(SUM), (word("usually"),), ["usually"]),
    "usually, over groups": (plan(SUM, by=(PITCH,), over_groups="median"), (word("usually"),), []),
    "usually, on weekdays": (plan(SUM, by=(part(ARRIVED, "weekday"),)), (word("usually"),), []),
    "usually, in months": (plan(SUM, by=(part(ARRIVED, "month"),)), (word("usually"),), ["usually"]),
    "rarely": (plan(MEAN), (word("rarely"),), ["rarely"]),
    "developed, in months": (plan(SUM, by=(part(ARRIVED, "month"),)), (word("evolved"),), []),
    "developed, on weekdays": (plan(SUM, by=(part(ARRIVED, "weekday"),)), (word("evolved"),), ["evolved"]),
    "developed, by pitch": (plan(SUM, by=(PITCH,)), (word("evolved"),), ["evolved"]),
    "developed, without a figure": (plan(by=(part(ARRIVED, "month"),)), (word("evolved"),), ["evolved"]),
    "earn a fee": (plan(SUM), (word("earn"), "a", named(FEE)), []),
    "earn a higher fee": (plan(SUM, asks="more"), (word("earn"), grade("higher", "high", "more"), named(FEE)), []),
    "earn another number": (plan(SUM, figure("sum", AGE)), (word("earn"), named(SCORE)), ["earn", "score"]),
    "earn a pitch": (plan(figure("distinct", PITCH)), (word("earn"), named(PITCH)), ["earn"]),
    "earn how many fees": (plan(SUM), (word("earn"), HOW_MANY, named(FEE)), ["earn"]),
    "earn stays": (plan(SUM), (word("earn"), rows(), named(FEE)), ["earn"]),
    "earn, far from the fee": (
        plan(SUM, asks="more"), (word("earn"), cue("only"), cue("only"), cue("only"), named(FEE)), ["earn"],
    ),
    "earn, near the fee": (plan(SUM, asks="more"), (word("earn"), cue("only"), cue("only"), named(FEE)), []),
    "earn nothing": (plan(SUM), (word("earn"),), ["earn"]),
    "allow pets": (plan(COUNT, where=(meets(PETS, "=", "yes"),)), (word("allow"), named(PETS)), []),
    "allow pets, in a figure": (
        plan(figure("rate", where=(meets(PETS, "=", "yes"),))), (word("allow"), named(PETS)), [],
    ),
    "allow pets, which say no": (plan(COUNT, where=(meets(PETS, "=", "no"),)), (word("allow"), named(PETS)), ["allow"]),
    "allow pets, turned": (
        plan(COUNT, where=(meets(PETS, "=", "yes", negated=True),)), (word("allow"), named(PETS)), ["allow"],
    ),
    "not allow pets": (
        plan(COUNT, where=(meets(PETS, "=", "yes"), meets(PITCH, "!=", "Elm"))),
        (cue("not"), word("allow"), named(PETS)), ["allow"],
    ),
    "allow pets, by pets": (plan(COUNT, by=(PETS,)), (word("allow"), named(PETS)), ["allow"]),
    "allow pitches": (plan(COUNT, where=(AT_ELM,)), (word("allow"), named(PITCH)), ["allow"]),
    "allow, far from pets": (
        plan(COUNT, where=(meets(PETS, "=", "yes"),)), (word("allow"), cue("only"), cue("only"), named(PETS)),
        ["allow"],
    ),
    "not so, allow pets": (
        plan(COUNT, where=(meets(PETS, "=", "yes"), meets(PITCH, "!=", "Elm"))),
        (cue("not"), cue("only"), cue("only"), word("allow"), named(PETS)), [],
    ),
    "kg of a weight": (plan(figure("sum", column("net_kg"))), (word("kg"),), []),
    "kg of a fee": (plan(figure("sum", column("net_kg")), SUM), (word("kg"),), ["kg"]),
    "kg of rows": (plan(COUNT), (word("kg"),), ["kg"]),
    "fee of a fee": (plan(figure("sum", column("net_fee"))), (word("net"),), ["net"]),
    "a pitch type": (plan(COUNT, by=(PITCH,)), (named(PITCH), word("type")), []),
    "a pitch of a type": (plan(COUNT, by=(PITCH,)), (named(PITCH), "of", word("type")), ["type"]),
    "a guest type": (plan(COUNT, by=(GUEST,)), (named(GUEST), word("type")), ["type"]),
    "a pitch type, not told": (plan(show=(GUEST,)), (named(PITCH), word("type")), ["pitch", "type"]),
    "raised, which joins": (plan(COUNT, joins=(RAISED,)), (word("raised"),), []),
    "raised, which is ruled out": (
        plan(COUNT, where=(meets(STAY, "not in", inner=plan(show=(column("raised_by"),))),)), (word("raised"),), [],
    ),
    "raised, which is no join": (plan(COUNT, joins=(JOIN,)), (word("raised"),), ["raised"]),
    "stayed, in stays": (plan(SUM), (word("camped"),), ["camped"]),
    "camped, by its camp": (plan(SUM, by=(column("camp"),)), (word("camped"),), []),
    "camper, by its camp": (plan(SUM, by=(column("camp"),)), (word("camper"),), ["camper"]),
    "fees collected": (plan(SUM), (named(FEE), word("collected")), []),
    "total collected": (plan(SUM), (cue("total", "sum"), word("collected")), []),
    "total ages collected": (plan(figure("sum", AGE)), (cue("total", "sum"), word("collected")), ["collected"]),
    "collected fees": (plan(SUM), (word("collected"), named(FEE)), ["collected"]),
    "stays collected": (plan(SUM), (rows(), word("collected"), named(FEE)), ["collected"]),
    "ages collected, of fees": (plan(SUM, by=(AGE,)), (named(AGE), word("collected")), ["collected"]),
    "fees seen": (plan(SUM), (named(FEE), word("seen")), ["seen"]),
    "earns, of a salary": (plan(figure("sum", column("net_salary"))), (word("earns"),), []),
    "earns, of ages": (plan(figure("sum", AGE)), (word("earns"),), ["earns"]),
    "earns, of a mean salary": (plan(figure("mean", column("salary"))), (word("earns"),), ["earns"]),
    "sold, of pieces": (plan(figure("sum", column("units_sold"))), (word("sells"),), ["sells"]),
    "sold stays, of pieces": (plan(figure("sum", column("units_sold"))), (word("sells"), rows()), []),
    "stays held": (plan(COUNT), (rows(), word("occurred")), []),
    "fees held": (plan(SUM), (named(FEE), word("occurred")), ["occurred"]),
    "elms held": (plan(COUNT, where=(AT_ELM,)), (ELM, word("occurred")), ["occurred"]),
    "held stays": (plan(COUNT), (word("occurred"), rows()), ["occurred"]),
    "guests that a company manages": (plan(MEAN), (named(FEE), word("manages"), rows()), []),
    "what a company manages": (plan(MEAN), (word("manages"), named(FEE)), ["manages"]),
    "what it managed then": (
        plan(MEAN, where=(meets(column("year"), "=", 2024),)),
        (named(FEE), word("manages"), rows(), IN_2024),
        ["manages"],
    ),
    "fees that guests win": (plan(MEAN), (named(FEE), word("win"), rows()), ["win"]),
    "fees that guests win, joined": (plan(MEAN, joins=(JOIN,)), (named(FEE), word("win"), rows()), []),
    "who won": (plan(figure("distinct", GUEST)), (word("win"),), ["win"]),
    "who visited": (plan(figure("distinct", GUEST)), (word("visited"),), []),
    "who visited, once each": (plan(show=(GUEST,), distinct=True), (word("visited"),), []),
    "who visited most": (plan(COUNT, by=(GUEST,), rank=Rank()), (word("visited"),), []),
    "who visited elm": (plan(SUM, by=(GUEST,), where=(AT_ELM,)), (word("visited"),), []),
    "visited by guest": (plan(SUM, by=(GUEST,)), (word("visited"),), ["visited"]),
    "visited what was left": (plan(SUM, where=(meets(STAY, "in", inner=plan(show=(STAY,))),)), (word("visited"),), []),
    "visited one or the other": (
        plan(show=(GUEST,), combine=Combine(operation="union", other=plan(show=(GUEST,)))), (word("visited"),), [],
    ),
    "seen by guests": (plan(figure("distinct", GUEST)), (word("seen"),), ["seen"]),
    "fees received by stays": (plan(MEAN), (named(FEE), word("purchased"), rows()), []),
    "fees received by others": (
        plan(MEAN), (named(FEE), word("purchased"), rows("tents", "tents", 0.5)), ["purchased"],
    ),
    "elms received by stays": (plan(MEAN, where=(AT_ELM,)), (ELM, word("purchased"), rows()), ["purchased"]),
    "fees received": (plan(MEAN), (named(FEE), word("purchased")), ["purchased"]),
}  # fmt: skip


@pytest.mark.parametrize("case", NAMES | VERBS)
def test_a_name_or_a_verb_is_left_over_unless_the_plan_says_it(case: str) -> None:
    made, words, lost = (NAMES | VERBS)[case]
    assert unaccounted(made, said(*words)[0]) == lost
