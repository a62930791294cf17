"""Writes docs/explain/one-question.md: one question walked from its words to its proof, with the code's places.

python scripts/make_one_question.py            write the page
python scripts/make_one_question.py --check    exit 1 when the page is not what the run gives
"""

from __future__ import annotations

import importlib
import sys
import tempfile
from pathlib import Path
from typing import Any

from averment import Workbench
from averment.plans.plan import Plan
from averment.plans.text import to_text
from averment.settings import Settings

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "explain" / "one-question.md"
QUESTION = "which 2 regions have the highest total amount in 2024?"
MADE = "<!-- Made by scripts/make_one_question.py; change the code, not this page. -->\n\n"

PLACES = {
    "open": ("averment.tables.catalog:Catalog", "averment.reading.schema.gather:gather"),
    "cut": (
        "averment.reading.lattice.cutting:cut",
        "averment.reading.lattice.tilings:tilings",
        "averment.reading.judge.judging:words_record",
    ),
    "read": ("averment.reading.reader:read", "averment.reading.operations.operation:propose"),
    "judge": (
        "averment.reading.judge.judging:judge",
        "averment.reading.judge.gates:gates_of",
        "averment.reading.judge.odds:odds_of",
        "averment.reading.account.word_accounts:unaccounted",
    ),
    "plan": ("averment.plans.plan:Plan", "averment.plans.readback:read_back", "averment.plans.text:to_text"),
    "compile": ("averment.plans.compile:compile_plan",),
    "tell": ("averment.agents.analyst.teller:tell", "averment.records.claim:Claim"),
    "verify": ("averment.runtime.verification.verify_run:verify_run",),
}


def places(station: str) -> str:
    """Where the code of a station is; an object that is not there is an error of this script, not of its reader."""
    found: list[str] = []
    for place in PLACES[station]:
        module, name = place.split(":")
        getattr(importlib.import_module(module), name)
        found.append(f"`{name}` in `src/{module.replace('.', '/')}.py`")
    return f"*Code: {', '.join(found)}.*"


def table(headings: tuple[str, ...], rows: list[tuple[Any, ...]]) -> list[str]:
    """A table in Markdown."""
    lines = [f"| {' | '.join(headings)} |", f"|{'---|' * len(headings)}"]
    return lines + [f"| {' | '.join(str(cell) for cell in row)} |" for row in rows]


def page() -> str:
    """The page, from one run in a home that is thrown away."""
    with tempfile.TemporaryDirectory() as home, Workbench(settings=Settings(home=Path(home))) as workbench:
        run = workbench.analyze(QUESTION, str(ROOT / "examples" / "sales.csv"))
        way = workbench.runs.explain(run)
        proven = workbench.verify(run.id)
    query = next(call for call in way["calls"] if call["tool"] == "sql.run")
    words = [(w["words"], w["as"], w["means"], f"{w['strength']:.2f}") for w in way["words"]]
    rivals = [(w["words"], w["as"], w["means"], f"{w['strength']:.2f}") for w in way["rivals"]]
    numbered = list(enumerate(way["readings"], start=1))
    readings = [(n, f"{r['odds']:.2f}", r["read_back"], "; ".join(r.get("same", ()))) for n, r in numbered]
    foremost = next(n for n, r in numbered if "foremost" in r)
    gates = [
        (n, *(f"failed: {r['failed'][g]}" if g in r["failed"] else "passed" for g in way["gates"])) for n, r in numbered
    ]
    lines = ["# The way of one question", ""]
    lines += ["What happens between a question and its proven answer, station by station, as one run really went. The"]
    lines += ["same for any run of yours: `averment explain RUN`, or `wb.runs.explain(run)`.", ""]
    lines += [f"The question, asked of `examples/sales.csv`: **{QUESTION}**", ""]
    lines += ["## 1. The source is opened and profiled", "", "The file's bytes are hashed, its columns typed, its keys"]
    lines += ["and values counted. The reader sees the result of this as its schema.", "", places("open"), ""]
    lines += [
        "## 2. The words are cut once",
        "",
        "Every stretch of words gets hypotheses: a column, a value, a number,",
    ]
    lines += ["a period, a cue. Those that the chosen reading takes:", ""]
    lines += [*table(("words", "as", "means", "strength"), words), ""]
    lines += ["What else the same words, or a part of them, could have been:", ""]
    lines += [*table(("words", "as", "means", "strength"), rivals), ""]
    lines += [f"Without a meaning of their own: {', '.join(way['silent'])}.", "", places("cut"), ""]
    lines += [
        "## 3. Readers propose plans",
        "",
        f"The grammar built {way['candidates']} candidate plans. Those that ran,",
    ]
    lines += ["grouped by result, with the odds that each is what was meant and the candidates of the same result:", ""]
    lines += [*table(("", "odds", "reading", "the same result"), readings), ""]
    if way["not_run"]:
        lines += [f"Not run, as {way['not_run']['why']}:", ""]
        lines += [*(f"- {each}" for each in way["not_run"]["first"]), ""]
    lines += [places("read"), "", "## 4. The judge decides", "", "The gates of each reading, with the reason where"]
    lines += ["it fails one:", "", *table(("reading", *way["gates"]), gates), ""]
    lines += [
        f"Reading {foremost} passes all gates, so the question is answered. If it had failed one, the readings would be"
    ]
    lines += ["offered. A rival that comes near enough makes the foremost fail the third gate."]
    lines += ["", places("judge"), ""]
    lines += ["## 5. The plan", "", "```text", to_text(Plan.model_validate(way["plan"])), "```", ""]
    certainty = way["marks"]["interpretation"]["certainty"]
    lines += [f"Said back in one sentence: *{way['read_as']}* ({certainty}).", "", places("plan"), ""]
    lines += ["## 6. One compiler makes the query", "", "```sql", str(query["carried_out"]), "```", ""]
    lines += [f"It gave {query['rows']} rows, which are kept with their hash.", "", places("compile"), ""]
    lines += ["## 7. The result is told in claims", ""]
    lines += [*table(("relation", "sentence"), [(c["relation"], c["text"]) for c in way["claims"]]), ""]
    lines += ["Each value of a claim names the cell it was read from.", "", places("tell"), ""]
    lines += ["## 8. Anyone can check it", "", "`averment verify RUN` reads the file again, runs the query again,"]
    lines += [f"evaluates every claim again and compares. Here: {'it holds' if proven.ok else 'it does not hold'}.", ""]
    return MADE + "\n".join([*lines, places("verify"), ""])


def main() -> int:
    """Write or check the page."""
    from made_pages import write_or_check

    return write_or_check({PAGE: page()})


if __name__ == "__main__":
    sys.exit(main())
