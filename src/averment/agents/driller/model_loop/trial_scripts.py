"""The code of the rounds that test a proposed hypothesis; it is run in the jail, like that of every other round."""

from __future__ import annotations

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
