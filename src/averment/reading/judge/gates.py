"""What a reading must pass besides its odds: whether another one fits as well, and whether nothing is left to guess."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from averment.reading.schema.column_uses import columns_implied, columns_named, joins_are_said, says_what
from averment.reading.words import FAMILY, kinship, name_words, word_list

if TYPE_CHECKING:
    from averment.reading.judge.verdict import Reading
    from averment.reading.reader import Candidate
    from averment.reading.schema.schema_column import Column


FEW = 8
"""Of so many different values each is a kind, of which most conditions leave all."""


def counts_every_kind(best: Reading) -> bool:
    """Whether a condition leaves every one of a column's few values, so that their number says nothing of it.

    Three kinds of shifts are left of three on any ward: who asks how many there were means the rows. "Different" says
    that kinds are meant, and so does a word for the rows beside them: how many wards had a shift.
    """
    own = best.candidate
    plan = own.plan
    if len(plan.measures) != 1 or plan.measures[0].function != "distinct" or not plan.where or plan.over_groups:
        return False
    of = plan.measures[0].of
    if of is None or any(span.cue("distinct") for span in own.spans) or plan.rank is not None or plan.joins:
        return False
    if any(span.type == "ROW" and span.data is not None for span in own.spans):
        return False
    counted = [s.data for s in own.spans if s.type == "COLUMN" and (s.data.table, s.data.name) == (of.table, of.column)]
    if not counted or counted[0].distinct > FEW or counted[0].rows < 2 * counted[0].distinct:
        return False
    return bool(best.rows) and all(row[-1] == counted[0].distinct for row in best.rows)


NAMED = 0.9
"""How surely a reading's words must name what they mean for a refusal of it to be the answer."""

TIE = 0.02
"""Readings whose scores lie this near are one as likely as the other."""

CLOSE = 0.03
"""A second reading whose odds are as near as this is asked about: of the two only one can be meant."""

NAMESAKE = 0.9
"""How far behind a reading may lie that takes a name for that of a thing, and is still asked about."""

WHOLE = 0.95
"""From this strength on a span is a name as it stands, or in the plural."""

WHOLE_NOUN = 0.92
"""The same for a table's noun, which counts for a little less."""

FIGURES = ("sum", "mean", "median", "count", "min", "max", "growth")


def is_plain(best: Reading, readings: Sequence[Reading]) -> bool:
    """Whether nothing is left to guess: named tables, a figure that is said, whole names alone, no second reading."""
    own = best.candidate
    named = all(
        span.strength >= (WHOLE_NOUN if span.type == "ROW" else WHOLE)
        or (span.type == "ROW" and span.data is None and span.text in word_list("row"))
        for span in own.spans
        if span.type in {"COLUMN", "VALUE", "ROW"}
    )
    known = not any(span.type == "UNKNOWN" or span.guessed for span in own.spans)
    overview = own.plan.statistic is not None and own.plan.statistic.kind == "overview"
    said = overview or any(span.cue(*FIGURES) for span in own.spans) or says_what(own)
    alone = all(r is best or r.candidate.left for r in readings)
    return bool(best.rows) and not own.left and joins_are_said(own) and named and known and said and alone


def gates_of(
    reading: Reading, readings: Sequence[Reading], *, answers_from: float, unable: Candidate | None
) -> dict[str, str | None]:
    """The gates that a reading must pass to be answered, each with why it does not pass, or None where it does.

    ``unable`` is what fits the words best, where the engine cannot do it.
    """
    shown = min(reading.odds, answers_from - 0.01)  # Never rounded up to what is missed.
    return {
        "every word has its place": _unplaced(reading.candidate),
        f"odds of at least {answers_from:g}": None if reading.odds >= answers_from else f"{shown:.2f}",
        "no other reading fits as well": why_open(reading, readings),
        "the likeliest reading can be carried out": None if unable is None else f"not “{unable.read_back}”",
    }


def _unplaced(own: Candidate) -> str | None:
    """Which words a reading leaves out, or takes for what nothing here is called."""
    if own.left:
        return f"leaves out {', '.join(own.left)}"
    return f"nothing is called {', '.join(span.text for span in own.links)}" if own.links else None


def why_open(best: Reading, readings: Sequence[Reading]) -> str | None:
    """Why a reading is asked about: another result fits the words as well, or those with none at all may be meant."""
    own = best.candidate
    guessed = [span.text for span in own.spans if span.guessed]
    if guessed:
        return f"{', '.join(guessed)} only comes near what is meant"
    if _denied_of_many(own):
        return "things with no row at all may be meant as well"
    if counts_every_kind(best):
        return "rows may be meant, and not different values"
    if _divides_by_the_unsaid(own):
        return "it divides by what no word speaks of"
    lacking = any(test.operator == "null" for test in own.plan.where)
    once = any(m.function == "distinct" for m in own.plan.measures) and not any(s.cue("distinct") for s in own.spans)
    if lacking and once:  # Books that came back, or did not.
        return "each row may be counted, or each thing once"
    few = any(test.operator in {"<", "<="} and test.measure.function == "rows" for test in own.plan.having)
    if few and own.plan.joins:  # Who has fewer than five may have none, and then stands in no row.
        return "those with none at all may be meant as well"
    before = [s.data.before for s in own.spans if s.type == "COLUMN" and _is_before(s.data.before, own)]
    if before:  # Price times quantity, and the row has a discount that nobody spoke of.
        return f"it may be meant before or after {before[0].name}"
    rivals = [r for r in readings if r is not best and not r.candidate.left]
    same = [r.candidate for r in rivals if _is_namesake(own, r.candidate)]
    if same:
        return f"a name is also one of “{same[0].read_back}”"
    said = own.read_back.rpartition(", in ")[0]
    named = any(s.type == "ROW" and s.data == own.plan.table and s.strength >= NAMED for s in own.spans)
    alone = [r.candidate for r in rivals if not own.plan.joins and not r.candidate.plan.joins]
    if said and not named and any(each.read_back.rpartition(", in ")[0] == said for each in alone):
        return "the same could be meant of another table"
    tied = [r for r in rivals if abs(own.score - r.candidate.score) < TIE or r.odds > best.odds - CLOSE]
    if not tied:
        return None
    return f"“{max(tied, key=lambda r: r.odds).candidate.read_back}” does"


def _is_before(deduction: Column | None, own: Candidate) -> bool:
    """Whether a formula leaves something out that the question does not set aside."""
    spoken = [span.data for span in own.spans if span.type in {"ASIDE", "COLUMN"}]
    return deduction is not None and deduction not in spoken


def _is_namesake(own: Candidate, other: Candidate) -> bool:
    """Whether the same words are as well the name of a thing of another table: a composer, and an artist so called."""
    values = {(s.start, s.end): s for s in own.spans if s.type == "VALUE" and s.strength >= NAMED}
    for span in other.spans:
        mine = values.get((span.start, span.end)) if span.type == "VALUE" and span.strength >= NAMED else None
        if mine is None or mine.data[0].table == span.data[0].table:
            continue
        beside = any(s.type == "COLUMN" and s.data is mine.data[0] for s in own.spans)
        if span.data[0].has("label") and not mine.data[0].has("label") and not beside:
            return own.score - other.score < NAMESAKE
    return False


def _divides_by_the_unsaid(own: Candidate) -> bool:
    """Whether a ratio takes a column that no word speaks of: a literacy rate is no literacy per donation."""
    by = [m.over.of for m in own.plan.measures if m.over is not None and m.over.of is not None]
    values = [
        m.of for m in own.plan.measures if m.of is not None and m.of.kind == "arithmetic" and m.of.operation == "/"
    ]
    by += [each for value in values for each in value.operands[1:]]
    defined = [s.data.expression for s in own.spans if s.type == "COLUMN" and s.data.name.casefold() == s.text]
    named = columns_named(own) | columns_implied(own) | {p for each in defined if each for p in each.columns()}
    said = {word for span in own.spans for word in span.text.split()}

    def is_said(name: str) -> bool:
        return any(kinship(word, part) >= FAMILY for word in said for part in name_words(name))

    return any(pair not in named and not is_said(pair[1]) for value in by for pair in value.columns())


def _denied_of_many(own: Candidate) -> bool:
    """Whether things are listed by what some row of another table is not: who bought neither has no row with either."""
    plan = own.plan
    shown = {value.table for value in (*plan.show, *plan.by)}
    denied = [
        t.value.table for t in plan.where if t.value is not None and (t.negated or t.operator in {"!=", "not in"})
    ]
    return bool(plan.joins) and not plan.measures and any(table not in shown for table in denied)
