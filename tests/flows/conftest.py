"""What every flow test needs: a home of its own, a workbench that is closed again, and a small table."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from averment import Workbench
from averment.settings import Settings

sys.path.insert(0, str(Path(__file__).parent))  # For ``perfect_questions``.

SALES = """order_date,region,product,amount
2023-12-31,West,Lamp,5.00
2024-01-05,West,Lamp,10.50
2024-01-20,East,Desk,7.25
2024-02-11,West,Chair,3.10
2024-03-02,North,Lamp,8.00
2024-03-09,East,Lamp,1.15
"""


@pytest.fixture
def sales(tmp_path: Path) -> Path:
    path = tmp_path / "sales.csv"
    path.write_text(SALES)
    return path


@pytest.fixture
def workbench(tmp_path: Path) -> Iterator[Workbench]:
    with Workbench(settings=Settings(home=tmp_path / "home")) as opened:
        yield opened


@pytest.fixture
def workbench_on_each(settings: Settings) -> Iterator[Workbench]:
    """A workbench over an empty home, once on each kind of database."""
    with Workbench(settings=settings) as opened:
        yield opened
