"""Shortlists: of each question the programs the linear ranker finds most probable, in tokens, with what is known."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sparse

from averment.reading.rows.linear_ranker import TRUST_NAMES
from averment.reading.rows.shortlist import ProgramTokens, shortlist
from row_fitting.collecting import Collected


@dataclass
class Listed:
    """The shortlist of one question: its programs in tokens, their scores so far, their answers, which are right."""

    context: list[int]
    programs: list[list[int]]
    prior: np.ndarray
    """Of each program the logarithm of its probability."""
    mass: np.ndarray
    """Of each program the logarithm of its answer's probability."""
    answers: np.ndarray
    right: np.ndarray
    count: int
    """How many answers there are in all."""


@dataclass
class Prepared:
    """Everything the later stages need."""

    idents: list[str]
    fold: np.ndarray
    listed: list[Listed | None]
    signs: sparse.csr_matrix
    """Signs of trust, one row a program of a shortlist, in order."""
    sign_names: list[str]
    weights: dict[str, float]
    reach: float

    def first(self) -> np.ndarray:
        """The row of each question's first program among the signs."""
        sizes = [len(one.programs) if one else 0 for one in self.listed]
        return np.concatenate([[0], np.cumsum(sizes)[:-1]]).astype(int)


def prepare(
    collected: Collected, scores: np.ndarray, weights: np.ndarray, fold: np.ndarray, idents: list[str], model: Path
) -> Prepared:
    """The shortlists by scores that saw no question of the table."""
    tokens = ProgramTokens(model)
    listed: list[Listed | None] = []
    rows: list[int] = []
    for place in range(len(idents)):
        inside = collected.of(place)
        if inside.start == inside.stop:
            listed.append(None)
            continue
        answers = collected.answers[inside]
        chosen, prior, mass = shortlist(answers.tolist(), scores[inside].tolist())
        own = np.array(chosen) + inside.start
        rows += own.tolist()
        made: dict[str, Any] = {
            "context": tokens.context(collected.questions[place], collected.contexts[place]),
            "programs": tokens.programs([collected.words[row] for row in own]),
        }
        listed.append(
            Listed(
                **made,
                prior=np.array(prior, np.float32),
                mass=np.array(mass, np.float32),
                answers=collected.answers[own],
                right=collected.right[own],
                count=int(answers.max()) + 1,
            )
        )
    trusted = np.flatnonzero([name.startswith(TRUST_NAMES) for name in collected.names])
    return Prepared(
        idents,
        fold,
        listed,
        collected.rows[rows][:, trusted],
        [collected.names[place] for place in trusted],
        dict(zip(collected.names, weights.tolist(), strict=True)),
        float(np.mean([collected.right[collected.of(q)].any() for q in range(len(idents))])),
    )
