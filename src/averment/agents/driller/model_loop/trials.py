"""How a proposed hypothesis is tested: the tasks of its round, what its result means, and how that is told."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from averment.agents.driller.cause_claims import percent_of
from averment.agents.driller.cells import Cells
from averment.agents.driller.model_loop.proposals import Spec, cut_sql, series_sql
from averment.agents.driller.reading import CUBE, DAILY, query_task, reading_of
from averment.agents.driller.scripts import written
from averment.records.analysis import Subtask

if TYPE_CHECKING:
    from averment.records.claim import ClaimValue
    from averment.runtime.run_context import RunContext


GROUPS = '''
cut = read(CUT)
above, below = FIGURE


def level(chosen, side):
    """The figure over some groups, and its standard error from the rows alone."""
    part = cut.loc[chosen]
    count, noise = part[f"{above}_{side}"].sum(), np.sqrt(part[f"squares_{side}"].sum())
    per = part[f"{below}_{side}"].sum() if below else 1.0
    return (count / per, noise / abs(per)) if per else (np.nan, np.nan)


groups = {str(value): cut[AXIS] == value for value in cut[AXIS]} if AXIS else {}
if SEGMENT:
    chosen = pd.Series(True, index=cut.index)
    for name, value in SEGMENT.items():
        chosen &= cut[name] == value
    groups = {", ".join(f"{name} = {value}" for name, value in SEGMENT.items()): chosen}
found = []
rows = cut["rows_before"] + cut["rows_after"]
for value, inside in groups.items():
    (before, error0), (after, error1) = level(inside, "before"), level(inside, "after")
    (other0, _), (other1, _) = level(~inside, "before"), level(~inside, "after")
    growth = other1 / other0 if other0 else np.nan
    width = np.sqrt(error1**2 + (growth * error0) ** 2)
    found.append(
        {
            "value": value,
            "before": before,
            "after": after,
            "relative": after / before - 1.0 if before else np.nan,
            "rest": growth - 1.0,
            "standard_errors": (after - growth * before) / width if width > 0 else np.nan,
            "share_of_rows": rows[inside].sum() / rows.sum(),
        }
    )
found.sort(key=lambda row: -abs(row["standard_errors"]) if row["standard_errors"] == row["standard_errors"] else 0.0)
keep(found[:12])
'''

DAYS = """
daily = read("daily")
day = pd.to_datetime(daily["day"])
level = daily["total"] / daily["weight"] if RATIO else daily["total"]
period = day.between(*PERIOD)
chosen, others = period & day.between(FIRST, LAST), period & ~day.between(FIRST, LAST)
# Each day against its own weekday, so that a weekend is no event.
usual = level[others].groupby(day[others].dt.dayofweek).mean()
beside = level - day.dt.dayofweek.map(usual).fillna(level[others].mean())
inside, outside = beside[chosen], beside[others]
width = np.sqrt(inside.var(ddof=1) / len(inside) + outside.var(ddof=1) / len(outside)) if len(inside) > 1 else np.nan
keep(
    [
        {
            "first": FIRST,
            "last": LAST,
            "days": int(chosen.sum()),
            "mean_inside": level[chosen].mean(),
            "other_days": int(others.sum()),
            "mean_outside": level[others].mean(),
            "standard_errors": (inside.mean() - outside.mean()) / width if width > 0 else np.nan,
        }
    ]
)
"""

LAG = """
daily, other = read("daily"), read(SERIES)
metric = pd.Series(
    (daily["total"] / daily["weight"] if RATIO else daily["total"]).to_numpy(), index=pd.to_datetime(daily["day"])
)
series = pd.Series(other["x"].to_numpy(), index=pd.to_datetime(other["day"]) + pd.Timedelta(days=DAYS))
both = pd.concat({"metric": metric, "series": series}, axis=1).dropna().sort_index()
# Weekdays and slow trends would make any two series alike.
both = both - both.groupby(both.index.dayofweek).transform("mean")
moves = both.diff().dropna()
spread = bool(len(moves) > 2 and moves["metric"].std() > 0 and moves["series"].std() > 0)
r = float(moves["metric"].corr(moves["series"])) if spread else np.nan
keep(
    [
        {
            "days_earlier": DAYS,
            "days_compared": len(moves),
            "correlation": r,
            "standard_errors": r * np.sqrt((len(moves) - 2) / max(1.0 - r * r, 1e-12)) if spread else np.nan,
        }
    ]
)
"""


SECONDS, LIMIT = 0.5, 30
LEAST_ERRORS = {"segment": 5.0, "derived": 5.0, "other_table": 5.0, "lag": 4.0, "calendar": 3.5}
"""So many standard errors a result must lie away from chance: many groups and days are looked at."""
LEAST_APART = 0.1
LEAST_ROWS = 0.01
LEAST_CORRELATION = 0.3
LEAST_DAYS = 20
"""A difference from the rest, a share of the rows, a correlation and so many days below which nothing is confirmed."""


def tasks_of(work: RunContext, spec: Spec, number: int) -> tuple[Subtask, ...]:
    """The query and the script of the round that tests a spec; the last task holds the result."""
    reading = reading_of(work)
    question, name = f"Round {number}: {spec.title}?", f"round_{number:02d}"
    ratio, wanted = reading.metric.kind == "ratio", f"Rows for: {spec.title}"
    match spec.kind:
        case "segment":
            constants: dict[str, Any] = {"CUT": CUBE, "AXIS": None, "SEGMENT": dict(sorted(spec.segment.items()))}
            code = written(GROUPS, question, {**constants, "FIGURE": ("total", "weight" if ratio else None)})
            return (_python(name, spec, code, [CUBE]),)
        case "derived" | "other_table":
            cut = f"cut_{number:02d}"
            constants = {"CUT": cut, "AXIS": spec.axis_name, "SEGMENT": None}
            code = written(GROUPS, question, {**constants, "FIGURE": ("total", "weight" if ratio else None)})
            return query_task(work, cut, wanted, cut_sql(work, spec), SECONDS), _python(name, spec, code, [cut])
        case "lag":
            series = f"series_{number:02d}"
            code = written(LAG, question, {"SERIES": series, "DAYS": spec.days, "RATIO": ratio})
            query = query_task(work, series, wanted, series_sql(work, spec), SECONDS)
            return query, _python(name, spec, code, [series, DAILY])
        case "calendar":
            assert spec.first is not None
            assert spec.last is not None
            rows = reading.parsed_rows()
            period = next(one for one in (rows.baseline, rows.comparison) if one[0] <= spec.first <= one[1])
            constants = {
                "FIRST": spec.first.isoformat(),
                "LAST": spec.last.isoformat(),
                "PERIOD": [day.isoformat() for day in period],
                "RATIO": ratio,
            }
            return (_python(name, spec, written(DAYS, question, constants), [DAILY]),)


def holds(work: RunContext, task: str, spec: Spec) -> bool:
    """Whether a result is far enough from chance, and large enough, to confirm the hypothesis."""
    result = Cells(work, task)
    if abs(result.number(0, "standard_errors")) < LEAST_ERRORS[spec.kind]:
        return False
    match spec.kind:
        case "segment" | "derived" | "other_table":
            apart = abs(result.number(0, "relative") - result.number(0, "rest")) >= LEAST_APART
            return apart and result.number(0, "share_of_rows") >= LEAST_ROWS
        case "lag":
            enough = result.number(0, "days_compared") >= LEAST_DAYS
            return enough and abs(result.number(0, "correlation")) >= LEAST_CORRELATION
        case "calendar":
            usual = abs(result.number(0, "mean_outside"))
            return abs(result.number(0, "mean_inside") - result.number(0, "mean_outside")) >= LEAST_APART * usual


def told_of(result: Cells, spec: Spec, figure: str) -> tuple[str, list[ClaimValue], dict[str, str], str]:
    """The relation a result is told by, with its values, words and figure."""
    errors = [result.told("errors", 0, "standard_errors", "number:1")] if result.has(0, "standard_errors") else []
    match spec.kind:
        case "segment" | "derived" | "other_table":
            values = [result.told("value", 0, "value"), *result.told_apart(0, {"before": "before", "after": "after"})]
            values += percent_of(result, 0, "before", "after")
            values += [result.told("rest", 0, "rest", "fraction")] if result.has(0, "rest") else []
            return "tested_cut", [*values, *errors], {"cut": ", ".join(sorted(spec.segment)) or spec.axis_name}, figure
        case "lag":
            values = [
                result.told("earlier", 0, "days_earlier", "count"),
                result.told("days", 0, "days_compared", "count"),
            ]
            values += [result.told("correlation", 0, "correlation", "number:2")] if result.has(0, "correlation") else []
            what = f"rows of {spec.table}" if spec.function == "rows" else f"{spec.function} of {spec.axis_name}"
            return "tested_lag", [*values, *errors], {"series": what}, figure
        case "calendar":
            values = [
                result.told("first", 0, "first"),
                result.told("last", 0, "last"),
                result.told("days", 0, "days", "count"),
                result.told("others", 0, "other_days", "count"),
                *result.told_apart(0, {"inside": "mean_inside", "outside": "mean_outside"}),
            ]
            return "tested_days", [*values, *errors], {}, figure


METHODS = {
    "segment": "The segment's figure in both periods against what the rest of the data leads one to expect.",
    "derived": "Each group's figure in both periods against what the rest of the data leads one to expect.",
    "other_table": "Each group's figure in both periods against what the rest of the data leads one to expect.",
    "lag": "Day-to-day moves of both series, each freed of its weekdays, correlated at that distance.",
    "calendar": "The days' mean against the other days of the period, each day beside its own weekday.",
}


def _python(name: str, spec: Spec, code: str, inputs: list[str]) -> Subtask:
    return Subtask(
        task_id=name,
        description=spec.title,
        tool_name="python.run",
        dependencies=tuple(one for one in inputs if one not in {CUBE, DAILY}),
        estimated_cost_seconds=SECONDS,
        arguments={"code": code, "inputs": inputs, "timeout": LIMIT},
    )
