"""A research over the user's own documents: told with citations, verified from the archive, and honest about gaps."""

import json
import re
import shutil
import sqlite3
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from click.testing import CliRunner

from averment import Workbench
from averment.faces.cli.app import app
from averment.records.research.report import SHORT_NOTE, NarrativeReport
from averment.runtime.services import Services
from averment.runtime.verification.verdict import Verification
from averment.settings import Settings
from averment.store.corpus.research import ResearchStore

QUESTION = "When was Lindholm Harbour deepened?"
TEXTS = {
    "harbour.md": "# Lindholm Harbour\n\nLindholm Harbour was deepened in 1961 because larger ships could not enter "
    "the basin. Anna Berg led the deepening of Lindholm Harbour. In 2019 Lindholm Harbour handled 4,200 ships.",
    "history.md": "# Port history\n\nAccording to the city archive, Lindholm Harbour was deepened in 1961. Critics "
    "warned that deepening Lindholm Harbour would damage the oyster beds.",
    "blog.md": "# A blog on ports\n\nLindholm Harbour was deepened in 1963. Many at Lindholm Harbour remember it.",
    "bread.md": "# Bread\n\nRye bread is made of rye flour, water and salt. Sourdough needs time.",
}
MARKER = re.compile(r"\[cite:([0-9a-f-]{36})\]")
FOOTNOTE = re.compile(r"\[\^(\d+)\](?!:)")


@dataclass(frozen=True)
class Scene:
    """A finished research in a home that can be copied and tampered with."""

    home: Path
    run_id: str

    @property
    def database(self) -> Path:
        return self.home / "db" / "averment.db"

    def artifact(self, name: str) -> Path:
        return self.home / "artifacts" / "reports" / self.run_id / name

    def data(self) -> dict[str, Any]:
        return json.loads(self.artifact("report.json").read_text())

    def verify(self) -> Verification:
        with Workbench(settings=Settings(home=self.home)) as workbench:
            return workbench.verify(self.run_id)


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Scene:
    folder = tmp_path_factory.mktemp("research")
    (folder / "docs").mkdir()
    for name, text in TEXTS.items():
        (folder / "docs" / name).write_text(text)
    with Workbench(settings=Settings(home=folder / "home")) as workbench:
        workbench.add_sources(str(folder / "docs"))
        run = workbench.research(QUESTION, corpus=[folder / "docs", folder / "missing.md"], depth="quick")
        assert run.status == "completed"
    shutil.rmtree(folder / "docs")
    return Scene(folder / "home", run.id)


@pytest.fixture
def scene(finished: Scene, tmp_path: Path) -> Scene:
    """A copy of its own for a test that changes something."""
    shutil.copytree(finished.home, tmp_path / "home")
    return Scene(tmp_path / "home", finished.run_id)


@pytest.fixture
def services(finished: Scene) -> Iterator[Services]:
    opened = Services(Settings(home=finished.home))
    yield opened
    opened.close()


def test_every_sentence_stands_in_its_archived_source_at_its_place(finished: Scene, services: Services) -> None:
    data = finished.data()
    facts = {fact["id"]: fact for fact in data["facts"]}
    report = NarrativeReport.model_validate(data["report"])
    written = finished.artifact("report.md").read_text()
    notes = re.findall(r"^\[\^(\d+)\]: ", written, re.MULTILINE)
    assert facts
    assert notes == [str(number) for number in range(1, len(facts) + 1)]
    assert set(FOOTNOTE.findall(written)) == set(notes)
    for fact in facts.values():
        span = fact["evidence"]
        assert services.texts.corpus.quote(span["snapshot_sha256"], span["start"], span["end"]) == fact["text"]
    for text in (report.executive_summary, *(section.content for section in report.sections)):
        for line in text.split("\n\n"):
            sentences = MARKER.split(re.sub(r"^\*.*?:\* ", "", line))
            assert line == SHORT_NOTE or sentences[-1].strip() == ""
            for said, cite in zip(sentences[::2], sentences[1::2], strict=False):
                if said.strip():  # Otherwise another source says the same as the one before it.
                    assert said.strip() == facts[cite]["text"]


@pytest.mark.seed("C-043", "C-046", "C-051")
def test_short_evidence_is_said_and_not_padded(finished: Scene) -> None:
    report = NarrativeReport.model_validate(finished.data()["report"])
    assert SHORT_NOTE in report.executive_summary
    assert all(SHORT_NOTE in section.content for section in report.sections)


@pytest.mark.seed("C-041")
def test_sources_that_disagree_are_both_shown_with_the_rule(finished: Scene) -> None:
    data = finished.data()
    texts = {fact["id"]: fact["text"] for fact in data["facts"]}
    (conflict,) = [one for one in data["discrepancies"] if one["topic"] == QUESTION]
    said = " ".join(texts[fact_id] for fact_id in conflict["fact_ids"])
    assert conflict["rule"] == "uncertainty"
    assert "1961" in said
    assert "1963" in said
    assert not any(fact["verified"] for fact in data["facts"] if fact["id"] in conflict["fact_ids"])


def test_what_could_not_be_read_is_told(finished: Scene) -> None:
    assert "missing.md" in finished.artifact("report.md").read_text()


def test_a_research_is_verified_from_the_archive_alone(scene: Scene, tmp_path: Path) -> None:
    later = tmp_path / "later.md"
    later.write_text("# Later\n\nLindholm Harbour was deepened in 1999, says a later text on Lindholm Harbour.")
    with Workbench(settings=Settings(home=scene.home)) as workbench:
        workbench.research(QUESTION, corpus=[later], depth="quick")
        verdict = workbench.verify(scene.run_id)
    assert verdict.ok, verdict.faults
    assert sum(check.subject.startswith("finding ") for check in verdict.checks) == len(scene.data()["facts"])


def alter_archive(scene: Scene) -> str:
    digest = scene.data()["facts"][0]["evidence"]["snapshot_sha256"]
    with sqlite3.connect(scene.database) as connection:
        query = "SELECT body FROM corpus_archive WHERE sha256 = ?"
        body = bytearray(zlib.decompress(connection.execute(query, (digest,)).fetchone()[0]))
        body[-2] ^= 1
        change = "UPDATE corpus_archive SET body = ? WHERE sha256 = ?"
        connection.execute(change, (zlib.compress(bytes(body)), digest))
    connection.close()
    return digest


def alter_number(scene: Scene) -> str:
    report = scene.artifact("report.md")
    report.write_text(report.read_text().replace("deepened in 1961", "deepened in 1964", 1))
    return "1964"


def alter_citation(scene: Scene) -> str:
    report = scene.artifact("report.md")
    first, second = list(dict.fromkeys(FOOTNOTE.findall(report.read_text())))[:2]
    report.write_text(report.read_text().replace(f"[^{first}]", f"[^{second}]", 1))
    return f"[^{second}]"


def alter_finding(scene: Scene) -> str:
    with sqlite3.connect(scene.database) as connection:
        change = "UPDATE run_records SET body = replace(body, ?, ?) WHERE kind = 'conclusion'"
        connection.execute(change, ("deepened in 1961", "deepened in 1968"))
    connection.close()
    return "1968"


@pytest.mark.parametrize("alter", [alter_archive, alter_number, alter_citation, alter_finding])
def test_what_was_altered_is_found_and_named(scene: Scene, alter: Callable[[Scene], str]) -> None:
    altered = alter(scene)
    verdict = scene.verify()
    assert not verdict.ok
    assert any(altered in fault.detail for fault in verdict.faults)


@pytest.mark.seed("C-009", "C-056", "C-057")
def test_citations_are_looked_up_from_either_side(finished: Scene, services: Services) -> None:
    store = ResearchStore(services.store.database)
    fact = finished.data()["facts"][0]
    (link,) = store.citations_of_fact(UUID(fact["id"]))
    assert link.source_url == fact["source_url"]
    assert link.fact_id in {one.fact_id for one in store.citations_of_source(fact["source_url"])}
    report = store.get_report(UUID(finished.run_id))
    assert report == NarrativeReport.model_validate(finished.data()["report"])
    plan = store.get_plan(UUID(finished.run_id))
    assert plan is not None
    assert 3 <= len(plan.sub_questions) <= 5
    assert all(question.status == "completed" for question in plan.sub_questions)


@pytest.mark.seed("C-054")
def test_an_export_links_every_citation_to_its_note(finished: Scene, tmp_path: Path) -> None:
    with Workbench(settings=Settings(home=finished.home)) as workbench:
        page = workbench.runs.export(finished.run_id, "html", tmp_path / "report.html").read_text()
    links, notes = re.findall(r'href="#cite-([^"]+)"', page), re.findall(r'id="cite-([^"]+)"', page)
    assert links
    assert set(links) == set(notes)


def test_a_corpus_without_the_answer_says_so_and_what_was_searched(finished: Scene) -> None:
    arguments = ["--home", str(finished.home), "research", "What is the population of Atlantis City?", "--json"]
    done = CliRunner().invoke(app, arguments, standalone_mode=False)
    told = json.loads(done.stdout)
    assert done.return_value == 3
    assert told["status"] == "abstained"
    assert "4 archived documents" in told["answer"]


def test_a_finished_research_is_shown_when_resumed(finished: Scene) -> None:
    arguments = ["--home", str(finished.home), "research", "--resume", finished.run_id, "--json"]
    done = CliRunner().invoke(app, arguments, standalone_mode=False)
    assert done.return_value == 0
    assert json.loads(done.stdout)["id"] == finished.run_id


def test_a_provider_that_fails_is_told_and_the_corpus_answers(scene: Scene) -> None:
    with Workbench(settings=Settings(home=scene.home)) as workbench:
        run = workbench.research(QUESTION, depth="quick", providers=("corpus", "searxng"))
        assert run.status == "completed"
        assert "Not reachable: searxng" in str(run.report)
        verdict = workbench.verify(run.id)
    assert verdict.ok, verdict.faults


def test_where_a_home_searches_is_its_setting_unless_a_question_says_otherwise(scene: Scene) -> None:
    with Workbench(settings=Settings(home=scene.home, search_provider="searxng")) as workbench:
        by_setting = workbench.research(QUESTION, depth="quick")
        by_question = workbench.research(QUESTION, depth="quick", providers=("corpus",))
    assert "Not reachable: searxng" in str(by_setting.report)
    assert "searxng" not in str(by_question.report)
