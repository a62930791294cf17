"""Every number of every output is bound to a cell, and is what the source gives when somebody else computes it.

The figures are computed here once more, by pandas and by DuckDB, from the files that the golden home was asked about.
"""

from __future__ import annotations

import html
import re
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from averment import Run
from golden import TALK, GoldenHome

TABLES = ("analysis", "dataset", "chat")
"""The runs that tell one figure for each group of one table."""
GROUPS = {"analysis": ("region", "sum"), "dataset": ("product", "mean"), "chat": ("product", "sum")}
NUMBER = re.compile(r"(?<![\w.])[-−]?\d[\d,]*(?:\.\d+)?(?![\w])")
OWN = re.compile(
    r"```.*?```|<(style|script|svg)\b.*?</\1>|<!--.*?-->|<[^>]*>"  # code and markup
    r"|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|\b[0-9a-f]{64}\b|\bSHA-256\b"  # ids and hashes
    r"|\d{4}-\d\d-\d\d(?:[T ][\d:.]+Z?)?|/\S+|\brow \d+|\S+\+[0-9a-f]{8}\b"  # moments, paths, places in a result
    r"|\bEvidence: \d+ figures?\b",  # how many figures there are
    re.DOTALL,
)


def numbers(text: str) -> set[Decimal]:
    """The numbers that a text tells; what names a run, a file or a moment is none."""
    told = OWN.sub(" ", html.unescape(OWN.sub(" ", text)))
    return {Decimal(found.replace(",", "").replace("−", "-")) for found in NUMBER.findall(told)}


@cache
def figures(orders: Path, run: str) -> tuple[Decimal, ...]:
    """What a run of a table has to tell, by pandas, with every digit."""
    import pandas as pd

    by, function = GROUPS[run]
    groups: Any = pd.read_csv(orders, dtype={"amount": str}).groupby(by)["amount"]
    totals = groups.agg(lambda cells: sum(map(Decimal, cells)))
    return tuple(total / (1 if function == "sum" else int(groups.size()[name])) for name, total in totals.items())


def check_told(text: str, wanted: tuple[Decimal, ...], where: str) -> None:
    """Every wanted figure is told, to some digit, and no other number is."""
    told = numbers(text)
    rounded = {number: [one for one in wanted if one.quantize(number) == number] for number in told}
    assert [number for number, fitting in rounded.items() if not fitting] == [], where
    assert {one for fitting in rounded.values() for one in fitting} == set(wanted), where


def outputs(home: GoldenHome, name: str, folder: Path) -> dict[str, str]:
    """Everything in which a person or a program reads of a run."""
    run = home.runs[name]
    assert home.cli("export", run, "--to", "html", "--out", folder / "report.html").code == 0
    assert home.cli("export", run, "--to", "md", "--out", folder / "report.md").code == 0
    with home.serve() as server:
        document = server.client.get(f"/v1/runs/{run}").json()
        report = server.client.get(f"/v1/runs/{run}/report").text
    page = (folder / "report.html").read_text()
    shown = home.cli("show", run).out
    return {
        "command line": shown,
        "answer": str(document["answer"]),
        "findings": "\n".join(finding["text"] for finding in document["findings"]),
        "report over HTTP": report,
        "report as Markdown": (folder / "report.md").read_text().partition("## Proof")[0],
        "report as HTML": page[page.index("<main") :].partition('<article class="proof"')[0],
    }


@pytest.mark.parametrize("name", TABLES)
def test_every_number_of_every_output_is_what_the_source_gives(
    golden_home_of_module: GoldenHome, tmp_path: Path, name: str
) -> None:
    wanted = figures(golden_home_of_module.golden.orders, name)
    for output, text in outputs(golden_home_of_module, name, tmp_path).items():
        check_told(text, wanted, output)


def test_every_number_of_a_chats_reply_is_what_the_source_gives(golden_home_of_module: GoldenHome) -> None:
    with golden_home_of_module.serve() as server:
        talk = server.client.get(f"/v1/conversations/{TALK}").json()
    said = [message["content"] for message in talk["messages"] if message["role"] == "assistant"]
    reply = next(text for text in said if "total amount" in text)
    check_told(reply.partition("[run")[0], figures(golden_home_of_module.golden.orders, "chat"), "reply")


@pytest.mark.parametrize("name", TABLES)
def test_the_query_gives_the_same_cells_in_another_program(golden_home_of_module: GoldenHome, name: str) -> None:
    import duckdb

    orders = golden_home_of_module.golden.orders
    with golden_home_of_module.open() as workbench, duckdb.connect() as other:
        run = workbench.show(golden_home_of_module.runs[name])
        other.execute(f"CREATE TABLE orders AS SELECT * REPLACE (amount::DECIMAL(12, 2) AS amount) FROM '{orders}'")
        assert run.sql is not None and run.table is not None
        cells = other.execute(run.sql).fetchall()
        columns = [column[0] for column in other.description or ()]
        assert [dict(zip(columns, row, strict=True)) for row in cells] == run.table.to_pylist()
        assert bound_cells(run) <= {
            (number, column, str(row[at])) for number, row in enumerate(cells) for at, column in enumerate(columns)
        }


def bound_cells(run: Run) -> set[tuple[int, str, str]]:
    evidence = [slot.evidence.model_dump() for finding in run.findings for slot in finding.slots.values()]
    assert evidence and {one["kind"] for one in evidence} == {"cell"}
    return {(one["row"], one["column"], str(one["value"])) for one in evidence}


@pytest.mark.parametrize("name", ["analysis", "dataset", "chat", "drill"])
def test_no_number_of_a_finding_stands_outside_its_evidence(golden_home_of_module: GoldenHome, name: str) -> None:
    with golden_home_of_module.open() as workbench:
        findings = workbench.show(golden_home_of_module.runs[name]).findings
    assert findings
    for finding in findings:
        assert numbers(re.sub(r"\{\w+\}", " ", finding.template)) == set(), finding.template
        for slot in finding.slots.values():
            evidence: dict[str, Any] = slot.evidence.model_dump()
            shown = numbers(slot.text)
            if evidence["kind"] == "cell" and shown and slot.unit != "label":
                (told,), value = shown, Decimal(str(evidence["value"]))
                scaled = value * 100 if "%" in slot.text else value
                assert abs(told - scaled) <= Decimal("0.5"), (slot.text, value)


def test_what_a_drill_answers_is_what_the_source_gives(golden_home_of_module: GoldenHome) -> None:
    import pandas as pd

    table: Any = pd.read_csv(golden_home_of_module.golden.orders)
    periods = table[table.order_date <= "2024-01-25"], table[table.order_date.between("2024-02-01", "2024-02-25")]
    totals = [period.amount.sum() for period in periods]
    in_west = [period[period.region == "West"].amount.sum() for period in periods]
    sides = [totals, in_west]
    change = sides[0][1] - sides[0][0]
    wanted = [figure for one, two in sides for figure in (one, two, two - one, 100 * (two - one) / one)]
    wanted.append(100 * (sides[1][1] - sides[1][0]) / change)
    ended = golden_home_of_module.cli("show", golden_home_of_module.runs["drill"], "--json")
    told = numbers(ended.document["answer"])
    assert len(told) >= 7
    # A whole number is shown without its cents, a percentage with one digit.
    assert [one for one in told if not any(abs(float(one) - figure) <= 0.5 for figure in wanted)] == []


def test_what_a_research_tells_stands_word_for_word_in_its_sources(golden_home_of_module: GoldenHome) -> None:
    texts = [path.read_text() for path in sorted(golden_home_of_module.golden.texts.iterdir())]
    ended = golden_home_of_module.cli("show", golden_home_of_module.runs["research"], "--json")
    quotes = [slot["text"] for finding in ended.document["findings"] for slot in finding["slots"].values()]
    assert len(quotes) >= 3 and all(any(quote in text for text in texts) for quote in quotes)
    assert numbers(ended.document["answer"]) <= set().union(*(numbers(text) for text in texts))


@pytest.mark.parametrize("name", ["analysis", "dataset", "chat", "drill", "research", "offer"])
def test_a_verification_recomputes_everything_that_a_run_tells(golden_home_of_module: GoldenHome, name: str) -> None:
    ended = golden_home_of_module.cli("verify", golden_home_of_module.runs[name], "--json")
    assert (ended.code, ended.document["ok"]) == (0, True)
    with golden_home_of_module.open() as workbench:
        findings = workbench.show(golden_home_of_module.runs[name]).findings
    assert ended.document["numbers_rederived"] >= sum(len(finding.slots) for finding in findings)
