"""A stage for investigations, closed after each module, and the files with a planted cause."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from made import customers, fewer_app_phones, orders, write_csv
from stage import Stage


@pytest.fixture(scope="module")
def stage(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    made = Stage(tmp_path_factory.mktemp("stage"))
    yield made
    made.services.close()


@pytest.fixture(scope="module")
def planted(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    folder = tmp_path_factory.mktemp("planted")
    return [
        write_csv(folder / "orders.csv", orders(fewer_app_phones)),
        write_csv(folder / "customers.csv", customers()),
    ]
