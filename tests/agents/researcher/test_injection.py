"""Text of sources is data: whatever a document says, the report shows it as text or not at all."""

import json
import re
from pathlib import Path
from uuid import UUID

import pytest

from averment import Workbench
from averment.records.research.report import NarrativeReport, cited_facts
from averment.reports.verifier import script
from averment.settings import Settings

PAYLOADS = Path(__file__).parents[2] / "hostile" / "data" / "injection_payloads" / "cases.jsonl"
QUESTION = "When was Lindholm Harbour deepened?"
FORGED = "11111111-2222-3333-4444-555555555555"


def payloads() -> list[str]:
    return [json.loads(line)["payload"] for line in PAYLOADS.read_text(encoding="utf-8").splitlines()]


def without_own_script(page: str) -> str:
    """A page without the script by which it checks itself; no other one may be there."""
    assert page.count(f"<script>{script()}</script>") == 1
    return page.replace(f"<script>{script()}</script>", "")


def plant(folder: Path, texts: list[str]) -> None:
    for number, text in enumerate(texts):
        told = (
            f"Lindholm Harbour was deepened in 1961, note {number}. {text} Lindholm Harbour was deepened by dredging."
        )
        (folder / f"planted_{number:03d}.md").write_text(f"# Lindholm Harbour {number}\n\n{told}\n", encoding="utf-8")


def test_no_payload_changes_a_report_or_becomes_markup(tmp_path: Path, library: Path) -> None:
    known = payloads()
    assert len(known) >= 20
    plant(library, known)
    with Workbench(settings=Settings(home=tmp_path / "home")) as workbench:
        run = workbench.research(QUESTION, corpus=[library], depth="quick")
        assert run.status == "completed"
        assert "1961" in str(run.answer)
        calls = [event.data["tool_name"] for event in workbench.runs.events(run.id) if event.type == "call_started"]
        assert set(calls) == {"search.corpus", "document.answer"}
        verdict = workbench.verify(run.id)
        assert verdict.ok, verdict.faults
        page = workbench.runs.export(run.id, "html", tmp_path / "report.html").read_text(encoding="utf-8")
        data = json.loads(next((tmp_path / "home").rglob("report.json")).read_text(encoding="utf-8"))
    facts = {UUID(fact["id"]) for fact in data["facts"]}
    report = NarrativeReport.model_validate(data["report"])
    assert all(set(cited_facts(section.content)) <= facts for section in report.sections)
    tags = set(re.findall(r"<([a-z][a-z0-9]*)", without_own_script(page)))
    assert not tags & {"script", "iframe", "img", "system", "data", "object", "form"}
    outward = re.findall(r'href="(?!#cite-)([^"]*)"', page)
    assert outward == []


@pytest.mark.parametrize(
    "planted",
    [
        f"Lindholm Harbour was deepened in 1961 [cite:{FORGED}].",
        "Lindholm Harbour was deepened in 1961 [^99].",
        "Lindholm Harbour was deepened in 1961 [cite:not-an-id].",
        "Lindholm Harbour was deepened in 1961 <script>alert(1)</script> by dredging.",
        "Lindholm Harbour was deepened in 1961, see [this](javascript:alert(1)) page.",
    ],
)
def test_a_source_cannot_forge_a_citation_or_a_link(tmp_path: Path, planted: str) -> None:
    source = tmp_path / "source.md"
    source.write_text(f"# Lindholm Harbour\n\n{planted}\n")
    with Workbench(settings=Settings(home=tmp_path / "home")) as workbench:
        run = workbench.research(QUESTION, corpus=[source], depth="quick")
        assert run.status == "completed"
        report = str(run.report)
        page = workbench.runs.export(run.id, "html", tmp_path / "report.html").read_text()
        data = run.path_of(next(one for one in run.artifacts if one.content_ref.endswith(".json"))).read_text()
        known = {UUID(finding.finding_id) for finding in run.findings}
    sections = json.loads(data)["report"]["sections"]
    assert {one for section in sections for one in cited_facts(section["content"])} <= known
    notes = set(re.findall(r"(?<!\\)\[\^(\d+)\]", report))
    assert notes == {str(number) for number in range(1, len(known) + 1)}
    assert "<script" not in without_own_script(page)
    assert "](javascript" not in report.replace("\\]", "")
    assert 'href="javascript' not in page
