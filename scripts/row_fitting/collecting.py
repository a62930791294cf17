"""Every candidate of every question: its features, its words, its answer, and whether that is right."""

from __future__ import annotations

import multiprocessing
import sys
import time
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sparse

from averment.reading.rows.cell_links import LinkedQuestion
from averment.reading.rows.features import Describer
from averment.reading.rows.generate import Generator
from averment.reading.rows.grid import MOST_ROWS, CellGrid
from averment.reading.rows.wording import context_words, program_words
from row_fitting.cases import Gold

LEAST_TABLES = 6
"""Only features seen in so many tables are kept, so that what is fitted is about English and not about one table."""


@dataclass
class Collected:
    """The candidates of all questions, one row each, grouped by question."""

    rows: sparse.csr_matrix
    starts: np.ndarray
    right: np.ndarray
    answers: np.ndarray
    names: list[str]
    tables: list[str]
    questions: list[str]
    contexts: list[str]
    words: list[str]

    def of(self, place: int) -> slice:
        """The rows of one question."""
        return slice(int(self.starts[place]), int(self.starts[place + 1]))


def collect(cases: list[dict[str, Any]], grids: dict[str, CellGrid | None], data: Path, jobs: int) -> Collected:
    """All of them, with the features that are seen in several tables."""
    began = time.perf_counter()
    edges = [round(part * len(cases) / (4 * jobs)) for part in range(4 * jobs + 1)]
    parts = [cases[a:b] for a, b in pairwise(edges) if b > a]
    work = [(part, {str(c["table"]): grids.get(str(c["table"])) for c in part}, data) for part in parts]
    with multiprocessing.get_context("fork").Pool(jobs) as pool:
        done = pool.map(_collected, work, chunksize=1)
    known: dict[str, int] = {}
    seen: dict[int, set[str]] = {}
    matrices: list[sparse.csr_matrix] = []
    for part in done:
        turned = np.array([known.setdefault(name, len(known)) for name in part["names"]], dtype=np.int32)
        for place, tables in zip(turned, part["seen"], strict=True):
            kept = seen.setdefault(int(place), set())
            if len(kept) < LEAST_TABLES:
                kept |= tables
        matrices.append((part["values"], turned[part["places"]], part["ends"]))
    width = len(known)
    rows = sparse.vstack(
        [sparse.csr_matrix((v, p, e), shape=(len(e) - 1, width)) for v, p, e in matrices], format="csr"
    )
    common = np.flatnonzero(np.array([len(seen[place]) for place in range(width)]) >= LEAST_TABLES)
    names = np.array(list(known), dtype=object)[common]
    sizes = np.concatenate([part["sizes"] for part in done])
    print(f"{rows.shape[0]} candidates, {time.perf_counter() - began:.0f} s", file=sys.stderr, flush=True)
    return Collected(
        rows[:, common],
        np.concatenate([[0], np.cumsum(sizes)]),
        np.concatenate([part["right"] for part in done]),
        np.concatenate([part["answers"] for part in done]),
        list(names),
        [str(case["table"]) for case in cases],
        [str(case["question"]) for case in cases],
        [context for part in done for context in part["contexts"]],
        [words for part in done for words in part["words"]],
    )


def _collected(work: tuple[list[dict[str, Any]], dict[str, CellGrid | None], Path]) -> dict[str, Any]:
    """The candidates of some questions, features numbered as they come."""
    cases, grids, data = work
    gold = Gold(data)
    known: dict[str, int] = {}
    seen: list[set[str]] = []
    places, values, ends, sizes, right, answers = [], [], [0], [], [], []
    words: list[str] = []
    contexts: list[str] = []
    for case in cases:
        table = str(case["table"])
        grid = grids[table]
        before = len(right)
        contexts.append("")
        if grid is not None and grid.size <= MOST_ROWS:
            asked = LinkedQuestion(case["question"], grid)
            describer = Describer(asked)
            contexts[-1] = context_words(asked)
            marks: dict[tuple[Any, ...], tuple[int, bool]] = {}
            for candidate in Generator(asked).candidates():
                if candidate.answer not in marks:
                    marks[candidate.answer] = (len(marks), gold.is_right(str(case["id"]), candidate.answer))
                answers.append(marks[candidate.answer][0])
                right.append(marks[candidate.answer][1])
                words.append(program_words(candidate, asked))
                for name, value in describer.describe(candidate).items():
                    place = known.setdefault(name, len(known))
                    if place == len(seen):
                        seen.append({table})
                    elif len(seen[place]) < LEAST_TABLES:
                        seen[place].add(table)
                    places.append(place)
                    values.append(value)
                ends.append(len(places))
        sizes.append(len(right) - before)
    return {
        "names": list(known),
        "seen": seen,
        "places": np.array(places, dtype=np.int32),
        "values": np.array(values, dtype=np.float32),
        "ends": np.array(ends, dtype=np.int64),
        "sizes": np.array(sizes),
        "right": np.array(right, dtype=bool),
        "answers": np.array(answers, dtype=np.int32),
        "words": words,
        "contexts": contexts,
    }
