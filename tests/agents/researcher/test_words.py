"""Every sentence of a research is a claim, a quotation, or a frame around something recorded."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from averment import Run, Workbench
from averment.agents.researcher import report
from averment.claims.relation import evaluate
from averment.errors import UntrueClaim
from averment.reports.document import CitedSentence, Paragraph
from averment.settings import Settings


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workbench]:
    home = tmp_path_factory.mktemp("words") / "home"
    with Workbench(settings=Settings(home=home, model_provider="none")) as workbench:
        yield workbench


@pytest.fixture(scope="module")
def texts(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("texts")
    for name, year in (("harbour", 1961), ("archive", 1964)):
        told = f"Lindholm Harbour was deepened in {year}. Anna Berg led the deepening of Lindholm Harbour."
        (folder / f"{name}.md").write_text(f"# The {name} of the port\n\n{told}\n")
    return folder


@pytest.fixture(scope="module")
def run(bench: Workbench, texts: Path) -> Run:
    return bench.research("When was Lindholm Harbour deepened?", corpus=[texts], depth="quick")


def test_answers_quotations_and_disagreements_are_claims_that_hold(run: Run) -> None:
    assert {"answered", "quotation", "disagrees"} <= {claim.relation for claim in run.claims}
    assert all(evaluate(claim, None) for claim in run.claims)
    answers = [claim for claim in run.claims if claim.relation == "answered"]
    assert all(claim.text in (run.answer or "") for claim in answers)


def test_what_no_source_says_is_a_claim_about_what_was_searched(bench: Workbench, texts: Path) -> None:
    run = bench.research("Who was the first mayor of Lindholm?", corpus=[texts], depth="quick")
    absent = [claim for claim in run.claims if claim.relation == "absent"]
    assert run.status == "abstained"
    assert absent or "No answer was found" in (run.answer or "")


STRAYS: list[tuple[str, Callable[[Any], Any]]] = [
    ("sentence_of", lambda made: lambda fact: CitedSentence(text=f"{made(fact).text[:-1]} in vain.", cites=())),
    ("_open_ends", lambda made: lambda *given: [*made(*given), Paragraph(text="Half of the city was against it.")]),
    ("_notes", lambda made: lambda *given: [Paragraph(text="Der Hafen wurde zweimal vertieft."), *made(*given)]),
]


@pytest.mark.parametrize(("name", "change"), STRAYS, ids=[name for name, _ in STRAYS])
def test_a_sentence_that_no_source_says_stops_the_report(
    bench: Workbench, run: Run, monkeypatch: pytest.MonkeyPatch, name: str, change: Callable[[Any], Any]
) -> None:
    bench.runs.document(run.id)
    monkeypatch.setattr(report, name, change(getattr(report, name)))
    with pytest.raises(UntrueClaim):
        bench.runs.document(run.id)
