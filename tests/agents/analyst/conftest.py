"""What the analyst's tests share: questions to the module's own orders, each answered and proven."""

from collections.abc import Callable, Iterator

import pytest

from averment import Run, Workbench
from averment.settings import Settings


@pytest.fixture(scope="module")
def ask(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[str], Run]]:
    """Ask of the CSV that the module calls ``ORDERS``; the run is completed and verified when it comes back."""
    folder = tmp_path_factory.mktemp("orders")
    (folder / "orders.csv").write_text(request.module.ORDERS)
    with Workbench(settings=Settings(home=folder / "home")) as workbench:

        def run(text: str) -> Run:
            made = workbench.analyze(text, [folder / "orders.csv"])
            assert made.status == "completed", made.answer
            assert workbench.verify(made.id).ok
            return made

        yield run
