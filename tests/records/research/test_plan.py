from typing import Any
from uuid import UUID, uuid4

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from averment.errors import PlanCycle, PlanInvalid
from averment.records.research.plan import MAX_DEPTH, QuestionTree, ResearchPlan, SubQuestion, check_plan
from averment.records.research.request import DEPTH_LIMITS, DepthLevel
from averment.records.research.sources import SearchResult

PLAN_ID = uuid4()


def question(priority: int = 1, **values: Any) -> SubQuestion:
    return SubQuestion.model_validate(
        {"plan_id": PLAN_ID, "text": "What is a heat pump?", "priority": priority, **values}
    )


def child(parent: SubQuestion, **values: Any) -> SubQuestion:
    return question(**{"parent_question_id": parent.id, "depth": parent.depth + 1, **values})


def plan(*questions: SubQuestion) -> ResearchPlan:
    return ResearchPlan(id=PLAN_ID, request_id=uuid4(), sub_questions=questions)


def roots(count: int) -> list[SubQuestion]:
    return [question(number) for number in range(1, count + 1)]


@pytest.mark.seed("C-010")
def test_a_plan_has_its_fields_and_reads_back_unchanged():
    assert set(ResearchPlan.model_fields) == {
        "id",
        "request_id",
        "sub_questions",
        "created_at",
        "estimated_time_seconds",
    }
    made = plan(*roots(3))
    assert made.estimated_time_seconds is None
    assert made.changed(estimated_time_seconds=0).estimated_time_seconds == 0
    with pytest.raises(ValidationError):
        made.changed(estimated_time_seconds=-1)
    assert ResearchPlan.model_validate_json(made.model_dump_json()) == made


@pytest.mark.seed("C-011")
def test_a_plan_of_fewer_than_3_or_more_than_10_questions_is_refused():
    assert len(plan(*roots(10)).sub_questions) == 10
    for wrong in (roots(2), [*roots(10), question(10)]):
        with pytest.raises(ValidationError):
            plan(*wrong)


@pytest.mark.seed("C-012")
@pytest.mark.parametrize("level", list(DepthLevel))
@pytest.mark.parametrize("count", range(3, 11))
def test_the_number_of_questions_fits_the_depth_level(level: DepthLevel, count: int):
    limits = DEPTH_LIMITS[level]
    if limits.min_questions <= count <= limits.max_questions:
        assert len(check_plan(plan(*roots(count)), level)) == count
    else:
        with pytest.raises(PlanInvalid):
            check_plan(plan(*roots(count)), level)


@pytest.mark.seed("C-012")
def test_a_question_deeper_than_the_level_allows_is_refused():
    first, second, third = roots(3)
    below = child(first, priority=4)
    assert len(check_plan(plan(first, second, third, below), DepthLevel.QUICK)) == 4
    with pytest.raises(PlanInvalid):
        check_plan(plan(first, second, third, below, child(below, priority=5)), DepthLevel.QUICK)


@pytest.mark.seed("C-013")
def test_a_priority_given_twice_is_refused():
    with pytest.raises(ValidationError):
        plan(question(1), question(2), question(2))


def test_a_question_of_another_plan_is_refused():
    with pytest.raises(ValidationError):
        plan(question(1), question(2), question(3, plan_id=uuid4()))


@pytest.mark.seed("C-015")
def test_a_question_has_its_fields_and_reads_back_unchanged():
    assert set(SubQuestion.model_fields) == {
        "id",
        "plan_id",
        "text",
        "priority",
        "parent_question_id",
        "depth",
        "status",
        "search_results",
    }
    made = question()
    assert (made.parent_question_id, made.depth, made.search_results) == (None, 0, ())
    assert SubQuestion.model_validate_json(made.model_dump_json()) == made


@pytest.mark.seed("C-016")
@pytest.mark.parametrize("wrong", [{"text": "x" * 9}, {"text": "x" * 201}, {"priority": 0}, {"priority": 11}])
def test_a_question_outside_its_limits_is_refused(wrong: dict[str, Any]):
    assert question(10, text="x" * 200).priority == 10
    with pytest.raises(ValidationError):
        question(**wrong)


@pytest.mark.seed("C-017")
def test_a_question_is_pending_until_it_is_searched():
    assert question().status == "pending"
    for status in ("searching", "completed", "failed"):
        assert question(status=status).status == status
    with pytest.raises(ValidationError):
        question(status="lost")


@pytest.mark.seed("C-018")
def test_an_eleventh_search_result_is_refused():
    asked = uuid4()
    results = [
        SearchResult(sub_question_id=asked, url="https://a.org", title="a", content="", domain="a.org")
        for _ in range(11)
    ]
    assert len(question(id=asked, search_results=results[:10]).search_results) == 10
    with pytest.raises(ValidationError):
        question(id=asked, search_results=results)


@pytest.mark.seed("C-019")
def test_a_question_deeper_than_three_is_refused():
    assert MAX_DEPTH == 3
    assert question(depth=3).depth == 3
    for depth in (-1, 4):
        with pytest.raises(ValidationError):
            question(depth=depth)


@pytest.mark.seed("C-020")
def test_a_question_grows_from_one_that_is_there_and_lies_one_deeper():
    root = question()
    tree = QuestionTree([root])
    below = child(root)
    grown = tree.insert(below)
    assert below in grown
    assert below not in tree
    assert grown.children(root) == (below,)
    for wrong in (child(question()), child(root, depth=2), child(root, depth=0), question(depth=1), root):
        with pytest.raises(PlanInvalid):
            tree.insert(wrong)


@pytest.mark.seed("C-021")
def test_a_circle_of_parents_is_refused():
    own = uuid4()
    with pytest.raises(PlanCycle):
        QuestionTree().insert(question(id=own, parent_question_id=own, depth=1))
    one, two, three = uuid4(), uuid4(), uuid4()
    circle = [
        question(id=one, parent_question_id=three, depth=1),
        question(id=two, parent_question_id=one, depth=2),
        question(id=three, parent_question_id=two, depth=3),
    ]
    with pytest.raises(PlanCycle):
        QuestionTree(circle)


@pytest.mark.seed("C-020", "C-021")
@given(st.lists(st.integers(0, 7), min_size=1, max_size=8))
def test_a_tree_is_taken_exactly_when_every_question_reaches_a_root(parents: list[int]):
    """Question i hangs below question parents[i]; itself means that it is a root. Depths are given truthfully."""
    ids = [uuid4() for _ in parents]
    depths = [depth_of(number, parents) for number in range(len(parents))]
    questions = [
        question(id=ids[number], parent_question_id=parent_id(number, parents, ids), depth=min(depths[number] or 0, 3))
        for number in range(len(parents))
    ]
    sound = all(depth is not None and depth <= 3 for depth in depths)
    if sound:
        assert len(QuestionTree(questions)) == len(parents)
    else:
        with pytest.raises((PlanCycle, PlanInvalid)):
            QuestionTree(questions)


def parent_id(number: int, parents: list[int], ids: list[UUID]) -> UUID | None:
    parent = parents[number]
    return None if parent == number else ids[parent] if parent < len(ids) else uuid4()


def depth_of(number: int, parents: list[int]) -> int | None:
    """How deep a question lies, None when it has no way to a root."""
    depth = 0
    while parents[number] != number:
        number = parents[number]
        depth += 1
        if number >= len(parents) or depth > len(parents):
            return None
    return depth
