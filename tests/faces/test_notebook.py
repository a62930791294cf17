"""An exported notebook: every cell runs, every finding is derived again, and what was changed is found."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from averment import Workbench
from averment.errors import AvermentError, SourceChanged, SourceNotFound, VerificationFailed
from averment.faces.notebook import Rederivation
from averment.operations import Operations, Upload
from averment.settings import Settings

EXAMPLES = Path(__file__).parents[2] / "examples"


@dataclass(frozen=True)
class Exported:
    """The notebooks of an analysis and of a research."""

    analysis: dict[str, Any]
    research: dict[str, Any]
    findings: int
    home: Path


@pytest.fixture(scope="module")
def exported(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Exported]:
    home = tmp_path_factory.mktemp("notebook") / "home"
    with Workbench(settings=Settings(home=home)) as workbench:
        archive = Operations(workbench)
        archive.add_documents([Upload(path.name, path.read_bytes()) for path in (EXAMPLES / "harbour").glob("*.md")])
        run = workbench.analyze("total amount by region in 2024", [EXAMPLES / "sales.csv"])
        asked = workbench.research("What did the dredging of the Port of Aldermouth cost?", depth="quick")
        assert (run.status, asked.status) == ("completed", "completed")
        assert archive.export(run.id, "ipynb") == archive.export(run.id, "ipynb")
        notebooks = [json.loads(archive.export(one.id, "ipynb")) for one in (run, asked)]
        yield Exported(notebooks[0], notebooks[1], len(run.findings), home)


def execute(notebook: dict[str, Any], folder: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """Run the cells one after another, as a kernel does in that folder."""
    monkeypatch.chdir(folder)
    names: dict[str, Any] = {}
    try:
        for cell in notebook["cells"]:
            if cell["cell_type"] == "code":
                exec(compile(cell["source"], "cell", "exec"), names)
    finally:
        if "run" in names:
            names["run"].close()
    return names


def checks(notebook: dict[str, Any]) -> list[str]:
    return [cell["source"] for cell in notebook["cells"] if cell["source"].startswith("run.check(")]


def test_every_finding_of_an_analysis_is_derived_again_from_its_source(
    exported: Exported, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copy(EXAMPLES / "sales.csv", tmp_path)
    assert len(checks(exported.analysis)) == exported.findings >= 3
    assert any("SELECT" in cell["source"] for cell in exported.analysis["cells"])
    execute(exported.analysis, tmp_path, monkeypatch)


def test_every_quotation_of_a_research_is_found_in_the_text_it_carries(
    exported: Exported, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert checks(exported.research)
    execute(exported.research, tmp_path, monkeypatch)


def test_a_notebook_names_no_place_of_the_machine_it_comes_from(exported: Exported) -> None:
    for notebook in (exported.analysis, exported.research):
        text = json.dumps(notebook)
        assert str(exported.home) not in text and str(EXAMPLES) not in text


def test_a_notebook_is_what_jupyter_reads(exported: Exported) -> None:
    for notebook in (exported.analysis, exported.research):
        assert (notebook["nbformat"], notebook["nbformat_minor"]) == (4, 5)
        ids = [cell["id"] for cell in notebook["cells"]]
        assert len(set(ids)) == len(ids)
        for cell in notebook["cells"]:
            assert isinstance(cell["source"], str)
            assert (cell["cell_type"] == "code") == ("outputs" in cell and cell["execution_count"] is None)


def test_a_source_that_changed_or_is_missing_is_refused(
    exported: Exported, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(SourceNotFound):
        execute(exported.analysis, tmp_path, monkeypatch)
    sales = (EXAMPLES / "sales.csv").read_text()
    (tmp_path / "sales.csv").write_text(sales.replace("West", "Vest"))
    with pytest.raises(SourceChanged):
        execute(exported.analysis, tmp_path, monkeypatch)


def test_a_number_that_was_changed_does_not_hold(
    exported: Exported, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copy(EXAMPLES / "sales.csv", tmp_path)
    text = json.dumps(exported.analysis)
    assert "says=" in text
    with pytest.raises(VerificationFailed):
        execute(json.loads(text.replace("says=", "says=2 * ")), tmp_path, monkeypatch)


def test_a_text_that_was_changed_is_not_the_archived_one() -> None:
    run = Rederivation()
    with pytest.raises(AvermentError) as refused:
        run.keep_text("0" * 64, "eJxLTEoGAAJNASc=")
    run.close()
    assert refused.value.code == "VERIFICATION_FAILED"
