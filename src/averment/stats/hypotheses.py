"""Tests whether groups differ: t, Welch, paired, Mann–Whitney, Wilcoxon, ANOVA, Kruskal–Wallis, Levene, chi-square."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

from averment.stats.summary import present

Test = Literal["t", "welch", "paired", "mannwhitney", "wilcoxon", "anova", "kruskal", "levene", "ks"]


def compare_groups(groups: Sequence[Any], test: Test) -> tuple[float, float]:
    """The statistic and the two-sided p-value of the groups' difference.

    Raises:
        ValueError: a test of two samples got another number of them.
    """
    from scipy import stats

    samples: list[Any] = [present(group) for group in groups]
    if test not in {"anova", "kruskal", "levene"} and len(samples) != 2:
        raise ValueError(f"{test} compares two groups, not {len(samples)}")
    found: Any
    match test:
        case "t":
            found = stats.ttest_ind(*samples)
        case "welch":
            found = stats.ttest_ind(*samples, equal_var=False)
        case "paired":
            found = stats.ttest_rel(groups[0], groups[1], nan_policy="omit")
        case "mannwhitney":
            found = stats.mannwhitneyu(*samples, alternative="two-sided")
        case "wilcoxon":
            found = stats.wilcoxon(*samples)
        case "anova":
            found = stats.f_oneway(*samples)
        case "kruskal":
            found = stats.kruskal(*samples)
        case "levene":
            found = stats.levene(*samples)
        case "ks":
            found = stats.ks_2samp(*samples)
    return float(found.statistic), float(found.pvalue)


def check_independence(table: Any) -> tuple[float, float, int]:
    """Chi-square of a table of counts: the statistic, the p-value and the degrees of freedom."""
    from scipy import stats

    found: Any = stats.chi2_contingency(table)
    return float(found.statistic), float(found.pvalue), int(found.dof)
