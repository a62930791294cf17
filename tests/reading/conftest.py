"""Small tables to read questions over, and a way to read and run them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from averment.plans.compile import CompiledPlan, compile_plan
from averment.reading.judge.judging import judge
from averment.reading.judge.verdict import Verdict
from averment.reading.reader import Candidate, read
from averment.reading.schema.gather import gather
from averment.reading.schema.implied_joins import hang_together
from averment.reading.schema.result_values import plain_rows
from averment.reading.schema.schema_view import Schema
from averment.settings import Settings
from averment.tables.engines.engine import Engine
from averment.tables.profile.profiler import profile
from averment.tables.sources.opening import open_sources

RIDES = """id,rider,city,plan,started,minutes,fare,helmet,birth_year
1,Ada,Oslo,month,2023-01-04,12,3.50,yes,1990
2,Ben,Oslo,day,2023-01-09,31,7.00,no,1985
3,Ada,Bergen,month,2023-02-11,8,2.25,yes,1990
4,Cia,Bergen,day,2023-03-02,45,9.75,no,1971
5,Dan,Oslo,month,2024-01-20,22,5.00,yes,1999
6,Eva,Bergen,year,2024-02-14,15,,no,1980
7,Ben,Oslo,day,2024-02-28,27,6.50,yes,1985
8,Fay,Moss,year,2024-03-05,60,12.00,no,2001
"""
PLANTS = """name,height_cm,weight_g,edible,family,planted
Basil,30,40,1,mint,2021
Thyme,20,15,1,mint,2019
Foxglove,120,300,0,plantain,2020
Yarrow,60,90,0,daisy,2021
Chamomile,45,35,1,daisy,2022
"""
AUTHORS = """author_id,name,country
1,Moe,Chile
2,Lin,Peru
3,Kai,Chile
"""
BOOKS = """book_id,title,author_id,price,copies
10,Red,1,5.0,100
11,Blue,1,7.5,40
12,Green,2,9.0,10
"""


class Library:
    """Opened tables with a schema to read over."""

    def __init__(self, paths: list[Path], cache: Path) -> None:
        settings = Settings(home=cache)
        self.catalog = open_sources([str(path) for path in paths], settings=settings, cache_dir=cache)
        self.engine = Engine(self.catalog, settings)
        profiles = [profile(self.engine, table.name) for table in self.catalog.tables]

        def ask(sql: str, params: Any) -> list[dict[str, Any]]:
            return self.engine.run(sql, params).table.to_pylist()

        self.schema: Schema = gather(profiles, hang_together(self.engine, profiles), ask)

    def read(self, question: str) -> list[Candidate]:
        """Candidate readings, the best first."""
        return read(question, self.schema)

    def rows(self, candidate: Candidate) -> list[list[Any]]:
        """What a reading gives."""
        composed = compile_plan(candidate.plan).compose(self.catalog.dialect)
        return plain_rows(self.engine.run(composed.sql, composed.params).table)

    def judged(self, question: str) -> Verdict:
        """What the judge says of a question."""

        def run(compiled: CompiledPlan) -> Any:
            made = compiled.compose(self.catalog.dialect)
            return self.engine.run(made.sql, made.params).table

        return judge(self.read(question), run, schema=self.schema, question=question)

    def told(self, question: str) -> str:
        """The reading that is answered, in words; nothing where the question is asked about."""
        verdict = self.judged(question)
        return verdict.best.candidate.read_back if verdict.kind == "answer" and verdict.best is not None else ""

    def first(self, question: str) -> list[list[Any]]:
        """What the best reading gives, which must leave no word over."""
        best = self.read(question)[0]
        assert best.left == (), (best.left, best.read_back)
        return self.rows(best)


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[..., Library]]:
    """Opens tables by name and text."""
    made: list[Library] = []
    folder = tmp_path_factory.mktemp("tables")

    def opened(**tables: str) -> Library:
        place = folder / "-".join(tables)
        place.mkdir(exist_ok=True)
        paths = []
        for name, text in tables.items():
            path = place / f"{name}.csv"
            path.write_text(text, encoding="utf-8")
            paths.append(path)
        made.append(Library(paths, folder / "home"))
        return made[-1]

    yield opened
    for each in made:
        each.engine.close()


@pytest.fixture(scope="module")
def rides(library: Callable[..., Library]) -> Library:
    """Rides of rented bikes."""
    return library(rides=RIDES)


@pytest.fixture(scope="module")
def plants(library: Callable[..., Library]) -> Library:
    """Plants of a garden."""
    return library(plants=PLANTS)


@pytest.fixture(scope="module")
def books(library: Callable[..., Library]) -> Library:
    """Authors and their books, which join."""
    return library(authors=AUTHORS, books=BOOKS)
