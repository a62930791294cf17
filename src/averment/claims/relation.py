"""The registry of relations, and the one place where a claim is made and held against the evidence.

A relation is a closed thing: a name, what it promises, how it is evaluated and how it is said. A new one is one record
more in the registry; nothing else has to know of it.
"""

from __future__ import annotations

import importlib
import pkgutil
import string
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from functools import cache

from averment import claims, plugins
from averment.claims.sealed import SealedResult
from averment.errors import UntrueClaim
from averment.evidence import derive
from averment.evidence.bind import bind, value_of
from averment.evidence.formats import write
from averment.evidence.values import same
from averment.records.claim import Claim, ClaimValue, Pair
from averment.records.run import CellEvidence, Evidence, Finding, ResultEvidence


@dataclass(frozen=True)
class Relation:
    """What a claim can say of its subjects.

    ``holds`` looks at the values' evidence and, for what is said of a result, at all of its rows; ``render`` gives the
    template that the values are filled into. ``whole_key`` is false for those whose subjects are no rows; values whose
    role is ``silent`` are what a sentence rests on without telling them.
    """

    name: str
    promise: str
    holds: Callable[[Claim, SealedResult | None], bool]
    render: Callable[[Claim], str]
    _: KW_ONLY
    whole_key: bool = True
    silent: frozenset[str] = frozenset()


_REGISTRY: dict[str, Relation] = {}


def register(*relations: Relation) -> None:
    """Add relations to the registry.

    Raises:
        ValueError: one of that name is there already.
    """
    for relation in relations:
        if relation.name in _REGISTRY:
            raise ValueError(f"there is a relation {relation.name} already")
        _REGISTRY[relation.name] = relation


def relations() -> Mapping[str, Relation]:
    """Every relation, by name: our own, and those that plugins add under names of their own."""
    own = own_relations()
    return {**plugins.additions("claims", Relation, own), **own}


def own_relations() -> Mapping[str, Relation]:
    """The relations that Averment has itself, by name: ``RELATIONS`` of every module of this package named ``of_…``."""
    _load_own()
    return dict(_REGISTRY)


@cache
def _load_own() -> None:
    for found in pkgutil.iter_modules(claims.__path__):
        if found.name.startswith("of_"):
            for relation in importlib.import_module(f"{claims.__name__}.{found.name}").RELATIONS:
                _REGISTRY.setdefault(relation.name, relation)


def told(role: str, evidence: Evidence, kind: str, *, subject: int | None = None, heading: str = "") -> ClaimValue:
    """A value of a claim, written as its kind is."""
    text = write(value_of(evidence), kind)
    return ClaimValue(role=role, subject=subject, heading=heading, kind=kind, text=text, evidence=evidence)


def make(
    relation: str,
    *,
    claim_id: str,
    values: Iterable[ClaimValue],
    sealed: SealedResult | None,
    subjects: Iterable[tuple[Pair, ...]] = (),
    figure: str = "",
    scope: str = "",
    words: Mapping[str, str] | None = None,
    method: str = "",
) -> Claim:
    """A claim that holds.

    Raises:
        UntrueClaim: the evidence does not say so, or the relation cannot be said of it.
    """
    draft = Claim(
        claim_id=claim_id,
        relation=relation,
        figure=figure,
        scope=scope,
        subjects=tuple(subjects),
        values=tuple(values),
        words=dict(words or {}),
        method=method,
    )
    template, text = _said(draft)
    claim = draft.model_copy(update={"template": template, "text": text})
    if not evaluate(claim, sealed):
        raise UntrueClaim(f"The evidence does not say: {text}")
    return claim


def make_of_rows(
    relation: str,
    *,
    claim_id: str,
    values: Iterable[ClaimValue],
    rows: Sequence[int],
    sealed: SealedResult,
    kinds: Mapping[str, str],
    figure: str = "",
    scope: str = "",
    words: Mapping[str, str] | None = None,
    method: str = "",
) -> Claim | None:
    """A claim whose subjects are rows with their whole keys, or None where the evidence does not carry it."""
    keys = [
        told("key", sealed.cell(row, name), kinds[name], subject=place, heading=name)
        for place, row in enumerate(rows)
        for name in sealed.keys
    ]
    try:
        return make(
            relation,
            claim_id=claim_id,
            values=(*keys, *values),
            subjects=[sealed.key(row) for row in rows],
            sealed=sealed,
            figure=figure,
            scope=scope,
            words=words,
            method=method,
        )
    except UntrueClaim:
        return None


def evaluate(claim: Claim, sealed: SealedResult | None) -> bool:
    """Whether a claim holds: its values are the evidence's, its subjects whole row keys, its relation and text true."""
    relation = relations().get(claim.relation)
    if relation is None:
        return False
    try:
        if not all(_proven(value, sealed) for value in claim.values):
            return False
        if relation.whole_key and sealed is not None and not _whole_keys(claim, sealed):
            return False
        if not relation.holds(claim, sealed):
            return False
        return _said(claim) == (claim.template, claim.text)
    except (LookupError, UntrueClaim, ValueError):
        return False


def finding_of(claim: Claim) -> Finding:
    """The claim as a finding: the same sentence, each value a slot bound to its evidence.

    Raises:
        UnboundNumber: a number of the sentence is no value of the claim.
    """
    words = " ".join([claim.figure, claim.scope, *claim.words.values(), *(value.heading for value in claim.values)])
    return bind(
        finding_id=claim.claim_id, template=claim.template, slots=claim.slots, method=claim.method, own_words=words
    )


def _said(claim: Claim) -> tuple[str, str]:
    relation = relations().get(claim.relation)
    if relation is None:
        raise UntrueClaim(f"There is no relation {claim.relation}.")
    try:
        template = relation.render(claim)
    except (LookupError, ValueError) as error:
        raise UntrueClaim(f"The claim {claim.claim_id} lacks the value {error}.") from error
    named = {name for _, name, _, _ in string.Formatter().parse(template) if name is not None}
    keys = {(value.heading, value.text) for place, value in enumerate(claim.values) if f"v{place}" in named}
    for place, value in enumerate(claim.values):
        # A key that two subjects share is told once.
        told = (
            f"v{place}" in named
            or value.role in relation.silent
            or (value.role == "key" and (value.heading, value.text) in keys)
        )
        if not told:
            raise UntrueClaim(f"The claim {claim.claim_id} has a value that its sentence does not state.")
    return template, template.format(**{f"v{place}": value.text for place, value in enumerate(claim.values)})


def _proven(value: ClaimValue, sealed: SealedResult | None) -> bool:
    evidence = value.evidence
    if value.text != write(value_of(evidence), value.kind):
        return False
    if evidence.kind == "derived":
        return derive.holds(evidence) and all(_read(each, sealed) for each in evidence.of)
    return evidence.kind == "span" or _read(evidence, sealed)


def _read(evidence: CellEvidence | ResultEvidence, sealed: SealedResult | None) -> bool:
    """Whether a cell or a result of this very table says what the evidence says; another table's is not judged here.

    Raises:
        LookupError: the table has no such cell.
    """
    if sealed is None:
        return True
    if evidence.kind == "result":
        here = evidence.call_id == sealed.call_id and evidence.path == "table.row_count"
        return not here or same(evidence.value, sealed.size)
    if evidence.observation_id != sealed.observation_id:
        return True
    return same(sealed.column(evidence.column)[evidence.row], evidence.value)


def _whole_keys(claim: Claim, sealed: SealedResult) -> bool:
    """Whether each subject is the whole key of one row, and every value told of it is of that row."""
    for place, subject in enumerate(claim.subjects):
        mine = [value for value in claim.values if value.subject == place]
        cells = {(each.evidence.observation_id, each.evidence.row) for each in mine if each.evidence.kind == "cell"}
        keys = [value for value in mine if value.role == "key"]
        if len(cells) != 1 or tuple(value.heading for value in keys) != sealed.keys:
            return False
        observation_id, row = cells.pop()
        if observation_id != sealed.observation_id or subject != sealed.key(row):
            return False
        if any(value.evidence.kind != "cell" or value.evidence.column != value.heading for value in keys):
            return False
    return True
