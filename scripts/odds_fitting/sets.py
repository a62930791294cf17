"""The questions the odds are fitted on: each with its tables and when a result is right.

Only parts that may be looked at: sources of the everyday set and databases of the Spider training set that
``bench/set_aside.toml`` sets aside are never opened. The practice set is the project's own (``bench/practice.tar.xz``).
"""

from __future__ import annotations

import hashlib
import importlib.util
import json
import random
import sqlite3
import tarfile
import tomllib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

ROOT = Path(__file__).parents[2]
ASIDE = tomllib.loads((ROOT / "bench" / "set_aside.toml").read_text(encoding="utf-8"))
PRACTICE = ROOT / "bench" / "practice.tar.xz"
SEED = 5
MOST_ROWS = 300
"""Gold results longer than this are not compared: it takes long and tells little."""

Rows = list[list[Any]]


@dataclass(frozen=True)
class Asked:
    """One question: its set, the tables it is held out with, and when rows answer it."""

    kind: str
    group: str
    ident: str
    question: str
    sources: tuple[Path, ...]
    is_right: Callable[[Rows], bool]
    after: str | None = None
    query: str | None = None


def scorer(data: Path) -> ModuleType:
    """The everyday set's own comparison of rows."""
    spec = importlib.util.spec_from_file_location("set_score", data / "bench/everyday/score.py")
    assert spec is not None and spec.loader is not None  # the file is there
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def everyday(data: Path) -> Iterator[Asked]:
    """Questions over everyday tables."""
    folder, score = data / "bench/everyday", scorer(data)
    aside = set(ASIDE["everyday"]["sources"])
    gold = {row["id"]: row for row in map(json.loads, (folder / "gold.jsonl").read_text("utf-8").splitlines())}
    for case in map(json.loads, (folder / "cases.jsonl").read_text("utf-8").splitlines()):
        if aside & {Path(source).stem for source in case["sources"]}:
            continue
        accepted = [] if gold[case["id"]].get("unanswerable") else gold[case["id"]]["accept"]

        def fits(rows: Rows, accepted: list[Any] = accepted) -> bool:
            return any(score.acceptable(one, {"rows": rows, "answer": ""}) for one in accepted)

        paths = tuple(folder / source for source in case["sources"])
        group = f"everyday {case['sources'][0]}"
        yield Asked("everyday", group, case["id"], case["question"], paths, fits, case.get("after"))


def practice(data: Path, kept: Path) -> Iterator[Asked]:
    """Questions over the project's own tables, written by people who had not seen the reader."""
    score = scorer(data)
    with tarfile.open(PRACTICE) as packed:
        packed.extractall(kept / "practice", filter="data")
    folder = kept / "practice"
    for case in map(json.loads, (folder / "questions.jsonl").read_text("utf-8").splitlines()):

        def fits(rows: Rows, accepted: list[Rows] = case["accept"]) -> bool:
            return any(_fits_one(score, one, rows) for one in accepted)

        paths = tuple(folder / source for source in case["sources"])
        group = f"practice {case['sources'][0]}"
        yield Asked("practice", group, case["id"], case["question"], paths, fits, case.get("after"), case.get("sql"))


def _fits_one(score: ModuleType, gold: Rows, rows: Rows) -> bool:
    """Whether rows are the gold ones: as they are, in percent, as their number, or by name where names were asked for.

    Names alone are right where rows show no figure beside them, or where one row is the answer; the same groups with
    another figure are not.
    """
    percent = [[100 * v if isinstance(v, float) and abs(v) <= 1 else v for v in row] for row in gold]
    if any(score.acceptable({"rows": one}, {"rows": rows, "answer": ""}) for one in (gold, percent)):
        return True
    if len(gold) == len(gold[0] if gold else []) == 1 and gold[0][0] == len(rows):
        return True
    named = len(gold) == 1 or all(len(row) == 1 for row in rows)
    return bool(rows) and named and score.fits([row[:1] for row in gold[: len(rows)]], rows)


def spider(data: Path, kept: Path, most: int) -> Iterator[Asked]:
    """Questions over joined tables, at most so many a database."""
    score, below = scorer(data), int(ASIDE["spider_train"]["look_below"])

    def may_look(name: str) -> bool:
        return hashlib.sha256(name.encode()).digest()[0] < below

    folder = kept / "spider"
    if not folder.exists():
        with tarfile.open(data / "train/spider_train.tar.xz") as packed:
            wanted = [m for m in packed if m.name.endswith("cases.jsonl") or may_look(Path(m.name).stem)]
            packed.extractall(kept, members=wanted, filter="data")
    cases = [json.loads(line) for line in (folder / "cases.jsonl").read_text("utf-8").splitlines()]
    cases = [case for case in cases if may_look(case["db"])]
    random.Random(SEED).shuffle(cases)
    taken: dict[str, int] = {}
    for case in cases:
        path = folder / "databases" / f"{case['db']}.sqlite"
        taken[case["db"]] = taken.get(case["db"], 0) + 1
        gold = _run(path, case["sql"]) if taken[case["db"]] <= most else []
        if not gold or len(gold) > MOST_ROWS:
            continue

        def fits(rows: Rows, gold: Rows = gold) -> bool:
            return score.fits(gold, rows)

        yield Asked(
            "spider", f"spider {case['db']}", str(case["id"]), case["question"], (path,), fits, None, case["sql"]
        )
        if case.get("synonyms"):
            ident = f"{case['id']} in other words"
            yield Asked("reworded", f"spider {case['db']}", ident, case["synonyms"], (path,), fits, None, case["sql"])


def _run(path: Path, query: str) -> Rows:
    with sqlite3.connect(path) as database:
        database.text_factory = lambda raw: raw.decode("utf-8", "replace")
        try:
            return [list(row) for row in database.execute(query)]
        except sqlite3.Error:
            return []
