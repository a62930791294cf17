"""Questions about one CSV file (InfiAgent-DABench's format), answered by the analyst's skills without a model.

    python bench/dabench.py --data DIR [--out preds.jsonl]

A case's question, constraints and format become one question text; the analyst's findings, each named by the value
asked for, become the prediction. Predictions are scored by the set's own ``score.py``.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from averment.agents.analyst.skill import Question
from averment.agents.analyst.statistic import StatisticSkill
from averment.errors import AvermentError
from averment.records.run import Observation, ToolCall
from averment.sandbox.choose import strongest
from averment.sandbox.protocol import Jail
from averment.settings import Settings
from averment.store.files import FileStore
from averment.tables.engine import Engine
from averment.tables.profile import profile
from averment.tables.sources import open_sources
from averment.tools.registry import standard_registry
from averment.tools.shelf import Shelf
from averment.tools.tool import ToolContext

SURE = 0.99
SECONDS, ROWS = 60, 200_000


def question_of(case: dict[str, Any]) -> str:
    """The case as one text."""
    return f"{case['question']}\n{case['constraints']}\n{case['format']}"


class Desk:
    """What a skill needs of a run, over one table and one warm jail, without a durable run around it."""

    def __init__(self, source: Path, settings: Settings, folder: Path, jail: Jail) -> None:
        self.catalog = open_sources([str(source)], settings=settings, cache_dir=folder / "cache")
        self.engine = Engine(self.catalog, settings)
        self.profiles = tuple(profile(self.engine, table.name) for table in self.catalog.tables)
        self.request = SimpleNamespace(
            intent="", constraints=SimpleNamespace(timeout_seconds=SECONDS, row_limit=ROWS), deliverables=("report",)
        )
        self.plan = None
        self.reading: dict[str, Any] = {}
        self.answered: dict[str, tuple[ToolCall, Observation]] = {}
        self.shelf = Shelf(FileStore(folder / "files"), "work")
        self._settings, self._jail = settings, jail

    def table(self, task: str) -> Any:
        """The table a task left."""
        return self.shelf.by_task(task)

    def run(self, task: Any) -> None:
        """One task through its tool."""
        call = ToolCall(task_id=task.task_id, tool_name=task.tool_name, arguments=task.arguments)
        context = ToolContext(
            call_id=call.call_id,
            settings=self._settings,
            engine=lambda: self.engine,
            jail=lambda: self._jail,
            shelf=self.shelf,
            seconds_left=float(SECONDS),
            row_limit=ROWS,
        )
        started = time.perf_counter()
        tool = standard_registry().get(task.tool_name)
        output = tool.run(tool.args.model_validate(task.arguments), context)
        took = time.perf_counter() - started
        seen = Observation(
            call_id=call.call_id, status="success", data=output.model_dump(mode="json"), execution_time_seconds=took
        )
        self.answered[task.task_id] = (call, seen)
        self.shelf.answer(task.task_id, call.call_id)

    def close(self) -> None:
        """End the query process."""
        self.engine.close()


def answer(desk: Any, text: str) -> dict[str, str]:
    """The named values of a question, or none when the skill is not sure."""
    skill = StatisticSkill()
    question = Question(text=text, profiles=desk.profiles, catalog=desk.catalog, engine=desk.engine)
    candidates = skill.read(question)
    if not candidates or candidates[0].score < SURE:
        return {}
    best = candidates[0]
    desk.request.intent = text
    desk.reading = {"in_words": best.in_words}
    for task in skill.tasks(desk, best.reading):
        desk.run(task)
    told = skill.conclude(desk, best.reading)
    return {finding.finding_id: plain(finding.slots["value"].text) for finding in told.findings}


def plain(text: str) -> str:
    """A shown value as the set writes it: numbers without separators of thousands."""
    bare = text.replace(",", "")
    return bare if bare.lstrip("-").replace(".", "", 1).isdigit() else text


def predict(data_dir: Path) -> Iterator[dict[str, Any]]:
    """A prediction a case, in the order of the cases; tables are opened once."""
    cases = [json.loads(line) for line in (data_dir / "cases.jsonl").read_text("utf-8").splitlines() if line.strip()]
    jail = strongest(Settings())
    with tempfile.TemporaryDirectory(prefix="averment-dabench-") as folder:
        settings = Settings(home=Path(folder) / "home")
        desks: dict[str, Desk] = {}
        for case in cases:
            name = case["table"]
            try:
                if name not in desks:
                    desks[name] = Desk(data_dir / "tables" / name, settings, Path(folder), jail)
                started = time.perf_counter()
                found = answer(desks[name], question_of(case))
                yield {"id": case["id"], "answers": found, "seconds": round(time.perf_counter() - started, 4)}
            except AvermentError as error:
                print(f"{case['id']}: {error.message}", file=sys.stderr)
                yield {"id": case["id"], "answers": {}}
        for desk in desks.values():
            desk.close()
    jail.close()


def main() -> None:
    """Predict all cases and write them."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--out", type=Path, default=Path("preds.jsonl"))
    args = parser.parse_args()
    with args.out.open("w", encoding="utf-8") as out:
        for prediction in predict(args.data):
            out.write(json.dumps(prediction, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
