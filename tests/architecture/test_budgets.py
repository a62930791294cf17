"""The size and shape of the source keep to their budgets, and a budget only goes down."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from shape import BUDGETS, ROOT, Budget, closure, graph, measure, modules, read_budgets, written

SLACK = 0.01
"""A budget may lie so much above what is used; what is saved beyond it is saved for good."""


@pytest.fixture(scope="module")
def figures() -> dict[str, int]:
    return measure()


@pytest.fixture(scope="module")
def budgets() -> dict[str, Budget]:
    return read_budgets(BUDGETS.read_text(encoding="utf-8"))


def test_every_figure_keeps_to_its_budget(figures: dict[str, int], budgets: dict[str, Budget]) -> None:
    assert {name: figure for name, figure in figures.items() if figure > budgets[name].most} == {}


def test_what_was_saved_is_taken_from_the_budget(figures: dict[str, int], budgets: dict[str, Budget]) -> None:
    """Otherwise what one change saves, another may spend: ``python tests/architecture/shape.py --lower`` writes it."""
    assert {name for name, figure in figures.items() if figure < budgets[name].most * (1 - SLACK) - 5} == set()


def test_every_figure_has_a_budget_that_is_no_higher_than_its_start(
    figures: dict[str, int], budgets: dict[str, Budget]
) -> None:
    assert budgets.keys() == figures.keys()
    assert all(budget.most <= budget.start for budget in budgets.values())


def test_no_budget_was_ever_raised(budgets: dict[str, Budget]) -> None:
    name = str(BUDGETS.relative_to(ROOT))
    told = subprocess.run(
        ["git", "log", "--format=%H", "--", name], cwd=ROOT, capture_output=True, text=True, check=False
    )
    if told.returncode != 0 or not told.stdout:
        pytest.skip("this copy of the source has no history")
    later = budgets
    for commit in told.stdout.split():
        shown = subprocess.run(
            ["git", "show", f"{commit}:{name}"], cwd=ROOT, capture_output=True, text=True, check=False
        )
        if shown.returncode != 0:  # The file was not there yet.
            break
        earlier = read_budgets(shown.stdout)
        raised = {key for key in later.keys() & earlier.keys() if later[key].most > earlier[key].most}
        assert not raised, f"{commit} had less"
        later = earlier


def test_budgets_are_written_as_they_are_read(budgets: dict[str, Budget]) -> None:
    assert read_budgets(written(budgets)) == budgets
    assert BUDGETS.read_text(encoding="utf-8") == written(budgets)


def test_a_closure_is_a_package_with_all_that_it_imports(tmp_path: Path) -> None:
    agent = tmp_path / "p" / "agent"
    agent.mkdir(parents=True)
    (tmp_path / "p" / "__init__.py").write_text("")
    (agent / "__init__.py").write_text("")
    (agent / "ask.py").write_text("from p import tool\n")
    (tmp_path / "p" / "tool.py").write_text("from p import part\n")
    (tmp_path / "p" / "part.py").write_text("")
    (tmp_path / "p" / "other.py").write_text("from p import tool\n")
    assert closure(graph(modules(tmp_path)), "p.agent") == 4
