"""The code of each kind of round: short Python over the cube and the days, readable and runnable by hand in the jail.

A script begins with the question it answers and its constants, reads the tables of earlier tasks, prints what it found
and leaves the same as its result table. Nothing of Averment is needed to run it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from averment.errors.extras import require

Script = Literal["fault", "calendar", "tree", "segment", "mix", "spread", "inside", "onset", "sum"]

_READ = '''
import numpy as np
import pandas as pd
import pyarrow as pa


def read(task):
    """The table that a task left."""
    with pa.OSFile(f"/in/{task}.arrow") as file, pa.ipc.open_file(file) as table:
        return table.read_all().to_pandas()


def plain(value):
    """A value as Python has it; what is no number is nothing."""
    value = value.item() if hasattr(value, "item") else value
    return None if isinstance(value, float) and value != value else value


def keep(rows):
    """Print the rows and leave them as the result."""
    names = list(dict.fromkeys(name for row in rows for name in row))
    table = pa.table({name: pa.array([plain(row.get(name)) for row in rows]) for name in names})
    with pa.OSFile("/out/result.arrow", "wb") as file, pa.ipc.new_file(file, table.schema) as result:
        result.write_table(table)
    print(pd.DataFrame(rows).to_string(index=False))

'''

_FAULT = """
daily = read("daily")
day = pd.to_datetime(daily["day"])
found = []
for period, (first, last) in PERIODS.items():
    inside = daily[day.between(first, last)]
    days = pd.date_range(first, last)
    rows, nulls = inside["row_count"].sum(), inside["nulls"].sum()
    missing = [str(each.date()) for each in days if not (day == each).any()]
    found.append(
        {
            "period": period,
            "days": len(days),
            "days_with_rows": len(inside),
            "missing_days": ", ".join(missing) or "none",
            "row_count": int(rows),
            "without_value": nulls / rows,
            "mean_value": inside["total"].sum() / max(rows - nulls, 1),
            "most_rows_on_a_day": int(inside["row_count"].max()),
            "median_rows_a_day": float(inside["row_count"].median()),
            "copies_of_a_row": rows / inside["distinct_rows"].sum() if "distinct_rows" in daily else None,
        }
    )
keep(found)
"""

_CALENDAR = """
daily = read("daily")
day = pd.to_datetime(daily["day"])
found = []
for period, (first, last) in PERIODS.items():
    days = pd.date_range(first, last)
    inside = daily[day.between(first, last)]
    found.append(
        {
            "period": period,
            "days": len(days),
            "weekend_days": int((days.dayofweek >= 5).sum()),
            "rows_a_day": inside["row_count"].mean(),
            "total_a_day": inside["total"].mean(),
            "weekday_rows": inside["row_count"][day[inside.index].dt.dayofweek < 5].mean(),
            "weekend_rows": inside["row_count"][day[inside.index].dt.dayofweek >= 5].mean(),
        }
    )
keep(found)
"""

_TREE = """
cube = read("cube")
sums = {side: cube.filter(like=f"_{side}").sum() for side in ("before", "after")}
found, parts = [], {}
for name, (above, below) in TREE.items():
    level = []
    for side in ("before", "after"):
        divisor = 1.0 if below is None else sums[side][f"{below}_{side}"]
        level.append(sums[side][f"{above}_{side}"] / divisor if divisor else np.nan)
    parts[name] = level
product = np.prod([level for level in parts.values()], axis=0)
if RATIO:
    product = parts["numerator"][0] / parts["denominator"][0], parts["numerator"][1] / parts["denominator"][1]
# The logarithmic mean shares the change out over the factors without a remainder.
steady = min(product) > 0 and product[0] != product[1]
mean = (product[1] - product[0]) / np.log(product[1] / product[0]) if steady else np.nan
for name, (before, after) in parts.items():
    sign = -1.0 if name == "denominator" else 1.0
    part = sign * mean * np.log(after / before) if steady and min(before, after) > 0 else np.nan
    found.append(
        {
            "factor": name,
            "before": before,
            "after": after,
            "relative": after / before - 1.0 if before else np.nan,
            "part_of_change": part,
            "share_of_change": part / (product[1] - product[0]) if steady else np.nan,
        }
    )
keep(found)
"""

_CHOSEN = """
cube = read("cube")
for name, renamed in MERGES.items():
    cube[name] = cube[name].replace(renamed)
inside = pd.Series(True, index=cube.index)
for name, value in SEGMENT.items():
    inside &= cube[name] == value
"""

_SEGMENT = '''\
above, below, spread = FIGURE


def level(chosen, side):
    """The figure over some leaves, and its standard error from the rows alone."""
    part = cube.loc[chosen]
    count, noise = part[f"{above}_{side}"].sum(), part[f"{spread}_{side}"].sum()
    per = part[f"{below}_{side}"].sum() if below else 1.0
    if SHARE:
        per = cube[f"{above}_{side}"].sum()
    scale = SCALE[side]
    return (scale * count / per, scale * np.sqrt(noise) / abs(per)) if per else (np.nan, np.nan)


found = []
for name, chosen in (("segment", inside), ("rest", ~inside)):
    (before, error0), (after, error1) = level(chosen, "before"), level(chosen, "after")
    width = np.sqrt(error0**2 + error1**2)
    found.append(
        {
            "part": name,
            "before": before,
            "after": after,
            "relative": after / before - 1.0 if before else np.nan,
            "standard_errors": (after - before) / width if width > 0 else np.nan,
            "share_of_rows_before": cube.loc[chosen, "rows_before"].sum() / cube["rows_before"].sum(),
            "share_of_rows_after": cube.loc[chosen, "rows_after"].sum() / cube["rows_after"].sum(),
        }
    )
keep(found)
'''

_MIX = """\
group = pd.Series(np.where(chosen, "segment", "rest"), index=cube.index)
found = []
sums = cube.groupby(group)[["total_before", "weight_before", "total_after", "weight_after"]].sum()
share0, share1 = sums["weight_before"] / sums["weight_before"].sum(), sums["weight_after"] / sums["weight_after"].sum()
rate0, rate1 = sums["total_before"] / sums["weight_before"], sums["total_after"] / sums["weight_after"]
rate0, rate1 = rate0.fillna(rate1), rate1.fillna(rate0)
# Midpoint weights treat both periods alike, so mix and rate sum to the change.
mix, rate = (share1 - share0) * (rate0 + rate1) / 2, (rate1 - rate0) * (share0 + share1) / 2
for name in ("segment", "rest"):
    if name in sums.index:
        found.append(
            {
                "part": name,
                "share_before": share0[name],
                "share_after": share1[name],
                "rate_before": rate0[name],
                "rate_after": rate1[name],
                "by_mix": mix[name],
                "by_rate": rate[name],
            }
        )
found.append({"part": "whole", "by_mix": mix.sum(), "by_rate": rate.sum()})
keep(found)
"""

_SPREAD = """
import math

cube = read("cube")
above, below = ("total", "weight") if FIGURE == "rate" else (FIGURE, None)
sums = cube.groupby(DIMENSION)[[c for c in cube.columns if c.endswith(("_before", "_after"))]].sum()
whole = sums.sum()
found = []
for value, own in sums.iterrows():
    rest = whole - own
    if below:
        level = [part[f"{above}_{side}"] / part[f"{below}_{side}"] if part[f"{below}_{side}"] else np.nan
                 for part in (own, rest) for side in ("before", "after")]
        moved, alike = level[1] - level[0], level[3] - level[2]
        noise = sum(part[f"squares_{side}"] / part[f"{below}_{side}"] ** 2
                    for part in (own, rest) for side in ("before", "after") if part[f"{below}_{side}"])
        had = own["weight_before"] / whole["weight_before"] if whole["weight_before"] else np.nan
    else:
        spread = "rows" if above == "rows" else "squares"
        up = rest[f"{above}_after"] / rest[f"{above}_before"] if rest[f"{above}_before"] else np.nan
        moved, alike = own[f"{above}_after"], own[f"{above}_before"] * up
        noise = own[f"{spread}_after"] + up**2 * own[f"{spread}_before"]
        noise += (own[f"{above}_before"] / rest[f"{above}_before"]) ** 2 * (
            rest[f"{spread}_after"] + up**2 * rest[f"{spread}_before"]
        ) if rest[f"{above}_before"] else 0.0
        had = own[f"{above}_before"] / whole[f"{above}_before"] if whole[f"{above}_before"] else np.nan
    error = (moved - alike) / np.sqrt(noise) if noise and noise > 0 else np.nan
    if error == error:
        # How far the value is from moving alike with the rest, in standard errors of both.
        found.append({"value": str(value), "share_before": had, "standard_errors": error})
found.sort(key=lambda row: (-abs(row["standard_errors"]), row["value"]))
if PRICED:
    # The largest of many values is far from the rest by chance alone; so often at least one of them would be.
    for row in found:
        row["chance"] = 1.0 - (1.0 - math.erfc(abs(row["standard_errors"]) / math.sqrt(2))) ** len(found)
keep(found[:5] or [{"value": "none", "share_before": 0.0, "standard_errors": 0.0, "chance": 1.0}])
"""

_INSIDE = """\
part = cube.loc[inside]
whole = part[f"{MEASURE}_after"].sum() - part[f"{MEASURE}_before"].sum() * STEP
found = []
for name in DIMENSIONS:
    sums = part.groupby(name)[[f"{MEASURE}_before", f"{MEASURE}_after"]].sum()
    moved = sums[f"{MEASURE}_after"] - sums[f"{MEASURE}_before"] * STEP
    largest = (moved * np.sign(whole)).idxmax()
    found.append(
        {
            "dimension": name,
            "value": str(largest),
            "values": len(sums),
            "share_before": sums.loc[largest, f"{MEASURE}_before"] / max(sums[f"{MEASURE}_before"].sum(), 1e-300),
            "share_of_move": moved[largest] / whole if whole else np.nan,
        }
    )
found.sort(key=lambda row: -(row["share_of_move"] - row["share_before"]))
keep(found)
"""

_ONSET = '''
inside, daily = read(DAYS), read("daily")
both = daily[["day", COLUMN]].merge(inside[["day", COLUMN]], on="day", how="left", suffixes=("_all", "_in")).fillna(0)
day = pd.to_datetime(both["day"])
first, last = (edge(ends) for edge, ends in zip((min, max), zip(*PERIODS.values())))
both = both[day.between(first, last)].reset_index(drop=True)
share = both[f"{COLUMN}_in"] / both[f"{COLUMN}_all"].where(both[f"{COLUMN}_all"] != 0)
share = share.fillna(0.0).to_numpy()
days = len(share)
place = np.arange(days)
apart = share - share.mean() if days else share
spread = float((apart**2).sum())
so_far = np.concatenate([[0.0], np.cumsum(apart)])


def two_levels(cut, end):
    """The shape that has one level from a day to another, and one outside."""
    inside = (place >= cut) & (place < end)
    return np.where(inside, share[inside].mean(), share[~inside].mean())


def ramp(cut):
    """The shape that moves by as much every day, from a day on."""
    grown = np.maximum(place - cut + 1, 0)
    slope, level = np.polyfit(grown, share, 1)
    return level + slope * grown


def misfit(fitted):
    """How far the share is from a shape, summed over the days."""
    return float(((share - fitted) ** 2).sum())


def misfits(cut, ends):
    """The misfit of two levels for each end at once, from sums over the days; sums that differ by noise are one."""
    moved, inside = so_far[ends] - so_far[cut], ends - cut
    explained = moved**2 / inside + moved**2 / np.maximum(days - inside, 1)
    return np.round(1 - explained / (spread or 1), 12)


# A step lasts to the end; a pulse goes back; a gap is a pulse with hardly anything in it; a ramp moves day by day.
steps, pulses, ramps = [], [], []
for cut in range(1, days):
    steps.append((misfits(cut, np.array([days]))[0], cut, days))
    ends = np.arange(cut + 1, min(days - 1, cut + days // 2))
    if len(ends):
        each = misfits(cut, ends)
        pulses.append((each.min(), cut, int(ends[each.argmin()])))
    if cut < days - 4:
        ramps.append((misfit(ramp(cut)), cut, days))
found = {}
for shape, free, fits in (("step", 3, steps), ("pulse", 4, pulses), ("ramp", 3, ramps)):
    if fits:
        ends = min(fits)[1:]
        left = misfit(ramp(ends[0]) if shape == "ramp" else two_levels(*ends))
        # A shape with more freedom must fit that much better; a step is told where none is clearly better.
        price = days * np.log(max(left, 1e-12) / days) + free * np.log(days) + (0 if shape == "step" else 6)
        found[shape] = (price, shape, ends, left)
_, shape, (cut, end), left = min(found.values()) if found else (0.0, "step", (0, days), np.nan)
outside, inside = (place < cut) | (place >= end), (place >= cut) & (place < end)
before, after = share[outside].mean() if cut else np.nan, share[inside].mean() if cut else np.nan
if shape == "ramp":
    line = ramp(cut)
    before, after = line[0], min(max(line[-1], 0.0), 1.0)
if shape == "pulse" and after <= 0.1 * before:
    shape = "gap"
keep(
    [
        {
            "onset": str(both["day"][cut]) if cut else "none",
            "shape": shape,
            "until": str(both["day"][end - 1]) if cut else "none",
            "days_before": cut,
            "days_after": end - cut,
            "share_before": min(max(before, 0.0), 1.0) if before == before else before,
            "share_after": after,
            "misfit_left": left / spread if cut and spread else np.nan,
        }
    ]
)
'''

_SUM = """
parts = read("attribution")
change = parts.loc[parts["part"] == "change", "contribution"].iloc[0]
named = parts.loc[parts["part"] == "explanation"]
rest = parts.loc[parts["part"] == "unexplained", "contribution"].iloc[0]
expected = named["kind"].isin(["calendar", "seasonal", "trend"])
faulty = named["kind"].isin(["data_fault", "outlier"])
calendar = named.loc[expected, "contribution"].sum()
faults = named.loc[faulty, "contribution"].sum()
causes = named.loc[~expected & ~faulty & (named["kind"] != "noise"), "contribution"].sum()
rest = rest + named.loc[named["kind"] == "noise", "contribution"].sum()
keep(
    [
        {
            "change": change,
            "by_faults": faults,
            "by_expectation": calendar,
            "by_causes": causes,
            "unexplained": rest,
            "unexplained_share": abs(rest / change) if change else np.nan,
            "difference": change - causes - calendar - faults - rest,
        }
    ]
)
"""

_BODIES: Mapping[Script, str] = {
    "fault": _FAULT,
    "calendar": _CALENDAR,
    "tree": _TREE,
    "segment": _CHOSEN + _SEGMENT,
    "mix": _CHOSEN.replace("inside", "chosen") + _MIX,
    "spread": _SPREAD,
    "inside": _CHOSEN + _INSIDE,
    "onset": _ONSET,
    "sum": _SUM,
}


def script(kind: Script, question: str, constants: Mapping[str, Any]) -> str:
    """The whole script of a kind of round."""
    return written(_BODIES[kind], question, constants)


def written(body: str, question: str, constants: Mapping[str, Any]) -> str:
    """The whole script: its question as docstring, its constants, its code.

    Raises:
        MissingExtra: pandas, which the scripts compute with, is not installed.
    """
    require("drill", "pandas")
    plain = question.replace("\\", "\\\\").replace('"""', "'''").rstrip('"')
    lines = [f"{name} = {value!r}" for name, value in constants.items()]
    return f'"""{plain} """\n{_READ}\n' + "\n".join(lines) + f"\n{body}"
