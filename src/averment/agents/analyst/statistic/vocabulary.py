"""The words for statistics, tests and models, as questions and the names of asked values write them."""

from __future__ import annotations

import re

STATISTICS: tuple[tuple[str, str], ...] = (
    (
        "std",
        r"std(?:dev)?|stdev|st dev|standard ?dev(?:iation)?|standard deviations?|std dev(?:iation)?|sd|stddev|"
        r"deviation",
    ),
    ("cv", r"cv|coefficient of variation"),
    ("variance", r"variance|var"),
    ("median", r"medians?"),
    ("mode", r"modes?|most common|most frequent"),
    ("skewness", r"skew(?:ness)?"),
    ("kurtosis", r"kurtosis|kurt"),
    ("iqr", r"iqr|interquartile range"),
    ("q1", r"q ?1|first quartile|lower quartile|25th percentile|quartile 1"),
    ("q3", r"q ?3|third quartile|upper quartile|75th percentile|quartile 3"),
    ("range", r"range"),
    ("mean", r"means?|averages?|avg"),
    ("min", r"min(?:imum)?|lowest|smallest"),
    ("max", r"max(?:imum)?|highest|largest"),
    ("sum", r"sum|total"),
    ("distinct", r"unique|distinct"),
)
"""Statistics of one column; the first that is found in a name is meant, so the rarer words stand first."""

NORMALITY: tuple[tuple[str, str], ...] = (
    ("shapiro", r"shapiro"),
    ("dagostino", r"d['’]?\s?agostino|normaltest|omnibus"),
    ("kolmogorov", r"kolmogorov|ks[ -]test|\bk-s\b|kstest"),
    ("anderson", r"anderson"),
    ("jarque_bera", r"jarque"),
)

GROUP_TESTS: tuple[tuple[str, str], ...] = (
    ("paired", r"paired (?:sample )?t"),
    ("welch", r"welch|unequal variance"),
    ("mannwhitney", r"mann[ -–]?whitney|u[ -]test"),
    ("wilcoxon", r"wilcoxon"),
    ("anova", r"anova|analysis of variance|f_oneway"),
    ("kruskal", r"kruskal"),
    ("levene", r"levene"),
    ("chi2", r"chi[- ]?squared?|chi2"),
    ("t", r"t[- ]?tests?\b"),
)

MODELS: tuple[tuple[str, str], ...] = (
    ("logistic", r"logistic regression|logisticregression"),
    ("tree", r"decision tree"),
    ("forest", r"random forest"),
    ("ridge", r"ridge"),
    ("lasso", r"lasso"),
    ("neighbours", r"k[- ]nearest|\bknn\b"),
    ("linear", r"linear regression|linearregression|regression model|regression analysis|least squares"),
)

FIGURES: tuple[tuple[str, str], ...] = (
    ("rmse", r"rmse|root mean squared? error"),
    ("mse", r"mse|mean squared? error"),
    ("mae", r"mae|mean absolute error"),
    ("r2", r"r2|r squared?|r\^2|r-squared?|coefficient of determination|r 2"),
    ("accuracy", r"accuracy"),
    ("precision", r"precision"),
    ("recall", r"recall"),
    ("f1", r"f1|f 1"),
    ("intercept", r"intercept"),
)


def first_of(table: tuple[tuple[str, str], ...], text: str) -> str | None:
    """The first entry whose words stand in a text."""
    low = text.lower()
    return next(
        (name for name, pattern in table if re.search(rf"(?<![a-z]){'(?:' + pattern + ')'}(?![a-z])", low)), None
    )


def all_of(table: tuple[tuple[str, str], ...], text: str) -> list[tuple[str, int, int]]:
    """Every entry with its places in a text, in order."""
    low = text.lower()
    found = [
        (name, one.start(), one.end())
        for name, pattern in table
        for one in re.finditer(rf"(?<![a-z])(?:{pattern})(?![a-z])", low)
    ]
    return sorted(found, key=lambda one: one[1])
