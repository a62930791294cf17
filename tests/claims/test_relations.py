"""A relation holds only where the evidence says so: turned, cut, half-named or renamed claims are refused."""

import random
from dataclasses import replace
from functools import cache
from typing import Any

import pyarrow as pa
import pytest
from random_worlds import Stage, random_plan, random_rows, work_of

from averment.agents.analyst.telling.scene import ResultScene
from averment.claims.relation import Relation, evaluate, finding_of, make, register, relations, told
from averment.claims.sealed import RankingCut, SealedResult
from averment.errors import UnboundNumber, UntrueClaim
from averment.evidence.bind import bind, slot
from averment.evidence.derive import derived
from averment.records.claim import Claim
from averment.records.run import DerivedEvidence

TURNED = {
    "highest": "lowest",
    "lowest": "highest",
    "more_than": "less_than",
    "less_than": "more_than",
    "same_as": "more_than",
    "rose": "fell",
    "fell": "rose",
    "unchanged": "rose",
}
CALL = "7b3f6d5e-1c52-4d43-9a70-2f1f6f1f0a01"
OBSERVATION = "7b3f6d5e-1c52-4d43-9a70-2f1f6f1f0a02"
SHA = "0" * 64


@cache
def table_of_regions() -> pa.Table:
    return pa.table(
        {
            "sex": ["female", "female", "male", "male"],
            "class": ["First", "Third", "First", "Third"],
            "rate": [96.8, 50.0, 36.9, 13.5],
        }
    )


def sealed(table: pa.Table | None = None, keys: tuple[str, ...] = ("sex", "class"), **more: Any) -> SealedResult:
    table = table_of_regions() if table is None else table
    return SealedResult(table=table, call_id=CALL, observation_id=OBSERVATION, query_hash=SHA, keys=keys, **more)


def highest(seen: SealedResult, row: int, names: tuple[str, ...], **more: Any) -> Claim:
    keys = [told("key", seen.cell(row, name), "label", subject=0, heading=name) for name in names]
    value = told("value", seen.cell(row, "rate"), "percentage", subject=0, heading="rate")
    subject = tuple((name, seen.column(name)[row]) for name in names)
    return make(
        "highest", claim_id="h", values=(*keys, value), subjects=(subject,), sealed=seen, figure="survival rate", **more
    )


def test_a_superlative_names_the_whole_key_of_its_row() -> None:
    claim = highest(sealed(), 0, ("sex", "class"))
    assert claim.text == "The highest survival rate is 96.8 %, for sex female and class First."
    assert claim.subjects == ((("sex", "female"), ("class", "First")),)


def test_a_superlative_that_names_half_of_the_key_is_refused() -> None:
    with pytest.raises(UntrueClaim):
        highest(sealed(), 0, ("sex",))


def test_a_superlative_over_a_cut_result_is_refused() -> None:
    with pytest.raises(UntrueClaim):
        highest(sealed(whole=False), 0, ("sex", "class"))


def test_the_lowest_of_the_first_few_is_not_the_lowest() -> None:
    seen = sealed(ranked=RankingCut(by="rate", descending=True, limit=4))
    claim = highest(seen, 0, ("sex", "class"))
    turned = claim.model_copy(update={"relation": "lowest"})
    assert evaluate(claim, seen)
    assert not evaluate(turned, seen)
    assert not seen.may_rank("rate", highest=False)


def test_whoever_shares_the_place_must_be_named() -> None:
    tied = sealed(pa.table({"day": ["Sat", "Sun", "Fri"], "rate": [5.0, 5.0, 1.0]}), keys=("day",))
    with pytest.raises(UntrueClaim):
        highest(tied, 0, ("day",))


def test_a_missing_name_wins_nothing_and_is_told() -> None:
    seen = sealed(pa.table({"day": ["Sat", None, "Fri"], "rate": [5.0, 9.0, 1.0]}), keys=("day",))
    with pytest.raises(UntrueClaim):
        highest(seen, 1, ("day",))
    with pytest.raises(UntrueClaim):
        highest(seen, 0, ("day",))
    claim = highest(seen, 0, ("day",), words={"aside": "rows with no value for day"})
    assert claim.text == "Sat has the highest survival rate, 5 %, leaving aside rows with no value for day."


def test_a_value_of_another_row_is_refused() -> None:
    seen = sealed()
    claim = highest(seen, 0, ("sex", "class"))
    other = told("value", seen.cell(1, "rate"), "percentage", subject=0, heading="rate")
    assert not evaluate(claim.model_copy(update={"values": (*claim.values[:-1], other)}), seen)


def test_a_text_that_was_edited_is_refused() -> None:
    seen = sealed()
    claim = highest(seen, 0, ("sex", "class"))
    assert not evaluate(claim.model_copy(update={"text": claim.text.replace("96.8", "98.6")}), seen)
    assert not evaluate(claim.model_copy(update={"figure": "death rate"}), seen)


def test_a_cell_that_was_changed_is_refused() -> None:
    claim = highest(sealed(), 0, ("sex", "class"))
    forged = table_of_regions().set_column(2, "rate", pa.array([97.0, 50.0, 36.9, 13.5]))
    assert not evaluate(claim, sealed(forged))


def test_every_claim_that_is_turned_or_half_named_is_false() -> None:
    """Over random worlds: the opposite relation, a dropped key and a cut result never hold."""
    dice, stage = random.Random("turned"), Stage()
    turned = halved = cut = 0
    for _ in range(250):
        stage.set(random_rows(dice))
        plan = random_plan(dice)
        compiled, table, sql = stage.run(plan)
        scene = ResultScene(work_of(sql), plan, compiled, table, "query")
        for claim in stage.tell(plan)[0]:
            mine = _moved_to(claim, scene.sealed)
            assert evaluate(mine, scene.sealed), mine.text
            if claim.relation in TURNED:
                turned += 1
                assert not evaluate(_said_as(mine, TURNED[claim.relation]), scene.sealed), mine.text
            if any(len(subject) > 1 for subject in claim.subjects):
                halved += 1
                assert not evaluate(_halved(mine), scene.sealed), mine.text
            if claim.relation in {"highest", "lowest", "rank", "share"} and claim.relation != "share":
                cut += 1
                assert not evaluate(mine, replace(scene.sealed, whole=False)), mine.text
    assert min(turned, halved, cut) > 50


def _moved_to(claim: Claim, seen: SealedResult) -> Claim:
    """The claim over another telling of the same result."""
    text = claim.model_dump_json()
    values = [value.evidence for value in claim.values]
    for evidence in (part for value in values for part in getattr(value, "of", (value,))):
        old = getattr(evidence, "observation_id", None) or getattr(evidence, "call_id", None)
        new = seen.observation_id if evidence.kind == "cell" else seen.call_id
        text = text.replace(str(old), new)
    return Claim.model_validate_json(text)


def _said_as(claim: Claim, relation: str) -> Claim:
    draft = claim.model_copy(update={"relation": relation})
    try:
        template = relations()[relation].render(draft)
    except (LookupError, ValueError):
        return draft
    said = template.format(**{f"v{place}": value.text for place, value in enumerate(claim.values)})
    return draft.model_copy(update={"template": template, "text": said})


def _halved(claim: Claim) -> Claim:
    gone = claim.subjects[0][-1][0]
    subjects = tuple(tuple(pair for pair in subject if pair[0] != gone) for subject in claim.subjects)
    values = tuple(value for value in claim.values if value.role != "key" or value.heading != gone)
    return _said_as(claim.model_copy(update={"subjects": subjects, "values": values}), claim.relation)


def test_a_derived_number_is_computed_again_where_it_is_bound() -> None:
    seen = sealed()
    parts = seen.cell(0, "rate"), seen.cell(1, "rate")
    honest = derived("difference", *parts)
    assert honest.value == pytest.approx(46.8)
    lie = DerivedEvidence(function="difference", of=parts, value=99.0)
    with pytest.raises(UnboundNumber):
        bind(finding_id="x", template="It is {v}.", slots={"v": slot(lie)}, method="")
    with pytest.raises(UnboundNumber):
        derived("guess", *parts)


def test_a_relation_that_is_not_in_the_list_says_nothing() -> None:
    claim = highest(sealed(), 0, ("sex", "class")).model_copy(update={"relation": "inspires"})
    assert not evaluate(claim, sealed())


def test_the_list_can_be_extended_but_not_overwritten() -> None:
    first = relations()["highest"]
    with pytest.raises(ValueError, match="already"):
        register(first)
    ours = Relation(name="ours", promise="A test's own.", holds=lambda c, s: True, render=lambda c: "So it is.")
    register(ours)
    assert relations()["ours"] is ours
    assert make("ours", claim_id="o", values=(), sealed=None).text == "So it is."


def test_a_claim_becomes_a_finding_with_every_number_bound() -> None:
    claim = highest(sealed(), 0, ("sex", "class"), scope="where age is under 10")
    finding = finding_of(claim)
    assert finding.text == claim.text
    assert {bound.text for bound in finding.slots.values()} == {"female", "First", "96.8 %"}
    assert Claim.model_validate_json(claim.model_dump_json()) == claim
