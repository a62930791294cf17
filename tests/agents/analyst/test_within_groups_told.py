"""Operations within groups as whole runs: the answer in words, the method, the chart, and the same bytes twice."""

from collections.abc import Callable

from averment import Run

Ask = Callable[[str], Run]
ORDERS = """order_id,order_date,region,product,customer,amount,cost
1,2023-01-05,West,Lamp,Ann,100.00,40.00
2,2023-01-15,East,Lamp,Ben,60.00,30.00
3,2023-02-07,West,Desk,Ann,300.00,110.00
4,2023-02-09,North,Desk,Cora,150.00,90.00
5,2023-03-11,East,Chair,Ben,80.00,20.00
6,2023-03-15,North,Lamp,Cora,40.00,10.00
7,2023-03-15,North,Lamp,Cora,45.00,12.00
8,2023-03-20,West,Lamp,Dora,9000.00,50.00
"""


def drawn(run: Run) -> list[str]:
    return [each["arguments"]["type"] for each in (run.tasks or {})["subtasks"] if each["tool_name"] == "plot.render"]


def test_outliers_are_told_with_the_bounds_they_lie_outside_of(ask: Ask) -> None:
    run = ask("list the outliers in amount")
    assert run.table is not None
    assert [float(each) for each in run.table.column("amount").to_pylist()] == [9000.0]
    assert "outside the usual range of" in (run.answer or "")
    assert "9,000" in (run.answer or "")


def test_no_outlier_is_an_answer(ask: Ask) -> None:
    run = ask("list the outliers in cost")
    assert run.findings
    answer = run.answer or ""
    assert answer.startswith(("None", "0 rows"))
    assert "cost" in answer


def test_a_matrix_of_two_numbers_is_drawn_as_their_points_and_twice_the_same(ask: Ask) -> None:
    run, again = ask("correlation matrix"), ask("correlation matrix")
    assert drawn(run) == ["scatter"]
    assert "correlation of amount and cost" in (run.report or "")
    assert run.report == again.report
    assert sorted(each.content_hash for each in run.artifacts) == sorted(each.content_hash for each in again.artifacts)


def test_the_latest_day_of_each_customer_is_told(ask: Ask) -> None:
    run = ask("latest order of each customer")
    assert run.table is not None
    rows = {(row["customer"], str(row["order_date"])) for row in run.table.to_pylist()}
    assert rows == {("Ann", "2023-02-07"), ("Ben", "2023-03-11"), ("Cora", "2023-03-15"), ("Dora", "2023-03-20")}


def test_retention_tells_the_cohorts_and_what_is_left_of_them(ask: Ask) -> None:
    run = ask("customer retention by first order month")
    assert run.table is not None
    columns = ("size", "months after", "active")
    assert [tuple(row[name] for name in columns) for row in run.table.to_pylist()] == [
        (2, 0, 2),
        (2, 1, 1),
        (2, 2, 1),
        (1, 0, 1),
        (1, 1, 1),
        (1, 0, 1),
    ]
    assert drawn(run) == ["heatmap"]


def test_the_fewest_are_those_that_first_reach_the_share(ask: Ask) -> None:
    run = ask("customers making 95% of amount")
    assert run.table is not None
    assert run.table.column("customer").to_pylist() == ["Dora", "Ann"]
    assert (run.answer or "").startswith("There are 2 values of customer that make up 95 percent of the total amount.")
