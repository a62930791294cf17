"""The memory loop's decisions: which hypothesis is looked at next, by which script, and when it is enough.

A round depends on the request, the plan's results and earlier rounds alone, so that a run resumed anywhere goes on as
it would have. The most plausible hypothesis is taken next (ANALYZE); one that holds is drilled into (DRILL_DOWN); one
that a look could not decide is put back, and another hypothesis or approach is taken (PIVOT). The last round adds up
what was found (CONCLUDE): every hypothesis is settled, or the last looks decided nothing (STALL_DETECTED), or there is
no room for more (MAX_ITERATIONS).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from averment.agents.driller.hypotheses import Cause, Suspicion, cause_of, causes_of, figure_words, segment_words
from averment.agents.driller.reading import (
    ATTRIBUTION,
    BREAKDOWN,
    CUBE,
    DAILY,
    InvestigationSetup,
    query_task,
    reading_of,
)
from averment.agents.driller.recall import Memory, recall
from averment.agents.driller.scripts import Script, script
from averment.records.analysis import Subtask
from averment.records.drilldown.loop import MAX_ITERATIONS, IterationDecision
from averment.runtime.decisions import Round
from averment.tables.cubes.cube_sql import daily_sql

if TYPE_CHECKING:
    from averment.runtime.run_context import RunContext

STALLED_AFTER = 3
MOST_DRILLED = 2
SCRIPT_SECONDS, QUERY_SECONDS, SCRIPT_LIMIT = 0.5, 0.5, 30


def next_round(work: RunContext, number: int) -> Round | None:
    """What to do in that round; None once the investigation has been concluded, or cannot go on."""
    if ATTRIBUTION not in work.state.answered or any(r.decision == "CONCLUDE" for r in work.state.rounds):
        return None
    if number > MAX_ITERATIONS:
        return None
    memory = recall(work)
    waiting = _waiting(memory)
    if number == MAX_ITERATIONS:
        exit_reason = "MAX_ITERATIONS" if waiting else "CONCLUDE"
        return _conclude(number, exit_reason, "the last iteration adds up what was found")
    if _stalled(memory):
        return _conclude(number, "STALL_DETECTED", f"the last {STALLED_AFTER} looks decided nothing")
    drilled = _drill(work, memory, number)
    if drilled is not None:
        return drilled
    if not waiting:
        done = "every hypothesis has been tested" if not memory.undecided else "no hypothesis can be tested further"
        return _conclude(number, "CONCLUDE", done)
    return _test(work, memory, waiting[0], number)


MOST_TRIES = 2
"""A hypothesis that a look did not decide is looked at once more, in another way."""


def _waiting(memory: Memory) -> list[Suspicion]:
    """The hypotheses left to look at, the most plausible first; those that one look did not decide come last."""
    left = [one for one in memory.suspicions if memory.statuses[one.hypothesis_id] in {"PENDING", "INVESTIGATING"}]
    tries = {one.hypothesis_id: memory.tries(one.hypothesis_id) for one in left}
    open_ones = [one for one in left if tries[one.hypothesis_id] < MOST_TRIES and one.kind != "proposed"]
    return sorted(open_ones, key=lambda one: (tries[one.hypothesis_id], one.priority, one.hypothesis_id))


def _stalled(memory: Memory) -> bool:
    recent = memory.verdicts[-STALLED_AFTER:]
    return len(recent) == STALLED_AFTER and all(verdict is None for verdict in recent)


def _conclude(number: int, exit_reason: str, reason: str) -> Round:
    code = script("sum", f"Round {number}: do the parts sum to the change, and what is left over?", {})
    return Round(
        number=number,
        decision="CONCLUDE",
        reason=reason,
        tasks=(_python(number, "Add up the parts of the change", code, [ATTRIBUTION]),),
        state={"kind": "sum", "task": _task(number), "exit_reason": exit_reason},
    )


def _test(work: RunContext, memory: Memory, suspicion: Suspicion, number: int) -> Round:
    reading = reading_of(work)
    causes = causes_of(work)
    tries = memory.tries(suspicion.hypothesis_id)
    kind, constants, inputs = _constants(work, reading, suspicion, causes, tries)
    question = f"Round {number}: {suspicion.title}? {suspicion.pattern}"
    decision: IterationDecision = "PIVOT" if memory.undecided else "ANALYZE"
    reason = f"{suspicion.hypothesis_id} is the most plausible hypothesis left: {suspicion.title}"
    if memory.undecided:
        way = "another way to look at it" if suspicion.hypothesis_id in memory.undecided else suspicion.title
        reason = f"{', '.join(memory.undecided)} could not be decided and is put back; {suspicion.hypothesis_id}: {way}"
    return Round(
        number=number,
        decision=decision,
        reason=reason,
        tasks=(_python(number, suspicion.title, script(kind, question, constants), inputs),),
        state={"kind": kind, "hypothesis": suspicion.hypothesis_id, "task": _task(number), "rank": suspicion.rank},
    )


def _constants(
    work: RunContext, reading: InvestigationSetup, suspicion: Suspicion, causes: Sequence[Cause], tries: int
) -> tuple[Script, dict[str, Any], list[str]]:
    periods = periods_of(work)
    match suspicion.kind:
        case "fault":
            return "fault", {"PERIODS": periods}, [DAILY]
        case "calendar":
            return "calendar", {"PERIODS": periods}, [DAILY]
        case "tree":
            return "tree", {"TREE": tree_of(reading), "RATIO": reading.metric.kind == "ratio"}, [CUBE]
        case "mix":
            return "mix", {"SEGMENT": suspicion.segment, "MERGES": merges_of(causes)}, [CUBE]
        case "segment" | "suspect" | "proposed":
            cause = cause_of(suspicion, causes)
            constants = {
                "SEGMENT": suspicion.segment,
                "FIGURE": columns_of(cause, reading),
                "SHARE": cause is not None and cause.kind == "mix",
                "SCALE": scale_of(work, cause),
                "MERGES": merges_of(causes),
            }
            return "segment", constants, [CUBE]
        case "dimension":
            figure = "rate" if reading.metric.kind == "ratio" else "total"
            constants = {"DIMENSION": suspicion.dimensions[0], "FIGURE": figure, "PRICED": tries > 0}
            return "spread", constants, [CUBE]


def _drill(work: RunContext, memory: Memory, number: int) -> Round | None:
    """Go into the causes just confirmed: where inside it sits, and since when."""
    reading = reading_of(work)
    confirmed = [
        one
        for one in memory.suspicions
        if one.kind in {"segment", "mix"} and one.segment and memory.statuses[one.hypothesis_id] == "CONFIRMED"
    ]
    confirmed.sort(key=lambda one: one.rank or 0)
    for suspicion in confirmed[:MOST_DRILLED]:
        for kind in ("onset", "inside") if reading.groups is None else ("inside",):
            rest = [name for name in reading.names if name not in suspicion.segment]
            if memory.did(kind, suspicion.hypothesis_id) or (kind == "inside" and not rest):
                continue
            return _drilled(work, reading, suspicion, kind, rest, number)
    return None


def _drilled(
    work: RunContext, reading: InvestigationSetup, suspicion: Suspicion, kind: Script, rest: list[str], number: int
) -> Round:
    place = segment_words(suspicion.segment)
    state = {"kind": kind, "about": suspicion.hypothesis_id, "task": _task(number), "rank": suspicion.rank}
    cause = next((one for one in causes_of(work) if one.rank == suspicion.rank), None)
    measure = columns_of(cause, reading)[0]
    if kind == "inside":
        constants: dict[str, Any] = {
            "SEGMENT": suspicion.segment,
            "DIMENSIONS": rest,
            "MEASURE": measure,
            "STEP": exposure_of(work) if measure == "rows" else 1.0,
            "MERGES": merges_of(causes_of(work)),
        }
        question = f"Round {number}: where inside {place} does the move sit?"
        task = _python(number, f"Look inside {place}", script("inside", question, constants), [CUBE])
        reason = f"{suspicion.hypothesis_id} is confirmed; a part of it may hold nearly all of the move"
        return Round(number=number, decision="DRILL_DOWN", reason=reason, tasks=(task,), state=state)
    days = f"days_{number:02d}"
    state["days"] = days
    column = {"rows": "row_count", "hits": "hits", "total": "total", "weight": "weight"}[measure]
    constants = {"PERIODS": periods_of(work), "DAYS": days, "COLUMN": column}
    question = f"Round {number}: since when does {place} move?"
    query = segment_days(work, reading, suspicion.segment, days)
    task = _python(number, f"Find the onset in {place}", script("onset", question, constants), [days, DAILY], (days,))
    what = figure_words(cause, reading) if cause else "the metric"
    reason = f"{suspicion.hypothesis_id} is confirmed; the day on which {what} moved tells what to look for"
    return Round(number=number, decision="DRILL_DOWN", reason=reason, tasks=(query, task), state=state)


def segment_days(work: RunContext, reading: InvestigationSetup, segment: dict[str, str], task_id: str) -> Subtask:
    """The query for one segment's days."""
    rows = reading.parsed_rows()
    axes = {name: (d.axis, value) for name, value in segment.items() if (d := reading.dimension(name)) is not None}
    first = min(rows.baseline[0], rows.comparison[0])
    last = max(rows.baseline[1], rows.comparison[1])
    query = daily_sql(rows, (first, last), segment=axes)
    return query_task(work, task_id, f"Days of {segment_words(segment)}", query, QUERY_SECONDS)


def columns_of(cause: Cause | None, reading: InvestigationSetup) -> tuple[str, str | None, str]:
    """The figure a cause speaks of as columns of the cube: what is counted, per what, and what tells its variance."""
    kind = None if cause is None else cause.kind
    if kind in {"volume", "new_or_gone"} or (kind == "mix" and reading.metric.kind == "sum"):
        return "rows", None, "rows"
    if reading.metric.kind == "ratio":
        return "total", "weight", "squares"
    return ("total", "rows", "squares") if kind == "rate" else ("total", None, "squares")


def scale_of(work: RunContext, cause: Cause | None) -> dict[str, float]:
    """What a total of each period is multiplied by: a level is averaged over its dates."""
    grain = (work.state.answered[BREAKDOWN][1].data or {})["grain"] if BREAKDOWN in work.state.answered else {}
    if not grain.get("averaged") or (cause is not None and cause.kind != "segment"):
        return {"before": 1.0, "after": 1.0}
    before, after = grain["dates"]
    return {"before": 1.0 / max(before, 1), "after": 1.0 / max(after, 1)}


def merges_of(causes: Sequence[Cause]) -> dict[str, dict[str, str]]:
    """The renamed values that are read as one, by dimension."""
    found: dict[str, dict[str, str]] = {}
    for one in causes:
        column, old, new = (one.details.get(name) for name in ("column", "old", "new"))
        if one.details.get("fault") == "rename" and column and old and new:
            found.setdefault(str(column), {})[str(old)] = str(new)
    return found


def tree_of(reading: InvestigationSetup) -> dict[str, tuple[str, str | None]]:
    """The metric as a product (or quotient) of parts, each as columns of the cube."""
    if reading.metric.kind == "ratio":
        return {"numerator": ("total", None), "denominator": ("weight", None)}
    return {
        "rows": ("rows", None),
        "share of rows with a value": ("hits", "rows"),
        "value of each": ("total", "hits"),
    }


def periods_of(work: RunContext) -> dict[str, tuple[str, str]]:
    """Both periods as days in ISO form."""
    rows = reading_of(work).parsed_rows()
    return {
        "baseline": (rows.baseline[0].isoformat(), rows.baseline[1].isoformat()),
        "comparison": (rows.comparison[0].isoformat(), rows.comparison[1].isoformat()),
    }


def exposure_of(work: RunContext) -> float:
    """How many baselines the comparison is worth by its days, as the search estimated it."""
    return float((work.state.answered[ATTRIBUTION][1].data or {})["attribution"]["exposure"])


def _python(number: int, description: str, code: str, inputs: list[str], after: tuple[str, ...] = ()) -> Subtask:
    return Subtask(
        task_id=_task(number),
        description=description,
        tool_name="python.run",
        dependencies=after,
        estimated_cost_seconds=SCRIPT_SECONDS,
        arguments={"code": code, "inputs": inputs, "timeout": SCRIPT_LIMIT},
    )


def _task(number: int) -> str:
    return f"round_{number:02d}"
