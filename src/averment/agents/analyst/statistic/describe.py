"""Steps, values and methods in words."""

from __future__ import annotations

from typing import Any

_STATISTICS = {
    "std": "standard deviation (sample)",
    "std_population": "standard deviation (population)",
    "variance": "variance (sample)",
    "variance_population": "variance (population)",
    "skewness_plain": "skewness",
    "kurtosis_plain": "kurtosis",
    "cv": "coefficient of variation",
    "iqr": "interquartile range",
    "q1": "first quartile",
    "q3": "third quartile",
    "min": "minimum",
    "max": "maximum",
}
_TESTS = {
    "shapiro": "Shapiro–Wilk",
    "dagostino": "D'Agostino–Pearson",
    "kolmogorov": "Kolmogorov–Smirnov",
    "anderson": "Anderson–Darling",
    "jarque_bera": "Jarque–Bera",
    "t": "t-test",
    "welch": "Welch's t-test",
    "paired": "paired t-test",
    "mannwhitney": "Mann–Whitney",
    "wilcoxon": "Wilcoxon",
    "anova": "ANOVA",
    "kruskal": "Kruskal–Wallis",
    "levene": "Levene",
    "chi2": "chi-square",
    "ks": "Kolmogorov–Smirnov",
}


def statistic_words(name: str) -> str:
    """A statistic's name with its convention."""
    return _STATISTICS.get(name, name)


def rule_words(rule: dict[str, Any]) -> str:
    """An outlier rule."""
    limit = f"{rule['threshold']:g}"
    return f"{limit} × IQR" if rule["method"] == "iqr" else f"z-score beyond {limit}"


def _where(value: dict[str, Any]) -> str:
    parts = [f"{one['column']} {one['is']} {one.get('value', '')}".strip() for one in value.get("where", [])]
    return f" where {' and '.join(parts)}" if parts else ""


def value_words(value: dict[str, Any]) -> str:
    """One computation."""
    kind = value["kind"]
    match kind:
        case "summary":
            told = f"{statistic_words(value['statistic'])} of {value['column']}"
        case "rows":
            told = "share of rows" if value.get("of") else "number of rows"
        case "correlation":
            part = "p-value of the " if value["part"] == "p" else ""
            told = f"{part}{value['method'].title()} correlation of {value['x']} and {value['y']}"
        case "normality":
            told = f"{_TESTS[value['test']]} {'p-value' if value['part'] == 'p' else 'statistic'} of {value['column']}"
        case "outliers":
            told = f"{value['part']} of outliers in {value['column']} ({rule_words(value['rule'])})"
        case "missing":
            told = f"missing values ({value['part']}) in {', '.join(value.get('columns') or ['all columns'])}"
        case "duplicates":
            told = "number of duplicate rows"
        case "test":
            columns = value.get("columns") or [value.get("x", ""), value.get("y", "")]
            told = f"{_TESTS[value['test']]} {value['part']} of {value.get('column') or ' and '.join(columns)}"
            told += f" by {value['by']}" if value.get("by") else ""
        case "model":
            model = value["model"]
            kind, part = model["kind"].replace("_", " "), value["part"].replace(":", " of ")
            told = f"{part} of the {kind} model of {model['target']} on {', '.join(model['features'])}"
            if model.get("test_size"):
                told += f", {model['test_size']:g} of the rows held out, random state {model['seed']}"
        case "extreme":
            what = value["column"] or "number of rows"
            if value["column"] and value.get("statistic"):
                what = f"{statistic_words(value['statistic'])} of {value['column']}"
            told = (
                f"{value.get('by') or value['show']} with the {'highest' if value['how'] == 'max' else 'lowest'} {what}"
            )
        case "strongest":
            told = f"strongest {value['method'].title()} correlation with {value['x']} ({value['part']})"
        case "extreme_column":
            told = f"column with the {'highest' if value['how'] == 'max' else 'lowest'} value"
        case "change_at_extreme":
            most = "highest" if value["how"] == "max" else "lowest"
            told = f"percent change of {value['followed']} against the row before, where {value['column']} is {most}"
        case "group_table":
            told = f"{statistic_words(value['statistic'])} of {value['column']} by {value['by']}"
        case "first":
            told = f"first value of {value['column']}"
        case "verdict":
            told = "verdict by " + ", ".join(value_words(fact) for fact in value["facts"].values())
        case _:
            told = kind.replace("_", " ")
    return told + _where(value)


def step_words(step: dict[str, Any]) -> str:
    """One preparation step."""
    columns = ", ".join(step.get("columns") or ["all columns"])
    match step["do"]:
        case "deduplicate":
            return "duplicate rows removed"
        case "drop_missing":
            return f"rows without {columns} removed"
        case "fill":
            return f"missing {columns} filled with the {step['how']}"
        case "filter":
            return f"{step['column']} {step['is']} {step.get('value', '')}".strip()
        case "outliers":
            done = "removed" if step["how"] == "remove" else f"replaced by the {step['how']}"
            return f"outliers of {step['column']} ({rule_words(step['rule'])}) {done}"
        case _:
            return f"{step['name']} = {step['how']} of {columns}"


def method_words(value: dict[str, Any]) -> str:
    """The method of a value, for its finding."""
    return value_words(value)
