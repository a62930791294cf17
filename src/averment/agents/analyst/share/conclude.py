"""Concluding from shares: the asked part, the greatest, and how many make up most of the whole."""

from __future__ import annotations

from typing import TYPE_CHECKING

from averment.agents.analyst.parts.telling import Teller
from averment.agents.analyst.share.reading import RANK, RUNNING, SHARE, ShareReading
from averment.agents.analyst.skill import Told
from averment.evidence.bind import literal
from averment.records.run import Finding

if TYPE_CHECKING:
    from averment.spine.work import Work


def method_of(reading: ShareReading) -> str:
    """The method in words, as the report names it."""
    if not reading.shared:
        return f"groups ordered by their {reading.measure.words}; equal values have equal rank"
    if reading.reach is not None:
        return (
            f"groups by their {reading.measure.words}, the greatest first, until their running share of that of all "
            f"groups together first comes to {reading.reach:g} percent"
        )
    whole = f"its {reading.within}" if reading.within is not None else "all groups together"
    return f"{reading.measure.words} of each group in percent of that of {whole}"


def conclude(work: Work, reading: ShareReading) -> Told:
    """The asked part first, then the greatest and the least."""
    teller = Teller(work, method_of(reading))
    label = reading.measure.label
    names = [each.label for each in reading.splits]
    rows = teller.known([label, *names, *([SHARE] if reading.shared else [])])
    if not rows:
        return Told(findings=(), answer="")
    if reading.reach is not None:
        return _reached(teller, reading, rows)
    findings: list[Finding] = []
    asked = _asked_row(teller, reading, rows)
    if reading.asked is not None and asked is None:
        return Told(findings=(), answer=f"No row has the value {reading.asked}, so it has no share.")
    if asked is not None:
        findings.append(_part(teller, reading, "asked", asked))
    ends = (("highest", rows[0]), ("lowest", rows[-1]))
    findings += [_part(teller, reading, name, row) for name, row in ends if row != asked]
    if reading.limit is not None or len(rows) == 1 or reading.within is not None:
        findings = [each for each in findings if each.finding_id != "lowest"]
    if RUNNING in reading.computed and len(rows) > 3:
        findings.append(_most(teller, reading, rows))
    findings.append(teller.count_rows("groups"))
    return Told(findings=tuple(findings), answer=" ".join(each.text for each in findings[:2]))


def _reached(teller: Teller, reading: ShareReading, rows: list[int]) -> Told:
    """How many groups it takes, how far they reach, and the greatest of them."""
    name, what = literal(reading.splits[0].label), literal(reading.measure.words)
    findings = [
        teller.count_rows("few", f"It takes {{count}} values of {name} to come to {reading.reach:g} %."),
        teller.say(
            "reach", f"Together they make up {{running}} percent of the {what}.", rows[-1], running=(RUNNING, 1)
        ),
        _part(teller, reading, "highest", rows[0]),
    ]
    return Told(findings=tuple(findings), answer=" ".join(each.text for each in findings))


def _asked_row(teller: Teller, reading: ShareReading, rows: list[int]) -> int | None:
    if reading.asked is None:
        return None
    return next(
        (row for row in rows for each in reading.splits if str(teller.column(each.label)[row]) == reading.asked), None
    )


def _part(teller: Teller, reading: ShareReading, finding_id: str, row: int) -> Finding:
    slots: dict[str, str | tuple[str, int]] = {f"g{i}": each.label for i, each in enumerate(reading.splits)}
    who = " and ".join(f"{literal(each.label)} {{g{i}}}" for i, each in enumerate(reading.splits))
    what = literal(reading.measure.words)
    slots["value"] = reading.measure.label
    word = {"highest": "highest ", "lowest": "lowest "}.get(finding_id, "")
    if not reading.shared:
        rank = " (rank {rank})" if reading.ranked and finding_id == "asked" else ""
        slots.update({"rank": RANK} if rank else {})
        return teller.say(finding_id, f"The {word}{what} is {{value}}, for {who}{rank}.", row, **slots)
    slots["share"] = (SHARE, 1)
    whole = f"its {literal(reading.within)}" if reading.within is not None else "the total"
    start = f"The {word}share is that of {who}" if word else f"The share of {who}"
    link = ": " if word else " is "
    return teller.say(
        finding_id, f"{start}{link}{{share}} percent of {whole}, with a {what} of {{value}}.", row, **slots
    )


def _most(teller: Teller, reading: ShareReading, rows: list[int]) -> Finding:
    """How far the greatest few reach."""
    third = rows[2]
    name = reading.splits[0].label
    template = (
        f"Down to {literal(name)} {{group}}, at rank {{place}} from the top, the groups make up {{running}} percent."
    )
    if RANK in reading.computed:
        return teller.say("most", template, third, group=name, place=RANK, running=(RUNNING, 1))
    template = f"Down to {literal(name)} {{group}}, in the order of the table, the groups make up {{running}} percent."
    return teller.say("most", template, third, group=name, running=(RUNNING, 1))
