"""Relations of searches and investigations: absent, disagrees, caused, unexplained."""

from __future__ import annotations

from decimal import Decimal

from averment.claims.relation import Relation
from averment.claims.sealed import Sealed
from averment.claims.speech import capital, has, listed, scope_after, slot, value_of
from averment.evidence.bind import literal
from averment.evidence.values import as_decimal
from averment.records.claim import Claim, ClaimValue


def _number(value: ClaimValue) -> Decimal | None:
    return as_decimal(value.evidence.quote if value.evidence.kind == "span" else value.evidence.value)


def _absent_holds(claim: Claim, sealed: Sealed | None) -> bool:
    """Something was searched, and nothing was found there."""
    del sealed
    searched = _number(value_of(claim, "searched"))
    found = _number(value_of(claim, "found")) if has(claim, "found") else Decimal(0)
    return searched is not None and searched > 0 and found == 0 and bool(claim.words.get("where"))


def _absent_said(claim: Claim) -> str:
    found = f" ({slot(claim, 'found')} matches)" if has(claim, "found") else ""
    ended = ", and time ran out before all were read" if claim.words.get("cut") else ""
    where = literal(claim.words["where"])
    return f"Nothing about {literal(claim.figure)} was found in {slot(claim, 'searched')} {where}{found}{ended}."


def _disagrees_holds(claim: Claim, sealed: Sealed | None) -> bool:
    """Two sources, one subject, one attribute, one scope, and values that cannot both hold."""
    del sealed
    sides = [value for value in claim.values if value.role == "side"]
    if len(sides) < 2 or len(claim.subjects) != 1 or not claim.figure:
        return False
    sources = [getattr(value.evidence, "source_id", getattr(value.evidence, "observation_id", "")) for value in sides]
    told = {(_number(value) if _number(value) is not None else value.text.casefold()) for value in sides}
    return len(set(sources)) == len(sides) and len(told) == len(sides)


def _disagrees_said(claim: Claim) -> str:
    subject = listed([f"{literal(str(value))}" for _, value in claim.subjects[0]])
    places = [place for place, value in enumerate(claim.values) if value.role == "side"]
    sides = [f"{{v{place}}} in {literal(claim.values[place].heading)}" for place in places]
    return f"The sources disagree on the {literal(claim.figure)} of {subject}: {listed(sides)}."


def _caused_holds(claim: Claim, sealed: Sealed | None) -> bool:
    """The segment itself moved in the told direction, and by no less than what it is said to contribute."""
    del sealed
    before, after, effect = (_number(value_of(claim, role)) for role in ("from", "to", "effect"))
    if before is None or after is None or effect is None or len(claim.subjects) != 1 or not claim.subjects[0]:
        return False
    moved = after - before
    if moved == 0 or effect == 0 or (moved > 0) != (effect > 0):
        return False
    if claim.words.get("word") != ("rose" if moved > 0 else "fell"):
        return False
    total = _number(value_of(claim, "total")) if has(claim, "total") else None
    return total is None or (total != 0 and (total > 0) == (effect > 0))


def _caused_said(claim: Claim) -> str:
    segment = literal(listed([f"{heading} {value}" for heading, value in claim.subjects[0]]))
    moves = f"{claim.words['word']} from {slot(claim, 'from')} to {slot(claim, 'to')}"
    of = f" of the change of {slot(claim, 'total')}" if has(claim, "total") else ""
    said = f"the {literal(claim.figure)} of {segment} {moves}, which makes up {slot(claim, 'effect')}{of}"
    return f"{capital(said)}{scope_after(claim, comma=True)}."


def _unexplained_holds(claim: Claim, sealed: Sealed | None) -> bool:
    """What is left is the change less everything that explains it."""
    del sealed
    rest, total = _number(value_of(claim, "rest")), _number(value_of(claim, "total"))
    parts = [_number(value) for value in claim.values if value.role == "part"]
    if rest is None or total is None or any(part is None for part in parts):
        return False
    left = total - sum((part for part in parts if part is not None), Decimal(0))
    return abs(float(left - rest)) <= 1e-6 * max(1.0, abs(float(total)))


def _unexplained_said(claim: Claim) -> str:
    places = [place for place, value in enumerate(claim.values) if value.role == "part"]
    after = f" after {listed([f'{{v{place}}}' for place in places])} are explained" if places else ""
    change = f"the change of {slot(claim, 'total')} in the {literal(claim.figure)}"
    return f"Of {change}, {slot(claim, 'rest')} is not explained{after}{scope_after(claim)}."


RELATIONS = (
    Relation(
        name="absent",
        promise="So much was searched, and nothing was found; whether time ran out is said.",
        holds=_absent_holds,
        render=_absent_said,
        whole_key=False,
    ),
    Relation(
        name="disagrees",
        promise="Different sources give one attribute of one subject different values.",
        holds=_disagrees_holds,
        render=_disagrees_said,
        whole_key=False,
    ),
    Relation(
        name="caused",
        promise="The segment's own figure moved in the direction of the change, and makes up that much of it.",
        holds=_caused_holds,
        render=_caused_said,
        whole_key=False,
    ),
    Relation(
        name="unexplained",
        promise="What is left of a change when every part that explains it is taken away.",
        holds=_unexplained_holds,
        render=_unexplained_said,
        whole_key=False,
    ),
)
