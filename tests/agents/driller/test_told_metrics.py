"""Metrics of every kind go all the way to a report: percentiles, quotients over two tables, keys in two forms."""

from __future__ import annotations

import random
from datetime import date
from pathlib import Path

from made import BASELINE, COMPARISON, Row, customers, orders, write_csv
from stage import Stage


def dearer_in_shops(row: Row, later: bool, chance: random.Random) -> Row:
    return {**row, "amount": row["amount"] * 2} if later and row["channel"] == "shop" else row


def test_a_median_is_told_with_what_its_segments_mean(stage: Stage, tmp_path: Path) -> None:
    file = write_csv(tmp_path / "orders.csv", orders(dearer_in_shops))
    run = stage.play([file], "MEDIAN(amount)", BASELINE, COMPARISON)
    assert run.status == "completed"
    assert "channel = shop" in (run.answer or "")
    report = next(one for one in run.artifacts if Path(one.content_ref).name == "report.md")
    assert "A percentile moves because rows cross it." in stage.services.store.artifacts.read(report).decode()


def test_a_quotient_over_two_tables_is_told(stage: Stage, tmp_path: Path) -> None:
    rows = orders()
    counts: dict[tuple[str, str], int] = {}
    for row in rows:
        counts[row["date"], row["channel"]] = counts.get((row["date"], row["channel"]), 0) + 1
    visits: list[Row] = [
        {"day": day, "channel": channel, "visits": count * (40 if channel == "app" and later(day) else 20)}
        for (day, channel), count in sorted(counts.items())
    ]
    files = [write_csv(tmp_path / "orders.csv", rows), write_csv(tmp_path / "visits.csv", visits)]
    run = stage.play(files, "COUNT(order_id) / SUM(visits)", BASELINE, COMPARISON)
    assert run.status == "completed"
    assert "channel = app" in (run.answer or "")


def later(day: str) -> bool:
    return date.fromisoformat(day) >= date.fromisoformat(COMPARISON[0])


def test_keys_that_turn_into_texts_are_joined_and_named(stage: Stage, tmp_path: Path) -> None:
    def in_another_form(row: Row, later: bool, chance: random.Random) -> Row:
        return {**row, "customer_id": f"C-{row['customer_id']}"} if row["date"] >= "2024-03-24" else row

    files = [
        write_csv(tmp_path / "orders.csv", orders(in_another_form)),
        write_csv(tmp_path / "customers.csv", customers()),
    ]
    run = stage.play(files, "SUM(amount)", BASELINE, COMPARISON)
    assert run.status == "completed"
    assert "found their partner in customers by customer_id" in (run.answer or "")
