"""Concluding: the change, what was found in each round, the ranked explanations, and what stays unexplained.

An explanation stands only on a confirmed hypothesis. Its story says what moved and where, never why: the data do not
tell that.
"""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING

from averment.agents.driller.cause_claims import MOST_SHARE, cause_claim, percent_of
from averment.agents.driller.cells import Cells
from averment.agents.driller.findings import round_claim
from averment.agents.driller.hypotheses import (
    EXPECTED,
    FAULTS,
    Cause,
    Suspicion,
    causes_of,
    clipped,
    fault_of,
    groups_said,
    meaning_of,
    metric_words,
    step_of,
    title_of,
    whole_sentences,
)
from averment.agents.driller.reading import ATTRIBUTION, BREAKDOWN, reading_of
from averment.agents.driller.recall import Memory, recall
from averment.claims.of_moves import verb_of
from averment.claims.relation import finding_of, make
from averment.errors import UntrueClaim
from averment.records.claim import Claim
from averment.records.drilldown.results import Explanation, likelihood_of
from averment.records.run import Finding
from averment.runtime.decisions import Conclusion
from averment.stats.attribution.facts import OTHER

if TYPE_CHECKING:
    from averment.runtime.run_context import RunContext

CHANGE, MOVERS, UNEXPLAINED = "change", "movers", "unexplained"
MOST_PROPOSED = 2
LEFT_SHARE = 0.2
"""Where less of the change than this is unexplained, the headline need not say so."""


def conclude(work: RunContext) -> Conclusion:
    """The findings and the answer; an investigation that finds no cause is completed and says so."""
    if ATTRIBUTION not in work.state.answered:
        failure = next(
            (work.state.failed[name] for name in ("cube", "daily", ATTRIBUTION) if name in work.state.failed), None
        )
        said = "The metric could not be computed." if failure is None else str(failure.error_message)
        return Conclusion(answer=said, findings=(), status="failed")
    memory = recall(work)
    confirmed = confirmed_causes(work, memory)
    table, reading = Cells(work, ATTRIBUTION), reading_of(work)
    claims = [change_claim(work), *_round_claims(work, memory)]
    claims += [cause_claim(cause, reading, table, _cause_id(n)) for n, (cause, _) in enumerate(confirmed, start=1)]
    movers = movers_claim(work, proven=bool(confirmed))
    claims += [movers] if movers is not None else []
    claims.append(rest_claim(work))
    findings = [finding_of(claim) for claim in claims]
    untested = any(status == "PENDING" for status in memory.statuses.values())
    status = "partial_success" if untested and not _concluded(work) else "completed"
    return Conclusion(
        answer=_answer(work, findings, bool(confirmed)),
        findings=tuple(findings),
        claims=tuple(claims),
        status=status,
    )


def confirmed_causes(work: RunContext, memory: Memory) -> list[tuple[Cause, tuple[str, ...]]]:
    """The causes that a confirmed hypothesis stands for, with its ids, in the rank of the search."""
    confirmed = {name for name, status in memory.statuses.items() if status == "CONFIRMED"}
    found: list[tuple[Cause, tuple[str, ...]]] = []
    for cause in causes_of(work):
        sources = [one for one in memory.suspicions if one.hypothesis_id in confirmed and _stands_for(one, cause)]
        if not _can_be_said(work, cause):
            continue
        if any(one.kind in {"fault", "calendar", "segment", "mix"} for one in sources):
            found.append((cause, tuple(one.hypothesis_id for one in sources)))
        elif cause.kind == "noise" and found:
            found.append((cause, found[0][1]))
    return found


def _can_be_said(work: RunContext, cause: Cause) -> bool:
    """Whether the attribution carries the sentence; a cause that did not move as it would be told is none."""
    try:
        cause_claim(cause, reading_of(work), Cells(work, ATTRIBUTION), _cause_id(cause.rank))
    except UntrueClaim:
        return False
    return True


def explanations_of(work: RunContext, conclusion: Conclusion) -> tuple[Explanation, ...]:
    """The ranked explanations with their evidence."""
    if ATTRIBUTION not in work.state.answered:
        return ()
    memory = recall(work)
    reading = reading_of(work)
    findings = {finding.finding_id: finding for finding in conclusion.findings}
    found: list[Explanation] = []
    for rank, (cause, sources) in enumerate(confirmed_causes(work, memory), start=1):
        told = [findings[_cause_id(rank)]]
        told += [
            findings[str(r.state["task"])]
            for r in work.state.rounds
            if str(r.state.get("task")) in findings and {r.state.get("hypothesis"), r.state.get("about")} & set(sources)
        ]
        found.append(
            Explanation(
                rank=rank,
                title=clipped(title_of(cause, reading), 100),
                likelihood=likelihood_of(rank),
                evidence=tuple(slot.evidence for finding in told for slot in finding.slots.values()),
                reasoning=whole_sentences(" ".join(finding.text for finding in told), 1000),
                causal_story=whole_sentences(meaning_of(cause, reading), 500),
                source_hypotheses=sources,
                kind=cause.kind,  # pyright: ignore[reportArgumentType] - a kind of story
                fault=fault_of(cause),
                segment=cause.segment,
                effect=cause.contribution if cause.sized else None,
                share=cause.share,
            )
        )
    return tuple(found)


def change_claim(work: RunContext) -> Claim:
    """What the metric was, what it is, and the difference."""
    table = Cells(work, ATTRIBUTION)
    reading = reading_of(work)
    values = table.told_apart(0, {"from": "before", "to": "after"})
    values.append(table.told("change", 0, "contribution"))
    grouped = reading.groups is not None
    verb = verb_of(*(Decimal(repr(table.number(0, side))) for side in ("before", "after")))
    return make(
        "changed",
        claim_id=CHANGE,
        values=[
            *values,
            *(percent_of(table, 0, "before", "after") if table.number(0, "contribution") or grouped else ()),
        ],
        sealed=table.sealed,
        figure=reading.metric.text,
        words={"verb": verb, "said": _said(work), **groups_said(reading)},
        method="The metric over all rows of each period.",
    )


def _said(work: RunContext) -> str:
    """What is compared: the metric, or its average over the dates where the number is a level that nobody adds up."""
    reading = reading_of(work)
    grain = (work.state.answered[BREAKDOWN][1].data or {})["grain"] if BREAKDOWN in work.state.answered else {}
    averaged = grain.get("averaged") and not reading.metric.per_day
    return f"{metric_words(reading)}, averaged over its dates," if averaged else metric_words(reading)


def rest_claim(work: RunContext) -> Claim:
    """What no cause explains."""
    table = Cells(work, ATTRIBUTION)
    row = table.table.num_rows - 1
    values = [table.told("rest", row, "contribution")]
    if table.has(row, "share") and abs(table.number(row, "share")) < MOST_SHARE:
        values.append(table.told("share", row, "share", "fraction"))
    return make(
        "unexplained",
        claim_id=UNEXPLAINED,
        values=values,
        sealed=table.sealed,
        words=groups_said(reading_of(work)),
        method="The change less all contributions.",
    )


def ruled_out(memory: Memory, findings: dict[str, Finding]) -> list[tuple[Suspicion, str]]:
    """The hypotheses that did not hold, each with what the round that tested it found."""
    found: list[tuple[Suspicion, str]] = []
    for one in memory.suspicions:
        if memory.statuses[one.hypothesis_id] != "RULED_OUT":
            continue
        tasks = [str(r.state["task"]) for r in memory.rounds if r.state.get("hypothesis") == one.hypothesis_id]
        found.append((one, findings[tasks[-1]].text if tasks and tasks[-1] in findings else ""))
    return found


def _answer(work: RunContext, findings: list[Finding], found: bool) -> str:
    told = {finding.finding_id: finding.text for finding in findings}
    parts = [told[CHANGE]]
    if found:
        parts += [text for name, text in told.items() if name.startswith("cause_")][:3]
    parts += _proposed(work, told)[:MOST_PROPOSED]
    if MOVERS in told:
        parts.append(told[MOVERS])
    if found and _mostly_explained(work):
        return " ".join(parts)
    return " ".join([*parts, told[UNEXPLAINED]])


def _proposed(work: RunContext, told: dict[str, str]) -> list[str]:
    """What came of the hypotheses of a model that hold."""
    memory = recall(work)
    held = [
        one.hypothesis_id for one in memory.suspicions if one.spec and memory.statuses[one.hypothesis_id] == "CONFIRMED"
    ]
    return [
        told[task]
        for r in work.state.rounds
        if r.state.get("hypothesis") in held and (task := str(r.state["task"])) in told
    ]


def _mostly_explained(work: RunContext) -> bool:
    table = Cells(work, ATTRIBUTION)
    return abs(table.number(table.table.num_rows - 1, "share")) < LEFT_SHARE


def movers_claim(work: RunContext, *, proven: bool) -> Claim | None:
    """The largest movers of the most telling dimension, said where no cause is proven or much is left over."""
    if BREAKDOWN not in work.state.answered:
        return None
    movers = Cells(work, BREAKDOWN)
    if movers.table.num_rows < 2 or (proven and _mostly_explained(work)):
        return None
    rows = top_movers(movers)
    if not rows:
        return None
    return make(
        "movers",
        claim_id=MOVERS,
        values=[
            value
            for row in rows
            for value in (movers.told("mover", row, "value"), movers.told("change", row, "change"))
        ],
        sealed=movers.sealed,
        figure=str(movers.value(rows[0], "dimension")),
        words={**({"proven": "yes"} if proven else {}), **groups_said(reading_of(work))},
        method="Each value's part of the change, by every dimension.",
    )


def top_movers(movers: Cells, most: int = 3) -> list[int]:
    """The rows of the largest movers in the dimension where they stand out most."""
    groups: dict[str, list[int]] = {}
    for row, name in enumerate(movers.table.column("dimension").to_pylist()):
        groups.setdefault(str(name), []).append(row)
    best: tuple[float, list[int]] | None = None
    for rows in groups.values():
        sizes = {row: abs(movers.number(row, "change")) for row in rows}
        named = [row for row in rows if movers.value(row, "value") != OTHER]
        if len(rows) < 2 or not named or not sum(sizes.values()):
            continue
        # What is lumped together weighs against a dimension, and is no mover that one could look at.
        focus = max(sizes[row] for row in named) / sum(sizes.values()) * len(rows) ** 0.5
        if best is None or focus > best[0]:
            best = (focus, named)
    return [] if best is None else best[1][:most]


def _round_claims(work: RunContext, memory: Memory) -> list[Claim]:
    found = [round_claim(work, round_, memory) for round_ in work.state.rounds]
    return [claim for claim in found if claim is not None]


def _stands_for(suspicion: Suspicion, cause: Cause) -> bool:
    if suspicion.kind == "fault":
        return cause.kind in FAULTS
    if suspicion.kind == "calendar":
        return cause.kind in EXPECTED
    if suspicion.kind == "suspect":
        return bool(cause.segment) and suspicion.segment.items() <= cause.segment.items()
    return suspicion.rank == cause.rank


def _concluded(work: RunContext) -> bool:
    return any(round_.decision == "CONCLUDE" for round_ in work.state.rounds)


def _cause_id(rank: int) -> str:
    return f"cause_{rank}"


MOST_STEPS = 6
LARGE = 0.03
"""A move of so much of the metric calls for a look, whether or not a cause is proven."""


def next_steps(work: RunContext, memory: Memory, explanations: tuple[Explanation, ...]) -> tuple[str, ...]:
    """The steps that follow from the explanations, the calendar and what could not be looked at."""
    if ATTRIBUTION not in work.state.answered:
        return ("Correct what stopped the computation and start the investigation again.",)
    reading = reading_of(work)
    steps: list[str] = []
    for cause, _ in confirmed_causes(work, memory):
        steps.append(step_of(cause, _onset(work, memory, cause.rank), reading))
    if not explanations:
        table = Cells(work, ATTRIBUTION)
        moved = abs(table.number(0, "effect")) if table.has(0, "effect") else 0.0
        if reading.groups is not None:
            steps.append("The groups differ by no more than their rows scatter; wait for more rows, or let it be.")
        elif moved >= LARGE:
            steps.append(
                "Look at the largest movers of the breakdown: the move is large, and no cause of it is proven."
            )
        else:
            steps.append("The change is within the usual scatter; look again with longer periods if it goes on.")
    if reading.repeating:
        steps.append(f"To cut by {', '.join(reading.repeating)}, add its columns to {reading.base} first.")
    return tuple(dict.fromkeys(steps))[:MOST_STEPS]


def _onset(work: RunContext, memory: Memory, rank: int) -> str | None:
    """The day on which a cause set in, if a round found one."""
    for round_ in memory.rounds:
        task = str(round_.state.get("task"))
        if round_.state.get("kind") == "onset" and round_.state.get("rank") == rank and task in work.state.answered:
            return str(Cells(work, task).value(0, "onset"))
    return None
