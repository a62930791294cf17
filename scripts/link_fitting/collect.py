"""Of each question with a gold query: its open words, what they may mean, and which of it the query uses.

    python scripts/link_fitting/collect.py --data DIR --kept DIR [--most N] [--jobs N]

What ``odds_fitting.sets`` may look at is read; the lines go to ``KEPT/links.jsonl``.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import random
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

sys.path.insert(0, str(Path(__file__).parents[1]))

from odds_fitting.collect import opened
from odds_fitting.sets import Asked, practice, spider

from averment.errors import AvermentError
from averment.reading.lattice.cutting import cut
from averment.reading.lattice.learned_links import NAMED, is_open, unnamed
from averment.reading.lattice.spans import Lattice, Span
from averment.reading.schema.schema_column import Column
from averment.reading.schema.schema_view import Schema

HIDDEN = 0.5
"""Such a part of what a question names is hidden once."""
_WORK: list[tuple[list[list[Asked]], Path]] = []


def main() -> int:
    """Collect."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--kept", type=Path, required=True)
    parser.add_argument("--most", type=int, default=40, help="questions of one Spider database at most")
    parser.add_argument("--jobs", type=int, default=2)
    chosen = parser.parse_args()
    groups: dict[str, list[Asked]] = {}
    for one in (*practice(chosen.data, chosen.kept), *spider(chosen.data, chosen.kept, chosen.most)):
        if one.query:
            groups.setdefault(one.group, []).append(one)
    _WORK.append((list(groups.values()), chosen.kept))
    with multiprocessing.get_context("fork").Pool(chosen.jobs, maxtasksperchild=4) as pool:
        lines = [line for part in pool.imap(_collected, range(len(groups))) for line in part]
    (chosen.kept / "links.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    print(len(lines))
    return 0


def _collected(number: int) -> list[str]:
    groups, kept = _WORK[-1]
    lines: list[str] = []
    for one in groups[number]:
        try:
            made = _links(one, opened(one.sources, kept / "home")[1])
        except AvermentError as error:
            print(f"{one.ident}: {error.code}", file=sys.stderr, flush=True)
            continue
        about = {"kind": one.kind, "group": one.group, "id": one.ident, "question": one.question}
        lines += [json.dumps(about | each, ensure_ascii=False) for each in made]
    return lines


def _links(one: Asked, schema: Schema) -> list[dict[str, Any]]:
    """A question as it is, if it has open words, and once more as if nothing named some of what its query uses."""
    used = used_by(one.query or "", schema)
    lattice = cut(one.question, schema)
    if used is None:
        return []
    several = len(schema.tables) > 1
    found: list[dict[str, Any]] = []
    hidden = _hidden(lattice, used, random.Random(one.ident))
    for masked in (False, True) if hidden else (False,):
        if masked:
            lattice.spans = [s for s in lattice.spans if not _covers(s, hidden)]
        words = [lattice.words[n] for n in range(len(lattice.words)) if n in hidden * masked or is_open(lattice, n)]
        texts = [
            (each.text(several), ((each.column, str(each.value)) if each.value is not None else each.column) in used)
            for each in unnamed(lattice, schema)
        ]
        if words and texts:
            found.append({"open": words, "texts": texts, "masked": masked})
    return found


def _hidden(lattice: Lattice, used: set[Any], chance: random.Random) -> list[int]:
    """Places of words that name what the query uses, some by chance."""
    naming = [
        (s.start, s.end)
        for s in lattice.spans
        if s.strength >= NAMED
        and ((s.type == "COLUMN" and s.data in used) or (s.type == "VALUE" and (s.data[0], str(s.data[1])) in used))
    ]
    taken = [each for each in dict.fromkeys(naming) if chance.random() < HIDDEN]
    return sorted({n for start, end in taken for n in range(start, end)})


def _covers(span: Span, hidden: list[int]) -> bool:
    return span.type in {"COLUMN", "VALUE", "DENY"} and any(n in hidden for n in range(span.start, span.end))


def used_by(query: str, schema: Schema) -> set[Any] | None:
    """The columns that a query uses, and the values that it compares them with."""
    try:
        tree = sqlglot.parse_one(query, read="duckdb")
    except SqlglotError:
        return None
    tables = {table.name.casefold() for table in tree.find_all(exp.Table)}
    known: dict[str, list[Column]] = {}
    for column in schema.columns:
        if column.expression is None and column.table.casefold() in tables:
            known.setdefault(column.name.casefold(), []).append(column)
    found: set[Any] = {c for each in tree.find_all(exp.Column) for c in known.get(each.name.casefold(), ())}
    for column, value, like in _compared(tree):
        for each in known.get(column.name.casefold(), ()):
            found |= {(each, str(v)) for v in each.values if _is(str(v).casefold(), value.casefold(), like)}
    return found


def _is(value: str, wanted: str, like: bool) -> bool:
    return wanted.strip("%") in value if like else value == wanted


def _compared(tree: exp.Expression) -> Iterator[tuple[exp.Column, str, bool]]:
    for node in tree.find_all(exp.EQ, exp.NEQ, exp.Like, exp.ILike, exp.In):
        column = next(iter(node.this.find_all(exp.Column)), None) if node.this is not None else None
        others = node.expressions if isinstance(node, exp.In) else [node.expression]
        for other in others if column is not None else ():
            if isinstance(other, exp.Literal | exp.Boolean):
                yield column, str(other.this), isinstance(node, exp.Like | exp.ILike)


if __name__ == "__main__":
    sys.exit(main())
