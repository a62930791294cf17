"""What worked once is kept, and a like question comes from it."""

from pathlib import Path

import pytest

from averment import Run, Workbench


def confirmed(workbench: Workbench, question: str, source: Path) -> Run:
    """The answer to a question whose plan a person saw and approved."""
    return workbench.runs.approve(workbench.analyze(question, [source], plan_only=True).id)


@pytest.mark.seed("A-060")
def test_a_like_question_comes_from_the_recipe_and_counts_as_its_success(
    workbench_on_each: Workbench, sales: Path
) -> None:
    first = confirmed(workbench_on_each, "total amount by product for West in 2024", sales)
    (kept,) = workbench_on_each.home.recipes.list()
    assert kept.intent_template == "total amount by product for {region} in {time_range}"
    assert kept.success_count == 1
    assert first.reading is not None
    assert first.reading["recipe"] is None
    second = workbench_on_each.analyze("total amount by product for East in 2023", [sales])
    assert second.reading is not None
    assert second.reading["recipe"]["recipe_id"] == kept.recipe_id
    assert second.status == "completed"
    assert "none" in (second.answer or "").casefold()
    assert workbench_on_each.home.recipes.list()[0].success_count == 2
    third = workbench_on_each.analyze("Total amount by product for East in 2024", [sales])
    assert third.reading is not None
    assert third.reading["recipe"]["recipe_id"] == kept.recipe_id
    assert third.table is not None
    assert third.table.to_pydict()["product"] == ["Desk", "Lamp"]


def test_new_literals_are_in_the_query_and_the_old_ones_are_not(workbench: Workbench, sales: Path) -> None:
    confirmed(workbench, "total amount by product for West in 2024", sales)
    (kept,) = workbench.home.recipes.list()
    assert kept.plan_structure["plan"]["where"][0]["to"] == ["{region}"]
    assert "West" not in str(kept.plan_structure["plan"])
    # Nothing was sold there then, so nobody is sure of a reading, and the recipe is.
    run = workbench.analyze("total amount by product for North in 2023", [sales])
    assert run.reading is not None
    assert run.reading["recipe"]["recipe_id"] == kept.recipe_id
    (query,) = [task for task in (run.tasks or {})["subtasks"] if task["task_id"] == "query"]
    assert query["arguments"]["params"] == ["North", 2023]
    assert "2024" not in str(query)
    assert "West" not in str(query)
    assert workbench.verify(run.id).ok


def test_a_chosen_reading_answers_the_next_question_of_its_kind(workbench: Workbench, sales: Path) -> None:
    asked = workbench.analyze("total zorp by product for West in 2024", [sales])
    assert asked.status == "clarification_needed"
    chosen = workbench.choose(asked, 1)
    assert chosen.status == "completed"
    (kept,) = workbench.home.recipes.list()
    run = workbench.analyze("total zorp by product for East in 2024", [sales])
    assert run.status == "completed"
    assert run.reading is not None
    assert run.reading["recipe"]["recipe_id"] == kept.recipe_id
    assert "East" in str(run.plan)
    assert "West" not in str(run.plan)


def test_another_schema_has_other_recipes(workbench: Workbench, sales: Path, tmp_path: Path) -> None:
    confirmed(workbench, "total amount by region in 2024", sales)
    other = tmp_path / "other.csv"
    other.write_text(
        "order_date,region,amount,a,b,c,d,e\n2024-01-05,West,10.50,1,2,3,4,5\n2024-02-05,East,1.50,1,2,3,4,6\n"
    )
    run = workbench.analyze("total amount by region in 2024", [other])
    assert run.reading is not None
    assert run.reading["recipe"] is None


def test_the_same_columns_in_another_file_come_from_the_recipe(
    workbench: Workbench, sales: Path, tmp_path: Path
) -> None:
    confirmed(workbench, "total amount by region in 2024", sales)
    other = tmp_path / "orders.csv"
    other.write_text(sales.read_text())
    run = workbench.analyze("total amount by region in 2023", [other])
    assert run.status == "completed"
    assert run.reading is not None
    assert run.reading["recipe"]["template"] == "total amount by region in {time_range}"
    assert "drift" not in run.reading["recipe"]


def test_a_schema_that_changed_a_little_is_noticed_and_the_recipe_re_bound(
    workbench_on_each: Workbench, sales: Path, tmp_path: Path
) -> None:
    confirmed(workbench_on_each, "total amount by region in 2024", sales)
    other = tmp_path / "sales2.csv"
    other.write_text(sales.read_text().replace("product", "article"))
    run = workbench_on_each.analyze("total amount by region in 2024", [other])
    assert run.reading is not None
    assert run.reading["recipe"]["drift"] == "product is now article"
    assert "product is now article" in run.reading["in_words"]
    assert workbench_on_each.verify(run.id).ok
    again = workbench_on_each.analyze("total amount by region in 2024", [other])
    assert again.report == run.report


def test_a_renamed_column_is_found_under_its_old_word_through_the_recipe(
    workbench: Workbench, sales: Path, tmp_path: Path
) -> None:
    confirmed(workbench, "total amount by product in 2024", sales)
    other = tmp_path / "sales2.csv"
    other.write_text(sales.read_text().replace("product", "stuff"))
    run = workbench.analyze("total amount by product in 2024", [other])
    assert run.status == "completed"
    assert run.table is not None
    assert run.table.column_names[0] == "stuff"
    assert run.reading is not None
    assert "product is now stuff" in run.reading["in_words"]
    assert workbench.verify(run.id).ok


def test_a_recipe_whose_column_is_gone_is_not_used_and_that_is_said(
    workbench: Workbench, sales: Path, tmp_path: Path
) -> None:
    confirmed(workbench, "total amount by product in 2024", sales)
    other = tmp_path / "sales2.csv"
    rows = [line.split(",") for line in sales.read_text().splitlines()]
    other.write_text("\n".join(",".join([row[0], row[1], row[3]]) for row in rows) + "\n")
    run = workbench.analyze("total amount by product in 2024", [other])
    assert run.status == "clarification_needed"
    assert run.answer is not None
    assert "product gone" in run.answer


def test_a_question_with_nothing_to_fill_in_is_kept_as_it_is(workbench: Workbench, sales: Path) -> None:
    confirmed(workbench, "total amount by region", sales)
    (kept,) = workbench.home.recipes.list()
    assert kept.intent_template == "total amount by region"
    again = workbench.analyze("Show me the total amount by region", [sales])
    assert (again.reading or {})["recipe"]["recipe_id"] == kept.recipe_id


def test_a_replay_teaches_nothing_and_recipes_can_be_forgotten(workbench_on_each: Workbench, sales: Path) -> None:
    run = confirmed(workbench_on_each, "total amount by region in 2024", sales)
    workbench_on_each.runs.replay(run.id)
    (kept,) = workbench_on_each.home.recipes.list()
    assert kept.success_count == 1
    assert workbench_on_each.home.recipes.forget(kept.recipe_id)
    assert workbench_on_each.home.recipes.list() == []


def test_a_plan_can_be_seen_and_approved_before_it_runs(workbench: Workbench, sales: Path) -> None:
    run = workbench.analyze("total amount by region in 2024", [sales], plan_only=True)
    assert run.status == "planning"
    assert run.plan is not None
    assert run.plan["version"] == "averment.plan/1"
    assert run.tasks is not None
    assert [task["task_id"] for task in run.tasks["subtasks"]] == ["query", "chart"]
    assert run.artifacts == ()
    assert workbench.runs.resume(run.id).status == "planning"
    done = workbench.runs.approve(run.id)
    assert done.status == "completed"
    assert workbench.verify(done.id).ok


def test_a_file_that_leaves_a_doubt_is_read_as_told_and_verified_so(workbench: Workbench, tmp_path: Path) -> None:
    path = tmp_path / "dates.csv"
    path.write_text("day,amount\n01/02/2024,1\n03/04/2024,2\n")
    run = workbench.analyze("total amount by month", [path], read={"day_first": True})
    assert run.status == "completed"
    assert run.table is not None
    assert [str(day) for day in run.table.to_pydict()["month of day"]] == ["2024-02-01", "2024-04-01"]
    assert workbench.verify(run.id).ok
