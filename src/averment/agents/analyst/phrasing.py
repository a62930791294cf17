"""Phrasing: a model may put the findings into its own words, never its own numbers.

A model sees the findings' templates and the names of their slots, not what stands in them. What it writes is a template
too: it is checked, kept with the run, filled from the findings' evidence, and checked again. Whoever verifies the run
fills the kept template anew; no model is asked for that.
"""

from __future__ import annotations

import string
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, ConfigDict, Field

from averment.agents.analyst.caveats import mended
from averment.agents.analyst.skill import own_words
from averment.errors import EvidenceError, ModelNonsense
from averment.evidence.check import check_text, uncovered_numbers
from averment.llm import Proposer, render, with_fallback
from averment.records.run import Finding
from averment.spine.agent import Conclusion
from averment.spine.journal import digest

if TYPE_CHECKING:
    from averment.spine.work import Work

PHRASE = "phrase"
"""Under this kind and key a run keeps how its summary was phrased."""

MOST_SENTENCES, LONGEST = 5, 1_000


class ProposedSummary(BaseModel):
    """A model's summary: sentences with the findings' slots where values go."""

    model_config = ConfigDict(extra="forbid")

    sentences: list[str] = Field(
        min_length=1, max_length=MOST_SENTENCES, description="Sentences with slots such as {total.value}."
    )


def phrase(work: Work, conclusion: Conclusion, proposer: Proposer | None) -> Conclusion:
    """The conclusion in the words that were kept for this run, or else in a model's, or else as it is."""
    kept = work.services.runs.record(work.run_id, PHRASE, PHRASE)
    if kept is None and proposer is not None and _may_ask(work, conclusion):
        kept = _ask(work, conclusion, proposer)
    return apply_phrase(work, conclusion, kept)


def apply_phrase(work: Work, conclusion: Conclusion, kept: dict[str, Any] | None) -> Conclusion:
    """The conclusion with a kept template filled from its findings; as it is when there is none, or it does not fit."""
    template = (kept or {}).get("template")
    if not isinstance(template, str):
        return conclusion
    try:
        said = fill(template, conclusion.findings, own_words(work))
    except (ModelNonsense, EvidenceError):
        return conclusion
    return conclusion.model_copy(update={"answer": " ".join([said, *mended(work)])})


def fill(template: str, findings: tuple[Finding, ...], words: str) -> str:
    """The template with every slot filled from evidence.

    Raises:
        ModelNonsense: it names a slot that no finding has, or none at all, or is no template.
        UnboundNumber, UnboundQuote: it says a number or a quotation of its own.
    """
    slots = {f"{each.finding_id}.{name}": slot.text for each in findings for name, slot in each.slots.items()}
    try:
        parts = list(string.Formatter().parse(template))
    except ValueError:
        raise ModelNonsense("The summary is no template.") from None
    named = [name for _, name, _, _ in parts if name is not None]
    if not named or any(name not in slots for name in named) or any(form or how for _, _, form, how in parts):
        raise ModelNonsense("The summary names slots that the findings do not have.")
    literal = " ".join(text for text, _, _, _ in parts)
    loose = uncovered_numbers(literal, covered=(), own_words=words)
    if loose:
        raise ModelNonsense(f"The summary says {loose[0].text!r}, which no evidence covers.")
    said = "".join(text + (slots[name] if name is not None else "") for text, name, _, _ in parts)
    check_text(said, covered=tuple(slots.values()), own_words=words)
    return said


def _may_ask(work: Work, conclusion: Conclusion) -> bool:
    """Only a run that is being made is phrased; one that has its conclusion is only being looked at."""
    made = work.services.runs.record(work.run_id, "conclusion", "conclusion") is not None
    return bool(conclusion.findings) and conclusion.status in {"completed", "partial_success"} and not made


def _ask(work: Work, conclusion: Conclusion, proposer: Proposer) -> dict[str, Any]:
    nothing: str | None = None
    template = with_fallback(
        lambda: _proposed(work, conclusion, proposer),
        lambda: nothing,
        work.tell_fallback,
        purpose=PHRASE,
    )
    kept: dict[str, Any] = {"template": template}
    work.services.runs.put(work.run_id, PHRASE, PHRASE, kept)
    if template is not None:
        work.journal.decide(
            PHRASE, decision="phrased", rule="SUMMARY", reason="a model phrased it", template_sha256=digest(template)
        )
    return kept


def _proposed(work: Work, conclusion: Conclusion, proposer: Proposer) -> str:
    findings = [
        {"id": each.finding_id, "template": each.template, "slots": sorted(each.slots)} for each in conclusion.findings
    ]
    prompt = render("phrase_summary", question=work.request.intent, findings=findings)
    proposed = proposer.propose(ProposedSummary, purpose=PHRASE, system=prompt.system, prompt=prompt.prompt)
    template = " ".join(" ".join(sentence.split()) for sentence in proposed.sentences)
    if len(template) > LONGEST:
        raise ModelNonsense("The summary is too long.")
    try:
        fill(template, conclusion.findings, own_words(work))
    except EvidenceError as error:
        raise ModelNonsense(f"The summary was refused: {error.message}") from error
    return template
