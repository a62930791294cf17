"""Of sixty tables with forty columns each, those that a question is about are in the prompt, and it stays in budget."""

import json
import tomllib
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from averment.agents.analyst.model_loop.sight import ALL_COLUMNS, ModelView, join_cards, link, table_card
from averment.language.embeddings import HashedTfidfEmbedder
from averment.llm.call import estimate_tokens
from averment.reading.schema.schema_view import Schema, read_table
from averment.runtime.model_loop.privacy import Privacy
from averment.tables.profile.profiler import ColumnProfile, TableProfile
from averment.tables.profile.relationships import TableRelation

WIDE = tomllib.loads(Path(__file__).with_name("wide_schema.toml").read_text(encoding="utf-8"))
COLUMNS = 40
MOST_TOKENS = 30_000


def column(name: str, rows: int) -> ColumnProfile:
    return ColumnProfile(
        name=name,
        type="VARCHAR",
        inferred_type="id" if name.endswith("_id") else "dimension",
        data_type="string",
        cardinality=rows,
        nulls=0,
        nullable=True,
        sample_values=(),
        minimum=None,
        maximum=None,
        mean=None,
        quantiles=None,
        values=None,
    )


@pytest.fixture(scope="module")
def view() -> ModelView:
    profiles: list[TableProfile] = []
    for table, own in WIDE["tables"].items():
        names = own.split()
        fillers = ["created_at", "updated_at", "status", "remark", *(f"attribute_{n:02d}" for n in range(COLUMNS))]
        names += [name for name in fillers if name not in names][: COLUMNS - len(names)]
        profiles.append(
            TableProfile(table=table, row_count=1_000, columns=tuple(column(name, 1_000) for name in names))
        )
    keys = {profile.columns[0].name: profile.table for profile in profiles}
    relations = [
        TableRelation(profile.table, each.name, keys[each.name], each.name, declared=True)
        for profile in profiles
        for each in profile.columns[1:]
        if each.name in keys
    ]
    schema = Schema([read_table(profile, {}) for profile in profiles], relations, None)
    catalog = SimpleNamespace(tables=())  # Every table has its profile.
    work: Any = SimpleNamespace(gate=SimpleNamespace(check_values=lambda table: None), catalog=catalog)
    return ModelView(work, tuple(profiles), schema, Privacy(work, "values"))


def test_sixty_tables_are_more_than_is_shown_whole(view: ModelView) -> None:
    assert len(view.profiles) == 60
    assert sum(len(profile.columns) for profile in view.profiles) == 60 * COLUMNS > ALL_COLUMNS


@pytest.mark.parametrize("embedded", [False, True])
def test_the_tables_a_question_is_about_are_shown(view: ModelView, embedded: bool) -> None:
    embedder = HashedTfidfEmbedder() if embedded else None
    lost: list[str] = []
    for question, wanted in WIDE["questions"].items():
        shown = link(view, question, embedder)
        assert shown is not None
        if not set(wanted.split()) <= set(shown):
            lost.append(f"{question}: {sorted(set(wanted.split()) - set(shown))}")
        cards = [table_card(view, view.profile(name), columns) for name, columns in shown.items()]
        said = json.dumps({"tables": cards, "joins": join_cards(view, set(shown))})
        assert estimate_tokens(said) < MOST_TOKENS
    assert len(WIDE["questions"]) == 30
    assert len(lost) <= 1, lost


def test_a_few_hundred_columns_are_shown_whole(view: ModelView) -> None:
    few = ModelView(view.work, view.profiles[:7], view.schema, view.privacy)
    assert link(few, "anything", None) is None
