"""What is heard as a statement about a word, and what is not."""

import pytest

from averment.agents.analyst.glossary import NamedColumn, listen, refusal
from averment.plans.meaning import Meaning
from averment.plans.plan import Test

COLUMNS = [
    NamedColumn(table="sales", column=name, original=name)
    for name in ("order_date", "region", "net_amount", "gross_amount", "Unit Price", "Fare")
]


def nothing(word: str, text: str) -> Meaning | None:
    """Reads nothing but columns."""
    _ = word, text
    return None


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
    heard = listen(text, COLUMNS, nothing)
    (told,) = heard.told
    assert told.meaning is not None
    assert (heard.rest, told.word, told.meaning.in_words()) == (rest, word, column)
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
    heard = listen(text, COLUMNS, nothing)
    assert heard.told == ()
    assert heard.rest == text


@pytest.mark.parametrize("text", ["by revenue I mean net_amnt", "revenue means net_amnt", "use net_amnt for revenue"])
def test_a_statement_about_no_column_is_heard_and_refused_with_the_nearest_name(text: str) -> None:
    (told,) = listen(text, COLUMNS, nothing).told
    assert told.meaning is None
    assert "net_amount" in refusal(told, COLUMNS)


@pytest.mark.parametrize(
    ("text", "rest", "word", "said"),
    [
        ("margin means net amount minus unit price", "", "margin", "net amount minus unit price"),
        ("define net margin as fare - 3; total net margin", "total net margin", "net margin", "fare - 3"),
        ("let pricey be fare over 30", "", "pricey", "fare over 30"),
        ("From now on, pricey trips means fare over 30.", "From now on", "pricey trips", "fare over 30"),
        ("the big three means A, B, C", "the", "big three", "A, B, C"),
        ("by the coast I mean West, North", "", "the coast", "West, North"),
        ("when I say big I mean fare over 30. How many big trips", "How many big trips", "big", "fare over 30"),
        ("use fare minus unit price for gain", "", "gain", "fare minus unit price"),
        ("how many rich people, where rich means fare over 30", "how many rich people", "rich", "fare over 30"),
    ],
)  # fmt: skip
def test_what_is_no_column_is_read_as_far_as_it_can_be(text: str, rest: str, word: str, said: str) -> None:
    def read(word: str, text: str) -> Meaning | None:
        return Meaning(word=word, kind="condition", where=(Test(to=(1,)),)) if text.strip(". ") == said else None

    heard = listen(text, COLUMNS, read)
    (told,) = heard.told
    assert (heard.rest, told.word, told.said.strip(". ")) == (rest, word, said)


def test_a_formula_that_cannot_be_read_is_refused() -> None:
    (told,) = listen("margin means fare minus apples", COLUMNS, nothing).told
    assert told.meaning is None
    assert "a formula" in refusal(told, COLUMNS)
