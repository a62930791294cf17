"""What a research tells: full sections where the evidence carries them, further questions, and passages left out."""

import json
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest

from averment import Workbench
from averment.agents.researcher.facts import PilePassage
from averment.agents.researcher.recall import part_passages
from averment.errors import InvalidRequest
from averment.records.base import new_id
from averment.records.research.citations import CitationIndex, CitationLink
from averment.records.research.report import MIN_SECTION_WORDS, SHORT_NOTE, NarrativeReport, check_sources, word_count
from averment.runtime.outcome import Run
from averment.settings import Settings

QUESTION = "Who planned how Lindholm Harbour was built?"
PARTS = "north south east west inner outer upper lower old new first last".split()
YEARS = range(1901, 1950)


def sentence(source: int, number: int) -> str:
    part = PARTS[(source * 5 + number) % len(PARTS)]
    return (
        f"The {part} pier of Lindholm Harbour was built in {YEARS[source * 4 + number]} of granite from quarry "
        f"{number} by crew {source}, which also built the {PARTS[number]} crane beside it"
    )


def write_sources(folder: Path, count: int) -> None:
    folder.mkdir()
    for source in range(count):
        told = ". ".join(sentence(source, number) for number in range(4))
        (folder / f"{source:02d}.md").write_text(f"# Lindholm Harbour, volume {source}\n\n{told}.\n")
    (folder / "berg.md").write_text("# Anna Berg\n\nAnna Berg was an engineer. Anna Berg won the Sten Prize in 1965.\n")


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Run]:
    folder = tmp_path_factory.mktemp("told")
    write_sources(folder / "docs", 12)
    first = folder / "docs" / "00.md"
    first.write_text(first.read_text() + "Anna Berg planned how Lindholm Harbour was built.\n")
    with Workbench(settings=Settings(home=folder / "home")) as workbench:
        run = workbench.research(QUESTION, corpus=[folder / "docs"], depth="standard")
        assert run.status == "completed"
        assert workbench.verify(run.id).ok
    return folder / "home", run


def data(home: Path) -> dict[str, Any]:
    return json.loads(next(home.rglob("report.json")).read_text())


def test_a_section_is_full_where_the_evidence_carries_it(told: tuple[Path, Run]) -> None:
    kept = data(told[0])
    report = NarrativeReport.model_validate(kept["report"])
    links = [CitationLink.model_validate(link) for link in kept["citations"]]
    check_sources(report, CitationIndex(links))
    main = report.sections[0]
    assert SHORT_NOTE not in main.content
    assert word_count(main.content) >= MIN_SECTION_WORDS
    assert 200 <= word_count(report.executive_summary) <= 500


def test_no_sentence_is_told_in_two_sections(told: tuple[Path, Run]) -> None:
    report = NarrativeReport.model_validate(data(told[0])["report"])
    ids = [fact_id for section in report.sections for fact_id in section.fact_ids]
    assert len(ids) == len(set(ids))


@pytest.mark.seed("C-023")
def test_a_thing_that_facts_name_and_a_source_tells_of_becomes_a_question(told: tuple[Path, Run]) -> None:
    home, run = told
    with Workbench(settings=Settings(home=home)) as workbench:
        begun = [event.data for event in workbench.runs.events(run.id) if event.type == "round_begun"]
    grown = [one["state"]["question"] for one in begun if one["decision"] == "FOLLOW_UP"]
    asked = {one["state"]["question"]["id"] for one in begun}
    assert ["Anna Berg" in question["text"] for question in grown] == [True]
    assert all(question["depth"] == 1 and question["parent_id"] in asked for question in grown)


def test_an_unknown_provider_ends_the_run_before_anything_is_read(tmp_path: Path) -> None:
    with Workbench(settings=Settings(home=tmp_path / "home")) as workbench, pytest.raises(InvalidRequest):
        workbench.research(QUESTION, providers=["altavista"])


def passage(text: str, name: str) -> PilePassage:
    return PilePassage(
        source_id=UUID(new_id()),
        url=f"file:///{name}",
        snapshot_sha256=name * 64,
        text=text,
        domain="local",
        group=name,
    )


def test_passages_that_do_not_name_what_is_asked_about_are_left_out() -> None:
    about = passage("Fort Buchanan was founded in 1856 by Ada Stone.", "a")
    bridge = passage("She was born in Norvik.", "b")
    other = passage("Bonner House is located at Bath.", "c")
    titles = {"a" * 64: "Fort Buchanan", "b" * 64: "Ada Stone", "c" * 64: "Bonner House"}
    found = part_passages("Where is Fort Buchanan located?", [about, bridge, other], titles)
    assert found == ([about], [bridge])


def test_a_question_without_names_is_read_in_every_passage() -> None:
    one, two = passage("Rye bread is made of flour.", "a"), passage("Salt is added.", "b")
    assert part_passages("how is bread made?", [one, two], {"a" * 64: "", "b" * 64: ""}) == ([one, two], [])
