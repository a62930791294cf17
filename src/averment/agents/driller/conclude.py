"""Concluding: the change, what was found in each round, the ranked explanations, and what stays unexplained.

An explanation stands only on a confirmed hypothesis. Its story says what moved and where, never why: the data do not
tell that.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from averment.agents.driller.cells import Cells
from averment.agents.driller.findings import own_words, round_finding
from averment.agents.driller.hypotheses import Cause, Suspicion, causes_of, fault_title
from averment.agents.driller.reading import ATTRIBUTION, Reading, reading_of
from averment.agents.driller.recall import Memory, recall
from averment.agents.driller.wording import clipped, factor_words, segment_words, whole_sentences
from averment.evidence.bind import bind, literal
from averment.records.drilldown import Explanation, likelihood_of
from averment.records.run import Finding, Slot
from averment.spine.agent import Conclusion

if TYPE_CHECKING:
    from averment.spine.work import Work

CHANGE, UNEXPLAINED = "change", "unexplained"
LEAST_SHARE = 0.005
"""A calendar that moves the metric by less than this part of its level is not worth a sentence."""

_CLAIMS = "The data show where the metric moved, not why: what happened there has to be asked of those who know."


def conclude(work: Work) -> Conclusion:
    """The findings and the answer; an investigation that finds no cause is completed and says so."""
    if ATTRIBUTION not in work.answered:
        failure = next((work.failed[name] for name in ("cube", "daily", ATTRIBUTION) if name in work.failed), None)
        said = "The metric could not be computed." if failure is None else str(failure.error_message)
        return Conclusion(answer=said, findings=(), status="failed")
    memory = recall(work)
    findings = [change_finding(work), *_round_findings(work, memory)]
    confirmed = confirmed_causes(work, memory)
    findings += [cause_finding(work, cause, rank) for rank, (cause, _) in enumerate(confirmed, start=1)]
    findings.append(rest_finding(work))
    untested = any(status == "PENDING" for status in memory.statuses.values())
    status = "partial_success" if untested and not _concluded(work) else "completed"
    return Conclusion(answer=_answer(work, findings, bool(confirmed)), findings=tuple(findings), status=status)


def confirmed_causes(work: Work, memory: Memory) -> list[tuple[Cause, tuple[str, ...]]]:
    """The causes that a confirmed hypothesis stands for, with its ids, in the rank of the search."""
    confirmed = {name for name, status in memory.statuses.items() if status == "CONFIRMED"}
    found: list[tuple[Cause, tuple[str, ...]]] = []
    for cause in causes_of(work):
        sources = [one for one in memory.suspicions if one.hypothesis_id in confirmed and _stands_for(one, cause)]
        if any(one.kind in {"fault", "segment", "mix"} for one in sources):
            found.append((cause, tuple(one.hypothesis_id for one in sources)))
    return found


def explanations_of(work: Work, conclusion: Conclusion) -> tuple[Explanation, ...]:
    """The ranked explanations with their evidence."""
    if ATTRIBUTION not in work.answered:
        return ()
    memory = recall(work)
    reading = reading_of(work)
    findings = {finding.finding_id: finding for finding in conclusion.findings}
    found: list[Explanation] = []
    for rank, (cause, sources) in enumerate(confirmed_causes(work, memory), start=1):
        told = [findings[_cause_id(rank)]]
        told += [
            findings[str(r.state["task"])]
            for r in work.rounds
            if str(r.state.get("task")) in findings and {r.state.get("hypothesis"), r.state.get("about")} & set(sources)
        ]
        found.append(
            Explanation(
                rank=rank,
                title=clipped(cause_title(cause, reading), 100),
                likelihood=likelihood_of(rank),
                evidence=tuple(slot.evidence for finding in told for slot in finding.slots.values()),
                reasoning=whole_sentences(" ".join(finding.text for finding in told), 1000),
                causal_story=whole_sentences(_story(work, cause, reading), 500),
                source_hypotheses=sources,
            )
        )
    return tuple(found)


def _story(work: Work, cause: Cause, reading: Reading) -> str:
    """The story kept with the run's end, where an adviser told one, and always what it cannot claim."""
    for round_ in work.rounds:
        told = (round_.state.get("stories") or {}).get(str(cause.rank))
        if told:
            return f"{told} {_CLAIMS}"
    return cause_story(cause, reading)


def change_finding(work: Work) -> Finding:
    """What the metric was, what it is, and the difference."""
    reading = reading_of(work)
    table = Cells(work, ATTRIBUTION)
    slots = {
        "before": table.slot(0, "before"),
        "after": table.slot(0, "after"),
        "change": table.slot(0, "contribution"),
    }
    template = f"{literal(reading.metric.text)} went from {{before}} to {{after}}, a change of {{change}}"
    if table.has(0, "effect"):
        slots["effect"] = table.slot(0, "effect", percent=True)
        template += " ({effect})"
    return bind(
        finding_id=CHANGE,
        template=f"{template}.",
        slots=slots,
        method="The metric over all rows of each period.",
        own_words=own_words(work),
    )


def cause_finding(work: Work, cause: Cause, rank: int) -> Finding:
    """What one cause contributes to the change, and how unlikely so much would be by chance."""
    reading = reading_of(work)
    table = Cells(work, ATTRIBUTION)
    apart = cause.contribution != 0 or cause.verdict != "data_fault"
    slots: dict[str, Slot] = {"part": table.slot(cause.row, "contribution")} if apart else {}
    what = factor_words(cause.factor, reading.metric)
    if cause.verdict == "data_fault":
        slots["days"] = table.slot(cause.row, "days")
        template = f"{fault_title(cause)}: {{days}}"
        if apart:
            template += ". That alone moves the metric by {part}"
    elif cause.verdict == "mix":
        slots["segment"] = table.slot(cause.row, "segment")
        template = "The changed weight of {segment} contributes {part} to the change"
    elif not cause.segment:
        template = f"{what.capitalize()}, moving alike in all segments, contributes {{part}} to the change"
    else:
        slots["segment"] = table.slot(cause.row, "segment")
        template = f"{what.capitalize()} in {{segment}} contributes {{part}} to the change"
    if table.has(cause.row, "share") and 0 < abs(table.number(cause.row, "share")) < 10:
        slots["share"] = table.slot(cause.row, "share", percent=True)
        template += ", {share} of it"
    if cause.verdict != "data_fault" and table.has(cause.row, "effect") and cause.state == "changed":
        slots["effect"] = table.slot(cause.row, "effect", percent=True)
        template += "; beside all other causes it moved by {effect}"
    return bind(
        finding_id=_cause_id(rank),
        template=f"{template}.",
        slots=slots,
        method="Contributions by Shapley's rule over all causes; with the rest they sum to the change.",
        own_words=own_words(work),
    )


def rest_finding(work: Work) -> Finding:
    """What no cause explains."""
    table = Cells(work, ATTRIBUTION)
    row = table.table.num_rows - 1
    slots = {"rest": table.slot(row, "contribution")}
    template = "Unexplained stays {rest}"
    if table.has(row, "share") and abs(table.number(row, "share")) < 10:
        slots["share"] = table.slot(row, "share", percent=True)
        template += ", {share} of the change"
    return bind(
        finding_id=UNEXPLAINED,
        template=f"{template}.",
        slots=slots,
        method="The change less all contributions.",
        own_words=own_words(work),
    )


def cause_title(cause: Cause, reading: Reading) -> str:
    """An explanation's title."""
    if cause.verdict == "data_fault":
        return fault_title(cause)
    what = factor_words(cause.factor, reading.metric)
    if cause.verdict == "mix":
        return f"Another weight of {segment_words(cause.segment)}"
    if not cause.segment:
        return f"{what.capitalize()} moved everywhere alike"
    if cause.state != "changed":
        return f"{segment_words(cause.segment)} is {'new' if cause.state == 'new' else 'gone'}"
    return f"{what.capitalize()} {'fell' if cause.effect < 0 else 'rose'} in {segment_words(cause.segment)}"


def cause_story(cause: Cause, reading: Reading) -> str:
    """What the data show of a cause, and no more."""
    place, what = segment_words(cause.segment), factor_words(cause.factor, reading.metric)
    match cause.verdict:
        case "data_fault":
            return (
                "The data themselves are at fault on those days, so part of the change is no change of the world. "
                "Load them again before anything else is concluded."
            )
        case "mix":
            return (
                f"{place} makes up another part of the whole than before. Its level differs from the others', so the "
                f"total moves even where no level does. {_CLAIMS}"
            )
        case "global_shock":
            return f"{what.capitalize()} moved in all segments together; none stands out. {_CLAIMS}"
        case _:
            moved = {"new": "appeared", "vanished": "vanished"}.get(cause.state) or (
                "fell" if cause.effect < 0 else "rose"
            )
            return f"In {place}, {what} {moved}, while the rest of the data did not move alike. {_CLAIMS}"


def ruled_out(work: Work, memory: Memory, findings: dict[str, Finding]) -> list[tuple[Suspicion, str]]:
    """The hypotheses that did not hold, each with what the round that tested it found."""
    found: list[tuple[Suspicion, str]] = []
    for one in memory.suspicions:
        if memory.statuses[one.hypothesis_id] != "RULED_OUT":
            continue
        tasks = [str(r.state["task"]) for r in memory.rounds if r.state.get("hypothesis") == one.hypothesis_id]
        found.append((one, findings[tasks[-1]].text if tasks and tasks[-1] in findings else ""))
    return found


def calendar_counts(work: Work, memory: Memory) -> bool:
    """Whether the calendar was confirmed as part of the change."""
    return any(
        one.kind == "calendar" and memory.statuses[one.hypothesis_id] == "CONFIRMED" for one in memory.suspicions
    )


def _answer(work: Work, findings: list[Finding], found: bool) -> str:
    told = {finding.finding_id: finding.text for finding in findings}
    parts = [told[CHANGE]]
    if found:
        parts += [text for name, text in told.items() if name.startswith("cause_")][:3]
    else:
        memory = recall(work)
        calendar = [
            told[str(r.state["task"])]
            for r in memory.rounds
            if r.state.get("kind") == "calendar" and str(r.state["task"]) in told
        ]
        if calendar_counts(work, memory) and calendar:
            parts.append(calendar[0].removesuffix(" The hypothesis is confirmed."))
            parts.append("No cause beyond the calendar and chance was found.")
        else:
            parts.append("No cause beyond chance was found.")
    return " ".join([*parts, told[UNEXPLAINED]])


def _round_findings(work: Work, memory: Memory) -> list[Finding]:
    found = [round_finding(work, round_, memory) for round_ in work.rounds]
    return [finding for finding in found if finding is not None]


def _stands_for(suspicion: Suspicion, cause: Cause) -> bool:
    if suspicion.kind == "fault":
        return cause.verdict == "data_fault"
    if suspicion.kind == "suspect":
        return bool(cause.segment) and suspicion.segment.items() <= cause.segment.items()
    return suspicion.rank == cause.rank


def _concluded(work: Work) -> bool:
    return any(round_.decision == "CONCLUDE" for round_ in work.rounds)


def _cause_id(rank: int) -> str:
    return f"cause_{rank}"
