"""What both readers say to pairs of question and SQL, and which results are right: for the judge's fit, for figures.

    python scripts/sql_reader/collect.py DATA OUT.jsonl --split dev [--answers FILE] [--only w9,w10] [--most N]

Asks the workbench every question of the groups of a split (see ``prepare.py``). With ``--answers`` the learned reader
answers from that file, as the fitting left it; else the embedded model runs. A line holds the run's outcome, and of
each result the facts that the judge weighed and whether it is right: the columns of the pair's own result stand in it.
"""

from __future__ import annotations

import argparse
import json
import lzma
import random
import sys
import tempfile
import time
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import asdict
from pathlib import Path
from typing import Any

import duckdb
from prepare import ROOT, jobs

from averment import Workbench
from averment.agents.analyst import meaning
from averment.errors import AvermentError
from averment.llm import embedded
from averment.llm.embedded import Answer
from averment.reading.judge import ensemble

sys.path.insert(0, str(ROOT / "bench"))
from fresh import fits, rows_of
from lift import opened

MOST_ROWS = 400
Job = tuple[str, str, list[Path], list[dict[str, Any]]]


class Recorded:
    """Answers of the learned reader that were given before, of the question that is asked now."""

    def __init__(self, kept: dict[str, list[Any]]) -> None:
        self.kept, self.now = kept, ""

    def answers(self, beginning: str, rest: str, samples: int = 0) -> tuple[Answer, ...]:
        """The first answer, or the samples."""
        del beginning, rest
        all_of = [
            Answer(text.strip(), total / max(1, count), ended)
            for text, total, count, ended in self.kept.get(self.now, [])
        ]
        return tuple(all_of[1:] if samples else all_of[:1])


def truth(engine: Any, sql: str) -> list[list[list[Any]]] | None:
    """The rows of a pair's own query; None where it does not run or gives very many."""
    try:
        rows = [[_plain(value) for value in row] for row in engine.execute(sql).fetchmany(MOST_ROWS + 1)]
    except duckdb.Error:
        return None
    return [rows] if len(rows) <= MOST_ROWS else None


def _plain(value: Any) -> Any:
    if value is None or isinstance(value, bool | int | float | str):
        return value
    try:
        return float(value)
    except (TypeError, ValueError):
        return str(value)


def is_right(accept: list[list[list[Any]]], rows: list[list[Any]]) -> bool:
    """Whether rows are one of those that are accepted."""
    rows = [[_plain(value) for value in row] for row in rows[: MOST_ROWS + 1]]
    return any(fits(gold, rows) or _says_yes(gold, rows) for gold in accept)


def _says_yes(gold: list[list[Any]], rows: list[list[Any]]) -> bool:
    """A yes or no that is told by a count or by whether there are rows."""
    if len(gold) != 1 or len(gold[0]) != 1 or not isinstance(gold[0][0], bool):
        return False
    single = len(rows) == 1 and len(rows[0]) == 1
    told = bool(rows[0][0]) if single and isinstance(rows[0][0], bool | int | float) else bool(rows)
    return told is gold[0][0]


def collected(job: tuple[Job, dict[str, list[Any]] | None]) -> list[dict[str, Any]]:
    """The lines of one group of tables."""
    (source, _, paths, pairs), kept = job
    recorded = Recorded(kept) if kept is not None else None
    if recorded is not None:
        meaning_model: Any = recorded
        embedded.embedded_model = lambda wanted="auto": meaning_model  # type: ignore[assignment]
    seen: dict[str, Any] = {}
    judge = ensemble.decided

    def watched(verdict: Any, heard: Any, hints: Any, compact: Any) -> Any:
        groups = ensemble.grouped(verdict, heard, compact)
        seen["groups"] = list(zip(groups, ensemble.facts_of(groups, verdict, heard, hints), strict=True))
        seen["grammar"] = verdict
        return judge(verdict, heard, hints, compact)

    meaning.decided = watched
    told: list[dict[str, Any]] = []
    folder = paths[0].parent
    with tempfile.TemporaryDirectory() as home, Workbench(home=home) as workbench:
        engine = None if source == "spider" else opened(folder, [path.name for path in paths])
        for pair in pairs:
            if recorded is not None:
                recorded.now = pair["id"]
                if pair["id"] not in recorded.kept:
                    continue
            accept = pair.get("accept") or (truth(engine or _spider(paths[0]), pair["sql"]) if pair["sql"] else [])
            if accept is None:
                continue
            seen.clear()
            began = time.process_time()
            try:
                run = workbench.analyze(
                    pair["question"], sources=[str(path) for path in paths], deliverables=("tables",)
                )
            except AvermentError as error:
                told.append({"id": pair["id"], "src": source, "failed": error.code, "asks": bool(pair["sql"])})
                continue
            answered = run.status in {"completed", "partial_success"}
            line: dict[str, Any] = {
                "id": pair["id"],
                "src": source,
                "group": folder.name + "/" + paths[0].name,
                "question": pair["question"],
                "asks": bool(pair["sql"]),
                "answered": answered,
                "right": answered and is_right(accept, rows_of(run.table)),
                "offered": any(is_right(accept, rows_of(offer.table)) for offer in run.offers),
                "read": run.read_back,
                "odds": run.odds,
                "cpu": round(time.process_time() - began, 3),
                "sql": pair["sql"],
            }
            if seen:
                line["grammar"] = seen["grammar"].kind
                line["results"] = [
                    {
                        **asdict(facts),
                        "right": bool(accept) and is_right(accept, group.shown.rows),
                        "read": group.shown.candidate.read_back,
                        "sql": [each.sql for each in group.proposals],
                    }
                    for group, facts in seen["groups"]
                ]
            told.append(line)
    return told


def _some(pairs: list[dict[str, Any]], most: int | None) -> list[dict[str, Any]]:
    """So many pairs that can be answered, by chance, and all that cannot."""
    able = [pair for pair in pairs if pair["sql"]]
    random.Random(len(pairs)).shuffle(able)
    return [*able[:most], *(pair for pair in pairs if not pair["sql"])]


def _spider(path: Path) -> Any:
    engine = duckdb.connect()
    engine.execute(f"ATTACH '{path}' AS d (TYPE sqlite, READ_ONLY); USE d")
    return engine


def main() -> int:
    """Ask, and write the lines."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--split", default="dev", choices=("dev", "aside"))
    parser.add_argument("--answers", type=Path)
    parser.add_argument("--only", default="")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--most", type=int, help="so many answerable questions of a group at most")
    args = parser.parse_args()
    kept: dict[str, list[Any]] | None = None
    if args.answers is not None:
        with lzma.open(args.answers, "rt", encoding="utf-8") as file:
            kept = {each["id"]: each["answers"] for each in json.load(file)}
    only = set(filter(None, args.only.split(",")))
    work = [
        (
            (source, split, paths, _some(pairs, args.most)),
            kept and {pair["id"]: kept[pair["id"]] for pair in pairs if pair["id"] in kept},
        )
        for source, split, paths, pairs in jobs(args.data)
        if split == args.split and source != "spider" and (not only or source in only)
    ]
    with args.out.open("w", encoding="utf-8") as out, ProcessPoolExecutor(args.workers) as pool:
        for future in as_completed([pool.submit(collected, each) for each in work]):
            lines = future.result()
            out.writelines(json.dumps(line, ensure_ascii=False, default=str) + "\n" for line in lines)
            out.flush()
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
