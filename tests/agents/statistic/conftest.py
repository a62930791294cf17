"""A small table of passengers with a real engine, and readings over it."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from averment.agents.analyst.skill import Candidate, Question
from averment.agents.analyst.statistic import StatisticSkill
from averment.settings import Settings
from averment.tables.engine import Engine
from averment.tables.profile import profile
from averment.tables.sources import open_sources

Read = Callable[[str], list[Candidate]]

ROWS = [
    (index, "male" if index % 3 else "female", 1 + index % 3, 18 + (index * 7) % 50, round(7.25 + (index * 13) % 90, 2))
    for index in range(60)
]


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Engine]:
    source = tmp_path / "passengers.csv"
    lines = ["number,sex,class_level,age,fare", *(",".join(map(str, row)) for row in ROWS)]
    source.write_text("\n".join(lines) + "\n")
    settings = Settings(home=tmp_path / "home")
    opened = Engine(open_sources([str(source)], settings=settings, cache_dir=tmp_path / "cache"), settings)
    yield opened
    opened.close()


@pytest.fixture
def read(engine: Engine) -> Read:
    profiles = tuple(profile(engine, table.name) for table in engine.catalog.tables)

    def reading(text: str) -> list[Candidate]:
        question = Question(text=text, profiles=profiles, catalog=engine.catalog, engine=engine)
        return list(StatisticSkill().read(question))

    return reading
