"""A relation holds only where the evidence says so: turned, cut, half-named or renamed claims are refused."""

import random
from dataclasses import replace
from typing import Any

import pyarrow as pa
import pytest
from random_worlds import Stage, random_plan, random_rows, work_of

from averment.agents.analyst.telling.scene import Scene
from averment.claims.relation import Relation, evaluate, finding_of, make, register, relations, told
from averment.claims.sealed import Ranked, Sealed
from averment.errors import UnboundNumber, UntrueClaim
from averment.evidence.bind import bind, result, slot
from averment.evidence.derive import derived
from averment.records.claim import Claim
from averment.records.run import DerivedEvidence, SpanEvidence

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
TABLE = pa.table(
    {
        "sex": ["female", "female", "male", "male"],
        "class": ["First", "Third", "First", "Third"],
        "rate": [96.8, 50.0, 36.9, 13.5],
    }
)


def sealed(table: pa.Table = TABLE, keys: tuple[str, ...] = ("sex", "class"), **more: Any) -> Sealed:
    return Sealed(table=table, call_id=CALL, observation_id=OBSERVATION, query_hash=SHA, keys=keys, **more)


def highest(seen: Sealed, row: int, names: tuple[str, ...], **more: Any) -> Claim:
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
    seen = sealed(ranked=Ranked(by="rate", descending=True, limit=4))
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
    forged = TABLE.set_column(2, "rate", pa.array([97.0, 50.0, 36.9, 13.5]))
    assert not evaluate(claim, sealed(forged))


def test_every_claim_that_is_turned_or_half_named_is_false() -> None:
    """Over random worlds: the opposite relation, a dropped key and a cut result never hold."""
    dice, stage = random.Random("turned"), Stage()
    turned = halved = cut = 0
    for _ in range(250):
        stage.set(random_rows(dice))
        plan = random_plan(dice)
        compiled, table, sql = stage.run(plan)
        scene = Scene(work_of(sql), plan, compiled, table, "query")
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


def _moved_to(claim: Claim, seen: Sealed) -> Claim:
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


def test_a_test_of_a_difference_says_what_its_p_value_says() -> None:
    table = pa.table({"g": ["a", "b"], "count": [50, 50], "mean": [10.0, 12.0], "sd": [2.0, 2.0]})
    seen = sealed(table, keys=("g",))
    cells = [seen.cell(row, name) for row in (0, 1) for name in ("count", "mean", "sd")]
    statistic, p = derived("welch_statistic", *cells), derived("welch_p", *cells)
    values = [
        *(told("key", seen.cell(row, "g"), "label", subject=row, heading="g") for row in (0, 1)),
        *(told("mean", seen.cell(row, "mean"), "number", subject=row, heading="mean") for row in (0, 1)),
        told("statistic", statistic, "number"),
        told("p", p, "p"),
    ]
    words = {"verdict": "more", "count": "count", "mean": "mean", "deviation": "sd"}
    subjects = ((("g", "a"),), (("g", "b"),))
    claim = make("differs", claim_id="d", values=values, subjects=subjects, sealed=seen, figure="x", words=words)
    assert claim.text.endswith("(Welch's t = -5, p < 0.001).")
    with pytest.raises(UntrueClaim):
        make(
            "differs",
            claim_id="d",
            values=values,
            subjects=subjects,
            sealed=seen,
            figure="x",
            words={**words, "verdict": "chance"},
        )


def test_a_cause_moved_itself_and_in_the_told_direction() -> None:
    def cause(before: int, after: int, effect: int, word: str) -> Claim:
        numbers = {"from": before, "to": after, "effect": effect, "total": -100}
        values = [told(role, result(CALL, role, number), "number") for role, number in numbers.items()]
        segment = (("region", "North"),)
        return make(
            "caused",
            claim_id="c",
            values=values,
            subjects=(segment,),
            sealed=None,
            figure="revenue",
            words={"word": word},
        )

    assert "revenue of region North fell from 200 to 120" in cause(200, 120, -80, "fell").text
    for lie in ((200, 120, -80, "rose"), (200, 200, -80, "fell"), (200, 220, -80, "fell"), (200, 220, 20, "rose")):
        with pytest.raises(UntrueClaim):
            cause(*lie)


def test_what_is_unexplained_is_the_rest() -> None:
    def rest(left: int) -> Claim:
        numbers = (("total", -100), ("part", -80), ("part", -5), ("rest", left))
        values = [
            told(role, result(CALL, f"{role}{place}", value), "number") for place, (role, value) in enumerate(numbers)
        ]
        return make("unexplained", claim_id="u", values=values, sealed=None, figure="revenue")

    assert "-15 is not explained" in rest(-15).text
    with pytest.raises(UntrueClaim):
        rest(-3)


def test_sources_disagree_only_on_different_values_of_one_subject() -> None:
    def sides(first: str, second: str, sources: tuple[str, str] = ("a", "b")) -> Claim:
        values = [
            told(
                "side",
                SpanEvidence(source_id=source, snapshot_sha256=SHA, start=0, end=len(text), quote=text),
                "label",
                heading=source,
            )
            for source, text in zip(sources, (first, second), strict=True)
        ]
        subject = (("ship", "Vasa"),)
        return make("disagrees", claim_id="s", values=values, subjects=(subject,), sealed=None, figure="length")

    assert sides("69", "61").text == "The sources disagree on the length of Vasa: 69 in a and 61 in b."
    for lie in (("69", "69.0", ("a", "b")), ("69", "61", ("a", "a"))):
        with pytest.raises(UntrueClaim):
            sides(*lie)


def test_absent_says_how_much_was_searched() -> None:
    def absent(searched: int, found: int) -> Claim:
        values = [
            told("searched", result(CALL, "searched", searched), "count"),
            told("found", result(CALL, "found", found), "count"),
        ]
        return make("absent", claim_id="a", values=values, sealed=None, figure="the mast", words={"where": "documents"})

    assert absent(12, 0).text == "Nothing about the mast was found in 12 documents (0 matches)."
    for lie in ((0, 0), (12, 1)):
        with pytest.raises(UntrueClaim):
            absent(*lie)


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
