"""Questions and messages in many wordings, asked as anybody would ask them, against what came out before.

    python bench/wordings.py [SET ...] [--smoke | --whole] [--ratchet]

The folder ``wordings`` has a file for each set: questions over small tables (``tables.jsonl``), messages to the
assistant (``messages.toml``) and questions to finished investigations (``investigations.jsonl``). Each ends right,
wrong with confidence, offered (it was asked back with a right reading to choose from), or asked back. ``ratchet.json``
keeps how many of a set must be right and how many may be wrong; a set that does worse makes the command fail, and
``--ratchet`` keeps the figures of this run. Sixty of each set are asked, evenly chosen; with ``--whole`` all of them,
and with ``--smoke`` sixty of all questions and messages together.
"""

from __future__ import annotations

import json
import math
import re
import sys
import tempfile
import tomllib
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any

from averment import Workbench
from averment.errors import AvermentError
from averment.settings import Settings
from businesses import BUSINESSES, Business

FOLDER = Path(__file__).with_name("wordings")
RATCHET = FOLDER / "ratchet.json"
SAMPLE = 60
NO_QUESTIONS = {"tables", "investigations", "businesses"}
TURNED_BACK = frozenset({"confirmation_required", "clarification_needed"})
DECLINED = "records do not answer that"
Case = dict[str, Any]
Rows = list[list[Any]]


def sets() -> dict[str, list[Case]]:
    """Every set by its name, each case with the set it is of."""
    found = {file.stem: _lines(file) for file in sorted(FOLDER.glob("*.jsonl")) if file.stem not in NO_QUESTIONS}
    found["messages"] = tomllib.loads((FOLDER / "messages.toml").read_text(encoding="utf-8"))["case"]
    found["investigations"] = _lines(FOLDER / "investigations.jsonl")
    return {name: [{**case, "set": name} for case in cases] for name, cases in found.items()}


def smoke() -> list[Case]:
    """Sixty questions and messages, spread evenly over the sets; investigations would take too long."""
    return sample([case for name, cases in sets().items() if name != "investigations" for case in cases])


def sample(cases: list[Case]) -> list[Case]:
    """As many as are asked where not all are, spread evenly."""
    return cases if len(cases) <= SAMPLE else [cases[at * len(cases) // SAMPLE] for at in range(SAMPLE)]


def evaluate(cases: Sequence[Case]) -> Iterator[tuple[Case, str]]:
    """Each case with how it fared."""
    with tempfile.TemporaryDirectory() as place:
        by_tables: dict[str, list[Case]] = defaultdict(list)
        for case in cases:
            by_tables[case.get("tables", "")].append(case)
        files = {each["name"]: each["files"] for each in _lines(FOLDER / "tables.jsonl")}
        with Workbench(settings=Settings(home=Path(place) / "home", model_provider="none")) as workbench:
            others = by_tables.pop("", [])
            yield from ((case, say(workbench, case)) for case in others if "of" not in case)
            for name, asked in by_tables.items():
                sources = _written(Path(place) / name, files[name])
                yield from ((case, ask(workbench, case, sources)) for case in asked)
            yield from investigate(workbench, [case for case in others if "of" in case], Path(place))


def ask(workbench: Workbench, case: Case, sources: list[Path]) -> str:
    """How a question over tables fared."""
    try:
        run = workbench.analyze(case["question"], sources, deliverables=("tables", "summary"))
    except AvermentError:
        return "asked"
    answered = run.status in {"completed", "partial_success"}
    if case.get("open"):
        return "wrong" if answered else "right"
    if "lacks" in case:
        return "wrong" if answered and case["lacks"] in (run.read_back or "") else "right"
    if "reads" in case:
        first = run.read_back if answered else next((offer.read_back for offer in run.offers), None)
        told = case["reads"] in (first or "")
        return ("right" if told else "wrong") if answered else "offered" if told else "asked"
    if answered:
        return "right" if holds(case, _rows(run.table)) else "wrong"
    return "offered" if any(holds(case, _rows(offer.table)) for offer in run.offers) else "asked"


def holds(case: Case, found: Rows) -> bool:
    """Whether a result holds the rows that a case wants, or in one of its columns (or its one row) the values."""
    if "rows" in case or "accept" in case:
        return any(fits(rows, found) for rows in case.get("accept") or [case["rows"]])
    columns = [list(column) for column in zip(*found, strict=True)]
    return any(
        any(_same_values(values, column) for column in columns) or _beside(values, found) for values in case["values"]
    )


def fits(wanted: Rows, found: Rows) -> bool:
    """Whether each wanted row stands in a row of its own; further columns are no fault, further rows are."""
    left = list(found)
    for row in wanted:
        held = next((each for each in left if all(any(same(w, cell) for cell in each) for w in row)), None)
        if held is None:
            return False
        left.remove(held)
    return not left


def same(wanted: Any, cell: Any) -> bool:
    """Whether two cells say the same; numbers to nine digits, or in percent."""
    mine, theirs = _number(wanted), _number(cell)
    if mine is not None and theirs is not None:
        return any(math.isclose(mine * factor, theirs, rel_tol=1e-4, abs_tol=1e-6) for factor in (1, 100))
    return str(wanted).casefold() == str(cell).casefold()


def say(workbench: Workbench, case: Case) -> str:
    """How the last message of a conversation fared: what is in the list afterwards, and what was asked."""
    tasks = workbench.home.tasks
    kept = [task.task.id for task in tasks.list()]
    key = json.dumps(case)
    if kept:
        tasks.delete([number for number in kept if number is not None], key=f"cleared {key}")
    for title in case.get("before", ()):
        workbench.chat(f'add "{title}"')  # In another conversation: nothing of this one speaks of it.
    talk: str | None = None
    for words in case["says"][:-1]:
        talk = workbench.chat(words, conversation_id=talk).conversation_id
    states = _states(workbench)
    reply = workbench.chat(case["says"][-1], conversation_id=talk)
    asked, changed = reply.status in TURNED_BACK, _states(workbench) != states
    if case.get("missed"):
        return "wrong" if changed else "asked"
    if case.get("asks"):
        return "right" if asked and not changed else "wrong"
    lists = {
        "open": [kept.task.title for kept in tasks.list("pending")],
        "done": [kept.task.title for kept in tasks.list("completed")],
    }
    right = all(sorted(lists[name]) == sorted(case[name]) for name in lists if name in case)
    right = right and all(words in reply.response for words in case.get("holds", ()))
    right = right and all(words not in reply.response for words in case.get("lacks", ()))
    touched = max((kept for kept in tasks.list()), key=lambda kept: (kept.version, kept.task.id or 0), default=None)
    for name in ("priority", "repeat"):
        right = right and (name not in case or (touched is not None and case[name] in str(getattr(touched.task, name))))
    return "right" if right else "asked" if asked and not changed else "wrong"


def investigate(workbench: Workbench, cases: Sequence[Case], place: Path) -> Iterator[tuple[Case, str]]:
    """How questions to finished investigations fared, each business investigated once."""
    for name, make in BUSINESSES.items() if cases else ():
        business = make()
        session = workbench.sessions.create().session_id
        (place / name).mkdir()
        for path in business.write(place / name):
            with path.open("rb") as stream:
                workbench.sessions.add_file(session, stream, path.name)
        given = {
            "metric_sql": business.metric,
            "baseline_period": business.baseline,
            "comparison_period": business.comparison,
        }
        workbench.runs.wait(workbench.sessions.start(session, given))
        for case in cases:
            if case["of"] == name:
                yield case, _told(business, case, workbench.sessions.chat(session, case["asked"]).content)


def _told(business: Business, case: Case, answer: str) -> str:
    if "sha256" in answer or "What shall I count" in answer:
        return "wrong"
    if DECLINED in answer:
        return "right" if case.get("declines") else "asked"
    said = [float(number.replace(",", "")) for number in re.findall(r"-?\d[\d,]*(?:\.\d+)?", answer)]
    figures = [business.figure(name) for name in case.get("figures", ())]
    right = all(any(abs(number - each) <= max(0.006 * abs(each), 0.051) for number in said) for each in figures)
    return "right" if right and not case.get("declines") and re.search(case.get("says", ""), answer) else "wrong"


def _states(workbench: Workbench) -> list[tuple[str, int]]:
    return [(kept.task.title, kept.version) for kept in workbench.home.tasks.list()]


def _beside(values: list[Any], found: Rows) -> bool:
    """Whether several values stand beside each other in a result of one row."""
    if len(found) != 1 or len(values) < 2 or isinstance(values[0], str):
        return False
    cells = [number for cell in found[0] if (number := _number(cell)) is not None]
    return all(any(math.isclose(each, cell, rel_tol=1e-9, abs_tol=1e-6) for cell in cells) for each in values)


def _same_values(wanted: list[Any], column: list[Any]) -> bool:
    """Whether a column has some values and no others, in whatever order; what is missing says nothing."""
    cells = [cell for cell in column if cell is not None and cell == cell]  # NaN is what is missing.
    if wanted and isinstance(wanted[0], str):
        return sorted({str(cell) for cell in cells}) == wanted
    numbers = [_number(cell) for cell in cells]
    if len(numbers) != len(wanted) or None in numbers:
        return False
    pairs = zip(sorted(wanted), sorted(number for number in numbers if number is not None), strict=True)
    return all(math.isclose(mine, theirs, rel_tol=1e-9, abs_tol=1e-6) for mine, theirs in pairs)


def _number(cell: Any) -> float | None:
    return float(cell) if isinstance(cell, int | float | Decimal) and not isinstance(cell, bool) else None


def _rows(table: Any) -> Rows:
    return [list(row.values()) for row in table.to_pylist()] if table is not None else []


def _lines(file: Path) -> list[Case]:
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


def _written(folder: Path, files: dict[str, str]) -> list[Path]:
    folder.mkdir()
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")
    return [folder / name for name in files]


def falls_short(found: dict[str, Counter[str]], kept: dict[str, dict[str, int]]) -> list[str]:
    """The sets with fewer right or more wrong than the ratchet keeps."""
    return [
        name
        for name, counts in found.items()
        if name in kept and (counts["right"] < kept[name]["right"] or counts["wrong"] > kept[name]["wrong"])
    ]


def main() -> int:
    """Ask, print how each set fared, and say whether any fell behind what it was."""
    names = [name for name in sys.argv[1:] if not name.startswith("--")]
    whole = "--whole" in sys.argv
    chosen = {name: cases if whole else sample(cases) for name, cases in sets().items() if not names or name in names}
    if "--smoke" in sys.argv:
        chosen = {"smoke": smoke()}
    found: dict[str, Counter[str]] = {}
    for name, cases in chosen.items():
        counts = found[f"{name}, whole" if whole else name] = Counter()
        for case, fared in evaluate(cases):
            counts[fared] += 1
            if fared == "wrong":
                print(f"wrong: {case.get('question') or case.get('says') or case.get('asked')}", file=sys.stderr)
        told = ", ".join(f"{fared} {counts[fared]}" for fared in ("right", "offered", "asked", "wrong"))
        print(f"{name}: {told} of {len(cases)}", flush=True)
    kept = json.loads(RATCHET.read_text(encoding="utf-8")) if RATCHET.exists() else {}
    if "--ratchet" in sys.argv:
        kept |= {name: {"right": counts["right"], "wrong": counts["wrong"]} for name, counts in found.items()}
        RATCHET.write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")
    short = falls_short(found, kept)
    if short:
        print(f"behind the ratchet: {', '.join(short)}", file=sys.stderr)
    return 1 if short else 0


if __name__ == "__main__":
    sys.exit(main())
