"""A sentence that speaks of what another one names is told with it, and both are bound."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from uuid import UUID

import pytest

from averment import Workbench
from averment.agents.researcher.coreference import antecedent_of, opens_carried, with_subject
from averment.agents.researcher.discrepancies import find_discrepancies
from averment.agents.researcher.facts import FoundFact, PilePassage, find_facts, read_pile
from averment.language.claims.claims import agrees, read_claims
from averment.language.claims.vectors import Similarity
from averment.language.sentences import split_sentences
from averment.settings import Settings

WORDS_ONLY = Similarity(None)
TEXT = "The Adelaide Lightning are a women's basketball team. The club was formed in 1993."


def facts_of(question: str, *texts: str) -> list[FoundFact]:
    passages = [
        PilePassage(UUID(int=n + 1), f"file:///{n}", str(n) * 64, text, "local", str(n)) for n, text in enumerate(texts)
    ]
    pile = read_pile(question, passages, WORDS_ONLY)
    return find_facts(pile, WORDS_ONLY, question_id=UUID(int=9), extracted_at=datetime(2026, 1, 1, tzinfo=UTC))


@pytest.mark.parametrize(
    ("sentence", "carried"),
    [
        ("It was founded in 1850.", True),
        ("In 1993, it moved to Perth.", True),
        ("The club was formed in 1993.", True),
        ("She won the prize.", True),
        ("Acme Corp was founded in 1850.", False),
        ("The Adelaide Lightning are a team.", False),
        ("The capital of France is Paris.", False),
    ],
)
def test_a_subject_that_stands_elsewhere_is_noticed(sentence: str, carried: bool) -> None:
    assert opens_carried(sentence) is carried


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (TEXT, 0),
        ("Acme Corp is a firm. It sells lamps. It was founded in 1850.", 0),
        ("# Acme Corp\n\nIt was founded in 1850.", None),
        ("It rained. It was founded in 1850.", None),
    ],
)
def test_the_sentence_that_names_the_subject_is_found(text: str, found: int | None) -> None:
    sentences = split_sentences(text)
    assert antecedent_of(sentences, len(sentences) - 1) == found


def test_a_carried_sentence_is_read_with_its_subject() -> None:
    assert with_subject(split_sentences(TEXT), 1) == "Adelaide Lightning: The club was formed in 1993."
    fact = next(one for one in facts_of("When was the Adelaide Lightning formed?", TEXT) if "1993" in one.fact.text)
    assert fact.carried is not None
    assert fact.carried.fact.text == "The Adelaide Lightning are a women's basketball team."
    assert {"adelaide", "lightning"} <= fact.claims[0].subject


def test_dates_of_two_things_are_no_discrepancy() -> None:
    other = "The National League is a league with the Adelaide team. The league was founded in 1981."
    question = "In which year was the Adelaide team formed?"
    passages = [
        PilePassage(UUID(int=n + 1), f"file:///{n}", str(n) * 64, text, "local", str(n))
        for n, text in enumerate((TEXT, other))
    ]
    pile = read_pile(question, passages, WORDS_ONLY)
    moment = datetime(2026, 1, 1, tzinfo=UTC)
    facts = find_facts(pile, WORDS_ONLY, question_id=UUID(int=9), extracted_at=moment)
    assert find_discrepancies(pile, facts, found_at=moment) == []


def test_claims_of_different_years_do_not_confirm_each_other() -> None:
    one = read_claims("Acme Corp had 5,000 employees in 2020.")[0]
    assert agrees(one, read_claims("In 2020, Acme Corp had 5,000 employees.")[0])
    assert not agrees(one, read_claims("Acme Corp had 5,000 employees in 2019.")[0])
    assert not agrees(one, read_claims("Acme Corp had 5,000 employees.")[0])


def test_a_sentence_of_another_year_gives_no_answer() -> None:
    found = facts_of("Who won the 2021 Tour de France?", "Egan Bernal won the 2019 Tour de France.")
    assert [one.answer for one in found] == [None] * len(found)


@pytest.mark.parametrize("heading", ["# When Acme Corp was founded in 1850", "How Acme Corp was founded by brothers"])
def test_a_heading_is_no_fact(heading: str) -> None:
    found = facts_of("How was Acme Corp founded?", f"{heading}\n\nAcme Corp was founded by two brothers.")
    assert [one.fact.text for one in found] == ["Acme Corp was founded by two brothers."]


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str, str]:
    folder = tmp_path_factory.mktemp("carried")
    (folder / "club.md").write_text(f"# Lightning\n\n{TEXT}\n")
    (folder / "fans.md").write_text(
        "# Fans\n\nMany fans of the Adelaide Lightning know who owns the arena in Adelaide.\n"
    )
    with Workbench(settings=Settings(home=folder / "home", model_provider="none")) as workbench:
        workbench.add_sources(str(folder / "club.md"), str(folder / "fans.md"))
        answered = workbench.research("When was the Adelaide Lightning formed?", depth="quick")
        touched = workbench.research("Who owns the arena of the Adelaide Lightning?", depth="quick")
        assert answered.status == "completed"
        assert all(workbench.verify(run.id).ok for run in (answered, touched))
    return folder / "home", answered.id, touched.id


def test_both_sentences_are_shown_and_bound(told: tuple[Path, str, str]) -> None:
    with Workbench(settings=Settings(home=told[0])) as workbench:
        run = workbench.show(told[1])
    assert str(run.answer).startswith(TEXT)
    assert [cited["quote"] for cited in run.citations] == [f"{part}." for part in TEXT.rstrip(".").split(". ")]
    told = [one for one in run.findings if one.text in TEXT]
    assert " ".join(one.text for one in told) == TEXT
    assert {slot.evidence.kind for one in told for slot in one.slots.values()} == {"span"}


def test_a_question_that_is_only_touched_on_is_not_answered(told: tuple[Path, str, str]) -> None:
    with Workbench(settings=Settings(home=told[0])) as workbench:
        run = workbench.show(told[2])
        events = workbench.runs.events(told[2])
    assert run.status == "abstained"
    assert "No answer was found." in str(run.answer)
    assert run.absent is not None
    assert run.absent["reason"] == "nothing passed"
    assert run.absent["sentences"] > 0
    assert "Not answered, only touched on: Who owns the arena" in str(run.report)
    main = next(event.data for event in events if event.type == "round_taken")
    assert main["answered"] is False
