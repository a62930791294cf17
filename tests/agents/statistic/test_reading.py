"""Questions become specifications, or a question back."""

from collections.abc import Callable

import pytest

from averment.agents.analyst.skill import Candidate

Read = Callable[[str], list[Candidate]]


def values(read: Read, text: str) -> list[dict[str, object]]:
    best = read(text)[0]
    assert best.score == 1.0, best.unread
    return list(best.reading["values"])


def test_a_correlation_is_read_with_its_p_value(read: Read) -> None:
    first, second = values(read, "What is the correlation between age and fare?")
    assert (first["kind"], first["x"], first["y"], first["method"]) == ("correlation", "age", "fare", "pearson")
    assert second["part"] == "p"


def test_statistics_of_several_kinds_are_several_values(read: Read) -> None:
    found = values(read, "skewness and kurtosis of fare")
    assert [value["statistic"] for value in found] == ["skewness", "kurtosis"]


def test_named_answers_are_the_values_and_say_how_they_are_rounded(read: Read) -> None:
    text = 'Calculate the mean fare.\n@mean_fare[value] where "value" is rounded to three decimal places.'
    (found,) = values(read, text)
    assert (found["name"], found["column"], found["statistic"], found["decimals"]) == ("mean_fare", "fare", "mean", 3)


def test_outliers_are_counted_before_they_are_removed(read: Read) -> None:
    text = (
        "Identify the outliers of fare by the Z-score method with a threshold of 3 and remove them. Then calculate the "
        "mean.\n@outlier_count[count] @mean_fare[mean]"
    )
    count, mean = values(read, text)
    assert count["part"] == "count"
    assert (count["after"], mean["after"]) == (0, 1)


def test_a_stated_rule_becomes_the_verdict(read: Read) -> None:
    text = (
        "Is age normally distributed? Use the Shapiro-Wilk test. If the p-value is less than 0.01, age is not normal.\n"
        '@verdict[word] where "word" is a string that can either be "normal" or "not normal".'
    )
    (found,) = values(read, text)
    assert found["rules"] == [
        {"when": [{"fact": "p", "absolute": False, "is": "<", "value": 0.01}], "say": "not normal"}
    ]
    assert found["otherwise"] == "normal"


def test_a_model_is_read_with_its_split(read: Read) -> None:
    text = (
        "Fit a linear regression to predict fare from age and class_level with a 70/30 split, random state 7.\n@rmse[x]"
    )
    (found,) = values(read, text)
    model = found["model"]
    assert isinstance(model, dict)
    assert (model["target"], model["features"]) == ("fare", ["age", "class_level"])
    assert (model["test_size"], model["seed"]) == (0.3, 7)


def test_a_value_in_an_answers_name_chooses_its_rows(read: Read) -> None:
    found = values(
        read, "Calculate the mean fare of male and female passengers.\n@mean_fare_male[a] @mean_fare_female[b]"
    )
    assert [value["where"] for value in found] == [
        [{"column": "sex", "is": "=", "value": "male"}],
        [{"column": "sex", "is": "=", "value": "female"}],
    ]


@pytest.mark.parametrize(
    "text",
    [
        "standard deviation of the altitude",
        "correlation of fare with shoe size",
        'What is the mean of the "cabin" column?\n@mean_cabin[value]',
        "Cluster the passengers with k-means and give the mean fare.\n@mean_fare[value]",
        "Compute the mean fare for passengers in Las Vegas.\n@mean_fare[value]",
        "Compute the mean fare of the top 3 passengers.\n@mean_fare[value]",
        "Calculate the mean fare of adults and infants.\n@mean_fare_adult[a] @mean_fare_infant[b]",
    ],
)
def test_what_finds_no_place_is_asked_back(read: Read, text: str) -> None:
    assert all(candidate.score < 0.99 for candidate in read(text))


def test_a_text_without_statistics_is_left_to_others(read: Read) -> None:
    assert read("show me the passengers") == []
