"""What the analyst's operations are tested with: one small shop over two years, in one home for the whole module."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from averment import Run, Workbench
from averment.settings import Settings

Ask = Callable[[str], Run]


def shop_rows() -> str:
    """Orders of 2022 and 2023: each month one in the West and one in the East, the second year a tenth above."""
    lines = ["order_id,order_date,region,product,quantity,amount,note"]
    for number in range(24):
        year, month = 2022 + number // 12, number % 12 + 1
        base = 100 + 10 * month
        factor = 1.1 if year == 2023 else 1.0
        lines.append(f"{2 * number + 1},{year}-{month:02d}-05,West,Desk,2,{base * factor:.2f},paid")
        lines.append(
            f"{2 * number + 2},{year}-{month:02d}-19,East,Lamp,1,{base * factor / 2:.2f},{'' if month == 3 else 'open'}"
        )
    return "\n".join(lines) + "\n"


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("shop") / "shop.csv"
    path.write_text(shop_rows())
    return path


@pytest.fixture(scope="module")
def ask_shop(tmp_path_factory: pytest.TempPathFactory, shop: Path) -> Iterator[Ask]:
    """Ask the shop's table a question and get the finished, verified run."""
    with Workbench(settings=Settings(home=tmp_path_factory.mktemp("home"))) as workbench:

        def ask(text: str) -> Run:
            run = workbench.analyze(text, [shop])
            if run.status == "completed":
                assert workbench.verify(run.id).ok
            return run

        yield ask
