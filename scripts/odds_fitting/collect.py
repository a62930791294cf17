"""Every reading of every question as the judge sees it: its facts, its read-back, and whether its result is right."""

from __future__ import annotations

import json
import multiprocessing
import sys
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

from averment.errors import AvermentError
from averment.language.embeddings.minilm import model_dir
from averment.plans.plan import Plan
from averment.reading.followup import follow
from averment.reading.judge.gates import is_plain, why_open
from averment.reading.judge.judging import execute, grouped
from averment.reading.judge.odds import features_of
from averment.reading.judge.verdict import Reading
from averment.reading.lattice.learned_links import Link
from averment.reading.lattice.link_reader import LinkReader, packaged_line, packaged_link
from averment.reading.reader import read
from averment.reading.schema.gather import gather
from averment.reading.schema.implied_joins import hang_together
from averment.reading.schema.schema_view import Schema
from averment.reading.slots.preamble import without_preamble
from averment.settings import Settings
from averment.tables.engines.engine import Engine
from averment.tables.profile.profiler import profile
from averment.tables.sources.opening import open_sources
from odds_fitting.altered import lifted
from odds_fitting.sets import Asked

_WORK: list[tuple[list[list[Asked]], Path]] = []


def collect(asked: Sequence[Asked], kept: Path, jobs: int) -> list[dict[str, Any]]:
    """The questions in their order, each with its readings; what an earlier, broken off run collected is kept."""
    groups: dict[str, list[Asked]] = {}
    for one in asked:
        groups.setdefault(one.group, []).append(one)
    _WORK.append((list(groups.values()), kept))  # inherited by the forked processes: closures cannot be sent
    with multiprocessing.get_context("fork").Pool(jobs, maxtasksperchild=4) as pool:
        files = pool.map(_collected, range(len(groups)), chunksize=1)
    _WORK.clear()
    return [json.loads(line) for name in files for line in Path(name).read_text("utf-8").splitlines()]


def _collected(number: int) -> str:
    """The file with what one group's questions are read as."""
    groups, kept = _WORK[-1]
    asked = groups[number]
    place = kept / "read" / f"{asked[0].group.replace('/', '_')}.jsonl"
    if place.exists():
        return str(place)
    plans: dict[str, Plan] = {}
    lines: list[str] = []
    for one in asked:
        try:
            found = _readings(one, plans, kept)
        except AvermentError as error:
            print(f"{one.ident}: {error.code}", file=sys.stderr, flush=True)
            continue
        except (
            ArithmeticError,
            LookupError,
            TypeError,
            ValueError,
        ) as error:  # A fault of the reader costs one question, and is told.
            print(f"{one.group}: {one.question}: {error!r}", file=sys.stderr, flush=True)
            continue
        engine, schema = opened(one.sources, kept / "home")
        about = {
            "kind": one.kind,
            "group": one.group,
            "id": one.ident,
            "question": without_preamble(one.question, schema)[0],
            "follows": one.after is not None,
            "schema": _tables_of(schema),
            "meant": lifted(one.query, engine.catalog) if one.query else None,
        }
        lines.append(json.dumps(about | {"readings": found}, ensure_ascii=False))
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text("\n".join(lines) + "\n" * bool(lines), encoding="utf-8")
    print(place.name, file=sys.stderr, flush=True)
    return str(place)


def _readings(one: Asked, plans: dict[str, Plan], kept: Path) -> list[dict[str, Any]]:
    engine, schema = opened(one.sources, kept / "home")
    earlier = plans.get(one.after) if one.after is not None else None
    if one.after is not None and earlier is None:
        return []  # a change of a plan that was not read right has no right answer
    question, schema = without_preamble(one.question, schema)
    candidates = (
        follow(question, earlier, schema) if earlier is not None else read(question, schema, _link(one.group, kept))
    )

    def run(compiled: Any) -> Any:
        made = compiled.compose(engine.catalog.dialect)
        return engine.run(made.sql, made.params, timeout=20, row_limit=2_000).table

    groups = grouped(execute(candidates, run)[0])
    found: list[dict[str, Any]] = []
    sure = [replace(group[0], odds=1.0) for group in groups]
    for place, group in enumerate(groups):
        right = one.is_right(group[0].rows)
        if right:
            plans.setdefault(one.ident, group[0].candidate.plan)
        own = group[0].candidate
        facts = features_of(groups, place, question=question, earlier=earlier)
        values = [float(getattr(facts, name)) for name in facts.names()]
        plan = own.plan.model_dump(mode="json", exclude_defaults=True)
        gates = {
            "open": why_open(sure[place], _others(sure, place)) is not None,
            "plain": is_plain(sure[place], _others(sure, place)),
        }
        found.append({"facts": values, "plan": plan, "said": own.read_back, "right": right} | gates)
    return found


@cache
def _links(kept: Path) -> dict[str, Path]:
    """Of each table or database the weights of a reader of links that were fitted without it, where there are any."""
    place = kept / "links"
    return {g: place / n for g, n in json.loads((place / "without.json").read_text()).items()} if place.exists() else {}


@cache
def _link_reader(weights: Path) -> LinkReader:
    from safetensors.numpy import load_file

    return LinkReader(model_dir(), load_file(weights), packaged_line())


def _link(group: str, kept: Path) -> Link | None:
    """What likely links are found with: by a reader that saw nothing of these tables."""
    weights = _links(kept).get(group)
    return packaged_link() if weights is None else _link_reader(weights)


def _others(sure: Sequence[Reading], place: int) -> list[Reading]:
    """All readings, each but one without any odds."""
    return [one if n == place else replace(one, odds=0.0) for n, one in enumerate(sure)]


def _tables_of(schema: Schema) -> list[tuple[str, list[tuple[str, str, list[str]]]]]:
    """Each table with its columns, their kinds and a few values."""
    return [
        (
            table.name,
            [
                (c.name, c.kind, [str(value) for value in list(c.values)[:3]])
                for c in table.columns
                if c.expression is None
            ],
        )
        for table in schema.tables.values()
    ]


@cache
def opened(sources: tuple[Path, ...], home: Path) -> tuple[Engine, Schema]:
    """Some sources, open, and as the reader sees them."""
    settings = Settings(home=home)
    catalog = open_sources([str(path) for path in sources], settings=settings, cache_dir=home / "cache")
    engine = Engine(catalog, settings)
    profiles = [profile(engine, table.name) for table in catalog.tables]

    def ask(sql: str, params: Any) -> list[dict[str, Any]]:
        return engine.run(sql, params, timeout=60).table.to_pylist()

    return engine, gather(profiles, hang_together(engine, profiles), ask)
