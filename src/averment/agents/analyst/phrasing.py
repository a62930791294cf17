"""Phrasing: a model may choose which findings make the summary, and in which order; the words stay the teller's.

A model sees the findings' templates and ids, not what stands in their slots. What it returns is a list of ids: it is
checked, kept with the run, and the summary is the findings' own sentences in that order. So nothing a model writes is
ever read as a finding. Whoever verifies the run takes the kept order; no model is asked for that.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, ConfigDict, Field

from averment.agents.analyst.caveats import mended
from averment.errors import ModelNonsense
from averment.llm import Proposer, render, with_fallback
from averment.records.run import Finding
from averment.spine.agent import Conclusion
from averment.spine.journal import digest

if TYPE_CHECKING:
    from collections.abc import Sequence

    from averment.spine.work import Work

PHRASE = "phrase"
"""Under this kind and key a run keeps which findings its summary is made of."""

MOST_SENTENCES = 5


class ProposedSummary(BaseModel):
    """A model's summary: ids of findings, the one that answers the question first."""

    model_config = ConfigDict(extra="forbid")

    findings: list[str] = Field(
        min_length=1, max_length=MOST_SENTENCES, description="Ids of findings, in the order they are told."
    )


def phrase(work: Work, conclusion: Conclusion, proposer: Proposer | None) -> Conclusion:
    """The conclusion in the order that was kept for this run, or else in a model's, or else as it is."""
    kept = work.services.runs.record(work.run_id, PHRASE, PHRASE)
    if kept is None and proposer is not None and _may_ask(work, conclusion):
        kept = _ask(work, conclusion, proposer)
    return apply_phrase(work, conclusion, kept)


def apply_phrase(work: Work, conclusion: Conclusion, kept: dict[str, Any] | None) -> Conclusion:
    """The conclusion with the findings that were kept for its summary; as it is when there are none, or do not fit."""
    order = (kept or {}).get("order")
    if not isinstance(order, list):
        return conclusion
    try:
        said = told_in(order, conclusion.findings)
    except ModelNonsense:
        return conclusion
    return conclusion.model_copy(update={"answer": " ".join([said, *mended(work)])})


def told_in(order: Sequence[object], findings: tuple[Finding, ...]) -> str:
    """The findings' own sentences in that order.

    Raises:
        ModelNonsense: it names a finding that is not there, or one twice.
    """
    texts = {finding.finding_id: finding.text for finding in findings}
    wanted = [each for each in order if isinstance(each, str) and each in texts]
    if not wanted or len(wanted) != len(order) or len(set(wanted)) != len(wanted):
        raise ModelNonsense("The summary names findings that are not there, or one of them twice.")
    return " ".join(texts[each] for each in wanted)


def _may_ask(work: Work, conclusion: Conclusion) -> bool:
    """Only a run that is being made is phrased; one that has its conclusion is only being looked at.

    Where there is one finding there is nothing to choose.
    """
    made = work.services.runs.record(work.run_id, "conclusion", "conclusion") is not None
    return len(conclusion.findings) > 1 and conclusion.status in {"completed", "partial_success"} and not made


def _ask(work: Work, conclusion: Conclusion, proposer: Proposer) -> dict[str, Any]:
    nothing: list[str] | None = None
    order = with_fallback(
        lambda: _proposed(work, conclusion, proposer),
        lambda: nothing,
        work.tell_fallback,
        purpose=PHRASE,
    )
    kept: dict[str, Any] = {"order": order}
    work.services.runs.put(work.run_id, PHRASE, PHRASE, kept)
    if order is not None:
        work.journal.decide(
            PHRASE,
            decision="phrased",
            rule="SUMMARY",
            reason="a model chose the findings",
            order_sha256=digest(order),
        )
    return kept


def _proposed(work: Work, conclusion: Conclusion, proposer: Proposer) -> list[str]:
    findings = [
        {"id": each.finding_id, "template": each.template, "slots": sorted(each.slots)} for each in conclusion.findings
    ]
    prompt = render("phrase_summary", question=work.request.intent, findings=findings)
    proposed = proposer.propose(ProposedSummary, purpose=PHRASE, system=prompt.system, prompt=prompt.prompt)
    told_in(proposed.findings, conclusion.findings)
    return list(proposed.findings)
