"""When a task is due, how urgent it is and how it repeats, as its words say it; the rest is its title.

Only what stands at either end of the words is taken for a time, so that "read the Friday column" and "buy 2 tickets for
12 monkeys" keep what they say. A day or an hour without more is the next one to come.
"""

from __future__ import annotations

import re
from calendar import monthrange
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta

from averment.language.numbers.number_words import ONES
from averment.language.periods import find_periods
from averment.records.repeats import WEEKDAYS, first_time

_SHORT = {name[:3]: name for name in WEEKDAYS} | {"tues": "tuesday", "thur": "thursday", "thurs": "thursday"}
_DAYS = "|".join([*WEEKDAYS, *sorted(_SHORT, key=len, reverse=True)])
_MONTHS = (
    "jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|"
    "oct(?:ober)?|nov(?:ember)?|dec(?:ember)?"
)
_COUNT = r"\d{1,3}|an?|one|two|three|four|five|six|seven|eight|nine|ten|half an"
_NUMBERS = {word: number for word, number in ONES.items() if number <= 10} | {"a": 1, "an": 1}
_BEFORE = (
    r"(?:(?:due(?: on| by)?|deadline(?: is|:)?|on|by|before|until|till|for|from|no later than|not later than|starting|"
    r"coming)\s+)?"
)
_DAY = (
    rf"(?P<rel>today|tonight|(?:the )?day after tomorrow|tomorrow(?: (?:morning|afternoon|evening|night))?|"
    "this (?:morning|afternoon|evening|weekend)|(?:the )?weekend|the end of (?:the |this )?(?:day|"
    "week|month|year)|end of (?:the |this )?(?:day|week|month|year)|eod|eow|"
    rf"next (?:week|month|year|weekend)|later this week)"
    rf"|(?:(?P<which>next|this|coming)\s+)?(?P<weekday>{_DAYS})(?:\s+(?P<part>morning|afternoon|evening|night))?"
    rf"|(?:in |(?=(?:{_COUNT}) \w+ from now\b))(?P<count>{_COUNT}) "
    r"(?P<unit>minutes?|mins?|hours?|hrs?|days?|weeks?|months?)(?: (?:time|from now))?"
    rf"|the (?P<nth>\d{{1,2}})(?:st|nd|rd|th)(?: of (?:the|this) month)?"
    rf"|(?P<abs>\d{{4}}-\d{{2}}-\d{{2}}|(?:the )?\d{{1,2}}(?:st|nd|rd|th)?(?: of)? (?:{_MONTHS})(?:,? "
    rf"\d{{4}})?|(?:{_MONTHS}) \d{{1,2}}(?:st|nd|rd|th)?(?:,? \d{{4}})?)"
)
_HOURS = [word for word, number in ONES.items() if 1 <= number <= 12]
_SPOKEN = (
    r"(?P<spoken>quarter|half|five|ten|twenty|twenty[- ]five|\d{1,2})(?: minutes?)? (?P<side>past|to) "
    rf"(?P<of>\d{{1,2}}|{'|'.join(_HOURS)})"
)
_LATE = frozenset({"in the afternoon", "in the evening", "at night"})
_MINUTES = {"quarter": 15, "half": 30, "five": 5, "ten": 10, "twenty": 20}
_HALF = r"a\.?m\.?|p\.?m\.?|o'?clock|in the (?:morning|afternoon|evening)|at night"
_CLOCK = (
    rf"{_SPOKEN}|"
    rf"(?P<hour>\d{{1,2}})(?:[:.](?P<minute>[0-5]\d))?\s*(?P<half>{_HALF})?|"
    "(?P<named>noon|midday|midnight|lunch(?:time)?)"
)
_SURE_CLOCK = (
    rf"{_SPOKEN}|"
    rf"(?P<hour>\d{{1,2}})(?:[:.](?P<minute>[0-5]\d))?\s*(?P<half>{_HALF})|"
    r"(?P<hour2>[01]?\d|2[0-3]):(?P<minute2>[0-5]\d)|(?P<named>noon|midday|midnight)"
)
_REPEATED = (
    rf"(?:(?P<other>every (?:other|second) (?:week|{_DAYS}))|(?:every|each) (?P<each>day|weekday|"
    rf"working day|workday|week|month|year|morning|evening|night|{_DAYS})|"
    "(?P<word>daily|weekly|monthly|yearly|annually|fortnightly|biweekly)|on "
    rf"(?P<plural>(?:{'|'.join(WEEKDAYS)})s|weekdays)|"
    r"(?:on )?the (?P<monthday>\d{1,2})(?:st|nd|rd|th) of (?:every|each) month|"
    rf"every (?P<many>\d{{1,2}}|two|three|four|five|six) (?P<units>days|weeks|months))"
)
_PRIORITY = (
    "(?:(?:with |at |of |as )?(?:an? )?(?P<level>very high|high|highest|top|low|lowest|normal|medium|"
    "urgent)[ -]prio(?:rity)?|(?:it's |it is |this is |that's |that is )?(?P<alone>urgent(?:ly)?|"
    "very important|important|asap|as soon as possible|super urgent|really urgent)|priority[: "
    "]+(?P<named>high|low|normal|medium|urgent|[1-4])|(?P<p>p[1-4]))"
)
_TAIL = {
    "repeat": re.compile(rf"[\s,;(\u2013-]+{_REPEATED}\)?$", re.IGNORECASE),
    "day": re.compile(rf"(?:[\s,;(\u2013-]+){_BEFORE}(?:{_DAY})\)?$", re.IGNORECASE),
    "clock": re.compile(
        rf"(?:[\s,;(]+)(?:(?:at|by|before|around|about|@|from|until|till)\s*(?:{_CLOCK}))\)?$", re.IGNORECASE
    ),
    "sure": re.compile(rf"(?:[\s,;(]+)(?:{_SURE_CLOCK})\)?$", re.IGNORECASE),
    "priority": re.compile(rf"(?:[\s,;:(\u2013-]+){_PRIORITY}\)?$", re.IGNORECASE),
}
_HEAD = {
    "repeat": re.compile(rf"^{_REPEATED}(?=[\s,:])[\s,:]*(?:to\s+)?", re.IGNORECASE),
    "day": re.compile(rf"^{_BEFORE}(?:{_DAY})(?=[\s,:])[\s,:]*(?:to\s+)?", re.IGNORECASE),
    "clock": re.compile(rf"^(?:(?:at|by|before|around|@)\s*(?:{_CLOCK}))(?=[\s,:])[\s,:]*(?:to\s+)?", re.IGNORECASE),
    "sure": re.compile(rf"^(?:{_SURE_CLOCK})(?=[\s,:])[\s,:]*(?:to\s+)?", re.IGNORECASE),
    "priority": re.compile(rf"^{_PRIORITY}\s*[:,\u2013-]\s*", re.IGNORECASE),
}
_LATER = re.compile(
    rf"^(?:by |for )?(?P<count>{_COUNT}) (?P<unit>minutes?|mins?|hours?|hrs?|days?|weeks?|months?)"
    "(?: later|(?P<sooner> earlier| sooner| before))?$",
    re.IGNORECASE,
)
_JOINED = re.compile(r"\b(?:and|or)$", re.IGNORECASE)
"""Before a time that is one of several: neither is the task's."""
_PARTS = {"morning": "09:00", "afternoon": "15:00", "evening": "18:00", "night": "20:00"}
_ALONE = {
    name: re.compile(rf"^(?:(?:at|by|to|for|until|from|around|on)\s+)?(?:{pattern})[.!]?$", re.IGNORECASE)
    for name, pattern in (
        ("repeat", _REPEATED),
        ("day", f"{_BEFORE}(?:{_DAY})"),
        ("clock", _CLOCK),
        ("priority", _PRIORITY),
    )
}


@dataclass(frozen=True, slots=True)
class TimedWords:
    """Words without what they said of time and urgency, and that as fields of a task."""

    words: str
    fields: dict[str, str] = field(default_factory=dict)


def take_when(words: str, now: datetime) -> TimedWords:
    """What the words say of when and how urgent; ``now`` is the clock on the wall."""
    rest, reader = words.strip(), _TimeReader(now)
    for _ in range(6):
        name, found = _at_end(rest) or ("", None)
        if found is not None and not _JOINED.search(rest[: found.start()]) and reader.take(name, found):
            rest = rest[: found.start()].rstrip(" ,;:-\u2013(")
            continue
        name, found = next(
            ((name, hit) for name, shape in _HEAD.items() if (hit := shape.match(rest)) is not None), ("", None)
        )
        if found is None or not rest[found.end() :].strip() or not reader.take(name, found):
            break
        rest = rest[found.end() :].strip()
    return TimedWords(rest, reader.fields())


def _at_end(words: str) -> tuple[str, re.Match[str]] | None:
    """The part that stands at the end of the words, with what it is."""
    for name, shape in _TAIL.items():
        found = shape.search(words)
        if found is not None and found.start() > 0:
            return name, found
    return None


def value_of(words: str, now: datetime, *, due: str | None = None) -> dict[str, str]:
    """The words as nothing but a time, an urgency or a repetition; empty where they are something else.

    ``due`` is when the task was due: an hour alone stays on its day, a day alone keeps its hour.
    """
    reader = _TimeReader(now)
    rest = words.strip().rstrip(".!")
    later = _LATER.match(rest)
    if later is not None:
        count, unit = later.group("count").casefold(), later.group("unit").casefold()
        return reader.later(count, unit, due, sooner=bool(later.group("sooner")))
    for _ in range(3):
        whole = next(((name, hit) for name, shape in _ALONE.items() if (hit := shape.match(rest)) is not None), None)
        if whole is not None:
            if (
                whole[0] == "clock"
                and due is None
                and not re.search(r"\d\s*[ap]\.?m|:\d\d|noon|midnight|^at\b", rest, re.I)
            ):
                return {}  # A bare number is an hour only where there was one.
            return reader.fields(due) if reader.take(*whole) else {}
        part = _at_end(rest)
        if part is None or not reader.take(*part):
            return {}
        rest = rest[: part[1].start()].strip()
    return {}


class _TimeReader:
    """Collects the parts, and puts them together as fields."""

    def __init__(self, now: datetime) -> None:
        self._now = now
        self._today = now.date()
        self._day: date | None = None
        self._clock: str | None = None
        self._bare = False
        self._kept: dict[str, str] = {}

    def take(self, kind: str, found: re.Match[str]) -> bool:
        """Whether the part is one that was not there yet."""
        parts = {name: value.casefold() for name, value in found.groupdict().items() if value}
        if kind == "repeat":
            return self._repeat(parts)
        if kind == "priority":
            return self._priority(parts)
        if kind in {"clock", "sure"}:
            return self._time(parts)
        return self._on(parts)

    def fields(self, due: str | None = None) -> dict[str, str]:
        """What was collected, as a task keeps it."""
        if self._day is None and self._clock is None and "repeat" in self._kept and due is None:
            self._day = first_time(self._kept["repeat"], self._today)
        if self._day is None and self._clock is None:
            return dict(self._kept)
        clock = self._clock or (due[11:] if due and "T" in due else None)
        day = self._day or (None if due is None else date.fromisoformat(due[:10]))
        if day is None:
            day = self._today
            if clock is not None and clock <= self._now.strftime("%H:%M"):
                later = f"{(int(clock[:2]) + 12) % 24:02d}{clock[2:]}"
                bare = self._bare and "repeat" not in self._kept
                if bare and int(clock[:2]) < 12 and later > self._now.strftime("%H:%M"):
                    clock = later
                else:
                    day += timedelta(days=1)
            if "repeat" in self._kept:
                day = first_time(self._kept["repeat"], day)
        return {**self._kept, "due": day.isoformat() + (f"T{clock}" if clock else "")}

    def later(self, count: str, unit: str, due: str | None, *, sooner: bool = False) -> dict[str, str]:
        """So much later than it was due, or than today; or so much sooner."""
        if sooner and due is not None and "T" not in due and unit.startswith(("min", "hour", "hr")):
            due = f"{due}T{_PARTS['morning']}"
        if due is not None:
            base = datetime.fromisoformat(due)
            self._now, self._today = base, base.date()
        if (sooner and due is None) or not self._after(count, unit) or self._day is None:
            return {}
        if sooner and self._clock is not None:
            base = datetime.fromisoformat(str(due))
            at = base - (datetime.fromisoformat(f"{self._day.isoformat()}T{self._clock}") - base)
            self._day, self._clock = at.date(), at.strftime("%H:%M")
        elif sooner:
            self._day = self._today - (self._day - self._today)
        clock = self._clock or (due[11:] if due and "T" in due else None)
        return {"due": self._day.isoformat() + (f"T{clock}" if clock else "")}

    def _on(self, parts: dict[str, str]) -> bool:
        if self._day is not None:
            return False
        if "count" in parts:
            return self._after(parts["count"], parts["unit"])
        if "weekday" in parts:
            name = parts["weekday"] if parts["weekday"] in WEEKDAYS else _SHORT[parts["weekday"]]
            ahead = (WEEKDAYS.index(name) - self._today.weekday() - 1) % 7 + 1
            self._day = self._today + timedelta(days=ahead)
            if parts.get("which") == "next":
                named = find_periods(f"next {name}", anchor=self._today)
                self._day = next((match.start for match in named if match.start is not None), self._day)
        elif "nth" in parts:
            self._day = self._nth(int(parts["nth"]))
        elif "abs" in parts:
            self._day = self._dated(parts["abs"])
        else:
            self._day = self._relative(parts["rel"])
        part = parts.get("part") or next((part for part in _PARTS if part in parts.get("rel", "")), None)
        if part is not None and self._clock is None:
            self._clock = _PARTS[part]
        return self._day is not None

    def _relative(self, words: str) -> date | None:
        today = self._today
        if (
            words.startswith(("today", "tonight", "this morning", "this afternoon", "this evening"))
            or words.endswith(" day")
            or words == "eod"
        ):
            return today
        if "after tomorrow" in words:
            return today + timedelta(days=2)
        if words.startswith("tomorrow"):
            return today + timedelta(days=1)
        if "weekend" in words:
            return today + timedelta(days=(5 - today.weekday()) % 7 + (7 if words.startswith("next") else 0))
        if (words.endswith("week") and "end" in words) or words == "eow" or words == "later this week":
            return today + timedelta(days=(4 - today.weekday()) % 7)
        if words.endswith("month") and "end" in words:
            return today.replace(day=monthrange(today.year, today.month)[1])
        if words.endswith("year") and "end" in words:
            return date(today.year, 12, 31)
        return next((match.start for match in find_periods(words, anchor=today) if match.start is not None), None)

    def _after(self, count: str, unit: str) -> bool:
        half = count == "half an"
        many = 0 if half else int(count) if count.isdigit() else _NUMBERS[count]
        if unit.startswith(("min", "hour", "hr")):
            span = (
                timedelta(minutes=30)
                if half
                else timedelta(minutes=many)
                if unit.startswith("min")
                else timedelta(hours=many)
            )
            # A due time has whole minutes; the next one, since a reminder that comes too early is none.
            at = (self._now + span + timedelta(minutes=1, microseconds=-1)).replace(second=0, microsecond=0)
            self._day, self._clock = at.date(), at.strftime("%H:%M")
        elif unit.startswith("month"):
            year, month = divmod(self._today.year * 12 + self._today.month - 1 + many, 12)
            self._day = date(year, month + 1, min(self._today.day, monthrange(year, month + 1)[1]))
        else:
            self._day = self._today + timedelta(days=many * (7 if unit.startswith("week") else 1))
        return True

    def _nth(self, day: int) -> date | None:
        year, month = self._today.year, self._today.month
        for _ in range(12):
            if 1 <= day <= monthrange(year, month)[1] and date(year, month, day) > self._today:
                return date(year, month, day)
            year, month = (year + 1, 1) if month == 12 else (year, month + 1)
        return None

    def _dated(self, words: str) -> date | None:
        found = next((match for match in find_periods(words, anchor=self._today) if match.start is not None), None)
        if found is None or found.start is None or found.grain != "day":
            return None
        day = found.start
        if found.ambiguity == "year_missing":
            for year in (self._today.year, self._today.year + 1):
                if day.day <= monthrange(year, day.month)[1] and day.replace(year=year) >= self._today:
                    return day.replace(year=year)
        return day

    def _time(self, parts: dict[str, str]) -> bool:
        if self._clock is not None:
            return False
        if "named" in parts:
            self._clock = "00:00" if parts["named"] == "midnight" else "12:00"
            return True
        if "spoken" in parts:
            return self._spoken(parts)
        hour, minute = int(parts.get("hour") or parts["hour2"]), int(parts.get("minute") or parts.get("minute2") or 0)
        half = parts.get("half", "").casefold().replace(".", "")
        half = "am" if half == "in the morning" else "pm" if half in _LATE and 1 <= hour <= 12 else half
        if hour > 24 or (half in {"am", "pm"} and not 1 <= hour <= 12):
            return False
        if half in {"am", "pm"}:
            hour = hour % 12 + (12 if half == "pm" else 0)
        elif 1 <= hour <= 6 and "minute2" not in parts:
            hour, self._bare = hour + 12, False  # "At 5" is in the afternoon.
        else:
            self._bare = "hour2" not in parts
        self._clock = f"{hour % 24:02d}:{minute:02d}"
        return True

    def _spoken(self, parts: dict[str, str]) -> bool:
        """A clock in words: "quarter past three" is in the afternoon."""
        named = parts["spoken"].replace("-", " ")
        minute = int(named) if named.isdigit() else _MINUTES.get(named, 25)
        hour = int(parts["of"]) if parts["of"].isdigit() else _HOURS.index(parts["of"]) + 1
        if hour > 12 or minute > 30:
            return False
        at = (hour + 12 if 1 <= hour <= 6 else hour) * 60 + (minute if parts["side"] == "past" else -minute)
        self._clock, self._bare = f"{at // 60 % 24:02d}:{at % 60:02d}", hour > 6
        return True

    def _repeat(self, parts: dict[str, str]) -> bool:
        if "repeat" in self._kept:
            return False
        word = parts.get("word") or parts.get("each") or parts.get("plural") or ""
        day = word.rstrip("s") if word.rstrip("s") in WEEKDAYS else _SHORT.get(word)
        if "other" in parts or word in {"fortnightly", "biweekly"}:
            self._kept["repeat"] = "biweekly"
            named = parts.get("other", "").rpartition(" ")[2]
            named = named if named in WEEKDAYS else _SHORT.get(named, "")
            if named and self._day is None:
                self._day = self._today + timedelta(days=(WEEKDAYS.index(named) - self._today.weekday() - 1) % 7 + 1)
        elif "monthday" in parts:
            self._kept["repeat"], self._day = "monthly", self._nth(int(parts["monthday"]))
        elif "many" in parts:
            many = int(parts["many"]) if parts["many"].isdigit() else _NUMBERS[parts["many"]]
            self._kept["repeat"] = (
                f"every {many} {parts['units']}"
                if many > 1
                else {"days": "daily", "weeks": "weekly"}.get(parts["units"], "monthly")
            )
        elif day is not None:
            self._kept["repeat"] = f"weekly on {day}"
        elif word in {"weekday", "working day", "workday", "weekdays"}:
            self._kept["repeat"] = "weekdays"
        else:
            self._kept["repeat"] = {"week": "weekly", "month": "monthly", "year": "yearly", "annually": "yearly"}.get(
                word, word if word.endswith("ly") and word != "daily" else "daily"
            )
        if word in _PARTS and self._clock is None:
            self._clock = _PARTS[word]
        return True

    def _priority(self, parts: dict[str, str]) -> bool:
        if "priority" in self._kept:
            return False
        said = parts.get("level") or parts.get("alone") or parts.get("named") or parts["p"]
        level = (
            "low"
            if said.startswith("low") or said in {"4", "p4"}
            else "normal"
            if said in {"normal", "medium", "3", "p3"}
            else "high"
        )
        self._kept["priority"] = level
        return True
