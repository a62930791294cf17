"""The lines that the reader of table questions is fitted on and tried on, from pairs of question and SQL.

    python scripts/sql_reader/prepare.py DATA OUT.json.xz [--unpack SHARED] [--workers 2] [--most N]

DATA holds folders as ``--unpack`` makes them from the archives of ``SHARED/train`` and of ``bench``: ``written/w1`` …,
``pairs8``, ``practice``, ``fresh/41`` … with ``questions.jsonl`` beside their tables, and ``spider`` with
``cases.jsonl`` and ``databases``. Tables are opened and profiled by the
product, so that cards are those it will show. A query that does not run over the product's tables is left out.
What becomes of a group is decided by the hash of its name alone: ``aside`` (a fifth of our own groups:
``bench/set_aside_groups.toml``), ``dev`` (a sixth of the rest), else ``train``. Lines to learn from have variants
with columns in another order and some left out; a question that needs what is gone has NONE for an answer.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import lzma
import random
import re
import sys
import tarfile
import tempfile
import tomllib
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sqlglot import exp, parse_one
from sqlglot.errors import SqlglotError

from averment.errors import AvermentError
from averment.plans.real_names import with_real_names
from averment.reading.learned.cards import NOTHING, Card, card_of
from averment.reading.learned.proposals import names_of
from averment.reading.schema.gather import texts_of
from averment.reading.schema.implied_joins import hang_together
from averment.settings import Settings
from averment.tables.catalog import Catalog
from averment.tables.engines.engine import Engine
from averment.tables.profile.profiler import TableProfile, profile
from averment.tables.profile.relationships import TableRelation
from averment.tables.sources.opening import open_sources

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "bench"))
from groups import groups, is_aside  # noqa: E402

DEV_BELOW = 42
"""First byte of a group's hash, of 256, below which it is for trying: a sixth."""

VARIANTS = 6
NEVER_ASIDE = frozenset(["fresh", "w9", "w10", "w11"])
"""Sources of which no group is set aside: ``fresh`` keeps whole folders so, the others were written to learn from."""

WITHOUT = 0.4
"""How often a way to show tables lacks a column that some questions need."""


@dataclass
class Opened:
    """The tables of one group of sources, as the product reads them."""

    engine: Engine
    catalog: Catalog
    profiles: list[TableProfile]
    relations: tuple[TableRelation, ...]
    texts: dict[tuple[str, str], tuple[str, ...]]


def split_of(place: str, *, has_dev: bool) -> str:
    """What a group of tables is for."""
    if is_aside(place):
        return "aside"
    return "dev" if has_dev and hashlib.sha256(f"dev:{place}".encode()).digest()[0] < DEV_BELOW else "train"


def opened(paths: Sequence[Path], cache: Path) -> Opened:
    """Tables, opened and profiled."""
    settings = Settings()
    catalog = open_sources([str(path) for path in paths], settings=settings, cache_dir=cache)
    engine = Engine(catalog, settings)
    profiles = [profile(engine, table.name) for table in catalog.tables]

    def ask(sql: str, params: Sequence[Any]) -> list[dict[str, Any]]:
        return engine.run(sql, list(params)).table.to_pylist()

    texts = {(p.table, name): values for p in profiles for name, values in texts_of(p, ask).items()}
    return Opened(engine, catalog, profiles, hang_together(engine, profiles), texts)


def canonical(sql: str, place: Opened, dialect: str, engine_names: dict[str, str]) -> str | None:
    """A query as it runs over the product's tables; None where it does not."""
    try:
        tree = parse_one(sql, dialect=dialect)
    except (SqlglotError, RecursionError):
        return None
    dated = {
        column.name.casefold()
        for each in place.profiles
        for column in each.columns
        if column.type.startswith(("DATE", "TIMESTAMP"))
    }
    for read in [*tree.find_all(exp.StrToTime), *tree.find_all(exp.StrToDate), *tree.find_all(exp.Anonymous)]:
        called = read.name.casefold() if isinstance(read, exp.Anonymous) else "strptime"
        inner = read.expressions[0] if isinstance(read, exp.Anonymous) and read.expressions else read.this
        if called in {"strptime", "try_strptime"} and isinstance(inner, exp.Column) and inner.name.casefold() in dated:
            read.replace(inner.copy())
    for cast in list(tree.find_all(exp.Cast, exp.TryCast)):
        column = cast.this
        if isinstance(column, exp.Column) and column.name.casefold() in dated and cast.to.is_type("date", "timestamp"):
            cast.replace(column.copy())
    for table in tree.find_all(exp.Table):
        if table.name in engine_names:
            table.set("this", exp.to_identifier(engine_names[table.name]))
    known = {column.name.casefold() for each in place.profiles for column in each.columns}
    for column in list(tree.find_all(exp.Column)):  # SQLite takes a text in double quotes that is no name for a text.
        if dialect == "sqlite" and column.this.args.get("quoted") and column.name.casefold() not in known:
            column.replace(exp.Literal.string(column.name))
    for order in tree.find_all(exp.Ordered) if dialect == "sqlite" else ():
        order.set("nulls_first", False)
    for identifier in tree.find_all(exp.Identifier):
        identifier.set("quoted", not re.fullmatch(r"[A-Za-z_]\w*", identifier.name))
    made = with_real_names(tree.sql(dialect="duckdb"), names_of(place.profiles, (), place.texts))
    if made is None:
        return None
    try:
        place.engine.run(made)
    except AvermentError:
        return None
    return made


def varied(place: Opened, used: list[set[str]], draw: random.Random) -> tuple[Card, set[str]]:
    """The card with columns in another order and some left out, and the names that are gone.

    Columns that no question needs go often, and now and then one that some need.
    """
    needed = set().union(*used) if used else set()
    shuffled, drop = draw.random() < 0.5, 0.3 if draw.random() < 0.5 else 0.0
    columns = [column for each in place.profiles for column in each.columns]
    own = [c.name for c in columns if c.name.casefold() in needed and c.inferred_type != "id"]
    without = {draw.choice(own)} if own and len(columns) > 4 and draw.random() < WITHOUT else set[str]()
    profiles: list[TableProfile] = []
    for each in place.profiles:
        kept = [
            column
            for column in each.columns
            if column.name not in without and (column.name.casefold() in needed or draw.random() >= drop)
        ] or list(each.columns[:1])
        if shuffled:
            draw.shuffle(kept)
        profiles.append(each.model_copy(update={"columns": tuple(kept)}))
    held = {(each.table, column.name) for each in profiles for column in each.columns}
    relations = [
        one for one in place.relations if (one.left, one.left_column) in held and (one.right, one.right_column) in held
    ]
    gone = {column.name.casefold() for column in columns} - {name.casefold() for _, name in held}
    return card_of(profiles, relations, place.texts), gone


def columns_of(sql: str) -> set[str]:
    """Every name in a query, in small letters."""
    return {each.name.casefold() for each in parse_one(sql, dialect="duckdb").find_all(exp.Identifier)}


def lines_of(job: tuple[str, str, list[Path], list[dict[str, Any]]]) -> dict[str, Any]:
    """The ways to show one group of tables, each with the lines of its questions."""
    source, split, paths, pairs = job
    made: dict[str, Any] = {"src": source, "split": split, "ways": [], "lost": 0}
    with tempfile.TemporaryDirectory() as cache:
        try:
            place = opened(paths, Path(cache))
        except AvermentError as error:
            print(f"{paths[0]}: {error.code}", file=sys.stderr)
            return made
        with place.engine:
            names = {Path(path).stem: table.name for path, table in zip(paths, place.catalog.tables, strict=False)}
            asked: list[tuple[str, str, str]] = []
            for pair in pairs:
                sql: str | None = NOTHING
                if pair["sql"]:
                    sql = canonical(pair["sql"], place, "sqlite" if source == "spider" else "duckdb", names)
                if sql is None:
                    made["lost"] += 1
                else:
                    asked.append((pair["id"], pair["question"], sql))
    used = [columns_of(sql) if sql != NOTHING else set[str]() for _, _, sql in asked]
    draw = random.Random(str(paths[0].name))
    ways: list[tuple[Card, set[str]]] = [(card_of(place.profiles, place.relations, place.texts), set())]
    if split == "train":
        ways += [varied(place, used, draw) for _ in range(VARIANTS - 1)]
    for card, gone in ways:
        lines = [
            (name, card.asked(question), NOTHING if gone & needs else sql)
            for (name, question, sql), needs in zip(asked, used, strict=True)
        ]
        made["ways"].append({"beginning": card.beginning, "lines": lines})
    return made


def unpack(shared: Path, data: Path) -> None:
    """Unpack every archive of pairs where ``jobs`` looks for them."""
    train, bench = shared / "train", ROOT / "bench"
    for packed, into in (
        (train / "written.tar.xz", data),
        (train / "spider_train.tar.xz", data),
        (bench / "pairs" / "everyday8.tar.xz", data),
        (bench / "practice.tar.xz", data / "practice"),
        (bench / "fresh.tar.xz", data / "fresh"),
    ):
        with tarfile.open(packed) as archive:
            archive.extractall(into, filter="data")


def jobs(data: Path) -> Iterator[tuple[str, str, list[Path], list[dict[str, Any]]]]:
    """Every group of tables with its pairs."""
    later = tomllib.loads((ROOT / "bench" / "set_aside_later.toml").read_text(encoding="utf-8"))
    assert later  # Folders 42 and 44 of ``fresh`` are measured only.
    folders = [*sorted(data.glob("written/w*")), *sorted(data.glob("w[0-9]*")), data / "pairs8", data / "practice"]
    for folder in folders:
        if (folder / "questions.jsonl").is_file():
            yield from _folder(folder, folder.name)
    for number in ("41", "43", "45", "46"):
        yield from _folder(data / "fresh" / number, "fresh", root=data / "fresh")
    if (data / "spider" / "cases.jsonl").is_file():
        by_base: dict[str, list[dict[str, Any]]] = {}
        for line in (data / "spider" / "cases.jsonl").read_text(encoding="utf-8").splitlines():
            case = json.loads(line)
            both = [case["question"], *([case["synonyms"]] if case.get("synonyms") else [])]
            for n, question in enumerate(both):
                by_base.setdefault(case["db"], []).append(
                    {"id": f"spider-{case['id']}-{n}", "question": question, "sql": case["sql"]}
                )
        for base, pairs in by_base.items():
            split = split_of(f"spider/{base}", has_dev=True)
            pairs = pairs if split == "train" else [pair for pair in pairs if pair["id"].endswith("-0")]
            yield "spider", split, [data / "spider" / "databases" / f"{base}.sqlite"], pairs


def _folder(folder: Path, source: str, root: Path | None = None) -> Iterator[Any]:
    rows = [json.loads(line) for line in (folder / "questions.jsonl").read_text(encoding="utf-8").splitlines()]
    for n, row in enumerate(rows):
        row.setdefault("id", f"{folder.name}-{n}")
    rows = [row for row in rows if "after" not in row and row.get("kind") != "why"]
    rows = [row for row in rows if row.get("sql") is not None or row.get("accept") == []]
    group = groups(row["sources"] for row in rows)
    by_sources: dict[tuple[str, ...], list[dict[str, Any]]] = {}
    for row in rows:
        by_sources.setdefault(tuple(row["sources"]), []).append(row)
    for sources, some in by_sources.items():
        place = f"{folder.name}/{group[sources[0]]}"
        split = split_of(place, has_dev=source not in {"practice", "fresh"})
        if split == "aside" and source in NEVER_ASIDE:
            split = "train"
        pairs = [
            {
                "id": f"{source}/{row['id']}",
                "question": row["question"],
                "sql": row.get("sql") or "",
                "kind": row.get("kind"),
            }
            for row in some
        ]
        yield source, split, [(root or folder) / each for each in sources], pairs


def main() -> int:
    """Write the lines."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--unpack", type=Path, metavar="SHARED")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--most", type=int)
    args = parser.parse_args()
    if args.unpack is not None:
        unpack(args.unpack, args.data)
    work = list(jobs(args.data))
    if args.most:
        work = random.Random(1).sample(work, min(args.most, len(work)))
    with ProcessPoolExecutor(args.workers) as pool:
        made = [each for each in pool.map(lines_of, work, chunksize=4) if each["ways"]]
    counts: Counter[tuple[str, str]] = Counter()
    for each in made:
        counts[each["src"], each["split"]] += len(each["ways"][0]["lines"])
        counts[each["src"], "lost"] += each["lost"]
    for (source, split), count in sorted(counts.items()):
        print(source, split, count)
    with lzma.open(args.out, "wt", preset=4, encoding="utf-8") as file:
        json.dump(made, file, ensure_ascii=False)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
