"""Relations of an investigation: what changed, who carried it, what was to be expected, and what stays unexplained.

A cause is told only of a segment whose own figure moved, in the direction that is said; its part and share are held
against the whole change, and the parts with the rest must sum to it.
"""

from __future__ import annotations

from decimal import Decimal
from itertools import pairwise

from averment.claims.relation import Relation
from averment.claims.sealed import SealedResult
from averment.claims.speech import has, number_of, slot, value_of
from averment.evidence.bind import literal
from averment.evidence.values import as_decimal
from averment.records.claim import Claim, ClaimValue

TOLERANCE = 1e-6
CHANGE_ROW = 0
"""The first row of an attribution is the whole change, the last what nothing explains."""


def near(one: Decimal | float, other: Decimal | float, size: Decimal | float) -> bool:
    """Whether two numbers are the same but for the noise of floats of that size."""
    return abs(float(one) - float(other)) <= TOLERANCE * max(abs(float(size)), 1e-9)


def verb_of(before: Decimal, after: Decimal) -> str:
    """How a figure moved between two values."""
    return "rose" if after > before else "fell" if after < before else "stayed the same"


def total_of(sealed: SealedResult | None) -> Decimal | None:
    """The whole change of an attribution."""
    if sealed is None or "contribution" not in sealed.table.column_names or not sealed.size:
        return None
    return as_decimal(sealed.column("contribution")[CHANGE_ROW])


def same_row(claim: Claim, *roles: str) -> bool:
    """Whether the values of these roles, or all that are cells, stand in one row."""
    told = [value for value in claim.values if not roles or value.role in roles]
    rows = {(each.evidence.observation_id, each.evidence.row) for each in told if each.evidence.kind == "cell"}
    return len(rows) <= 1


def of_the_change(claim: Claim, sealed: SealedResult | None) -> bool:
    """Whether a part's share is what the part is of the whole change."""
    if not has(claim, "share"):
        return True
    part, share, total = number_of(claim, "part"), number_of(claim, "share"), total_of(sealed)
    if part is None or share is None:
        return False
    return total is None or (total != 0 and near(part / total, share, share))


def is_segment(claim: Claim) -> bool:
    """Whether the segment that is named is the one the claim is about; nobody is named where all rows are meant."""
    if not claim.subjects:
        return not has(claim, "segment")
    text = ", ".join(f"{name} = {value}" for name, value in sorted(claim.subjects[0]))
    return has(claim, "segment") and value_of(claim, "segment").text == text


def groups_of(claim: Claim) -> tuple[str, str] | None:
    """The two groups that a claim compares, as they are written; None where it compares two periods."""
    before, mark, after = claim.words.get("groups", "").partition("\n")
    return (literal(before), literal(after)) if mark else None


def whole_said(claim: Claim) -> str:
    """What the parts are parts of."""
    return "change" if groups_of(claim) is None else "difference"


def part_said(claim: Claim) -> str:
    """The end of a sentence about a cause: its part of the change."""
    if not has(claim, "part"):
        return ""
    lead = "That alone moves the metric by" if claim.words.get("alone") else "That is"
    share = f", {slot(claim, 'share')} of the {whole_said(claim)}" if has(claim, "share") else ""
    return f" {lead} {slot(claim, 'part')}{share}."


def place_said(claim: Claim) -> str:
    """The segment as its slot, or all rows."""
    return slot(claim, "segment") if claim.subjects else "all rows"


def _moved(claim: Claim) -> tuple[Decimal, Decimal] | None:
    if not (has(claim, "from") and has(claim, "to")):
        return None
    before, after = number_of(claim, "from"), number_of(claim, "to")
    return None if before is None or after is None else (before, after)


def percent_holds(claim: Claim, before: Decimal, after: Decimal) -> bool:
    """Whether a percentage, where one is told, is that of the change from one value to the other."""
    if not has(claim, "percent"):
        return True
    told = number_of(claim, "percent")
    return told is not None and before != 0 and near((after - before) * 100 / abs(before), told, told)


def _changed_holds(claim: Claim, _sealed: SealedResult | None) -> bool:
    ends, change = _moved(claim), number_of(claim, "change")
    if ends is None or change is None or not claim.figure or not same_row(claim):
        return False
    before, after = ends
    if claim.words.get("verb", verb_of(before, after)) != verb_of(before, after):
        return False
    return near(after - before, change, max(abs(before), abs(after))) and percent_holds(claim, before, after)


def _changed_said(claim: Claim) -> str:
    what = literal(claim.words.get("said") or claim.figure)
    if groups := groups_of(claim):
        percent = f" ({slot(claim, 'percent')})" if has(claim, "percent") else ""
        ends = f"is {slot(claim, 'from')} in {groups[0]} and {slot(claim, 'to')} in {groups[1]}"
        return f"{what} {ends}, a difference of {slot(claim, 'change')}{percent}."
    verb = claim.words.get("verb", "went")
    if verb == "stayed the same":
        ends = f"{slot(claim, 'from')} and {slot(claim, 'to')}, a change of {slot(claim, 'change')}"
        return f"{what} stayed the same: {ends}."
    percent = f", {slot(claim, 'percent')}" if has(claim, "percent") else ""
    return f"{what} {verb} from {slot(claim, 'from')} to {slot(claim, 'to')} ({slot(claim, 'change')}{percent})."


def _caused_holds(claim: Claim, sealed: SealedResult | None) -> bool:
    """The figure moved in the told direction, and where it is the metric itself its part has that direction too."""
    if not is_segment(claim) or not claim.figure or not same_row(claim) or not of_the_change(claim, sealed):
        return False
    ends, part = _moved(claim), number_of(claim, "part") if has(claim, "part") else None
    word = claim.words.get("verb")
    if ends is None:
        return part is not None and part != 0 and word == ("rose" if part > 0 else "fell") and not has(claim, "percent")
    before, after = ends
    if before == after or word != verb_of(before, after) or not percent_holds(claim, before, after):
        return False
    return claim.words.get("of") != "metric" or part is None or part == 0 or (part > 0) == (after > before)


def _caused_said(claim: Claim) -> str:
    verb, ends = claim.words["verb"], " from {} to {}"
    if groups := groups_of(claim):
        verb = f"is {'higher' if verb == 'rose' else 'lower'} in {groups[1]} than in {groups[0]}"
        ends = ": {1} against {0}"
    said = f"In {place_said(claim)} {literal(claim.figure)} {verb}"
    if has(claim, "from"):
        said += ends.format(slot(claim, "from"), slot(claim, "to"))
    if has(claim, "percent"):
        said += f" ({slot(claim, 'percent')})"
    return f"{said}.{part_said(claim)}"


def _shifted_holds(claim: Claim, sealed: SealedResult | None) -> bool:
    ends = _moved(claim)
    if ends is None or not claim.subjects or not is_segment(claim) or not same_row(claim):
        return False
    return ends[0] != ends[1] and all(0 <= end <= 1 for end in ends) and of_the_change(claim, sealed)


def _shifted_said(claim: Claim) -> str:
    if groups := groups_of(claim):
        ends = f"{slot(claim, 'from')} of {groups[0]} and {slot(claim, 'to')} of {groups[1]}"
        return f"{slot(claim, 'segment')} makes up {ends}, and its level is not the others'.{part_said(claim)}"
    ends = f"from {slot(claim, 'from')} to {slot(claim, 'to')}"
    return f"{slot(claim, 'segment')} went {ends} of the whole, and its level is not the others'.{part_said(claim)}"


def _came_holds(claim: Claim, sealed: SealedResult | None) -> bool:
    """The attribution's own row says that the segment is new, or gone."""
    if not claim.subjects or not is_segment(claim) or not same_row(claim) or not of_the_change(claim, sealed):
        return False
    return row_says(claim, sealed, "state", "new" if claim.relation == "appeared" else "vanished")


def _came_said(claim: Claim) -> str:
    if groups := groups_of(claim):
        there = groups[1] if claim.relation == "appeared" else groups[0]
        return f"{slot(claim, 'segment')} is there in {there} alone.{part_said(claim)}"
    came = "was not there before" if claim.relation == "appeared" else "is no longer there"
    return f"{slot(claim, 'segment')} {came}.{part_said(claim)}"


def row_says(claim: Claim, sealed: SealedResult | None, column: str, wanted: str) -> bool:
    """Whether the row that a claim's values stand in holds a word in a column; nothing is judged without the table.

    Raises:
        LookupError: the table has no such column, or no such row.
    """
    if sealed is None:
        return True
    rows = {
        value.evidence.row
        for value in claim.values
        if value.evidence.kind == "cell" and value.evidence.observation_id == sealed.observation_id
    } or ({int(claim.words["row"])} if claim.words.get("row", "").isdigit() else set[int]())
    return len(rows) == 1 and sealed.column(column)[rows.pop()] == wanted


EXPECTATIONS = ("seasonal", "trend", "calendar")


def _expected_holds(claim: Claim, sealed: SealedResult | None) -> bool:
    kind = claim.words.get("by")
    if kind not in EXPECTATIONS or not same_row(claim) or not of_the_change(claim, sealed):
        return False
    if has(claim, "low") and not _ordered(number_of(claim, "low"), number_of(claim, "high")):
        return False
    counted = number_of(claim, "count") if has(claim, "count") else None
    return (counted is None or counted > 0) and row_says(claim, sealed, "kind", kind)


def _ordered(low: Decimal | None, high: Decimal | None) -> bool:
    return low is not None and high is not None and low <= high


def _expected_said(claim: Claim) -> str:
    return f"{_EXPECTED[claim.words['by']](claim)}{part_said(claim)}"


def _season_said(claim: Claim) -> str:
    if not has(claim, "count"):
        return "A slow drift between two times of the year, alike in all segments; no other year is at hand to compare."
    usual = f", usually by {slot(claim, 'low')} to {slot(claim, 'high')}" if has(claim, "low") else ""
    return f"The same dates of {slot(claim, 'count')} other year(s) moved alike{usual}."


def _trend_said(claim: Claim) -> str:
    if not has(claim, "count"):
        return "The line through the time before the comparison goes on."
    return f"The metric goes on as before: the {slot(claim, 'count')} steps of this length before it were alike."


def _calendar_said(claim: Claim) -> str:
    after, before = slot(claim, "to"), slot(claim, "from")
    if has(claim, "holidays0"):
        days = f"{slot(claim, 'holidays1')} public holidays against {slot(claim, 'holidays0')}"
        return f"The comparison has {after} days and the baseline {before}, with other weekdays and {days}."
    return f"The comparison has {after} days and the baseline {before}, with other weekdays."


_EXPECTED = {"seasonal": _season_said, "trend": _trend_said, "calendar": _calendar_said}


def _uncaused_holds(claim: Claim, sealed: SealedResult | None) -> bool:
    return number_of(claim, "part") is not None and row_says(claim, sealed, "kind", "noise")


def _uncaused_said(claim: Claim) -> str:
    part = slot(claim, "part")
    if groups_of(claim):
        return f"Without what is named above, the groups would differ by {part}; no cause is named for that."
    return f"Without what is named above, the metric would have moved by {part}; no cause is named for that."


def _unexplained_holds(claim: Claim, sealed: SealedResult | None) -> bool:
    """What is left is the change less every part of it."""
    rest, total = number_of(claim, "rest"), total_of(sealed)
    if rest is None or not same_row(claim):
        return False
    if sealed is None or total is None:
        return True
    if has(claim, "share"):
        share = number_of(claim, "share")
        if share is None or total == 0 or not near(rest / total, share, max(abs(share), Decimal(1))):
            return False
    parts = [as_decimal(value) or Decimal(0) for value in sealed.column("contribution")[1:-1]]
    last = value_of(claim, "rest").evidence
    size = max([abs(total), *map(abs, parts)])
    return last.kind == "cell" and last.row == sealed.size - 1 and near(total - sum(parts, Decimal(0)), rest, size)


def _unexplained_said(claim: Claim) -> str:
    share = f", {slot(claim, 'share')} of the {whole_said(claim)}" if has(claim, "share") else ""
    return f"Unexplained stays {slot(claim, 'rest')}{share}."


def _movers_holds(claim: Claim, sealed: SealedResult | None) -> bool:
    """Within their dimension nothing moved by more than these, which are told in their order."""
    changes = [value for value in claim.values if value.role == "change"]
    names = [value for value in claim.values if value.role == "mover"]
    if not changes or len(names) != len(changes) or not claim.figure:
        return False
    if any(_row(one) != _row(two) for one, two in zip(names, changes, strict=True)):
        return False
    if sealed is None:
        return True
    rows = [row for row in range(sealed.size) if sealed.column("dimension")[row] == claim.figure]
    sizes = {row: abs(as_decimal(sealed.column("change")[row]) or Decimal(0)) for row in rows}
    told = [_row(value) for value in changes]
    if len(set(told)) != len(told) or not set(told) <= set(sizes):
        return False
    least = min(sizes[row] for row in told)
    in_order = all(sizes[one] >= sizes[two] for one, two in pairwise(told))
    return in_order and all(size <= least for row, size in sizes.items() if row not in told)


def _row(value: ClaimValue) -> int:
    return value.evidence.row if value.evidence.kind == "cell" else -1


def _movers_said(claim: Claim) -> str:
    what = "movers" if groups_of(claim) is None else "differences"
    lead = f"The largest {what}" if claim.words.get("proven") else f"No cause is proven; the largest {what}"
    names, changes = (
        [f"{{v{place}}}" for place, value in enumerate(claim.values) if value.role == role]
        for role in ("mover", "change")
    )
    named = [f"{name} ({change})" for name, change in zip(names, changes, strict=False)]
    return f"{lead} by {literal(claim.figure)} are {', '.join(named)}."


RELATIONS = (
    Relation(
        "changed",
        "A metric went from one value to another, or differs by group; difference and percentage are computed.",
        _changed_holds,
        _changed_said,
    ),
    Relation(
        "caused",
        "The segment's own figure moved in the told direction, and makes up that part of the change.",
        _caused_holds,
        _caused_said,
        whole_key=False,
    ),
    Relation(
        "shifted",
        "A segment makes up another share of the whole than before.",
        _shifted_holds,
        _shifted_said,
        whole_key=False,
    ),
    *(
        Relation(name, f"The segment is {word} in the comparison period.", _came_holds, _came_said, whole_key=False)
        for name, word in (("appeared", "new"), ("disappeared", "gone"))
    ),
    Relation(
        "expected",
        "Other years, the calendar or the trend show the same change.",
        _expected_holds,
        _expected_said,
    ),
    Relation("uncaused", "So much of the change has no named cause.", _uncaused_holds, _uncaused_said),
    Relation(
        "unexplained",
        "What is left of a change when every part that explains it is taken away.",
        _unexplained_holds,
        _unexplained_said,
    ),
    Relation(
        "movers",
        "Within one dimension, no value moved by more than these.",
        _movers_holds,
        _movers_said,
    ),
)
