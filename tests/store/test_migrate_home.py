"""A home carried over to Postgres is the same home."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from averment.errors import StoreConflict
from averment.records.base import new_id
from averment.settings import Settings
from averment.store.db.database import Database
from averment.store.db.migrate_home import carry_over
from averment.store.search.vectors import VectorIndex
from averment.store.storage.configured import open_files
from averment.store.storage.local import FileStore
from averment.store.storage.migrate_files import migrate_files
from averment.workbench import Workbench
from object_store import ObjectStore


@pytest.mark.postgres
def test_everything_comes_over_once_and_goes_on_there(
    home: Settings, new_postgres: Callable[[], str], tmp_path: Path
) -> None:
    table, text = tmp_path / "t.csv", tmp_path / "bridge.md"
    table.write_text("region,amount\nNorth,10\nSouth,32\n", encoding="utf-8")
    text.write_text("The Harbour Bridge was opened in 1932. It is 1,149 metres long.", encoding="utf-8")
    with Workbench(settings=home) as before:
        first = before.analyze("total amount by region", [table])
        before.add_sources(str(text))
        before.chat("add a task to water the plants")
        recipes = before.home.recipes.list(limit=10)
    database = Database.open(home)
    VectorIndex(database).upsert("n", "k", [0.1, -2.5, 1e-7], {"is": "kept"})
    database.close()
    url = new_postgres()
    command = [sys.executable, "-m", "averment", "--home", str(home.home), "migrate-home", url, "--json"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    shared = home.model_copy(update={"database_url": url})
    with Workbench(settings=shared) as after:
        assert after.show(first.id).answer == first.answer
        assert after.verify(first.id).ok
        assert after.home.recipes.list(limit=10) == recipes
        assert [document.title for document in after.corpora.documents()] != []
        assert after.chat("add a task to feed the cat").status == "success"
        assert [kept.task.id for kept in after.home.tasks.list()] == [1, 2]
    source, target = Database.open(home), Database.open(shared)
    ((key, _, body),) = VectorIndex(target).search("n", [0.1, -2.5, 1e-7], 1)
    assert (key, body) == ("k", {"is": "kept"})
    with pytest.raises(StoreConflict):
        carry_over(source, target)
    source.close()
    target.close()


def test_the_files_of_a_home_come_over_hash_by_hash_and_runs_about_uploads_are_still_proven(
    home: Settings, object_store: ObjectStore, tmp_path: Path
) -> None:
    dropped = home.home / "uploads" / new_id() / "sales.csv"
    dropped.parent.mkdir(parents=True)
    dropped.write_text("region,amount\nNorth,10\nSouth,32\n", encoding="utf-8")
    with Workbench(settings=home) as before:
        first = before.analyze("total amount by region", [dropped])
        artifacts = {one.content_ref: before.show(first.id).path_of(one).read_bytes() for one in first.artifacts}
    shared = object_store.settings(home)
    environment = {"AVERMENT_FILES_OPTIONS": object_store.options}
    command = [sys.executable, "-m", "averment", "--home", str(home.home), "migrate-home", "--json"]
    for _ in range(2):
        done = subprocess.run(
            [*command, "--files", str(shared.files_url)],
            capture_output=True,
            text=True,
            check=False,
            env={**os.environ, **environment},
        )
        assert done.returncode == 0, done.stderr
        counts = json.loads(done.stdout)["files"]
        assert counts["artifacts"] == len(artifacts)
        assert counts["uploads"] == 1
    for folder in ("artifacts", "sessions", "uploads", "work"):
        shutil.rmtree(home.home / folder, ignore_errors=True)
    with Workbench(settings=shared) as after:
        run = after.show(first.id)
        assert {one.content_ref: run.path_of(one).read_bytes() for one in run.artifacts} == artifacts
        verified = after.verify(first.id)
        assert verified.ok, [check for check in verified.checks if not check.ok]
    source = FileStore(tmp_path / "other")
    source.write(next(iter(artifacts)), b"another content")
    with pytest.raises(StoreConflict):
        migrate_files(source, open_files(shared))
