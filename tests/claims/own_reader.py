"""A reader and evaluator of told sentences that shares nothing with the product but the plan.

It reads a sentence with patterns of its own (``own_patterns``), computes the figures from the table's rows in plain
Python, and says what is false. A sentence it cannot read counts as false.
"""

import math
import re
import statistics
from typing import Any

from averment.plans.plan import Measure, Plan, Test

Row = dict[str, Any]
Key = tuple[Any, ...]
NUMBER = r"[-−]?[\d,]+(?:\.\d+)?(?:e[-+]\d+)?"
VALUE = rf"{NUMBER}(?: %| percentage points)?"


def holds(test: Test, row: Row) -> bool:
    value = row[test.value.column]  # type: ignore[union-attr,index]
    if value is None:
        return False
    match test.operator:
        case "=":
            return value == test.to[0]
        case "!=":
            return value != test.to[0]
        case "in":
            return value in test.to
        case "<":
            return value < test.to[0]
        case "<=":
            return value <= test.to[0]
        case ">":
            return value > test.to[0]
        case ">=":
            return value >= test.to[0]
    raise NotImplementedError(test.operator)


def figure(measure: Measure, rows: list[Row]) -> float | None:
    if measure.function == "rows":
        return len(rows)
    if measure.function == "rate":
        known = [row["fresh"] for row in rows if row["fresh"] is not None]
        return 100 * sum(known) / len(known) if known else None
    values = [row[measure.of.column] for row in rows if row[measure.of.column] is not None]  # type: ignore[union-attr,index]
    match measure.function:
        case "count":
            return len(values)
        case "distinct":
            return len(set(values))
    if not values:
        return None
    return {"sum": math.fsum, "mean": statistics.fmean, "min": min, "max": max, "median": statistics.median}[
        measure.function
    ](values)


def number(text: str) -> float:
    return float(text.replace(",", "").replace("−", "-").removesuffix(" %").removesuffix(" percentage points"))


def says(text: str, true: float | None) -> bool:
    """Whether a written number is the true one to the places it shows, and does not show a zero for what is none."""
    if true is None:
        return False
    bare = text.removesuffix(" %").removesuffix(" percentage points").replace(",", "")
    places = len(bare.partition(".")[2]) if "e" not in bare else 12
    told = number(text)
    if told == 0 and abs(true) > 1e-12:
        return False
    return abs(told - true) <= 0.5 * 10**-places * (1 + 1e-6) + 1e-9 * abs(true)


class World:
    """The rows in scope of a plan, and its groups with their figures."""

    def __init__(self, plan: Plan, rows: list[Row]) -> None:
        self.plan = plan
        self.rows = [row for row in rows if all(holds(test, row) for test in plan.where)]
        self.names = [value.column or "" for value in plan.by]
        self.groups: dict[Key, list[Row]] = {}
        for row in self.rows:
            self.groups.setdefault(tuple(row[name] for name in self.names), []).append(row)

    def figures(self, place: int = 0) -> dict[Key, float | None]:
        return {key: figure(self.plan.measures[place], rows) for key, rows in self.groups.items()}

    def key(self, said: str, names: list[str] | None = None) -> Key:
        """The key that words name: each heading with its value, or a bare value where there is one heading."""
        names = self.names if names is None else names
        if len(names) == 1:
            if said == f"rows with no value for {names[0]}":
                return (None,)
            return (_typed(said.removeprefix(f"{names[0]} ")),)
        found: dict[str, Any] = {}
        for part in said.split(" and "):
            if part.startswith("no value for "):
                found[part.removeprefix("no value for ")] = None
            else:
                heading, _, value = part.partition(" ")
                found[heading] = _typed(value)
        return tuple(found[name] for name in names)


def _typed(text: str) -> Any:
    if text in {"true", "false"}:
        return text == "true"
    return int(text) if re.fullmatch(r"-?\d+", text) else text


def bare(text: str, scope: str) -> str:
    """The sentence without its conditions, which the world takes from the plan."""
    if scope:
        led = f"{scope[:1].upper()}{scope[1:]}, "
        if text.startswith(led):
            text = text.removeprefix(led)
            text = text[:1].upper() + text[1:]
        else:
            text = text.replace(f", {scope}", "").replace(f" {scope}", "")
    return text.removesuffix(".")


def split_rows(text: str) -> list[tuple[str, str]]:
    """Each value with the words of whom it is of."""
    parts = re.split(rf"(?:; and |; |, | and )(?={VALUE} (?:for|in) )", text)
    found = [re.fullmatch(rf"({VALUE}) (?:for|in) (.+)", part) for part in parts]
    assert all(found), text
    return [(match[1], match[2]) for match in found if match]


def split_names(text: str) -> list[str]:
    """Names that share a place."""
    return [part for part in re.split(r"; and for |; for |; and |; |, | and ", text) if part]


def check(plan: Plan, rows: list[Row], text: str, scope: str) -> str | None:
    """What is false in a told sentence; nothing where it holds."""
    world = World(plan, rows)
    for test in plan.where:
        named = [*map(str, test.to), str(test.value.column if test.value else "")]
        if plan.asks is None and not all(part.casefold() in scope.casefold() for part in named):
            return "a condition is not said"
    from own_patterns import JUDGES

    said = bare(text, scope)
    for pattern, judge in JUDGES:
        if found := re.fullmatch(pattern, said):
            return judge(world, found)
    return f"it cannot be read: {said}"


def measure_of(world: World, words: str) -> int:
    """Which measure a figure's words are: its function and its column stand in them."""
    signs = {
        "rows": ("number of rows", ""),
        "rate": ("share of rows", ""),
        "count": ("number of known ", "of"),
        "distinct": ("number of different ", "of"),
        "sum": ("total ", "of"),
        "mean": ("average ", "of"),
        "median": ("median ", "of"),
        "min": ("lowest ", "of"),
        "max": ("highest ", "of"),
    }
    for place, measure in enumerate(world.plan.measures):
        sign, of = signs[measure.function]
        name = measure.of.column if of and measure.of is not None else ""
        if words.startswith(sign) and (not name or words == f"{sign}{name}"):
            return place
    raise LookupError(words)


def judge_figure(world: World, found: re.Match[str]) -> str | None:
    if world.plan.rank is not None and not world.plan.measures:
        return judge_end_of_rows(world, found)
    if world.names or world.plan.statistic is not None:
        return judge_rows(world, found)
    place = measure_of(world, found["figure"])
    true = figure(world.plan.measures[place], world.rows)
    return None if says(found["rest"], true) else f"{found['rest']} is {true}"


def judge_end_of_rows(world: World, found: re.Match[str]) -> str | None:
    values = [row["weight"] for row in world.rows if row["weight"] is not None]
    true = max(values) if found["figure"].startswith("highest") else min(values)
    return None if says(found["rest"], true) else f"{found['rest']} is {true}"


def judge_rows(world: World, found: re.Match[str]) -> str | None:
    if world.plan.statistic is not None:
        return judge_means(world, found)
    words, _, period = found["figure"].partition(" in ")
    figures = world.figures(measure_of(world, words))
    told = split_rows(found["rest"])
    if period:
        names = [name for name in world.names if name != "year"]
        figures = {key: value for key, value in figures.items() if key[world.names.index("year")] == int(period)}
        figures = {tuple(part for part in key if part != int(period)): value for key, value in figures.items()}
        return next(
            (f"{value} of {whom}" for value, whom in told if not says(value, figures.get(world.key(whom, names)))), None
        )
    for value, whom in told:
        key = world.key(whom)
        if key not in figures or not says(value, figures[key]):
            return f"{value} of {whom} is {figures.get(key)}"
    known = [key for key, value in figures.items() if value is not None]
    whole = world.plan.rank is None and world.plan.asks is None
    return "a row is left out" if whole and len(told) != len(known) else None


def judge_count(world: World, found: re.Match[str]) -> str | None:
    if found["noun"].startswith(("group", "groups")):
        known = [key for key in world.groups if world.plan.window is None or None not in key]
        along = world.plan.window.along if world.plan.window is not None else None
        true = len({tuple(part for place, part in enumerate(key) if place != along) for key in known})
    elif world.plan.measures and "of " in found["noun"]:
        values = {row[found["noun"].rpartition(" ")[2]] for row in world.rows}
        true = len(values - {None})
    elif found["noun"].startswith("different"):
        names = [value.column or "" for value in world.plan.show]
        true = len({tuple(row[name] for name in names) for row in world.rows if row[names[0]] is not None})
    else:
        true = len(world.rows)
    return None if number(found["count"]) == true else f"the count is {true}"


def judge_end(world: World, found: re.Match[str]) -> str | None:
    """The highest or lowest of all, with everyone who shares it, those without a name aside."""
    highest = found["end"] in {"highest", "most"}
    if world.plan.measures:
        figures = world.figures(0)
        windowed = ("share of the", "growth of", "change of")
        if world.plan.window is not None and found["figure"].startswith(windowed):
            figures = window_figures(world)
        names: list[str] | None = None
    else:
        shown = [value.column or "" for value in world.plan.show]
        names = shown
        figures = {}
        for row in world.rows:
            key = tuple(row[name] for name in shown)
            if row["weight"] is not None:
                best = figures.get(key, row["weight"])
                figures[key] = max(best, row["weight"]) if highest else min(best, row["weight"])  # type: ignore[type-var]
    named = {key: value for key, value in figures.items() if None not in key and value is not None}
    if world.plan.window is not None and world.plan.window.span is not None:
        names = [name for place, name in enumerate(world.names) if place != world.plan.window.along]
    place = {"": 0, "second ": 1}[found["place"] or ""]
    if place >= len(named):
        return "there is no such place"
    wanted = _place(list(named.values()), place, highest=highest)
    if not says(found["value"], wanted):
        return f"{found['value']} is {wanted}"
    told = [world.key(each, names) for each in split_whom(found["whom"], world, names)]
    true = [key for key, value in named.items() if abs(value - wanted) < 1e-12]
    return None if sorted(told, key=str) == sorted(true, key=str) else f"{true} have it"


def judge_shared(world: World, found: re.Match[str]) -> str | None:
    values = [value for key, value in world.figures(0).items() if value is not None and None not in key]
    if not world.plan.measures:
        values = [row["weight"] for row in world.rows if row["weight"] is not None]
    best = _place(values, 0, highest=found["end"] == "highest")
    many = len([value for value in values if abs(value - best) < 1e-12])
    return None if says(found["value"], best) and number(found["count"]) == many else f"{many} share {best}"


def _place(values: list[float], place: int, *, highest: bool) -> float:
    return sorted(values, reverse=highest)[place]


def window_figures(world: World) -> dict[Key, float | None]:
    """What a share or a change between two periods is for each group."""
    window, measure = world.plan.window, world.plan.measures[0]
    assert window is not None
    if window.kind == "share":
        named = {key: value for key, value in world.figures(0).items() if None not in key}
        whole = sum(value for value in named.values() if value is not None)
        return {key: None if not whole or value is None else 100 * value / whole for key, value in named.items()}
    assert window.span is not None
    others = [place for place in range(len(world.names)) if place != window.along]
    found: dict[Key, float | None] = {}
    for key in {tuple(key[place] for place in others) for key in world.groups}:
        ends = []
        for period in window.span:
            rows = [
                row
                for row in world.rows
                if row["year"] == period and all(row[world.names[p]] == k for p, k in zip(others, key, strict=True))
            ]
            ends.append(figure(measure, rows))
        before, after = ends
        if before is None or after is None or (window.kind == "growth" and before <= 0):
            found[key] = None
        else:
            found[key] = 100 * (after - before) / before if window.kind == "growth" else after - before
    return found


def split_whom(text: str, world: World, names: list[str] | None) -> list[str]:
    count = len(world.names if names is None else names)
    if count > 1:
        return [part.removeprefix("for ") for part in re.split(r"; and |; ", text)]
    return [re.sub("^(?:for|in) ", "", part) for part in re.split(r"; and |; |, | and ", text)]


def judge_rank(world: World, found: re.Match[str]) -> str | None:
    """The first few in order; with whoever shares the last place, and within each group where it says so."""
    highest, cut = found["end"] == "highest", world.plan.rank
    assert cut is not None
    if world.plan.measures:
        figures = {key: value for key, value in world.figures(0).items() if None not in key and value is not None}
        between = r"; |, (?=\S+ with|\S+ \S+ with)| and (?=\S+ with|\S+ \S+ with)" if len(world.names) == 1 else "; "
        told = [re.fullmatch(rf"(.+) with ({VALUE})", part) for part in re.split(between, found["rest"])]
        pairs = [(world.key(match[1]), match[2]) for match in told if match]
        if len(pairs) != len(told):
            return f"it cannot be read: {found['rest']}"
        true: list[tuple[Key, float]] = []
        for group in {tuple(key[place] for place in cut.within) for key in figures}:
            mine = [
                (key, value) for key, value in figures.items() if tuple(key[place] for place in cut.within) == group
            ]
            edge = sorted((value for _, value in mine), reverse=highest)[: cut.limit][-1]
            true += [
                (key, value) for key, value in mine if (value >= edge - 1e-12 if highest else value <= edge + 1e-12)
            ]
        if sorted(str(key) for key, _ in pairs) != sorted(str(key) for key, _ in true):
            return f"the first are {true}"
        return next((f"{value} of {key}" for key, value in pairs if not says(value, figures[key])), None)
    return None


def judge_asked(world: World, found: re.Match[str]) -> str | None:
    figures = world.figures(0)
    one, two = world.key(found["one"]), world.key(found["two"])
    first, second = figures.get(one), figures.get(two)
    if first is None or second is None or not says(found["first"], first) or not says(found["second"], second):
        return f"the sides are {first} and {second}"
    word = "the same" if abs(first - second) < 1e-12 else "higher" if first > second else "lower"
    if word != (found["word"] if "word" in found.groupdict() else "the same"):
        return f"it is {word}"
    named = next(
        (list(test.to) for test in world.plan.where if test.operator == "in" and test.value == world.plan.by[0]), None
    )
    if named is not None and one[0] != named[0] and "the same" not in found[0]:
        return "the sides are turned"
    if found["answer"]:
        yes = word == {"more": "higher", "less": "lower"}[world.plan.asks or "more"]
        if (found["answer"] == "Yes: ") != yes:
            return "the verdict is wrong"
    return None


def judge_difference(world: World, found: re.Match[str]) -> str | None:
    figures = world.figures(0)
    first, second = figures.get(world.key(found["one"])), figures.get(world.key(found["two"]))
    if first is None or second is None:
        return "a side has no figure"
    right = found["word"] == ("higher" if first > second else "lower")
    return None if right and says(found["derived"], abs(first - second)) else f"they are {first} and {second}"


def judge_moved(world: World, found: re.Match[str]) -> str | None:
    """From the first period in scope to the last, or between the two that the plan names."""
    whom = found["whom"]
    rows = world.rows
    names = [name for name in world.names if name != "year"]
    if names:
        key = dict(zip(names, world.key(whom.removeprefix(" for "), names) if len(names) == 1 else (), strict=False))
        rows = [row for row in rows if all(row[name] == value for name, value in key.items())]
    measure = world.plan.measures[0]
    years = sorted({row["year"] for row in rows})
    known = [year for year in years if figure(measure, [row for row in rows if row["year"] == year]) is not None]
    span = world.plan.window.span if world.plan.window is not None and world.plan.window.span else (known[0], known[-1])
    if (int(found["start"]), int(found["end"])) != tuple(span):
        return f"the span is {span}"
    before, after = (figure(measure, [row for row in rows if row["year"] == year]) for year in span)
    if before is None or after is None or not says(found["before"], before) or not says(found["after"], after):
        return f"it went from {before} to {after}"
    verb = "is the same" if abs(before - after) < 1e-12 else "rose" if after > before else "fell"
    if verb != (found["verb"] or "is the same"):
        return f"it {verb}"
    change = found["change"]
    if change:
        true = (
            100 * abs(after - before) / abs(before)
            if change.endswith(" %") and (world.plan.window is None or world.plan.window.kind == "growth")
            else abs(after - before)
        )
        return None if says(change, true) else f"the change is {true}"
    return None


def judge_shares(world: World, found: re.Match[str]) -> str | None:
    figures, shares = world.figures(0), window_figures(world)
    between = r"; and |; |, (?=[^,(]* accounts)| and (?=[^,(]* accounts)" if len(world.names) == 1 else r"; and |; "
    parts = re.split(between, found["rest"])
    for part in parts:
        match = re.fullmatch(rf"(.+) accounts for ({VALUE}) \(({VALUE})\)", part)
        if match is None:
            return f"it cannot be read: {part}"
        key = world.key(match[1])
        if not says(match[2], shares.get(key)) or not says(match[3], figures.get(key)):
            return f"{key} has {shares.get(key)}"
    return (
        None if len(parts) == len([value for value in shares.values() if value is not None]) else "a part is left out"
    )


def judge_share(world: World, found: re.Match[str]) -> str | None:
    key = world.key(found["whom"])
    right = says(found["share"], window_figures(world).get(key)) and says(found["value"], world.figures(0).get(key))
    return None if right else f"{key} has {window_figures(world).get(key)}"


def judge_list(world: World, found: re.Match[str]) -> str | None:
    wrong = judge_count(world, found)
    if wrong:
        return wrong
    names = [value.column or "" for value in world.plan.show] or world.names
    if world.plan.window is not None:
        names = [name for place, name in enumerate(names) if place != world.plan.window.along]
    true = [tuple(row[name] for name in names) for row in world.rows]
    for part in re.split(r", (?![^(]*\))| and (?![^(]*\))", found["items"]):
        match = re.fullmatch(r"([^(]+?)(?: \((.*)\))?", part)
        assert match is not None
        told = [match[1], *([match[2].partition(" ")[2]] if match[2] else [])]
        if not any([_shown(value) for value in row] == told for row in true):
            return f"no row is {told}"
    return None


def _shown(value: Any) -> str:
    return "no value" if value is None else str(value).lower() if isinstance(value, bool) else str(value)


def judge_row(world: World, found: re.Match[str]) -> str | None:
    names = [value.column or "" for value in world.plan.show or world.plan.by]
    true = {tuple(row[name] for name in names) for row in world.rows}
    return None if any(_shown(value) in found["rest"] for row in true for value in row) else "there is no such row"


def judge_none(world: World, found: re.Match[str]) -> str | None:
    if "second" in found[0]:
        figures = [value for key, value in world.figures(0).items() if value is not None and None not in key]
        return None if len(figures) < 2 else "there is one"
    shown = [value.column or "" for value in world.plan.show]
    left = [row for row in world.rows if not shown or not world.plan.distinct or row[shown[0]] is not None]
    if world.plan.statistic is not None:
        return None
    if world.plan.rank is not None and not world.plan.measures:
        left = [row for row in left if row["weight"] is not None]
    if world.plan.measures and (
        world.plan.rank is not None or world.plan.window is not None or world.plan.asks is not None
    ):
        figures = [figure for key, figure in world.figures(0).items() if None not in key]
        return "there are groups" if any(figure is not None for figure in figures) else None
    return f"there are {len(left)}" if left else None


def judge_no_figure(world: World, found: re.Match[str]) -> str | None:
    if world.plan.statistic is not None:
        return None
    if found["figure"].startswith(("growth of", "change of")):
        known = [value for value in window_figures(world).values() if value is not None]
        return f"there are {known}" if known else None
    words, _, period = found["figure"].partition(" in ")
    rows = [row for row in world.rows if not period or row["year"] == int(period)]
    if world.names and not period:
        grouped = "no group by" in found[0]
        known = [v for key, v in world.figures(0).items() if v is not None and not (grouped and None in key)]
        return f"there are {known}" if known else None
    true = figure(world.plan.measures[measure_of(world, words)], rows)
    return None if true is None else f"it is {true}"


def judge_correlation(world: World, found: re.Match[str]) -> str | None:
    pairs = [
        (row["pieces"], row["weight"]) for row in world.rows if row["pieces"] is not None and row["weight"] is not None
    ]
    r = statistics.correlation(*zip(*pairs, strict=True))
    word = "hardly" if abs(r) < 0.1 else "weakly" if abs(r) < 0.4 else "moderately" if abs(r) < 0.7 else "strongly"
    if abs(abs(r) - 0.1) < 1e-9 or not says(found["r"], r) or number(found["rows"]) != len(pairs):
        return f"r is {r} over {len(pairs)}"
    sign = "positively" if r > 0 else "negatively"
    return None if word in found["word"] and (word == "hardly" or sign in found["word"]) else f"they go {word}, {sign}"


def judge_differs(world: World, found: re.Match[str]) -> str | None:
    groups: dict[Any, list[float]] = {}
    for row in world.rows:
        groups.setdefault(row["person"], [])
        if row["weight"] is not None:
            groups[row["person"]].append(row["weight"])
    told = {whom: value for value, whom in split_rows(found["rest"])}
    if set(told) != set(groups) or not all(
        says(told[name], statistics.fmean(values)) for name, values in groups.items()
    ):
        return "the means are others"
    if len(groups) == 2:
        one, two = (groups[name] for name in sorted(groups))
        t = (statistics.fmean(one) - statistics.fmean(two)) / math.sqrt(
            statistics.variance(one) / len(one) + statistics.variance(two) / len(two)
        )
        return None if says(found["statistic"], t) else f"t is {t}"
    return None


def judge_means(world: World, found: re.Match[str]) -> str | None:
    for value, whom in split_rows(found["rest"]):
        values = [row["weight"] for row in world.rows if row["person"] == whom and row["weight"] is not None]
        if not values or not says(value, statistics.fmean(values)):
            return f"{whom} has another mean"
    return None


def judge_spans(world: World, found: re.Match[str]) -> str | None:
    values = [row["weight"] for row in world.rows if row["weight"] is not None]
    right = (
        number(found["count"]) == len(values) and says(found["low"], min(values)) and says(found["high"], max(values))
    )
    return None if right else f"{len(values)} from {min(values)} to {max(values)}"


def judge_fullest(world: World, found: re.Match[str]) -> str | None:
    values = [row["weight"] for row in world.rows if row["weight"] is not None]
    most = number(found["count"])
    return None if 0 < most <= len(values) else "no bin has so many"


def judge_outliers(world: World, found: re.Match[str]) -> str | None:
    values = [row["weight"] for row in world.rows if row["weight"] is not None]
    low, high = number(found["low"]), number(found["high"])
    outside = [value for value in values if value < low - 0.005 or value > high + 0.005]
    right = (
        number(found["count"]) == len(outside)
        and says(found["least"], min(outside))
        and says(found["most"], max(outside))
    )
    return None if right else f"outside are {outside}"
