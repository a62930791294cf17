"""Questions whose every word seems placed while the plan tells something else: what was asked for is then left over.

A count told where an amount was asked for, rows counted as things the table does not list, the whole of a share taken
for its part: each is a class of answers that look complete and are wrong.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from averment.plans.registry import COUNTS
from averment.reading.account.cue_traces import only_counts
from averment.reading.lattice.nouns import is_kind_of
from averment.reading.schema.parties import parties
from averment.reading.words import (
    DERIVED,
    abbreviations,
    has_happened,
    kinship,
    name_words,
    singular,
    vocabulary,
    word_list,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from averment.plans.plan import GroupTest, Plan, Value
    from averment.reading.lattice.spans import Span
    from averment.reading.schema.schema_view import Schema, Table


_COUNTS = frozenset({"rows", "count"})


def unnamed_rows(plan: Plan, schema: Schema, spans: Sequence[Span], whole: Sequence[Span]) -> list[str]:
    """The noun that is counted as rows, where only that noun says so and the table's own name says otherwise.

    Where a condition or a number of the rows is spoken of beside it, that ties the noun to them; a bare "how many
    volunteers does each branch have" ties it to nothing. Nor do the checks of hives say how many hives somebody has.
    """
    table = schema.tables.get(plan.table)
    counts = bool(plan.measures) and all(m.function in _COUNTS and m.over is None for m in plan.measures)
    if table is None or not counts or plan.where or plan.having or any(m.where for m in plan.measures):
        return []
    if plan.window is not None or plan.statistic is not None or plan.over_groups is not None or not plan.by:
        return []
    counted = [after for span, after in pairwise(spans) if span.cue("count") and span.end == after.start]
    rows = [span for span in spans if span.type == "ROW"]
    if not rows or rows[0] not in (*counted, spans[0]):
        return []
    owned = any(span.text in {"have", "has", "own", "owns"} for span in whole)
    beside = [span.text for span in rows if owned and _is_beside(span, table)]
    if any(span.data is not None for span in rows) or beside:
        return beside[:1] if len(beside) == len(rows) else []
    common = word_list("row") | word_list("person")
    nouns = [span.text for span in rows if span.text not in common]
    return [noun for noun in nouns if says_its_rows(table) and not borne_out(noun, table)][:1]


def people_as_rows(plan: Plan, schema: Schema, spans: Sequence[Span]) -> list[str]:
    """The word for people that is counted as rows, where a column says who they were and names many of them twice.

    Seven nights worked by one nurse are seven rows and one nurse.
    """
    table = schema.tables.get(plan.table)
    if table is None or not plan.measures or not all(m.function == "rows" and m.over is None for m in plan.measures):
        return []
    people = word_list("people") | word_list("person")
    counted = [
        after.text
        for span, after in pairwise(spans)
        if span.cue("count", "most", "least") and span.end == after.start and after.type in {"ROW", "VALUE"}
        if after.text in people and not _is_called(after.text, table)
        if after.type == "VALUE" or after.data in {None, table.name}
    ]
    # A column of names alone, or of kinds of people, tells whom each row is: its rows are people.
    able = [column for column in parties(table, schema) if not {"who", "name"} & set(column.words)]
    held = [(column.table, column.name) for column in able]
    grouped = plan.over_groups is not None or bool(plan.having)
    if counted and held and not grouped and not any((value.table, value.column) in held for value in plan.by):
        return counted[:1]
    heads = {singular(word) for word in people | word_list("heads") | word_list("some_people")}
    tallied = [c for c in table.columns if c.whole and c.additive and c.words and singular(c.words[-1]) in heads]
    said = [span.text for span in spans if span.type == "ROW" and singular(span.text) in heads]
    return said[:1] if len(tallied) > 1 else []  # Rows that say how many adults and children came are no visitors.


def _is_called(noun: str, table: Table) -> bool:
    """Whether a table's rows themselves are called by a noun, or are people of another name."""
    one, head = singular(noun), table.nouns[-1] if table.nouns else ""
    people = {singular(word) for word in word_list("people")}
    return one in table.called or head in people or kinship(one, head) >= DERIVED


def _is_beside(span: Span, table: Table) -> bool:
    """Whether a noun is what a table's rows are about, and not what they are: the hives of the hive checks."""
    one = singular(span.text)
    return one in table.nouns[:-1] and one != table.nouns[-1] and one not in table.called


def says_its_rows(table: Table) -> bool:
    """Whether a table's own name is an English noun, so that its rows are called by it."""
    known = vocabulary()
    return bool(table.nouns) and (table.nouns[-1] in known or not known)


def borne_out(noun: str, table: Table) -> bool:
    """Whether a table's or a column's name has to do with a noun."""
    one = singular(noun)
    words = {*table.nouns, *table.called, *(word for column in table.columns for word in column.words)}
    return any(kinship(noun, word) >= DERIVED or is_kind_of(word, one) or _shortened(word, one) for word in words)


def _shortened(word: str, noun: str) -> bool:
    return len(word) >= 3 and len(noun) > len(word) + 2 and noun.startswith(word)


_ASKING = frozenset({"do", "does", "did", "have", "has", "had"})
_MOST = frozenset({"most", "least", "highest", "largest", "biggest"})
_AMOUNTS = frozenset({"sum", "mean", "median", "min", "max"})
_LEADS = frozenset({"at", "in", "of", "for", "from", "on", "with"})
_BEING = frozenset({"is", "are", "was", "were", "that", "who", "which"})
_NAMED = 0.9
"""From this strength on a word names a table."""

_EVER = frozenset({"ever", "once"})
_ENDING = frozenset(
    "end ends ending ended expiry expires expire expiration until to till due finish final last".split()
)
_SIZES = frozenset(
    "how big|how large|how high|how long|how old|how heavy|how far|how tall|how fast|how deep".split("|")
)


def unheld(plan: Plan, schema: Schema, spans: Sequence[Span], whole: Sequence[Span]) -> list[str]:
    """The words of a question that a plan leaves out though each of them has a place.

    ``spans`` are those of a reading, ``whole`` those of its tiling, filler included.
    """
    return [
        *_unasked_count(plan, schema, spans, whole),
        *_most_of_what(plan, whole),
        *_gained_on_average(plan, spans, whole),
        *_size_as_count(plan, spans),
        *_ours_on_average(plan, spans, whole),
        *_runs_out(plan, whole),
        *_units_as_rows(plan, spans),
        *_unknown_worst(plan, schema, spans),
        *_verb_as_things(plan, spans),
        *_done_by(plan, whole),
        *_one_of_ours(plan, spans, whole),
        *_figure_of_a_best(plan, whole),
        *_rate_as_amount(plan, spans),
        *_part_as_whole(plan, whole),
        *_whole_as_part(plan, spans),
        *_nobody(plan, schema, spans),
        *_one_row_for_all(plan, schema, spans, whole),
        *_amount_of_people(plan, spans),
        *_of_everyone(plan, whole),
        *_other_half(plan, spans, whole),
        *unnamed_rows(plan, schema, spans, whole),
        *people_as_rows(plan, schema, spans),
    ]


def _one_row_for_all(plan: Plan, schema: Schema, spans: Sequence[Span], whole: Sequence[Span]) -> list[str]:
    """ "Departments over budget": what many rows make up together counts, unless one row is enough ("ever")."""
    ever = [span.text for span in whole if span.text in _EVER]
    if ever:
        return ever if any(_is_of_totals(group) for group in plan.having) else []
    told = (*plan.show, *(m.of for m in plan.measures if m.function == "distinct" and m.of is not None))
    things = [schema.column(value.table or "", value.column or "") for value in told if value.kind == "column"]
    repeated = [c for c in things if c is not None and c.kind == "text" and not c.is_unique and not c.has("label")]
    if len(repeated) != len(told) or not repeated or plan.by:
        return []
    held = [test for test in plan.where if test.other is not None and test.operator in {">", "<", ">=", "<="}]
    added = [test for test in held if all(_is_added_up(value, schema) for value in (test.value, test.other))]
    return [span.text for span in spans if span.type == "TEST" or span.cue("gt", "lt", "than")][:1] if added else []


def _is_of_totals(group: GroupTest) -> bool:
    of = group.measure.of
    return group.measure.function == "sum" and of is not None and of.operation == "-" and group.to == (0.0,)


def _is_added_up(value: Value | None, schema: Schema) -> bool:
    column = schema.column(value.table or "", value.column or "") if value is not None else None
    return column is not None and column.has("measure") and column.additive


def _unasked_count(plan: Plan, schema: Schema, spans: Sequence[Span], whole: Sequence[Span]) -> list[str]:
    """ "What did each shop take": what somebody does is no count of rows, unless how many is asked for too."""
    words = [span.text for span in whole]
    if words[:1] != ["what"] or not _ASKING & set(words[1:2]) or plan.rank is not None:
        return []
    counted = any(span.cue("count", "common", "rare", "most", "least", "share", "distinct") for span in spans)
    gained = [span.text for span in whole if span.type == "STOP" and span.text in word_list("gaining_verb")]
    if not plan.measures and plan.statistic is None and not any(_is_number(value, schema) for value in plan.show):
        return gained[:1]  # "What have we made": the rows without any amount do not say it.
    return ["what"] if not counted and only_counts(plan) else []


def _is_number(value: Value, schema: Schema) -> bool:
    column = schema.column(value.table or "", value.column or "")
    return value.kind != "column" or (column is not None and column.has("measure"))


def _most_of_what(plan: Plan, whole: Sequence[Span]) -> list[str]:
    """ "Which city makes the most": what is made most is no number of rows, unless it says most of what."""
    if plan.rank is None or not only_counts(plan):
        return []
    for place, (span, most) in enumerate(pairwise(whole)):
        after = whole[place + 2] if place + 2 < len(whole) else None
        object_told = after is not None and (after.type in {"ROW", "COLUMN", "UNKNOWN", "VALUE"} or after.cue("count"))
        if most.cue("most", "least") and not object_told and span.text in word_list("gaining_verb"):
            return [span.text]
    return []


def _gained_on_average(plan: Plan, spans: Sequence[Span], whole: Sequence[Span]) -> list[str]:
    """ "Which crop gave the most weight": what is gained is added up, unless an average is asked for."""
    means = plan.rank is not None and bool(plan.measures) and all(m.function == "mean" for m in plan.measures)
    if not means or any(span.cue("mean", "by") for span in spans):
        return []
    verbs = word_list("gaining_verb") - {"hold", "holds", "held"}
    return [
        verb.text
        for n, verb in enumerate(whole)
        for most, what in pairwise(whole[n + 1 : n + 5])
        if verb.text in verbs and most.cue("most", "least") and most.text.split()[-1] in _MOST and what.type == "COLUMN"
    ][:1]


def _ours_on_average(plan: Plan, spans: Sequence[Span], whole: Sequence[Span]) -> list[str]:
    """ "How much did we pay out in March": what we did is added up, unless it is said of each."""
    words = {word for span in whole for word in span.text.split()}
    asked = [span.text for span in spans if span.type == "CUE" and span.text == "how much"]
    means = bool(plan.measures) and all(m.function == "mean" and m.over is None for m in plan.measures)
    each = words & {"a", "an", "per", "each", "every"} or any(span.cue("mean", "more", "less", "by") for span in spans)
    return asked if "we" in words and means and not each else []


def _runs_out(plan: Plan, whole: Sequence[Span]) -> list[str]:
    """ "Contracts running out in May": they end then, and do not begin."""
    said = [
        one.text
        for one, two in pairwise(whole)
        if one.text in {"run", "runs", "running", "ran"} and two.text in {"out", "up"}
    ]
    values = [*plan.by, *plan.show, *(test.value for test in plan.tests() if test.value is not None)]
    ends = any(_ENDING & set(name_words(value.column or "")) for value in values)
    return [] if ends else said[:1]


def _size_as_count(plan: Plan, spans: Sequence[Span]) -> list[str]:
    """ "How big is each city": a size is no number of rows, except where what is big is a group of them."""
    grouped = {singular(word) for value in plan.by for word in name_words(value.column or "")}
    asked = [span.text for span in spans if span.type == "CUE" and span.text in _SIZES]
    return asked if only_counts(plan) and not grouped & word_list("group_noun") else []


def _units_as_rows(plan: Plan, spans: Sequence[Span]) -> list[str]:
    """ "How many days does it take": rows of each day, averaged, are no days."""
    if plan.over_groups is None or not all(m.function == "rows" for m in plan.measures):
        return []
    return [
        after.text
        for span, after in pairwise(spans)
        if span.cue("count") and after.type == "PART" and span.end == after.start
    ]


def _unknown_worst(plan: Plan, schema: Schema, spans: Sequence[Span]) -> list[str]:
    """ "The worst so-and-so": lowest or highest, where nothing says whether much of it is good or bad."""
    said = [span.text for span in spans if span.cue("least") and span.text == "worst"]
    by = plan.rank.by if plan.rank is not None else None
    figured = [by] if by is not None else [m.of for m in plan.measures if m.function not in COUNTS]
    columns = [schema.column(v.table or "", v.column or "") for v in figured if v is not None and v.column]
    words = {
        singular(w)
        for c in columns
        if c is not None
        for each in c.words
        for w in (each, *abbreviations().get(each, ()))
    }
    known = {singular(word) for word in word_list("bad") | word_list("good")}
    return said if plan.rank is not None and words and not words & known else []


_ALL = frozenset({"everyone", "everybody", "every", "all", "each"})
_WHETHER = frozenset("is are was were do does did have has had".split())


def _of_everyone(plan: Plan, whole: Sequence[Span]) -> list[str]:
    """ "Is the number known for everyone": those for whom it is, or how many they are, do not say it of all."""
    words = [word for span in whole for word in span.text.split()]
    said = [word for word in words if word in _ALL]
    told = plan.rank is None and plan.window is None and plan.statistic is None and (plan.show or only_counts(plan))
    return said[:1] if told and words and words[0] in _WHETHER and not {"any", "there"} & set(words) else []


_BOTH = ("with and without", "with or without", "with vs without", "with versus without")


def _other_half(plan: Plan, spans: Sequence[Span], whole: Sequence[Span]) -> list[str]:
    """What a plan tells half of: "with and without a bonus", "days in a row", each rainy day where they are one."""
    said = f" {' '.join(span.text for span in whole)} "
    halves = [phrase for phrase in _BOTH if f" {phrase} " in said and not plan.by and plan.statistic is None]
    rows = ["in a row"] if " in a row " in said and plan.statistic is None else []
    each = any(span.cue("by", "over_time", "which") for span in spans)
    means = bool(plan.measures) and all(m.function in {"mean", "median"} for m in plan.measures) and plan.rank is None
    days = [two.text for one, two in pairwise(spans) if one.type == "TEST" and two.type == "PART"]
    return [*halves, *rows, *(days if means and plan.by and not each else [])]


def _verb_as_things(plan: Plan, spans: Sequence[Span]) -> list[str]:
    """ "How many checks were signed off": the checks are counted, not the different people who signed, nor where."""
    counted = [after for span, after in pairwise(spans) if span.cue("count") and after.type in {"ROW", "COLUMN"}]
    different = {(m.of.table, m.of.column) for m in plan.measures if m.function == "distinct" and m.of is not None}
    different -= {(s.data.table, s.data.name) for s in counted if s.type == "COLUMN"}
    rows = any(s.type == "ROW" and s.data == plan.table and s.strength >= _NAMED for s in counted)
    if not counted or any(span.cue("distinct") for span in spans):
        return []
    return [
        span.text
        for span in spans
        if span.type == "COLUMN" and (span.data.table, span.data.name) in different and not span.data.has("key")
        if has_happened(span.text.split()[0]) or (rows and not span.data.is_unique)
    ]


def _done_by(plan: Plan, whole: Sequence[Span]) -> list[str]:
    """ "Covered by paid helpers": behind what was done, a yes/no column says by whom, and is no grouping."""
    grouped = {(value.table, value.column) for value in plan.by}
    found: list[str] = []
    for place, (span, after) in enumerate(pairwise(whole)):
        flag = after.type == "COLUMN" and after.data.has("flag")
        lead = [each.text.split()[-1] for each in whole[max(0, place - 2) : place]]
        lead = lead[:-1] if lead[-1:] and lead[-1] in {"out", "up", "off", "through"} else lead[-1:]
        done = any(has_happened(word) or word in {"done", "made", "run", "written"} for word in lead)
        if span.cue("by") and span.text == "by" and flag and done and (after.data.table, after.data.name) in grouped:
            found.append(span.text)
    return found


def _one_of_ours(plan: Plan, spans: Sequence[Span], whole: Sequence[Span]) -> list[str]:
    """ "The rent in our harbour": one harbour is meant, which nobody named, and not each of them."""
    if any(span.cue("by", "which", "versus", "apart") for span in spans) or plan.rank is not None:
        return []
    grouped = {(value.table, value.column) for value in plan.by}
    return [
        after.text
        for span, after in pairwise(whole)
        if span.text in {"our", "my", "this"}
        and after.type == "COLUMN"
        and singular(after.text.split()[-1]) == after.text.split()[-1]
        and (after.data.table, after.data.name) in grouped
    ]


def _figure_of_a_best(plan: Plan, whole: Sequence[Span]) -> list[str]:
    """ "The average wait at our busiest clinic": the clinic is found by something else than by the wait."""
    if plan.rank is None or not plan.measures:
        return []
    figured = {(m.of.table, m.of.column) for m in plan.measures if m.of is not None}
    for place, span in enumerate(whole):
        if span.type != "GRADE" or span.data[1] not in {"most", "least"} or span.data[0] != "busy":
            continue
        lead = [each.text for each in whole[max(0, place - 2) : place]]
        before = [s for s in whole[:place] if s.type == "COLUMN" and (s.data.table, s.data.name) in figured]
        if before and _LEADS & set(lead):
            return [span.text]
    return []


def _rate_as_amount(plan: Plan, spans: Sequence[Span]) -> list[str]:
    """ "The most expensive per square metre": one number for each of another is no ranking by either."""
    if plan.rank is None or any(m.over is not None or _divides(m.of) for m in plan.measures) or _divides(plan.rank.by):
        return []
    return [
        span.text
        for grade, span, after in zip(spans, spans[1:], spans[2:], strict=False)
        if (grade.cue("most", "least") or (grade.type == "GRADE" and grade.data[1] in {"most", "least"}))
        and span.text == "per"
        and after.type == "COLUMN"
        and after.data.has("measure")
        and after.data.expression is None
    ]


def _divides(value: Value | None) -> bool:
    return value is not None and value.operation == "/"


def _part_as_whole(plan: Plan, whole: Sequence[Span]) -> list[str]:
    """ "What share of France's power was nuclear": France is the whole, and nuclear power the part."""
    parts = [m for m in plan.measures if m.over is not None and m.where and m.of is not None and m.over.of == m.of]
    if not parts or any(m.over is not None and m.over.where for m in parts):
        return []
    tested = {(t.value.table, t.value.column) for m in parts for t in m.where if t.value is not None}
    told = {(m.of.table, m.of.column) for m in parts if m.of is not None}
    shares = [span.end for span in whole if span.cue("share", "rate")]
    found: list[str] = []
    for place, span in enumerate(whole):
        if span.type != "VALUE" or not shares or shares[0] > span.start:
            continue
        if (span.data[0].table, span.data[0].name) not in tested:
            continue
        behind = [s for s in whole[place + 1 :] if s.type == "COLUMN" and (s.data.table, s.data.name) in told]
        between = {s.text for s in whole[place + 1 :] if behind and s.start < behind[-1].start}
        inside = {word for s in behind for word in s.text.split()[:-1]}
        if behind and _BEING & (between | inside):
            found.append(behind[-1].text)
    return found


def _whole_as_part(plan: Plan, spans: Sequence[Span]) -> list[str]:
    """ "What share of answered calls got a score": those that were answered are the whole."""
    tested = {(t.value.table, t.value.column) for m in plan.measures for t in m.where if t.value is not None}
    found: list[str] = []
    for place, (share, kind, row) in enumerate(zip(spans, spans[1:], spans[2:], strict=False)):
        later = any(s.type in {"TEST", "VALUE", "DENY"} for s in spans[place + 3 :])
        column = kind.data[0] if kind.type == "VALUE" else kind.data if kind.type in {"COLUMN", "DENY"} else None
        if share.cue("share") and row.type == "ROW" and later and column is not None:
            found += [kind.text] if (column.table, column.name) in tested else []
    return found


def _amount_of_people(plan: Plan, spans: Sequence[Span]) -> list[str]:
    """ "Who won and with how many votes", "what proportion of guests": a total names nobody, nor does it share them."""
    amount = any(m.function in _AMOUNTS for m in plan.measures) and not plan.by and not plan.show
    if not amount or plan.rank is not None:
        return []
    people = word_list("people") | word_list("person")
    named = {"who"} if spans[:1] and spans[0].text == "who" else set[str]()
    shared = [two.text for one, two in pairwise(spans) if one.cue("share") and two.text.split()[0] in people]
    return [*named, *shared]


def _nobody(plan: Plan, schema: Schema, spans: Sequence[Span]) -> list[str]:
    """ "Who has not brought it back": a title or a product is nobody."""
    said = [span.text for span in spans if span.text == "who"]
    by = plan.rank.by if plan.rank is not None else None
    shown = [value for value in (*plan.by, *plan.show) if value != by]
    things = [_last(value) in word_list("thing") for value in shown]
    return said[:1] if things and all(things) else []


def _last(value: Value) -> str:
    words = [singular(word) for word in name_words(value.column or "") if word not in word_list("keyish")]
    named = words[-1:] == ["name"] and len(words) > 1
    return words[-2] if named else words[-1] if words else ""
