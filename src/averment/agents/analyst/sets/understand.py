"""Understanding questions about sets: whose values, and the words that put them among rows or not."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from averment.agents.analyst.parts.draft import Draft
from averment.agents.analyst.parts.filters import ValueSaid, read_values
from averment.agents.analyst.parts.gather import is_one_row
from averment.agents.analyst.parts.nouns import Filter
from averment.agents.analyst.parts.reading import MOST_WORDS
from averment.agents.analyst.parts.times import Times, read_times
from averment.agents.analyst.parts.words import NEUTRAL, ROW_NOUNS
from averment.agents.analyst.sets.over import read_over_tables
from averment.agents.analyst.sets.places import Entity, Places
from averment.agents.analyst.sets.reading import Member, Number, Placed, SetReading
from averment.agents.analyst.skill import Candidate
from averment.errors import AvermentError
from averment.language.tokens import split_words

if TYPE_CHECKING:
    from averment.agents.analyst.skill import Question

Mode = Literal["both", "either", "none", "without", "many"]

_DOING = (
    r"(?:buy|buys|bought|purchased?|order(?:s|ed)?|sell|sells|sold|had|have|has|use[ds]?|visit(?:s|ed)?|took|take[ns]?|"
    r"place[ds]?|made|make|worked|work|rented?|watched|played|been|shipped|recorded|appear(?:s|ed)?|made)"
)
_BOTH = re.compile(r"\bboth\b")
_NEITHER = re.compile(r"\bneither\b")
_NEVER = re.compile(
    r"\b(?:never|not once|nobody|no one|none)\b|\b(?:did|do|does|have|has|had|was|were|is|are|been)(?: not|n't)(?= "
    rf"(?:yet |ever )?(?:any )?{_DOING}\b)|\bnot(?= {_DOING}\b)"
)
_LACKING = re.compile(r"\b(?:(?:with|had|have|has|having|where|there (?:is|are|was|were))\s+no|without(?: any)?)\b")
_BUT_NOT = re.compile(rf"\bbut (?:(?:did|do|does|have|has|had) )?(?:not|never|no)\b(?: {_DOING}\b)?(?: in)?")
_WHO = re.compile(rf"\b(?:who|that|which)\b(?: have| has| had)?(?: ever)? {_DOING}\b")
_NUMBER = re.compile(
    r"\b(?:with|have|has|had|having|placed|made|(?:who|that|which) (?:have|has|had|placed|made)) "
    r"(?P<how>more than|over|at least|fewer than|less than|under|at most|exactly)\s+(?P<n>\d{1,6})\s+(?P<rows>\w+)\b"
)
_COUNTED = re.compile(r"\b(?:how many|(?:the )?number of|count(?: of)?)\b")
_ASKING = re.compile(
    r"^(?:please )?(?:list|show|give|find|which|what|name|get|display|return|tell|identify|who)?(?: me| us)?(?: are)?"
    r"(?: the)?(?: names? of(?: the)?| list of(?: the)?| all(?: the| of the)?)?\b"
)
_VERBS = re.compile(
    rf"\b(?:{_DOING}|who|that|which|whose|where|any|ever|yet|via|sales?|anything|but|not|nor|either|only)\b"
)


@dataclass(frozen=True)
class Many:
    """How many rows of which table each must have; ``few`` says that those who have so many are left out."""

    table: str
    number: Number
    few: bool


@dataclass
class _Asked:
    """What one question says of sets, over all its tables."""

    question: Question
    drafts: list[Draft]
    values: list[tuple[str, ValueSaid]] = field(default_factory=list[tuple[str, ValueSaid]])
    times: dict[str, Times] = field(default_factory=dict[str, Times])
    many: Many | None = None

    def take(self, pattern: re.Pattern[str]) -> bool:
        """Whether the question says it; its words count as understood in every table."""
        return [draft.take(pattern) is not None for draft in self.drafts].count(True) > 0


def read_sets(name: str, question: Question) -> list[Candidate]:
    """The one reading of a question about sets, or none."""
    if len(question.text.split()) > MOST_WORDS:
        return []
    names = frozenset(column.name for profile in question.profiles for column in profile.columns)
    asked = _Asked(question, [Draft(question.text, profile, names) for profile in question.profiles])
    over = read_over_tables(asked.drafts)
    if over is not None:
        return [_sure(name, over)]
    mode = _mode(asked)
    if mode is None:
        return []
    counted = asked.take(_COUNTED)
    places = Places(question)
    entity = places.entity(asked.drafts)
    if entity is None:
        return []
    for draft in asked.drafts:
        asked.values += [(draft.profile.table, each) for each in read_values(draft) if not entity.is_of(draft, each)]
        asked.times[draft.profile.table] = read_times(draft)
    if any(draft.doubts for draft in asked.drafts):
        return []
    try:
        reading = _made(asked, mode, entity, places, counted=counted)
    except AvermentError:
        return []
    if reading is None:
        return []
    unread = _unread(asked, entity)
    if unread:
        return []
    return [_sure(name, reading)]


def _sure(name: str, reading: SetReading) -> Candidate:
    return Candidate(
        skill=name, reading=reading.model_dump(mode="json"), in_words=reading.in_words(), score=1.0, unread=()
    )


def _many(asked: _Asked) -> Many | None:
    """How many rows of a kind each of them must have: "with more than 10 orders"."""
    draft = asked.drafts[0]
    found = _NUMBER.search(draft.folded)
    if found is None:
        return None
    stem = split_words(found["rows"])[0].stem
    tables = [each.profile.table for each in asked.drafts]
    single = len(tables) == 1 and is_one_row(draft, draft.places(found.span("rows"))[0], plural=True)
    named = tables if single else [name for name in tables if [word.stem for word in split_words(name)] == [stem]]
    if len(named) != 1:
        return None
    for each in asked.drafts:
        each.used.update(each.places(found.span()))
    how, value = " ".join(found["how"].split()), int(found["n"])
    few = how in {"fewer than", "less than", "at most", "under"}
    more = how in {"more than", "over", "at most"}
    operator: Literal["=", ">", ">="] = ">" if more else "=" if how == "exactly" else ">="
    return Many(named[0], Number(operator=operator, value=value), few=few)


def _mode(asked: _Asked) -> Mode | None:
    """Which way of being among rows is asked about."""
    asked.many = _many(asked)
    if asked.many is not None:
        return "many"
    if asked.take(_BUT_NOT):
        return "without"
    if asked.drafts[0].says(r"\bneither\b"):
        return "none"
    if asked.take(_BOTH):
        return "both"
    if asked.take(_NEVER) or asked.take(_LACKING):
        return "none"
    if asked.drafts[0].says(r"\bor\b") and asked.drafts[0].says(_WHO.pattern):
        return "either"
    return None


def _made(asked: _Asked, mode: Mode, entity: Entity, places: Places, *, counted: bool) -> SetReading | None:
    said = [(table, each) for table, each in asked.values]
    members: list[Member] | None
    match mode:
        case "both":
            members = _each(asked, entity, places, said)
            inside, outside = tuple(members or ()), ()
            if len(inside) < 2:
                return None
        case "either":
            columns = {(table, each.column) for table, each in said}
            if len(said) < 2 or len(columns) != 1:
                return None
            inside, outside = (_member(asked, entity, places, said),), ()
        case "many":
            assert asked.many is not None  # that is what makes it many
            member = _member(asked, entity, places, said)
            if member is None or asked.many.table not in (member.table, *(join.right for join in member.joins)):
                return None
            member = member.model_copy(update={"number": asked.many.number})
            inside, outside = ((), (member,)) if asked.many.few else ((member,), ())
        case "none":
            inside, outside = (), (_member(asked, entity, places, said),)
        case "without":
            cut = _after_but(asked)
            plain = [(table, each) for table, each in said if each.first < cut]
            denied = [(table, each) for table, each in said if each.first > cut]
            if not plain or not denied:
                return None
            inside = (_member(asked, entity, places, plain),)
            outside = (_member(asked, entity, places, denied),)
    if any(each is None for each in (*inside, *outside)):
        return None
    return SetReading(
        table=entity.table,
        column=entity.column,
        key=entity.key,
        inside=tuple(each for each in inside if each is not None),
        outside=tuple(each for each in outside if each is not None),
        counted=counted,
    )


def _after_but(asked: _Asked) -> int:
    draft = asked.drafts[0]
    found = _BUT_NOT.search(draft.folded)
    return draft.places((found.start(), found.end()))[0] if found is not None else len(draft.tokens)


def _each(asked: _Asked, entity: Entity, places: Places, said: list[tuple[str, ValueSaid]]) -> list[Member] | None:
    """One member for each value of the column that has several; what else is said holds for all of them."""
    columns: dict[tuple[str, str], list[ValueSaid]] = {}
    for table, each in said:
        columns.setdefault((table, each.column), []).append(each)
    several = [key for key, values in columns.items() if len({value.value for value in values}) > 1]
    if len(several) != 1:
        return None
    rest = [(table, each) for table, each in said if (table, each.column) != several[0]]
    found = [_member(asked, entity, places, [(several[0][0], each), *rest]) for each in columns[several[0]]]
    return None if None in found else [each for each in found if each is not None]


def _member(asked: _Asked, entity: Entity, places: Places, said: list[tuple[str, ValueSaid]]) -> Member | None:
    """The rows that meet all that is said, joined to whoever is asked about; None where nothing joins them."""
    tests: dict[tuple[str, str], Filter] = {}
    for table, each in said:
        known = tests.get((table, each.column))
        if known is None:
            tests[table, each.column] = Filter(column=each.column, operator="=", value=each.value, words=each.words)
        elif each.value not in (known.value, *known.others):
            tests[table, each.column] = known.model_copy(update={"others": (*known.others, each.value)})
    placed = tuple(Placed(table=table, test=test) for (table, _), test in tests.items())
    path = places.path(entity, [each.table for each in placed], asked.drafts)
    if path is None:
        return None
    table, key, joins = path
    there = {table, *(join.right for join in joins)}
    dated = [name for name, times in asked.times.items() if name in there and times.periods and times.column]
    said_when = any(times.periods for times in asked.times.values())
    if said_when and (len(dated) != 1 or len(asked.times[dated[0]].periods) != 1):
        return None
    if not placed and not dated and not joins and table == entity.table and asked.many is None:
        return None  # everybody is among the rows that they are read from
    return Member(
        table=table,
        key=key,
        joins=joins,
        tests=placed,
        period_table=dated[0] if dated else None,
        period=asked.times[dated[0]].between(asked.times[dated[0]].periods[0]) if dated else None,
    )


def _unread(asked: _Asked, entity: Entity) -> list[str]:
    """The words that found no place in any table."""
    draft = asked.drafts[0]
    used = {place for each in asked.drafts for place in each.used} | set(entity.places)
    tables = {word.stem for each in asked.drafts for word in split_words(each.profile.table)}
    opening = _ASKING.match(draft.folded)
    free = draft.places((0, opening.end())) if opening is not None else []
    for found in _VERBS.finditer(draft.folded):
        used.update(draft.places(found.span()))
    for found in _NEITHER.finditer(draft.folded):
        used.update(draft.places(found.span()))
    return [
        token.text
        for place, token in enumerate(draft.tokens)
        if place not in used
        and place not in free
        and token.normal not in NEUTRAL
        and token.stem not in ROW_NOUNS
        and token.stem not in tables
    ]
