"""An open request is answered by facts that a test found strong, each bound to a cell."""

from collections.abc import Callable
from pathlib import Path

from averment import Run, Workbench
from averment.settings import Settings

Ask = Callable[[str], Run]


def test_only_what_a_test_finds_strong_is_told(ask_shop: Ask) -> None:
    run = ask_shop("what stands out?")
    assert run.status == "completed"
    found = {finding.finding_id for finding in run.findings}
    assert {"relation_1", "missing_7"} <= found
    # The series falls back every January, so no straight line tells it; and no row is there twice.
    assert not {"trend", "duplicates"} & found
    assert all(finding.slots for finding in run.findings)


def test_a_trend_a_great_part_and_repeated_rows_stand_out(tmp_path: Path) -> None:
    rows = [
        f"2023-{n % 12 + 1:02d}-03,{['A', 'A', 'A', 'B', 'C'][n % 5]},{100 + 20 * (n % 12) + n / 100:.2f}"
        for n in range(60)
    ]
    path = tmp_path / "t.csv"
    path.write_text("\n".join(["day,part,amount", *rows, rows[0]]) + "\n")
    with Workbench(settings=Settings(home=tmp_path / "home")) as workbench:
        run = workbench.analyze("what stands out?", [path])
        assert workbench.verify(run.id).ok
    found = {finding.finding_id: finding for finding in run.findings}
    assert {"trend", "share_1", "duplicates"} <= set(found)
    assert found["share_1"].slots["group"].text == "A"
    assert found["duplicates"].slots["count"].text == "1"
    assert run.answer is not None
    assert found["trend"].text in run.answer


def test_a_profile_tells_rows_columns_and_what_is_missing(ask_shop: Ask) -> None:
    run = ask_shop("profile this")
    assert run.table is not None
    assert run.table.to_pydict()["column"] == [
        "order_id", "order_date", "region", "product", "quantity", "amount", "note"
    ]  # fmt: skip
    assert [finding.finding_id for finding in run.findings] == ["rows", "columns", "missing_7"]
