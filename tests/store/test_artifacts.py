from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from averment.errors import InvalidRequest, RunNotFound, SourceNotFound, StoreConflict
from averment.records.base import derived_id, new_id
from averment.settings import Settings
from averment.store.db.database import Database
from averment.store.runs.run_store import RunRow, RunStore
from averment.store.storage.artifacts import ArtifactStore
from averment.store.storage.local import FileStore

NOON = datetime(2026, 1, 23, 12, tzinfo=UTC)


@pytest.fixture
def files(home: Settings) -> FileStore:
    return FileStore(home.home)


@pytest.fixture
def artifacts(files: FileStore, database: Database) -> ArtifactStore:
    return ArtifactStore(files, RunStore(database))


@pytest.fixture
def run_id(database: Database) -> str:
    run = RunRow(run_id=new_id(), kind="analysis", status="executing", intent="total", request={})
    RunStore(database).create(run)
    return run.run_id


def test_each_type_goes_into_its_folder(artifacts: ArtifactStore, files: FileStore, run_id: str) -> None:
    places = [
        artifacts.put(run_id, "table", "result.csv", b"a\n1\n", {"row_count": 1, "column_names": ["a"]}, NOON),
        artifacts.put(run_id, "chart", "trend.png", b"\x89PNG", {"chart_type": "line"}, NOON),
        artifacts.put(run_id, "report", "report.md", b"# Report", {"format": "markdown"}, NOON),
        artifacts.put(run_id, "summary", "summary.md", b"Short.", {}, NOON),
    ]
    assert [artifact.content_ref for artifact in places] == [
        f"artifacts/tables/{run_id}/result.csv",
        f"artifacts/charts/{run_id}/trend.png",
        f"artifacts/reports/{run_id}/report.md",
        f"artifacts/reports/{run_id}/summary.md",
    ]
    assert artifacts.list(run_id) == places
    assert all(artifacts.check(artifact) is None for artifact in places)
    assert artifacts.read(places[0]) == b"a\n1\n"
    assert files.exists(places[3].content_ref)


def test_an_artifact_is_named_alike_on_every_run_of_a_step(artifacts: ArtifactStore, run_id: str) -> None:
    first = artifacts.put(run_id, "table", "result.csv", b"1", {"row_count": 1}, NOON)
    again = artifacts.put(run_id, "table", "result.csv", b"1", {"row_count": 1}, NOON + timedelta(hours=1))
    assert first == again == artifacts.get(run_id, "result.csv")
    assert first.artifact_id == derived_id(run_id, "artifact", "result.csv")
    assert len(artifacts.list(run_id)) == 1


def test_another_content_type_or_metadata_under_a_kept_name_is_refused(artifacts: ArtifactStore, run_id: str) -> None:
    kept = artifacts.put(run_id, "report", "a.md", b"one", {"section_count": 1}, NOON)
    with pytest.raises(StoreConflict):
        artifacts.put(run_id, "report", "a.md", b"two", {"section_count": 1}, NOON)
    with pytest.raises(StoreConflict):
        artifacts.put(run_id, "summary", "a.md", b"one", {"section_count": 1}, NOON)
    with pytest.raises(StoreConflict):
        artifacts.put(run_id, "report", "a.md", b"one", {"section_count": 2}, NOON)
    assert artifacts.read(kept) == b"one"
    assert artifacts.check(kept) is None


def test_a_file_left_by_a_crash_before_its_record_is_replaced(
    artifacts: ArtifactStore, files: FileStore, run_id: str
) -> None:
    files.write(f"artifacts/tables/{run_id}/result.csv", b"of a step that never ended")
    kept = artifacts.put(run_id, "table", "result.csv", b"whole", {}, NOON)
    assert artifacts.check(kept) is None


def test_putting_a_damaged_artifact_again_makes_it_whole(
    artifacts: ArtifactStore, files: FileStore, run_id: str
) -> None:
    kept = artifacts.put(run_id, "table", "result.csv", b"whole", {}, NOON)
    files.delete(kept.content_ref)
    artifacts.put(run_id, "table", "result.csv", b"whole", {}, NOON)
    assert artifacts.check(kept) is None


@pytest.mark.seed("A-069")
def test_every_damage_to_an_artifact_is_named(artifacts: ArtifactStore, files: FileStore, run_id: str) -> None:
    kept = artifacts.put(run_id, "table", "result.csv", b"12345", {}, NOON)
    problems = [artifacts.check(kept)]
    files.write(kept.content_ref, b"123456")
    problems.append(artifacts.check(kept))
    files.write(kept.content_ref, b"12346")
    problems.append(artifacts.check(kept))
    files.delete(kept.content_ref)
    problems.append(artifacts.check(kept))
    problems.append(artifacts.check(kept.model_copy(update={"content_ref": "../../etc/passwd"})))
    assert problems[0] is None
    assert len(set(problems)) == 5
    with pytest.raises(SourceNotFound):
        artifacts.read(kept)


@pytest.mark.parametrize("name", ["../x.csv", "a/b.csv", "", ".hidden", "x\n.csv"])
def test_a_name_with_a_folder_in_it_is_refused(artifacts: ArtifactStore, run_id: str, name: str) -> None:
    with pytest.raises(InvalidRequest):
        artifacts.put(run_id, "table", name, b"x", {}, NOON)
    assert artifacts.list(run_id) == []


def test_an_artifact_of_no_run_is_refused_and_leaves_no_file(artifacts: ArtifactStore, files: FileStore) -> None:
    missing = new_id()
    with pytest.raises(RunNotFound):
        artifacts.put(missing, "table", "result.csv", b"x", {}, NOON)
    assert files.names("artifacts/tables") == []
