"""Phrasing: a model may choose which claims make the summary, and in which order, and ask for claims of its own.

It sees the findings, with their values as far as privacy allows, and returns ids and claims as data: a relation, a
column, rows. Each claim is made of the result's cells or not at all; its words are the renderer's. What was chosen is
kept with the run, so whoever verifies it makes the same claims again, and no model is asked for that.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, ConfigDict, Field

from averment.agents.analyst.caveats import repair_notes
from averment.agents.analyst.model_loop.submitted_skill import AskedClaim, claims_asked
from averment.claims.relation import finding_of
from averment.errors import ModelNonsense
from averment.llm import Proposer, render, with_fallback
from averment.records.run import Finding
from averment.runtime.decisions import Conclusion
from averment.runtime.journal import digest
from averment.runtime.model_log import PHRASE, used

if TYPE_CHECKING:
    from collections.abc import Sequence

    from averment.llm import ModelCall
    from averment.runtime.model_loop.privacy import Privacy
    from averment.runtime.run_context import RunContext

MOST_SENTENCES = 5
MOST_ROWS_SHOWN = 20


class ProposedSummary(BaseModel):
    """A model's summary: ids of findings, and claims it wants made; the one that answers the question first."""

    model_config = ConfigDict(extra="ignore")

    findings: list[str] = Field(
        default_factory=list[str],
        max_length=MOST_SENTENCES,
        description="Ids of findings and of claims, in the order of the summary.",
    )
    claims: list[AskedClaim] = Field(
        default_factory=list[AskedClaim], max_length=MOST_SENTENCES, description="Claims to be made of the result."
    )


def phrase(
    work: RunContext, conclusion: Conclusion, proposer: Proposer | None, sight: Privacy | None = None
) -> Conclusion:
    """The conclusion in the order that was kept for this run, or else in a model's, or else as it is."""
    kept = work.services.store.runs.record(work.run_id, PHRASE, PHRASE)
    if kept is None and proposer is not None and _may_ask(work, conclusion):
        kept = _ask(work, conclusion, proposer, sight)
    return apply_phrase(work, conclusion, kept)


def apply_phrase(work: RunContext, conclusion: Conclusion, kept: dict[str, Any] | None) -> Conclusion:
    """The conclusion with the findings that were kept for its summary; as it is when there are none, or do not fit."""
    order = (kept or {}).get("order")
    if not isinstance(order, list):
        return conclusion
    asked = [AskedClaim.model_validate(each) for each in (kept or {}).get("claims", ())]
    made = claims_asked(work, asked)
    findings = (*conclusion.findings, *map(finding_of, made))
    try:
        said = told_in(order, findings)
    except ModelNonsense:
        return conclusion
    claims = (*conclusion.claims, *made)
    return conclusion.model_copy(
        update={"answer": " ".join([said, *repair_notes(work)]), "findings": findings, "claims": claims}
    )


def told_in(order: Sequence[object], findings: tuple[Finding, ...]) -> str:
    """The findings' own sentences in that order.

    Raises:
        ModelNonsense: it names a finding that is not there, or one twice.
    """
    texts = {finding.finding_id: finding.text for finding in findings}
    wanted = [each for each in order if isinstance(each, str) and each in texts]
    if not wanted or len(wanted) != len(order) or len(set(wanted)) != len(wanted):
        raise ModelNonsense("The summary names a finding that does not exist, or names one twice.")
    return " ".join(texts[each] for each in wanted)


def _may_ask(work: RunContext, conclusion: Conclusion) -> bool:
    """Only a run that is being made is phrased; one that has its conclusion is only being looked at.

    Where there is one finding there is nothing to choose.
    """
    made = work.services.store.runs.record(work.run_id, "conclusion", "conclusion") is not None
    return len(conclusion.findings) > 1 and conclusion.status in {"completed", "partial_success"} and not made


def _ask(work: RunContext, conclusion: Conclusion, proposer: Proposer, sight: Privacy | None) -> dict[str, Any]:
    nothing: dict[str, Any] = {"order": None}
    calls: list[ModelCall] = []
    line = work.model_log.counting(proposer, calls)
    kept = with_fallback(
        lambda: _proposed(work, conclusion, line, sight), lambda: nothing, work.model_log.tell_fallback, purpose=PHRASE
    )
    kept |= {"model": used(calls)} if calls else {}
    work.services.store.runs.put(work.run_id, PHRASE, PHRASE, kept)
    if kept["order"] is not None:
        work.journal.decide(
            PHRASE,
            decision="phrased",
            rule="SUMMARY",
            reason="a model chose the findings",
            order_sha256=digest(kept),
        )
    return kept


def _proposed(work: RunContext, conclusion: Conclusion, proposer: Proposer, sight: Privacy | None) -> dict[str, Any]:
    open_ = sight is not None and sight.shows_all
    findings = [
        {"id": each.finding_id, "says": each.text} if open_ else {"id": each.finding_id, "template": each.template}
        for each in conclusion.findings
    ]
    table = work.table("query")
    columns = list(table.column_names)
    rows = sight.cells(table, {}, MOST_ROWS_SHOWN) if sight is not None and open_ else []
    result = {"columns": columns, "row_count": table.num_rows} | ({"rows": rows} if rows else {})
    prompt = render("phrase_summary", question=work.request.intent, findings=findings, result=result)
    with work.clock.stopped():
        proposed = proposer.propose(ProposedSummary, purpose=PHRASE, system=prompt.system, prompt=prompt.prompt)
    asked = list(proposed.claims)
    made = claims_asked(work, asked)
    order = list(proposed.findings) or [claim.claim_id for claim in made]
    told_in(order, (*conclusion.findings, *map(finding_of, made)))
    return {"order": order, "claims": [each.model_dump(mode="json") for each in asked] if made else []}
