"""A tool context over one small table, with a real engine and the strongest jail."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from averment.records.base import new_id
from averment.sandbox.choose import strongest
from averment.sandbox.protocol import Jail
from averment.settings import Settings
from averment.store.storage.local import FileStore
from averment.tables.engines.engine import Engine
from averment.tables.sources.opening import open_sources
from averment.tools.result_store import ResultStore
from averment.tools.tool import ToolContext


@pytest.fixture(scope="session")
def jail() -> Iterator[Jail]:
    opened = strongest(Settings())
    yield opened
    opened.close()


@pytest.fixture
def context(tmp_path: Path, jail: Jail) -> Iterator[ToolContext]:
    source = tmp_path / "t.csv"
    source.write_text("region,amount,day\nWest,1.50,2024-01-01\nEast,2.25,2024-01-02\nWest,3.00,2024-01-03\n")
    settings = Settings(home=tmp_path / "home")
    engine = Engine(open_sources([str(source)], settings=settings, cache_dir=tmp_path / "cache"), settings)
    yield ToolContext(
        call_id=new_id(),
        settings=settings,
        engine=lambda: engine,
        jail=lambda: jail,
        result_store=ResultStore(FileStore(tmp_path / "files"), "work"),
        seconds_left=60.0,
        row_limit=200_000,
    )
    engine.close()
