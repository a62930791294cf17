"""Random tables, random plans, every claim: each sentence is read by a reader of its own and computed again."""

import random

import pytest
from own_reader import check
from random_worlds import Stage, random_plan, random_rows

from averment.claims.relation import finding_of
from averment.errors import InvalidArguments

BATCHES = 10


@pytest.mark.slow
@pytest.mark.parametrize("batch", range(BATCHES))
def test_no_sentence_over_random_tables_and_plans_is_false(batch: int, worlds: int) -> None:
    dice, stage = random.Random(f"claims {batch}"), Stage()
    false: list[str] = []
    told = 0
    for _ in range(worlds // BATCHES):
        rows, plan = random_rows(dice), random_plan(dice)
        stage.set(rows)
        try:
            claims, _ = stage.tell(plan)
        except InvalidArguments:
            continue
        for claim in claims:
            told += 1
            assert finding_of(claim).text == claim.text
            wrong = check(plan, rows, claim.text, claim.scope)
            if wrong is not None:
                false.append(f"{claim.text} — {wrong}")
    assert told > worlds // BATCHES
    assert not false, "\n".join(false[:20])
