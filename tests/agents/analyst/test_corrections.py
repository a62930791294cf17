"""What is heard as a statement about a word, and what is not."""

import pytest

from averment.agents.analyst.corrections import Named, apply, listen, refusal

COLUMNS = [
    Named(table="sales", column=name, original=name)
    for name in ("order_date", "region", "net_amount", "gross_amount", "Unit Price", "Fare")
]


@pytest.mark.parametrize(
    ("text", "rest", "word", "column"),
    [
        ("by revenue I mean net_amount", "", "revenue", "net_amount"),
        ("By revenue, we mean net amount.", "", "revenue", "net_amount"),
        ("revenue means net_amount", "", "revenue", "net_amount"),
        ("when I say turnover I mean the column gross_amount", "", "turnover", "gross_amount"),
        ("use net_amount for revenue", "", "revenue", "net_amount"),
        ("total revenue by region; by revenue I mean net_amount", "total revenue by region", "revenue", "net_amount"),
        ("total revenue by region by revenue I mean net_amount", "total revenue by region", "revenue", "net_amount"),
        ("by cost we mean unit price, total cost by region", "total cost by region", "cost", "Unit Price"),
        ("by “net sales” I mean net_amount; total net sales", "total net sales", "net sales", "net_amount"),
        ("by revenue I mean sales.net_amount", "", "revenue", "net_amount"),
    ],
)
def test_a_statement_is_taken_out_of_the_text(text: str, rest: str, word: str, column: str) -> None:
    heard = listen(text, COLUMNS)
    (told,) = heard.told
    assert (heard.rest, told.word, told.column and told.column.column) == (rest, word, column)
    assert heard.asks == bool(rest)


@pytest.mark.parametrize(
    "text",
    [
        "total net_amount by region",
        "mean of net_amount by region",
        "what does revenue mean",
        "average means by region",
        "use a bar chart for net_amount",
        "Use Fare for the regression and predict it from region",
        "True means the 'Fare' column is normally distributed",
        "what is meant by region",
    ],
)
def test_a_question_is_left_as_it_is(text: str) -> None:
    heard = listen(text, COLUMNS)
    assert heard.told == ()
    assert heard.rest == text


@pytest.mark.parametrize("text", ["by revenue I mean net_amnt", "revenue means net_amnt", "use net_amnt for revenue"])
def test_a_statement_about_no_column_is_heard_and_refused_with_the_nearest_name(text: str) -> None:
    (told,) = listen(text, COLUMNS).told
    assert told.column is None
    assert "net_amount" in refusal(told, COLUMNS)


def test_a_told_word_inside_a_longer_column_name_is_left_alone() -> None:
    names = ["net_revenue", "net_amount"]
    text, used = apply("total revenue, net revenue, net_revenue and Revenues", [("revenue", "net_amount")], names)
    assert text == "total net_amount, net revenue, net_revenue and net_amount"
    assert used == ("revenue",)
