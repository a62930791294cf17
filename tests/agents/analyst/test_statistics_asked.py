"""Percentiles, bins, tests, models, tables of two directions and texts, each in several wordings, beside pandas."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from functools import cache
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from asked import Asked, outcome
from lazily import lazily

pd = lazily("pandas")
stats = lazily("scipy.stats")

Frame = Any  # of pandas


@cache
def patients() -> Frame:
    """Four hundred patients of three wards; the weight follows the height, and a few stays are very long."""
    dice = random.Random(11)
    rows: list[dict[str, Any]] = []
    for number in range(400):
        ward = dice.choice(["Heart", "Lung", "Bone"])
        height = round(dice.gauss(172, 9), 1)
        first = dice.choice(["Mira", "Noah", "Olga", "Paul"])
        rows.append(
            {
                "patient": f"{first} {dice.choice(['Stone', 'Reed', 'Vale'])} {number}",
                "ward": ward,
                "blood": dice.choice(["A", "B", "O"]),
                "smoker": dice.choice(["yes", "no"]),
                "height": height,
                "weight": round(0.9 * height - 80 + dice.gauss(0, 6) + (4 if ward == "Heart" else 0), 1),
                "stay": dice.randrange(1, 15) if dice.random() > 0.03 else dice.randrange(60, 90),
                "email": f"p{number}@{dice.choice(['clinic.example', 'home.example'])}",
            }
        )
    return pd.DataFrame(rows)


def quantiles(column: str, *at: float, by: str | None = None) -> Any:
    if by is not None:
        return patients().groupby(by)[column].quantile(at[0])
    return pd.Series([patients()[column].quantile(each) for each in at])


def steps(column: str, width: float) -> Any:
    return (patients()[column] // width).value_counts()


def outlying(frame: Frame, column: str) -> Any:
    one, three = frame[column].quantile(0.25), frame[column].quantile(0.75)
    reach = 1.5 * (three - one)
    return frame[(frame[column] < one - reach) | (frame[column] > three + reach)][column]


ASKED: dict[str, tuple[list[str], Callable[[], Any]]] = {
    "one percentile": (
        ["95th percentile of stay", "p95 of stay", "what is the 95th percentile of stay?"],
        lambda: quantiles("stay", 0.95),
    ),
    "quartiles": (
        ["quartiles of weight", "what are the quartiles of the weight?"],
        lambda: quantiles("weight", 0.25, 0.5, 0.75),
    ),
    "several": (
        ["10th and 90th percentile of height", "p10 and p90 of height", "percentiles 10 and 90 of height"],
        lambda: quantiles("height", 0.1, 0.9),
    ),
    "by group": (
        ["upper quartile of stay by ward", "third quartile of stay per ward"],
        lambda: quantiles("stay", 0.75, by="ward"),
    ),
    "between quartiles": (
        ["interquartile range of weight", "iqr of weight", "what is the interquartile range of weight?"],
        lambda: patients()["weight"].quantile(0.75) - patients()["weight"].quantile(0.25),
    ),
    "middle of each": (
        ["distribution of weight by blood", "box plot of weight by blood"],
        lambda: patients().groupby("blood")["weight"].median(),
    ),
    "bins": (
        ["histogram of weight with 7 bins", "bin weight into 7 bins", "weight in 7 buckets"],
        lambda: pd.Series(np.histogram(patients()["weight"], bins=7)[0]),
    ),
    "steps": (["patients by weight in steps of 10", "weight in buckets of 10"], lambda: steps("weight", 10)),
    "figures in steps": (
        ["average stay by weight in steps of 20", "average stay by weight ranges of 20"],
        lambda: patients().groupby(patients()["weight"] // 20)["stay"].mean(),
    ),
    "equal groups": (
        [
            "split weight into 5 equal-sized groups",
            "cut weight into quintiles",
            "divide weight into 5 groups of equal size",
        ],
        lambda: patients()["weight"].groupby(pd.qcut(patients()["weight"], 5, labels=False)).max(),
    ),
    "figures of equal groups": (
        ["average stay by weight quartile", "mean stay per weight quartile"],
        lambda: patients()["stay"].groupby(pd.qcut(patients()["weight"], 4, labels=False)).mean(),
    ),
    "outliers": (
        ["outliers in stay", "which patients are outliers in stay?", "list the unusual values of stay"],
        lambda: outlying(patients(), "stay"),
    ),
    "outliers within": (
        ["outliers of stay within each ward", "outliers in stay per ward"],
        lambda: pd.concat([outlying(part, "stay") for _, part in patients().groupby("ward")]),
    ),
    "far off": (
        ["patients more than 3 standard deviations from the mean in stay", "stay outliers by z-score"],
        lambda: patients()[(patients()["stay"] - patients()["stay"].mean()).abs() > 3 * patients()["stay"].std(ddof=0)][
            "stay"
        ],
    ),
    "pairs": (
        ["correlation matrix", "pairwise correlations", "correlations between all numeric columns"],
        lambda: pd.Series(
            [patients()[a].corr(patients()[b]) for a, b in combinations(("height", "weight", "stay"), 2)]
        ),
    ),
    "with one": (
        [
            "which columns correlate most with weight?",
            "what correlates with weight",
            "what is most correlated with weight?",
        ],
        lambda: pd.Series([patients()[a].corr(patients()["weight"]) for a in ("height", "stay")]),
    ),
    "top of each": (
        ["patient with the longest stay in each ward", "patient with the highest stay for each ward"],
        lambda: patients().groupby("ward")["stay"].max(),
    ),
    "lengths": (
        ["average length of patient", "average text length of patient"],
        lambda: patients()["patient"].str.len().mean(),
    ),
    "pieces": (
        ["patients by email domain", "number of patients by domain of email"],
        lambda: patients()["email"].str.split("@").str[1].value_counts(),
    ),
    "first letters": (
        ["average weight by first letter of patient", "average weight by first letter of the patient"],
        lambda: patients().groupby(patients()["patient"].str[0])["weight"].mean(),
    ),
    "two directions": (
        [
            "crosstab of ward and blood",
            "pivot table of ward and blood",
            "number of patients with ward down and blood across",
        ],
        lambda: pd.crosstab(patients()["ward"], patients()["blood"])["O"],
    ),
    "a figure in two directions": (
        ["pivot the average stay by ward and smoker", "average stay by ward and smoker as a pivot"],
        lambda: patients()[patients()["smoker"] == "yes"].groupby("ward")["stay"].mean(),
    ),
}

READ_AS = {
    "is ward independent of blood": "test whether ward and blood are independent",
    "is there an association between smoker and ward?": "are independent",
    "chi-square test of ward and smoker": "are independent",
    "anova of weight by ward": "analysis of variance of weight between ward",
    "does weight differ between wards?": "test of the difference in weight between ward",
    "is weight different between Heart and Lung": "where ward is one of Heart, Lung",
    "is there a significant difference in weight between smokers and non-smokers": "in weight between smoker",
    "does stay depend on ward?": "test of the difference in stay between ward",
    "is weight related to height?": "correlation of weight and height",
    "kendall tau between weight and height": "Kendall correlation of weight and height",
    "spearman correlation between weight and height": "rank correlation of weight and height",
    "predict weight from height and stay": "linear model of weight on height and stay",
    "how well does height predict weight": "linear model of weight on height",
    "can weight be predicted from height?": "linear model of weight on height",
    "predict ward from weight and height": "logistic model of ward on weight and height",
    "linear regression of weight on height": "linear model of weight on height",
    "is weight normally distributed?": "test whether weight is normally distributed",
    "skewness of stay": "skewness and kurtosis of stay",
    "describe the data": "overview of every column, in patients",
    "what stands out?": "overview of every column and what stands out",
    "are there duplicate rows?": "number of rows that repeat an earlier one",
}

NOT_ANSWERED = [
    "histogram of weight with 500 bins",
    "split weight into 400 equal-sized groups",
    "pivot weight by ward",
    "predict weight",
    "forecast stay for next month",
    "retention by month",
    "kendall correlation matrix",
    "outliers of happiness",
    "quartiles of ward",
    "patients making 180% of stay",
]


@pytest.fixture(scope="module")
def asked(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Asked]:
    folder: Path = tmp_path_factory.mktemp("patients")
    patients().to_csv(folder / "patients.csv", index=False)
    made = Asked([str(folder / "patients.csv")], folder)
    yield made
    made.close()


@pytest.mark.parametrize("operation", ASKED)
def test_a_statistic_is_computed_as_pandas_would_however_it_is_said(asked: Asked, operation: str) -> None:
    phrasings, expected = ASKED[operation]
    found = {text: outcome(asked, text, expected()) for text in phrasings}
    assert {text: said for text, said in found.items() if said not in {"right", "offered"}} == {}


@pytest.mark.parametrize("text", READ_AS)
def test_a_test_or_a_model_is_read_as_what_it_is(asked: Asked, text: str) -> None:
    # Answered, or the first reading on offer.
    assert READ_AS[text] in asked.said(asked.verdict(text)).split(" | ")[0]


@pytest.mark.parametrize("text", NOT_ANSWERED)
def test_what_cannot_be_computed_is_asked_back(asked: Asked, text: str) -> None:
    assert asked.answered_as(text) is None


def test_tests_from_groups_alone_are_those_of_scipy() -> None:
    from averment.stats.grouped import anova, correlation_p, independence

    groups = [part["weight"] for _, part in patients().groupby("ward")]
    found = anova([(len(each), each.mean(), each.std()) for each in groups])
    assert found == pytest.approx(tuple(stats.f_oneway(*groups)))
    counts = pd.crosstab(patients()["ward"], patients()["blood"])
    cells = [
        (float(n), 100 * n / counts.loc[a].sum(), 100 * n / counts[b].sum())
        for a in counts.index
        for b, n in counts.loc[a].items()
    ]
    wanted = stats.chi2_contingency(counts, correction=False)
    assert independence(cells) == pytest.approx((wanted.statistic, wanted.pvalue))
    pair = stats.pearsonr(patients()["weight"], patients()["stay"])
    assert correlation_p(pair.statistic, len(patients())) == pytest.approx(pair.pvalue)
