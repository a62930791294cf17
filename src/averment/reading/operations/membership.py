"""Operations over sets of things that rows repeat: who did both, who did one but not the other, who never did."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import TYPE_CHECKING

from averment.plans.plan import Measure, Plan, Test, Value
from averment.reading.operations.plan_parts import Parts, Proposal
from averment.reading.schema.repeats import repeats
from averment.reading.times.time_conditions import bounds, is_period
from averment.reading.words import word_list, word_phrases

if TYPE_CHECKING:
    from collections.abc import Sequence

    from averment.reading.slots.state import State


_BARS = frozenset({">", ">=", "<", "<=", "between"})


def takes_membership(state: State) -> bool:
    """Whether a question speaks of who did or did not, over a table whose rows are what was done."""
    told = state.has("not", "no", "both", "missing", "new_members", "returning_members")
    return told and not state.measures and state.descending is None


def propose_membership(parts: Parts) -> Iterator[Proposal]:
    """Those with rows of one kind and not of another; those with rows of both kinds; those with none."""
    named = parts.state.targets or parts.people
    who = next((v for v in named if is_party(parts, v)), None)
    if who is None or parts.state.groups:
        return
    tests = list(parts.where)
    denied = [test for test in tests if test.value is not None and (test.operator == "!=" or _is_ruled_out(test))]
    if parts.state.absent:
        yield from _absent(parts, who, tests)
    elif denied:
        yield from _denied(parts, who, denied, [test for test in tests if test not in denied])
    elif parts.state.has("no") and parts.state.rows and tests:
        yield 0.0, _plan(parts, who, (), (), tests)
    elif (bars := [test for test in tests if test.operator in _BARS and test.inner is None]) and _is_denied(parts):
        yield -0.2, _plan(parts, who, (), (), [*bars, *(test for test in tests if test not in bars)])
    if parts.state.has("new_members", "returning_members"):
        yield from _seen_before(parts, who, tests)
        return
    both = next((t for t in tests if t.operator == "in" and t.inner is None and len(t.to) == 2), None)
    if both is not None and parts.state.has("both"):
        rest = [test for test in tests if test is not both]
        first, second = (both.model_copy(update={"operator": "=", "to": (value,)}) for value in both.to)
        yield -0.45, _plan(parts, who, [first, *rest], [second, *rest], ())


def _absent(parts: Parts, who: Value, tests: list[Test]) -> Iterator[Proposal]:
    """Groups without any row of a kind: what is said before the "no" is of the groups, what follows of the kind."""
    at = next(item.start for item in parts.state.items if item.cue("no"))
    named = [item.data for item in parts.state.items if item.type == "VALUE" and item.start < at]
    before = [t for t in tests if t.value is not None and any(c.value == t.value and v in t.to for c, v in named)]
    before += [test for test in parts.flag_tests if test not in before]
    inside = [test for test in tests if test not in before]
    yield -0.2, _plan(parts, who, before, (), [*parts.state.absent, *inside])


def _is_denied(parts: Parts) -> bool:
    """Whether all that follows is denied of every row: "never won more than 20 games", "nobody earns over 500"."""
    words = word_phrases("never")
    items = parts.state.items
    at = next((n for n, item in enumerate(items) if item.cue("not", "no") and item.text in words), None)
    return at is not None and not any(item.type in {"VALUE", "NUMBER", "TIME"} for item in items[:at])


def _seen_before(parts: Parts, who: Value, tests: list[Test]) -> Iterator[Proposal]:
    """Those who came in a period and never before it, or who had come before: new in 2024."""
    timed = [test for test in tests if is_period(test) and (found := bounds(test)) is not None and found[0]]
    if len(timed) != 1:
        return
    rest = [test for test in tests if test is not timed[0]]
    before = timed[0].model_copy(update={"operator": "<", "to": timed[0].to[:1]})
    new = parts.state.has("new_members")
    also, never = ((), [*rest, before]) if new else ([*rest, before], ())
    yield -0.3, _plan(parts, who, tests, also, never)


def _denied(parts: Parts, who: Value, denied: list[Test], rest: list[Test]) -> Iterator[Proposal]:
    turned = _turned(denied)
    done = [test for test in rest if _speaks_of(test) == _speaks_of(denied[0])]
    # A verb of doing speaks of all that someone did, and not of one row.
    verbs = word_list("event_verb") | word_phrases("verb_denying")
    acted = 0.3 * any(item.text in verbs for item in parts.state.items)
    if _is_stated(parts, denied[0]):
        acted = -0.4  # "where the supplier is not Acme" is said of each row
    if done:
        yield -0.2 - acted, _plan(parts, who, rest, (), [*turned, *(test for test in rest if test not in done)])
    else:
        yield -0.05 - acted, _plan(parts, who, (), (), [*turned, *rest])


def _is_stated(parts: Parts, denied: Test) -> bool:
    """Whether a question names the column right before it says what it is not."""
    return any(
        item.type == "COLUMN" and _speaks_of(denied) == (item.data.table, item.data.name) and after.cue("not")
        for item, after in pairwise(parts.state.items)
    )


def _is_ruled_out(test: Test) -> bool:
    """Whether a period is denied: "but not in 2023"."""
    return test.negated and is_period(test.model_copy(update={"negated": False}), recurring=True)


def _speaks_of(test: Test) -> tuple[str | None, str | None]:
    return (test.value.table, test.value.column) if test.value is not None else (None, None)


def _turned(denied: list[Test]) -> list[Test]:
    """What was denied, as what it would be to do it: any of several values of one column."""
    if _is_ruled_out(denied[0]):
        return [test.model_copy(update={"negated": False}) for test in denied[:1]]
    values = tuple(value for test in denied for value in test.to)
    if len(values) == 1:
        return [denied[0].model_copy(update={"operator": "="})]
    return [denied[0].model_copy(update={"operator": "in", "to": values})]


def _plan(parts: Parts, who: Value, outer: Sequence[Test], also: Sequence[Test], never: Sequence[Test]) -> Plan:
    """Who has a row that meets ``outer``, one that meets ``also``, and none that meets ``never``."""
    where = [*outer]
    known = Test(value=who, operator="null", negated=True)
    for tests, operator in ((also, "in"), (never, "not in")):
        if tests:
            inner = Plan(table=parts.home, show=(who,), distinct=True, where=(*tests, known), expects="list")
            where.append(Test(value=who, operator=operator, inner=inner))  # pyright: ignore[reportArgumentType]
    if parts.state.has("count"):
        measure = Measure(function="distinct", of=who)
        return Plan(table=parts.home, measures=(measure,), where=tuple(where), expects="figure")
    return Plan(table=parts.home, show=(who,), distinct=True, where=tuple(where), expects="list")


def is_party(parts: Parts, value: Value) -> bool:
    """Whether a value names things that come back in several rows."""
    column = parts.column_of(value)
    return (
        column is not None
        and repeats(column)
        and value.kind == "column"
        and value.table == parts.home
        and not parts.is_time(value)
    )


def shared_party(parts: Parts) -> Value | None:
    """What a share is of, where rows repeat it: "what share of players"."""
    at = parts.state.target_at.get(0, 0)
    before = parts.state.item(at - 1)
    named = parts.state.targets[:1] if before is not None and before.cue("share") else []
    return next((value for value in named if is_party(parts, value)), None)
