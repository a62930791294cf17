"""Each way in which a plan leaves out what was asked for is caught, and what is only near to it is let through."""

from __future__ import annotations

from typing import Any

import pytest

from averment.plans.plan import Plan, Rank, Value, Window
from averment.plans.statistics import statistic_of
from averment.reading.account.unheld import unheld
from averment.reading.lattice.spans import Span
from averment.reading.schema.schema_view import Schema, Table
from spoken import (
    AGE,
    ARRIVED,
    BILL,
    CLAIMS,
    COUNT,
    DEPARTED,
    FEE,
    GUEST,
    GUESTS,
    KIND,
    NIGHTS,
    PETS,
    PITCH,
    SCORE,
    STAY,
    TENTS,
    TOWN,
    bar,
    column,
    cue,
    figure,
    grade,
    held,
    meets,
    named,
    number,
    part,
    plan,
    rows,
    said,
    span,
    worked_out,
)

pytestmark = pytest.mark.thorough

END = column("end_date", kind="date")
TEAM = column("team", kind="text")
TITLE, BOOK = column("title", kind="text"), column("book_name", kind="text")
WARDEN = column("signed_by", kind="text")
LABEL = column("tent_name", "stays", "label", kind="text")
SINGLE = column("berth", kind="text", unique=True)
SHOE = column("shoe_size", "stays", "measure")
OWN = [STAY, GUEST, PITCH, KIND, ARRIVED, DEPARTED, NIGHTS, FEE, BILL, SCORE, AGE, PETS, TENTS, CLAIMS, END, TEAM, SHOE]
WORLD = Schema([Table("stays", 40, [*OWN, TITLE, WARDEN, LABEL, SINGLE], ("stay",)), GUESTS], [], None)

WHAT, HOW_MANY, HOW_MUCH, BY, MOST = (
    cue("what", "which"),
    cue("how many", "count"),
    cue("how much", "much"),
    cue("by"),
    cue("most"),
)
SHARE = cue("share")
TOP = plan(COUNT, by=(PITCH,), rank=Rank())
OVER_BILL = meets(FEE, ">", other=BILL.value)
TOTALS = bar(figure("sum", worked_out(FEE, "-", BILL)), ">", 0.0)
MODEL = statistic_of("overview")
ELM = held(PITCH, "Elm")
ELM_PART = figure("sum", FEE, where=(meets(PITCH, "=", "Elm"),), over=figure("sum", FEE), percent=True)
PAID = meets(PETS, "=", "yes")


def mean(of: Any = FEE, **parts: Any) -> Plan:
    return plan(figure("mean", of), **parts)


def found(of: Any = FEE, function: str = "mean", **parts: Any) -> Plan:
    return plan(figure(function, of), by=(PITCH,), rank=Rank(), **parts)


Cases = dict[str, tuple[Plan, tuple[Span | str, ...], list[str]]]
ONE_FOR_ALL: Cases = {
    "pitches over their bill": (plan(show=(PITCH,), where=(OVER_BILL,)), (named(PITCH), cue("over", "gt")), ["over"]),
    "pitches over it, tested": (
        plan(show=(PITCH,), where=(OVER_BILL,)), (named(PITCH), span("TEST", "late")), ["late"],
    ),
    "how many pitches over it": (plan(figure("distinct", PITCH), where=(OVER_BILL,)), (cue("than"),), ["than"]),
    "ever over it, in one row": (plan(show=(PITCH,), where=(OVER_BILL,)), ("ever", cue("over", "gt")), []),
    "ever over it, in all": (plan(show=(PITCH,), by=(PITCH,), having=(TOTALS,)), ("ever", cue("over", "gt")), ["ever"]),
    "over it in all": (plan(show=(PITCH,), by=(PITCH,), having=(TOTALS,)), (cue("over", "gt"),), []),
    "ever more than so many": (
        plan(show=(PITCH,), by=(PITCH,), having=(bar(figure("sum", FEE), ">", 0.0),)), ("once", cue("gt")), [],
    ),
    "ever over it by so much": (
        plan(show=(PITCH,), by=(PITCH,), having=(bar(figure("sum", worked_out(FEE, "-", BILL)), ">", 5.0),)),
        ("once", cue("gt")), [],
    ),
    "ever over it on average": (
        plan(show=(PITCH,), by=(PITCH,), having=(bar(figure("mean", worked_out(FEE, "-", BILL)), ">", 0.0),)),
        ("once", cue("gt")), [],
    ),
    "ever more rows": (plan(show=(PITCH,), by=(PITCH,), having=(bar(COUNT, ">", 0.0),)), ("once", cue("gt")), []),
    "equal to it": (plan(show=(PITCH,), where=(meets(FEE, "=", other=BILL.value),)), (cue("than"),), []),
    "over a number": (plan(show=(PITCH,), where=(meets(FEE, ">", 5),)), (cue("over", "gt"),), []),
    "over a score, which is not added up": (
        plan(show=(PITCH,), where=(meets(FEE, ">", other=SCORE.value),)), (cue("gt"),), [],
    ),
    "a score over it": (plan(show=(PITCH,), where=(meets(SCORE, ">", other=FEE.value),)), (cue("gt"),), []),
    "a date over it": (plan(show=(PITCH,), where=(meets(ARRIVED, ">", other=DEPARTED.value),)), (cue("gt"),), []),
    "berths, each in one row": (plan(show=(SINGLE,), where=(OVER_BILL,)), (cue("over", "gt"),), []),
    "names of rows": (plan(show=(LABEL,), where=(OVER_BILL,)), (cue("over", "gt"),), []),
    "numbers": (plan(show=(AGE,), where=(OVER_BILL,)), (cue("over", "gt"),), []),
    "a pitch and a number": (plan(show=(PITCH, AGE), where=(OVER_BILL,)), (cue("over", "gt"),), []),
    "in each pitch": (plan(figure("distinct", GUEST), by=(PITCH,), where=(OVER_BILL,)), (cue("over", "gt"),), []),
    "how many rows": (plan(COUNT, where=(OVER_BILL,)), (cue("over", "gt"),), []),
}  # fmt: skip
GAINED: Cases = {
    "what did each take, counted": (plan(COUNT, by=(PITCH,)), (WHAT, "did", BY, named(PITCH), "take"), ["what"]),
    "what did each take, added up": (
        plan(figure("sum", FEE), by=(PITCH,)), (WHAT, "did", BY, named(PITCH), "take"), [],
    ),
    "what is it, counted": (plan(COUNT, by=(PITCH,)), (WHAT, "is", BY, named(PITCH)), []),
    "how did each take": (plan(COUNT, by=(PITCH,)), (cue("which"), "did", BY, named(PITCH), "take"), []),
    "what number did each take": (plan(COUNT, by=(PITCH,)), (WHAT, "did", HOW_MANY, named(PITCH)), []),
    "what did the most": (plan(COUNT, by=(PITCH,), rank=Rank()), (WHAT, "did", "the", MOST), []),
    "what share did each take": (plan(COUNT, by=(PITCH,), window=Window(kind="share")), (WHAT, "did", BY), []),
    "what did it take, as a part": (plan(figure("rows", over=COUNT)), (WHAT, "did", "it", "take"), []),
    "what have we made, listed": (plan(show=(PITCH,)), (WHAT, "have", "we", "made"), ["made"]),
    "what have we seen, listed": (plan(show=(PITCH,)), (WHAT, "have", "we", "seen"), []),
    "what have we made, with its fee": (plan(show=(PITCH, FEE)), (WHAT, "have", "we", "made"), []),
    "what have we made, with its length": (
        plan(show=(Value(kind="length", table="stays", column="pitch"),)), (WHAT, "have", "we", "made"), [],
    ),
    "what have we made, of something else": (plan(show=(column("sum"),)), (WHAT, "have", "made"), ["made"]),
    "what have we made, looked over": (plan(statistic=MODEL), (WHAT, "have", "we", "made"), []),
    "makes the most": (TOP, (cue("which"), named(PITCH), "makes", cue("the most", "most")), ["makes"]),
    "makes the most stays": (TOP, (cue("which"), named(PITCH), "makes", cue("the most", "most"), rows()), []),
    "makes the most in elm": (TOP, (cue("which"), named(PITCH), "makes", MOST, "in", ELM), ["makes"]),
    "makes the most by number": (TOP, (cue("which"), named(PITCH), "makes", MOST, HOW_MANY), []),
    "sees the most": (TOP, (cue("which"), named(PITCH), "sees", cue("the most", "most")), []),
    "makes the first": (TOP, (cue("which"), named(PITCH), "makes", cue("first")), []),
    "makes the most fee": (found(function="sum"), (cue("which"), named(PITCH), "makes", cue("the most", "most")), []),
    "makes the most, not ranked": (plan(COUNT, by=(PITCH,)), (cue("which"), "makes", cue("the most", "most")), []),
    "gave the most fee, averaged": (found(), ("gave", cue("the most", "most"), named(FEE)), ["gave"]),
    "gave the highest fee, averaged": (found(), ("gave", "the", "very", cue("highest", "most"), named(FEE)), ["gave"]),
    "gave, far from the most": (found(), ("gave", "us", "all", "of", "the", MOST, named(FEE)), []),
    "held the most fee": (found(), ("held", cue("the most", "most"), named(FEE)), []),
    "gave the most fee, added up": (found(function="sum"), ("gave", cue("the most", "most"), named(FEE)), []),
    "gave the most fee on average": (found(), ("gave", MOST, named(FEE), cue("average", "mean")), []),
    "gave the most fee by pitch": (found(), ("gave", MOST, named(FEE), BY, named(PITCH)), []),
    "gave the dearest fee": (found(), ("gave", cue("dearest", "most"), named(FEE)), []),
    "gave the most stays": (found(), ("gave", cue("the most", "most"), rows()), []),
    "gave the most fee, not ranked": (mean(), ("gave", cue("the most", "most"), named(FEE)), []),
    "how much did we pay, averaged": (mean(), (HOW_MUCH, "did", "we", "pay"), ["how much"]),
    "how much did we pay, added up": (plan(figure("sum", FEE)), (HOW_MUCH, "did", "we", "pay"), []),
    "how much did they pay": (mean(), (HOW_MUCH, "did", "they", "pay"), []),
    "how much did we pay a night": (mean(), (HOW_MUCH, "did", "we", "pay", "a", "night"), []),
    "how much did we pay on average": (mean(), (HOW_MUCH, "did", "we", "pay", cue("average", "mean")), []),
    "what did we pay": (mean(), (cue("what", "much"), "did", "we", "pay"), []),
    "how much did we pay, as a ratio": (plan(figure("mean", FEE, over=COUNT)), (HOW_MUCH, "did", "we", "pay"), []),
    "running out": (plan(COUNT, where=(meets(ARRIVED, ">", "2024"),)), (rows(), "running", "out"), ["running"]),
    "running out, by the end": (plan(COUNT, where=(meets(END, ">", "2024"),)), (rows(), "running", "out"), []),
    "running out, by the end of groups": (plan(COUNT, by=(END,)), (rows(), "runs", "up"), []),
    "running out, with the end shown": (plan(show=(END,)), (rows(), "ran", "out"), []),
    "running": (plan(COUNT, where=(meets(ARRIVED, ">", "2024"),)), (rows(), "running", "now"), []),
    "sold out": (plan(COUNT, where=(meets(ARRIVED, ">", "2024"),)), (rows(), "sold", "out"), []),
}  # fmt: skip
SIZED: Cases = {
    "how big is each pitch": (plan(COUNT, by=(PITCH,)), (cue("how big", "much"), BY, named(PITCH)), ["how big"]),
    "how big is each team": (plan(COUNT, by=(TEAM,)), (cue("how big", "much"), BY, named(TEAM)), []),
    "how big, as a score": (mean(SCORE, by=(PITCH,)), (cue("how big", "much"), BY, named(PITCH)), []),
    "how often": (plan(COUNT, by=(PITCH,)), (cue("how often", "count"), BY, named(PITCH)), []),
    "how many days, of rows a day": (
        plan(COUNT, by=(part(ARRIVED, "day"),), over_groups="mean"), (HOW_MANY, span("PART", "days")), ["days"],
    ),
    "how many of the days": (
        plan(COUNT, by=(part(ARRIVED, "day"),), over_groups="mean"), (HOW_MANY, "of", span("PART", "days")), [],
    ),
    "which days": (
        plan(COUNT, by=(part(ARRIVED, "day"),), over_groups="mean"), (cue("which"), span("PART", "days")), [],
    ),
    "how many stays": (plan(COUNT, by=(part(ARRIVED, "day"),), over_groups="mean"), (HOW_MANY, rows()), []),
    "how many days, of fees": (
        plan(figure("sum", FEE), by=(part(ARRIVED, "day"),), over_groups="mean"), (HOW_MANY, span("PART", "days")), [],
    ),
    "how many days": (plan(COUNT, by=(part(ARRIVED, "day"),)), (HOW_MANY, span("PART", "days")), []),
    "the worst shoe size": (
        plan(show=(PITCH,), rank=Rank(by=SHOE.value)), (cue("worst", "least"), named(SHOE)), ["worst"],
    ),
    "the worst shoe size of a group": (found(SHOE), (cue("worst", "least"), named(SHOE)), ["worst"]),
    "the worst score": (found(SCORE), (cue("worst", "least"), named(SCORE)), []),
    "the most complaints": (found(CLAIMS), (cue("worst", "least"), named(CLAIMS)), []),
    "the least shoe size": (found(SHOE), (cue("least"), named(SHOE)), []),
    "the worst, counted": (TOP, (cue("worst", "least"), named(PITCH)), []),
    "the worst, not ranked": (mean(SHOE), (cue("worst", "least"), named(SHOE)), []),
    "the worst of what is not there": (found(column("lap")), (cue("worst", "least"),), []),
}  # fmt: skip
DONE: Cases = {
    "how many stays were signed, of signers": (
        plan(figure("distinct", WARDEN)), (HOW_MANY, rows(), "were", named(WARDEN, "signed")), ["signed"],
    ),
    "how many stays at the pitches, of pitches": (
        plan(figure("distinct", PITCH)), (HOW_MANY, rows(), named(PITCH)), ["pitch"],
    ),
    "how many pitches": (plan(figure("distinct", PITCH)), (HOW_MANY, named(PITCH)), []),
    "how many others at the pitches": (
        plan(figure("distinct", PITCH)), (HOW_MANY, rows("tents", "tents"), named(PITCH)), [],
    ),
    "how many of weak rows": (plan(figure("distinct", PITCH)), (HOW_MANY, rows(strength=0.89), named(PITCH)), []),
    "how many of just named rows": (
        plan(figure("distinct", PITCH)), (HOW_MANY, rows(strength=0.9), named(PITCH)), ["pitch"],
    ),
    "how many in berths": (plan(figure("distinct", SINGLE)), (HOW_MANY, rows(), named(SINGLE)), []),
    "how many by key": (
        plan(figure("distinct", column("guest_id", "stays", "key"))),
        (HOW_MANY, rows(), named(column("guest_id", "stays", "key"))), [],
    ),
    "how many different": (
        plan(figure("distinct", PITCH)), (HOW_MANY, rows(), cue("different", "distinct"), named(PITCH)), [],
    ),
    "stays at the pitches": (plan(figure("distinct", PITCH)), (rows(), named(PITCH)), []),
    "how many stays, counted": (plan(figure("count", PITCH)), (HOW_MANY, rows(), named(PITCH)), []),
    "covered by helpers": (plan(COUNT, by=(PETS,)), ("were", "covered", BY, named(PETS)), ["by"]),
    "carried out by helpers": (plan(COUNT, by=(PETS,)), ("were", "carried", "out", BY, named(PETS)), ["by"]),
    "done by helpers": (plan(COUNT, by=(PETS,)), ("was", "done", BY, named(PETS)), ["by"]),
    "stays by helpers": (plan(COUNT, by=(PETS,)), (rows(), BY, named(PETS)), []),
    "ended here by helpers": (plan(COUNT, by=(PETS,)), ("ended", "here", BY, named(PETS)), []),
    "covered per helper": (plan(COUNT, by=(PETS,)), ("were", "covered", cue("per", "by"), named(PETS)), []),
    "covered by pitch": (plan(COUNT, by=(PITCH,)), ("were", "covered", BY, named(PITCH)), []),
    "covered by helpers, kept": (plan(COUNT, where=(PAID,)), ("were", "covered", BY, named(PETS)), []),
    "first by helpers": (plan(COUNT, by=(PETS,)), (BY, named(PETS)), []),
    "in our pitch": (mean(by=(PITCH,)), (named(FEE), "in", "our", named(PITCH)), ["pitch"]),
    "in our pitches": (mean(by=(PITCH,)), (named(FEE), "in", "our", named(PITCH, "pitches")), []),
    "in the pitch": (mean(by=(PITCH,)), (named(FEE), "in", "the", named(PITCH)), []),
    "by our pitch": (mean(by=(PITCH,)), (named(FEE), BY, "our", named(PITCH)), []),
    "our best pitch": (found(), (named(FEE), "in", "my", named(PITCH)), []),
    "our fee": (mean(by=(PITCH,)), ("our", named(FEE), "in", named(PITCH)), []),
    "our elm": (mean(by=(PITCH,)), (named(FEE), "in", "our", ELM), []),
    "the fee at our busiest": (found(), (named(FEE), "at", "our", grade("busiest", "busy")), ["busiest"]),
    "the fee at the very busiest": (found(), (named(FEE), "at", "the", "very", grade("busiest", "busy")), []),
    "the fee, the busiest": (found(), (named(FEE), "so", "our", grade("busiest", "busy")), []),
    "at our busiest, the fee": (found(), ("at", "our", grade("busiest", "busy"), named(FEE)), []),
    "the age at our busiest, with its fee": (found(), (named(AGE), "at", "our", grade("busiest", "busy")), []),
    "the fee at our oldest": (found(), (named(FEE), "at", "our", grade("oldest", "old")), []),
    "the fee at a busier": (found(), (named(FEE), "at", "a", grade("busier", "busy", "more")), []),
    "the fee at our busiest, of all": (mean(), (named(FEE), "at", "our", grade("busiest", "busy")), []),
}  # fmt: skip
SHARED: Cases = {
    "the dearest per night": (found(), (grade("dearest", "expensive"), cue("per", "by"), named(NIGHTS)), ["per"]),
    "the most per night": (
        plan(show=(PITCH,), rank=Rank(by=FEE.value)), (MOST, cue("per", "by"), named(NIGHTS)), ["per"],
    ),
    "the dearest per pitch": (found(), (grade("dearest", "expensive"), cue("per", "by"), named(PITCH)), []),
    "the dearest by night": (found(), (grade("dearest", "expensive"), BY, named(NIGHTS)), []),
    "dear per night": (found(), (grade("dear", "expensive", "plain"), cue("per", "by"), named(NIGHTS)), []),
    "the dearest per night, divided": (
        found(worked_out(FEE, "/", NIGHTS)), (MOST, cue("per", "by"), named(NIGHTS)), [],
    ),
    "the dearest per night, added": (
        found(worked_out(FEE, "+", NIGHTS)), (MOST, cue("per", "by"), named(NIGHTS)), ["per"],
    ),
    "the dearest row per night": (
        plan(show=(PITCH,), rank=Rank(by=worked_out(FEE, "/", NIGHTS))), (MOST, cue("per", "by"), named(NIGHTS)), [],
    ),
    "the dearest per night, over it": (
        plan(figure("sum", FEE, over=figure("sum", NIGHTS)), by=(PITCH,), rank=Rank()),
        (MOST, cue("per", "by"), named(NIGHTS)), [],
    ),
    "per night, not ranked": (mean(), (MOST, cue("per", "by"), named(NIGHTS)), []),
    "what share of elm's fees was bills": (plan(ELM_PART), (SHARE, "of", ELM, "was", named(FEE)), ["fee"]),
    "what share of elm's that is the fee": (plan(ELM_PART), (SHARE, "of", ELM, named(FEE, "that fee")), ["that fee"]),
    "what share of fees is elm": (plan(ELM_PART), (SHARE, "of", named(FEE), "is", ELM), []),
    "what share of elm's fees": (plan(ELM_PART), (SHARE, "of", ELM, named(FEE)), []),
    "elm's share of fees was": (plan(ELM_PART), (ELM, SHARE, "was", named(FEE)), []),
    "what share of ann's was the fee": (plan(ELM_PART), (SHARE, "of", held(GUEST, "Ann"), "was", named(FEE)), []),
    "what share of elm's was the age": (plan(ELM_PART), (SHARE, "of", ELM, "was", named(AGE)), []),
    "of elm, it was the fee": (plan(ELM_PART), ("of", ELM, "was", named(FEE)), []),
    "a share of some elms": (
        plan(figure("sum", FEE, where=(PAID,), over=figure("sum", FEE, where=(meets(PITCH, "=", "Elm"),)))),
        (SHARE, "of", held(PETS, "yes"), "was", named(FEE)), [],
    ),
    "a ratio of two numbers": (
        plan(figure("sum", FEE, where=(meets(PITCH, "=", "Elm"),), over=figure("sum", BILL))),
        (SHARE, "of", ELM, "was", named(FEE)), [],
    ),
    "the share of elm stays with pets": (
        plan(figure("rate", where=(meets(PITCH, "=", "Elm"), PAID))), (SHARE, ELM, rows(), span("TEST", "with pets")),
        ["elm"],
    ),
    "the share of paid stays at elm": (
        plan(figure("rate", where=(PAID,))), (SHARE, named(PETS), rows(), ELM), ["pets"],
    ),
    "the share of unpaid stays at elm": (
        plan(figure("rate", where=(PAID,))), (SHARE, span("DENY", "unpaid", PETS), rows(), ELM), ["unpaid"],
    ),
    "the share of elm stays": (plan(figure("rate", where=(meets(PITCH, "=", "Elm"),))), (SHARE, ELM, rows()), []),
    "the share of elm stays, among elms": (
        plan(figure("rate", where=(PAID,)), where=(meets(PITCH, "=", "Elm"),)), (SHARE, ELM, rows(), held(PETS, "yes")),
        [],
    ),
    "elm stays with pets": (
        plan(figure("rate", where=(meets(PITCH, "=", "Elm"),))), (HOW_MANY, ELM, rows(), held(PETS, "yes")), [],
    ),
    "the share of elm that pets have": (
        plan(figure("rate", where=(meets(PITCH, "=", "Elm"),))), (SHARE, ELM, named(FEE), held(PETS, "yes")), [],
    ),
}  # fmt: skip
PEOPLE: Cases = {
    "who has it, a title": (plan(show=(TITLE,)), (cue("who"), named(TITLE)), ["who"]),
    "who has it, the name of a book": (plan(show=(BOOK,)), (cue("who"), named(BOOK)), ["who"]),
    "who has it, a guest": (plan(show=(GUEST,)), (cue("who"), named(TITLE)), []),
    "who has it, both": (plan(show=(GUEST, TITLE)), (cue("who"), named(TITLE)), []),
    "what has it": (plan(show=(TITLE,)), (WHAT, named(TITLE)), []),
    "who has the first title": (plan(show=(GUEST, TITLE), rank=Rank(by=TITLE.value)), (cue("who"),), []),
    "who, a title by its length": (plan(show=(TITLE, AGE), rank=Rank(by=AGE.value)), (cue("who"),), ["who"]),
    "who won, and how much": (plan(figure("sum", FEE)), (cue("who"), "won", named(FEE)), ["who"]),
    "how much who won": (plan(figure("sum", FEE)), (HOW_MUCH, cue("who"), named(FEE)), []),
    "who won, by guest": (plan(figure("sum", FEE), by=(GUEST,)), (cue("who"), named(FEE)), []),
    "who won, first": (found(function="sum"), (cue("who"), named(FEE)), []),
    "who won, counted": (plan(COUNT), (cue("who"), "won"), []),
    "the share of guests, as a sum": (plan(figure("sum", FEE)), (SHARE, "of", rows("guests")), ["guests"]),
    "the share of fees, as a sum": (plan(figure("sum", FEE)), (SHARE, "of", named(FEE)), []),
    "is it known for everyone, listed": (
        plan(show=(PITCH,)), ("is", named(FEE), "known", "for", "everyone"), ["everyone"],
    ),
    "is it known for all, counted": (plan(COUNT), ("is", named(FEE), "known", "for", "all"), ["all"]),
    "is there one for all": (plan(COUNT), ("is", "there", "one", "for", "all"), []),
    "does all make it": (mean(), ("does", "it", "make", "all"), []),
    "how many of all": (plan(COUNT), ("how", "many", "of", "all"), []),
    "is all ranked": (plan(COUNT, by=(PITCH,), rank=Rank()), ("is", "it", "for", "all"), []),
    "is all a share": (plan(show=(PITCH,), window=Window(kind="share")), ("is", "it", "for", "all"), []),
    "is all looked over": (plan(show=(PITCH,), statistic=MODEL), ("is", "it", "for", "all"), []),
}  # fmt: skip
HALVES: Cases = {
    "with and without pets": (mean(), ("with", "and", "without", named(PETS)), ["with and without"]),
    "with and without pets, by it": (mean(by=(PETS,)), ("with", "and", "without", named(PETS)), []),
    "with and without pets, tested": (plan(statistic=MODEL), ("with", "and", "without", named(PETS)), []),
    "with pets": (mean(), ("with", named(PETS)), []),
    "days in a row": (plan(COUNT), (span("PART", "days"), "in", "a", "row"), ["in a row"]),
    "days in a row, looked over": (plan(statistic=MODEL), (span("PART", "days"), "in", "a", "row"), []),
    "on rainy days": (
        mean(by=(part(ARRIVED, "day"),)), (named(FEE), span("TEST", "rainy"), span("PART", "days")), ["days"],
    ),
    "the median on rainy days": (
        plan(figure("median", FEE), by=(part(ARRIVED, "day"),)), (span("TEST", "rainy"), span("PART", "days")),
        ["days"],
    ),
    "by rainy days": (
        mean(by=(part(ARRIVED, "day"),)), (named(FEE), BY, span("TEST", "rainy"), span("PART", "days")), [],
    ),
    "all on rainy days": (mean(), (named(FEE), span("TEST", "rainy"), span("PART", "days")), []),
    "added up on rainy days": (
        plan(figure("sum", FEE), by=(part(ARRIVED, "day"),)), (span("TEST", "rainy"), span("PART", "days")), [],
    ),
    "first on rainy days": (
        mean(by=(part(ARRIVED, "day"),), rank=Rank()), (span("TEST", "rainy"), span("PART", "days")), [],
    ),
    "on late days": (mean(by=(part(ARRIVED, "day"),)), (named(FEE), ELM, span("PART", "days")), []),
    "a town": (plan(COUNT, by=(TOWN,)), (HOW_MANY, rows(), number(3)), []),
}  # fmt: skip
CASES: Cases = ONE_FOR_ALL | GAINED | SIZED | DONE | SHARED | PEOPLE | HALVES


@pytest.mark.parametrize("case", CASES)
def test_what_a_plan_leaves_out_is_left_over(case: str) -> None:
    made, words, lost = CASES[case]
    assert unheld(made, WORLD, *said(*words)) == lost
