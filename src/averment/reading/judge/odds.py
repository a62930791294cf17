"""The odds that a reading is right: small trees over facts about it, its rivals, and what the cross-reader says.

The trees are fitted by ``make refit NAME=odds`` and kept in ``odds.json`` with the manifest of what they were fitted
on; nothing here is set by hand. What they say is put on one of two lines, for a question over one table or over
several: with one there are fewer ways to go wrong. Where the cross-reader is not heard (a follow-up, no sentence model)
other trees are used, fitted without it. The model card is docs/explain/odds.md.
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import astuple, dataclass, fields
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, Any

from averment.reading.schema.column_uses import columns_implied, columns_named, roles_of, tables_named
from averment.reading.times.time_conditions import is_period
from averment.reading.words import tokens

if TYPE_CHECKING:
    from averment.plans.plan import Plan
    from averment.reading.judge.verdict import Reading

ALONE = 8.0
"""The margin of a reading without a rival, and the widest that is told."""
_SHARPNESS = 2.5
"""How much a score tells in ``share``: a rival one point behind has a twelfth of the best one's part."""


@dataclass(frozen=True, slots=True)
class Features:
    """Facts about a reading and its rivals; those of ``unasked_`` count columns that no word of the question names.

    ``named_root`` is whether the table that is counted in is spoken of, ``unnamed_joins`` how many joined ones are not;
    ``cross`` is the cross-reader's score and ``cross_margin`` how far it lies above that of any rival; ``linked`` is
    how likely words that nothing names mean what the reading takes them for.
    """

    margin: float
    left: float
    weakest: float
    fit: float
    near: float
    agreeing: float
    agreeing_near: float
    agreeing_ways: float
    joins: float
    empty: float
    conditions: float
    generic: float
    tables: float
    words: float
    plain_words: float
    cues: float
    score: float
    share: float
    results: float
    roots: float
    rival_roots: float
    links: float
    strength: float
    weak_links: float
    unasked_groups: float
    unasked_shown: float
    unasked_figures: float
    unasked_conditions: float
    unasked_ranks: float
    figures: float
    groups: float
    shown: float
    ranks: float
    having: float
    combined: float
    distinct: float
    nested: float
    rows: float
    cross: float
    cross_margin: float
    named_root: float
    unnamed_joins: float
    clean_rivals: float
    steps: float
    linked: float

    @classmethod
    def names(cls) -> tuple[str, ...]:
        """What the facts are called, in the order the trees count them."""
        return tuple(each.name for each in fields(cls))


@cache
def _fitted() -> dict[str, Any]:
    return json.loads(resources.files("averment.reading").joinpath("odds.json").read_text(encoding="utf-8"))


def odds_of(features: Features, *, heard: bool) -> float:
    """The probability that a reading with these facts is right; ``heard`` is whether the cross-reader was."""
    fitted = _fitted()["heard" if heard else "unheard"]
    values = [float(value) for value in astuple(features)]
    total = sum_of_trees(fitted, values)
    slope, height = fitted["lines"]["single" if features.tables == 0 else "several"]
    total = slope * total + height
    return 1.0 / (1.0 + math.exp(-max(-30.0, min(30.0, total))))


def sum_of_trees(fitted: dict[str, Any], values: Sequence[float]) -> float:
    """What boosted trees say of some facts, before it is made a probability."""
    return fitted["base"] + sum(_leaf(tree, values) for tree in fitted["trees"])


def _leaf(tree: list[list[float]], values: Sequence[float]) -> float:
    """A tree is a list of nodes: ``[fact, bar, at most, above]``, the last two places in the list, or ``[worth]``."""
    node = tree[0]
    while len(node) > 1:
        node = tree[int(node[2] if values[int(node[0])] <= node[1] else node[3])]
    return node[0]


def _is_empty(reading: Reading) -> bool:
    """Whether a result is empty for no reason that the question gives."""
    plan = reading.candidate.plan
    reason = plan.statistic is not None or plan.combine is not None or plan.asks == "any"  # "no" is an answer
    reason = reason or any(is_period(test) or test.inner is not None for test in plan.where)
    return reading.tried and not reading.rows and not reason


def _length(reading: Reading) -> int:
    """How long a result is for what it answers: a statistic is one answer, and of each group its own rows are."""
    plan = reading.candidate.plan
    if plan.statistic is not None:
        return 1
    if plan.show and plan.rank is not None and plan.rank.within:
        return min(50, plan.rank.limit)
    return min(50, len(reading.rows)) if reading.tried else 1


def features_of(
    groups: Sequence[Sequence[Reading]],
    place: int,
    *,
    question: str = "",
    earlier: Plan | None = None,
    scores: Sequence[float] | None = None,
) -> Features:
    """What speaks for the readings of one group against the others.

    ``earlier`` is the plan that a follow-up changes: its columns need no word. ``scores`` are the cross-reader's, one a
    group.
    """
    own = groups[place][0].candidate
    rivals = [group[0].candidate for n, group in enumerate(groups) if n != place]
    clean = [rival for rival in rivals if len(rival.left) <= len(own.left)]
    margin = own.score - max((rival.score for rival in clean), default=own.score - 2.0)
    inside = sum(span.end - span.start for span in own.spans)
    known = columns_named(own) | columns_implied(own) | (set(earlier.columns()) if earlier is not None else set())
    unasked = [role for name, roles in roles_of(own.plan).items() if name not in known for role in roles]
    links = [span.strength for span in own.spans if span.type in {"COLUMN", "VALUE", "DENY"}]
    best = max(each.score for each in (own, *rivals))
    whole = sum(math.exp(_SHARPNESS * (each.score - best)) for each in (own, *rivals))
    plan = own.plan
    spoken = tables_named(own)
    agreeing = [reading.candidate for reading in groups[place]]
    return Features(
        margin=max(-1.5, min(2.0, margin)),
        left=len(own.left),
        weakest=own.weakest,
        fit=own.score / max(1, inside),
        near=sum(1 for rival in clean if rival.score > own.score - 0.3),
        agreeing=len(agreeing),
        agreeing_near=sum(1 for each in agreeing if each.score > own.score - 0.5) - 1,
        agreeing_ways=len({(each.plan.table, len(each.plan.joins)) for each in agreeing}),
        joins=len(plan.joins),
        empty=_is_empty(groups[place][0]),
        conditions=len(plan.where),
        generic=sum(1 for s in own.spans if s.type == "ROW" and s.strength < 0.56),
        tables=math.log2(own.tables),
        words=min(20, inside),
        plain_words=max(0, len(tokens(question)) - inside),
        cues=sum(1 for span in own.spans if span.type == "CUE"),
        score=own.score,
        share=math.exp(_SHARPNESS * (own.score - best)) / whole,
        results=len(groups),
        roots=len({each.plan.table for each in (own, *rivals)}),
        rival_roots=len({each.plan.table for each in rivals if each.score > own.score - 0.3} - {plan.table}),
        links=len(links),
        strength=sum(links) / len(links) if links else 1.0,
        weak_links=sum(1 for link in links if link < 0.8),
        unasked_groups=unasked.count("by"),
        unasked_shown=unasked.count("show"),
        unasked_figures=sum(1 for role in unasked if role.startswith("figure")),
        unasked_conditions=unasked.count("where"),
        unasked_ranks=unasked.count("rank"),
        figures=len(plan.measures),
        groups=len(plan.by),
        shown=len(plan.show),
        ranks=plan.rank is not None,
        having=len(plan.having),
        combined=plan.combine is not None,
        distinct=plan.distinct,
        nested=any(test.inner is not None for test in plan.tests()),
        rows=_length(groups[place][0]),
        named_root=plan.table in spoken,
        unnamed_joins=sum(1 for join in plan.joins if join.right not in spoken),
        clean_rivals=sum(1 for rival in rivals if not rival.left),
        steps=sum(1 for value in plan.by if value.part is not None),
        linked=math.prod(span.probability for span in own.spans),
        cross=scores[place] if scores is not None else 0.0,
        cross_margin=cross_margin(scores, [len(group[0].candidate.left) for group in groups], place),
    )


def cross_margin(scores: Sequence[float] | None, left: Sequence[int], place: int) -> float:
    """How far the cross-reader's score lies above those of rivals that leave no more words over."""
    if scores is None:
        return 0.0
    rivals = [each for n, each in enumerate(scores) if n != place and left[n] <= left[place]]
    return max(-ALONE, min(ALONE, scores[place] - max(rivals, default=-math.inf)))
