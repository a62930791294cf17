"""Homes that are ready in no time: what every new home would build again is built once in each test process.

Most tests open a home of their own. Migrating its two databases, building the sentence model's graph and starting a
jail take most of their time, and come to the same each time. The first home does it for real. A later one begins with
copies, which the program checks as it checks any home it finds; and a jail is lent to one workbench after the other.
The tests of these things themselves begin with nothing.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import sqlite3
import sys
import tempfile
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from averment.sandbox.protocol import Jail, JailName, JailResult, Job
    from averment.settings import Settings

_OWN = ("sandbox", "hostile", "test_database.py", "test_embeddings.py")
"""Folders and files of tests that begin with nothing."""
_templates = Path(tempfile.gettempdir()) / f"averment-templates-{os.getpid()}"
_enabled = [True]
_jails: dict[str, Jail] = {}


class LentJail:
    """A jail that stays when the workbench that borrowed it is closed."""

    def __init__(self, jail: Jail) -> None:
        self._jail = jail

    @property
    def name(self) -> JailName:
        """Which kind of jail this is."""
        return self._jail.name

    def run(self, job: Job, collect_to: Path) -> JailResult:
        """Run one job."""
        return self._jail.run(job, collect_to)

    def close(self) -> None:
        """Give it back."""


def install() -> None:
    """Let every home opened from now on in this process be quick.

    What no test has imported yet is left alone, so that tests which open no home import nothing for one.
    """
    for module, prepare in _PARTS:
        if module in sys.modules and module not in _prepared:
            _prepared.add(module)
            prepare()


def install_for_victims(folder: Path) -> None:
    """Let the homes of processes that are forked from this one, and may be killed, begin with copies in a folder."""
    global _templates
    _templates = folder
    _install_databases()
    _install_durable()
    _install_graph()


def templates() -> Path:
    """Where the copies are made from."""
    return _templates


def _install_databases() -> None:
    from averment.store.db.database import MAIN_FILE, Database

    migrate = Database.migrate

    def migrate_copy(self: Database) -> None:
        folder = self._folder  # pyright: ignore[reportPrivateUsage]  # where the database lies is nobody else's matter
        _begin_with_copy(None if folder is None else folder / MAIN_FILE, lambda: migrate(self))

    Database.migrate = migrate_copy


def _install_durable() -> None:
    from dbos._sys_db_sqlite import SQLiteSystemDatabase

    migrate = SQLiteSystemDatabase.run_migrations

    def migrate_copy(self: Any) -> None:
        _begin_with_copy(Path(self.engine.url.database), lambda: migrate(self))

    SQLiteSystemDatabase.run_migrations = migrate_copy


def _install_graph() -> None:
    from averment.language.embeddings import minilm

    build = minilm.graph_path

    def link_graph(cache_dir: Path, fitted: bytes | None = None) -> Path:
        if not _enabled[0]:
            return build(cache_dir, fitted)
        # A graph is never written to once it is there, so that a second name for it will do.
        for graph in _templates.glob("*.onnx"):
            with contextlib.suppress(OSError):
                cache_dir.mkdir(parents=True, exist_ok=True)
                os.link(graph, cache_dir / graph.name)
        path = build(cache_dir, fitted)
        with contextlib.suppress(OSError):
            _templates.mkdir(exist_ok=True)
            os.link(path, _templates / path.name)
        return path

    minilm.graph_path = link_graph


def _install_jail() -> None:
    from averment.sandbox import choose

    strongest = choose.strongest

    def lend(settings: Settings) -> Jail:
        if not _enabled[0]:
            return strongest(settings)
        key = settings.model_dump_json(include={name for name in type(settings).model_fields if "sandbox" in name})
        if key not in _jails:
            _jails[key] = strongest(settings)
        return LentJail(_jails[key])

    choose.strongest = lend


_PARTS: tuple[tuple[str, Callable[[], None]], ...] = (
    ("averment.store.db.database", _install_databases),
    ("averment.runtime.execution.durable", _install_durable),
    ("averment.language.embeddings.minilm", _install_graph),
    ("averment.sandbox.choose", _install_jail),
)
_prepared: set[str] = set()


def remove() -> None:
    """Take what this process keeps away."""
    while _jails:
        _jails.popitem()[1].close()
    shutil.rmtree(_templates, ignore_errors=True)


def choose_for(path: Path) -> None:
    """Whether homes opened from now on are quick, by the file of the test that opens them."""
    _enabled[0] = not set(_OWN) & set(path.parts)


def _begin_with_copy(file: Path | None, migrate: Callable[[], None]) -> None:
    if file is None or not _enabled[0] or file.exists():
        migrate()
        return
    template = _templates / file.name
    known = template.exists()
    if known:
        # Whatever stands in the way of the copy, the program is to meet and to tell.
        with contextlib.suppress(OSError):
            _copy(template, file)
    migrate()
    if not known:
        _keep(file, template)


def _copy(template: Path, file: Path) -> None:
    draft = file.with_name(f".{file.name}.{os.getpid()}.copy")
    try:
        shutil.copyfile(template, draft)
        os.link(draft, file)  # unlike a rename it leaves a database alone that another thread has made meanwhile
    finally:
        draft.unlink(missing_ok=True)


def _keep(file: Path, template: Path) -> None:
    """Copy a database through the engine, so that what still lies in its log is in it."""
    _templates.mkdir(exist_ok=True)
    draft = template.with_name(f".{template.name}")
    with closing(sqlite3.connect(file)) as source, closing(sqlite3.connect(draft)) as target:
        source.backup(target)
    draft.replace(template)
