"""A claim rests on its evidence: each value as it was read, each subject a whole key, and all of it stated."""

from collections.abc import Callable
from typing import Any

import pyarrow as pa
import pytest
from invented import CALL, ELSEWHERE, OBSERVATION, Invented, given

from averment.claims.relation import Relation, evaluate, finding_of, make, make_of_rows, told
from averment.claims.sealed import RankingCut, SealedResult
from averment.errors import UntrueClaim
from averment.evidence.bind import cell, result
from averment.records.claim import Claim
from averment.records.run import DerivedEvidence, Observation, ToolCall

MADE = Invented({"day": ["Sat", "Sun"], "time": ["noon", "noon"], "tip": [3.0, 5.0]}, "day", "time")


def tip(row: int = 1, **more: Any) -> Claim:
    seen = MADE.sealed
    values = [told("value", seen.cell(row, "tip"), "number", subject=0, heading="tip")]
    made = make_of_rows(
        "is", claim_id="t", values=values, rows=[row], sealed=seen, kinds=MADE.kinds, figure="tip", **more
    )
    assert made is not None
    return made


def with_value(place: int, **changes: Any) -> Claim:
    claim = tip()
    values = [value.model_copy(update=changes) if at == place else value for at, value in enumerate(claim.values)]
    return claim.model_copy(update={"values": tuple(values)})


def moved(**changes: Any) -> Any:
    return MADE.cell(1, "tip").model_copy(update=changes)


@pytest.mark.parametrize(
    "changed",
    [
        lambda: with_value(2, text="6"),
        lambda: with_value(2, kind="percentage"),
        lambda: with_value(2, evidence=moved(value=6.0)),
        lambda: with_value(2, evidence=moved(row=0)),
        lambda: with_value(2, evidence=moved(row=2)),
        lambda: with_value(2, evidence=moved(column="bill")),
        lambda: with_value(2, evidence=moved(observation_id=ELSEWHERE)),
        lambda: with_value(0, heading="time"),
        lambda: with_value(0, subject=1),
        lambda: with_value(0, role="value"),
        lambda: with_value(0, evidence=MADE.cell(0, "day"), text="Sat"),
        lambda: with_value(1, evidence=MADE.cell(0, "time")),
        lambda: with_value(1, evidence=result(OBSERVATION, "time", "noon")),
        lambda: with_value(0, evidence=MADE.cell(1, "time"), text="noon"),
        lambda: tip().model_copy(update={"subjects": ((("day", "Sun"),),)}),
        lambda: tip().model_copy(update={"subjects": ((("day", "Sat"), ("time", "noon")),)}),
        lambda: tip().model_copy(update={"subjects": ()}),
        lambda: tip().model_copy(update={"template": "The tip is {v2}."}),
        lambda: tip().model_copy(update={"text": "The tip is 6."}),
        lambda: tip().model_copy(update={"relation": "unheard_of"}),
        lambda: tip().model_copy(update={"figure": "bill"}),
    ],
)
def test_a_claim_with_anything_changed_does_not_hold(changed: Callable[[], Claim]) -> None:
    assert evaluate(tip(), MADE.sealed)
    assert evaluate(changed(), MADE.sealed) is False


def test_without_its_result_a_claim_is_judged_by_its_values_alone() -> None:
    assert evaluate(tip(), None)
    assert evaluate(with_value(2, evidence=moved(row=9)), None)
    assert not evaluate(with_value(2, text="6"), None)
    with pytest.raises(UntrueClaim):
        make("unheard_of", claim_id="c", values=(), sealed=None)


COUNT = Relation("a_count", "A number of rows.", lambda c, s: True, lambda c: "It is {v0}.", whole_key=False)


@pytest.mark.parametrize(
    ("evidence", "holds"),
    [
        (MADE.count().evidence, True),
        (result(CALL, "table.row_count", 3), False),
        (result(CALL, "table.columns", 3), True),
        (result(ELSEWHERE, "table.row_count", 3), True),
        (MADE.cell(0, "tip"), True),
        (moved(value=9.0), False),
        (moved(value=9.0, observation_id=ELSEWHERE), True),
        (DerivedEvidence(function="difference", of=(moved(), MADE.cell(0, "tip")), value=2.0), True),
        (DerivedEvidence(function="difference", of=(moved(), MADE.cell(0, "tip")), value=3.0), False),
        (DerivedEvidence(function="difference", of=(moved(value=6.0), MADE.cell(0, "tip")), value=3.0), False),
    ],
)
def test_a_cell_or_count_of_this_result_is_read_again(
    evidence: Any, holds: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("averment.claims.relation.relations", lambda: {"a_count": COUNT})
    claim = Claim(
        claim_id="c",
        relation="a_count",
        values=(told("value", evidence, "number"),),
        template="It is {v0}.",
        text=f"It is {told('value', evidence, 'number').text}.",
    )
    assert evaluate(claim, MADE.sealed) is holds
    assert not evaluate(claim.model_copy(update={"values": (*claim.values, *claim.values)}), MADE.sealed)


def test_a_key_that_two_subjects_share_may_be_told_once(monkeypatch: pytest.MonkeyPatch) -> None:
    once = Relation("once", "Both at noon.", lambda c, s: True, lambda c: "{v0}, {v2} and {v1}.", whole_key=False)
    monkeypatch.setattr("averment.claims.relation.relations", lambda: {"once": once})
    keys = MADE.keyed([0, 1])
    assert make("once", claim_id="o", values=keys, sealed=MADE.sealed).text == "Sat, Sun and noon."
    other = Invented({"day": ["Sat", "Sun"], "time": ["noon", "night"]}, "day", "time")
    with pytest.raises(UntrueClaim):
        make("once", claim_id="o", values=other.keyed([0, 1]), sealed=other.sealed)
    with pytest.raises(UntrueClaim):
        make("once", claim_id="o", values=[*keys, given("rest", "noon", "label")], sealed=MADE.sealed)


def test_a_claim_of_rows_says_how_it_was_computed_and_under_which_conditions() -> None:
    claim = tip(scope="in May", words={"more": "words"}, method="one query")
    assert (claim.scope, claim.words, claim.method) == ("in May", {"more": "words"}, "one query")
    assert claim.text == "The tip is 5 for day Sun and time noon, in May."
    found = finding_of(claim)
    assert (found.finding_id, found.text, found.method) == ("t", claim.text, "one query")
    values = [told("value", MADE.cell(0, "tip"), "number", subject=0)]
    wrong: dict[str, Any] = {"claim_id": "t", "values": values, "rows": [1], "sealed": MADE.sealed, "kinds": MADE.kinds}
    assert make_of_rows("is", **wrong) is None


def test_numbers_in_names_and_conditions_are_the_claims_own_words() -> None:
    made = Invented({"plan 9": ["a1"], "tip": [5.0]}, "plan 9")
    value = told("value", made.sealed.cell(0, "tip"), "number", subject=0, heading="tip")
    claim = make_of_rows(
        "is",
        claim_id="t",
        values=[value],
        rows=[0],
        sealed=made.sealed,
        kinds=made.kinds,
        figure="tip of 3",
        scope="where age is under 10",
    )
    assert claim is not None
    assert finding_of(claim).text == "The tip of 3 is 5 for a1 where age is under 10."


def answered(data: dict[str, Any]) -> tuple[ToolCall, Observation]:
    call = ToolCall(task_id="query", tool_name="sql.run", arguments={})
    return call, Observation(call_id=call.call_id, status="success", data=data, execution_time_seconds=0.1)


@pytest.mark.parametrize(
    ("data", "whole", "hashed"),
    [
        ({"query_hash": "a" * 64}, True, "a" * 64),
        ({"query_hash": "a" * 64, "truncated": True}, False, "a" * 64),
        ({"query_hash": "a" * 64, "truncated": False}, True, "a" * 64),
        ({"table": {"sha256": "b" * 64}}, True, "b" * 64),
    ],
)
def test_a_result_is_sealed_as_its_call_gave_it(data: Any, whole: bool, hashed: str) -> None:
    call, observation = answered(data)
    cut = RankingCut(by="tip", descending=True, limit=1)
    table = pa.table({"day": ["Sat"], "tip": [3.0]})
    seen = SealedResult.of((call, observation), table, keys=("day",), ranked=cut)
    assert (seen.whole, seen.query_hash, seen.keys, seen.ranked, seen.size) == (whole, hashed, ("day",), cut, 1)
    assert seen.row_count() == result(call.call_id, "table.row_count", 1)
    assert seen.cell(0, "tip") == cell(table, 0, "tip", observation_id=observation.observation_id, query_hash=hashed)
    assert not seen.uncut
    assert SealedResult.of((call, observation), table, keys=(), ranked=None).uncut is whole


@pytest.mark.parametrize(
    ("names", "tips", "highest", "lowest"),
    [
        (["a", "b", "c"], [1, 3, 3], (1, 2), (0,)),
        (["a", None, "c"], [1, 9, 3], (2,), (0,)),
        (["a", "b", "c"], [None, 3, 1], (1,), (2,)),
        (["a", "b"], [None, None], (), ()),
        (["a", "b"], ["nan", "inf"], (), ()),
        (["a", "b"], ["7", "x"], (), ()),
        (["a", "b"], ["2024-02-01", "2024-01-31"], (0,), (1,)),
        ([], [], (), ()),
    ],
)
def test_the_best_rows_are_named_and_have_an_order(names: Any, tips: Any, highest: Any, lowest: Any) -> None:
    made = Invented({"who": names, "tip": tips}, "who").sealed
    assert (made.best("tip", highest=True), made.best("tip", highest=False)) == (highest, lowest)


def test_a_row_is_named_where_all_of_its_key_is_known() -> None:
    made = Invented({"a": ["x", None, "z"], "b": ["u", "v", None]}, "a", "b").sealed
    assert made.named == (0,)
    assert made.key(1) == (("a", None), ("b", "v"))
