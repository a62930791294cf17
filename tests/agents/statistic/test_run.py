"""A specification travels into the jail and comes back as cells that findings are bound to."""

from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from averment.agents.analyst.skill import Candidate
from averment.agents.analyst.statistic import StatisticSkill
from averment.records.run import Observation, ToolCall
from averment.sandbox.choose import strongest
from averment.sandbox.protocol import Jail
from averment.settings import Settings
from averment.store.files import FileStore
from averment.tables.engine import Engine
from averment.tools.registry import standard_registry
from averment.tools.shelf import Shelf
from averment.tools.tool import ToolContext

Read = Callable[[str], list[Candidate]]
Told = Callable[[str], dict[str, str]]


@pytest.fixture(scope="module")
def jail() -> Iterator[Jail]:
    opened = strongest(Settings())
    yield opened
    opened.close()


@pytest.fixture
def tell(tmp_path: Path, engine: Engine, read: Read, jail: Jail) -> Told:
    shelf = Shelf(FileStore(tmp_path / "files"), "work")

    def telling(text: str) -> dict[str, str]:
        best = read(text)[0]
        limits = SimpleNamespace(timeout_seconds=60, row_limit=200_000)
        work: Any = SimpleNamespace(
            request=SimpleNamespace(intent=text, constraints=limits),
            catalog=engine.catalog,
            reading={"in_words": best.in_words},
            plan=None,
            answered={},
            table=shelf.by_task,
        )
        skill = StatisticSkill()
        for task in skill.tasks(work, best.reading):
            assert task.tool_name is not None
            call = ToolCall(task_id=task.task_id, tool_name=task.tool_name, arguments=task.arguments)
            tool = standard_registry().get(task.tool_name)
            context = ToolContext(
                call_id=call.call_id,
                settings=Settings(home=tmp_path / "home"),
                engine=lambda: engine,
                jail=lambda: jail,
                shelf=shelf,
                seconds_left=60.0,
                row_limit=200_000,
            )
            output = tool.run(tool.args.model_validate(task.arguments), context)
            data = output.model_dump(mode="json")
            seen = Observation(call_id=call.call_id, status="success", data=data, execution_time_seconds=0.1)
            work.answered[task.task_id] = (call, seen)
            shelf.answer(task.task_id, call.call_id)
        told = skill.conclude(work, best.reading)
        return {finding.finding_id: finding.slots["value"].text for finding in told.findings}

    return telling


def test_the_jail_answers_what_pandas_would(tell: Told) -> None:
    import pandas as pd

    ages = pd.Series([18 + (index * 7) % 50 for index in range(60)])
    text = "Calculate the mean and standard deviation of age, to three decimal places.\n@mean_age[m] @std_age[s]"
    assert tell(text) == {"mean_age": f"{ages.mean():.3f}", "std_age": f"{ages.std():.3f}"}


def test_a_verdict_is_a_cell_of_its_own(tell: Told) -> None:
    text = (
        "Is there a correlation between age and fare? Consider it significant if the p-value is less than 0.05.\n"
        '@r[r] @verdict[word] where "word" is a string, "significant" or "not significant".'
    )
    told = tell(text)
    assert told["verdict"] in {"significant", "not significant"}
    assert -1 <= float(told["r"]) <= 1


def test_the_same_question_twice_gives_the_same_words(tell: Told) -> None:
    text = "Train a linear regression to predict fare from age, 80/20 split, random state 42.\n@rmse[x] @r2[y]"
    assert tell(text) == tell(text)
