"""Words linked to names and values."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from averment.language.embeddings import HashedTfidfEmbedder
from averment.language.linking import Link, Target, ValueIndex, link, select_links
from averment.language.linking.affinity import compare, distance
from averment.language.tokens import split_words


def targets(*names: str) -> list[Target]:
    return [Target(name, (name,)) for name in names]


def best(question: str, *names: str) -> tuple[str, str, str] | None:
    """Target, words and tier of the best link."""
    found = link(split_words(question), targets(*names))
    return (found[0].target, question[slice(*found[0].span)], found[0].how) if found else None


@pytest.mark.parametrize(
    ("question", "names", "expected"),
    [
        ("total sales by region", ["region", "amount"], ("region", "region", "exact")),
        ("show the order total", ["order_total", "order_id"], ("order_total", "order total", "exact")),
        ("sum of orderTotal", ["order_total", "order_id"], ("order_total", "orderTotal", "exact")),
        ("sum of `order_total`", ["orderTotal", "id"], ("orderTotal", "order_total", "exact")),
        ("list all cities", ["city", "state"], ("city", "cities", "stem")),
        ("when were people hired", ["hire", "name"], ("hire", "hired", "stem")),
        ("date of birth", ["birth_date", "id"], ("birth_date", "date of birth", "exact")),
        ("the quantity sold", ["qty", "sku_no"], ("qty", "quantity", "abbreviation")),
        ("total amount", ["amt", "cust_name"], ("amt", "amount", "abbreviation")),
        ("by department", ["dept", "sal"], ("dept", "department", "abbreviation")),
        ("by dept", ["department", "pay"], ("department", "dept", "abbreviation")),
        ("avg per group", ["average", "id"], ("average", "avg", "abbreviation")),
        ("the temperature", ["temp", "hum"], ("temp", "temperature", "abbreviation")),
        ("dob of the patient", ["date_of_birth", "x"], ("date_of_birth", "dob", "abbreviation")),
        ("gross domestic product", ["gdp", "pop"], ("gdp", "gross domestic product", "abbreviation")),
        ("total revenue", ["sales", "region"], ("sales", "revenue", "synonym")),
        ("turnover last year", ["revenue", "region"], ("revenue", "turnover", "synonym")),
        ("our clients", ["customer", "vendor"], ("customer", "clients", "synonym")),
        ("wage by team", ["salary", "id"], ("salary", "wage", "synonym")),
        ("all expenses", ["cost", "price"], ("cost", "expenses", "synonym")),
        ("the tempurature", ["temperature", "humidity"], ("temperature", "tempurature", "typo")),
        ("custmer names", ["customer", "order"], ("customer", "custmer", "typo")),
        ("who is the oldest", ["age", "team"], ("age", "oldest", "implied")),
        ("the most expensive", ["price", "colour"], ("price", "expensive", "implied")),
        ("home town", ["Hometown", "Age"], ("Hometown", "home town", "stem")),
        ("by hometown", ["home_town", "age"], ("home_town", "hometown", "stem")),
        ("number of customers", ["customer_id", "order_id"], ("customer_id", "customers", "subset")),
    ],
)  # fmt: skip
def test_words_find_their_name(question: str, names: list[str], expected: tuple[str, str, str]) -> None:
    assert best(question, *names) == expected


@pytest.mark.parametrize(
    ("question", "names"),
    [
        ("total sales by region", ["colour", "shape"]),
        ("the cargo weight", ["car"]),
        ("the price of gold", ["prize"]),
        ("how many are there", ["in", "of"]),
        ("state of the order", ["border"]),
        ("", ["a"]),
        ("word", []),
        ("the manager", ["man"]),
    ],
)  # fmt: skip
def test_words_that_name_nothing_link_to_nothing(question: str, names: list[str]) -> None:
    found = link(split_words(question), targets(*names), minimum=0.65)
    assert found == []


def test_the_whole_name_beats_a_part_of_another() -> None:
    question = "show customer name and product name"
    found = select_links(link(split_words(question), targets("customer_name", "product_name", "name", "id")))
    assert [(one.target, question[slice(*one.span)]) for one in found] == [
        ("customer_name", "customer name"),
        ("product_name", "product name"),
    ]


def test_a_comma_parts_two_names() -> None:
    found = link(split_words("first, name"), targets("first_name", "other"))
    assert all(one.coverage < 1 or one.score < 0.9 for one in found)


def test_parts_of_a_name_said_apart_are_put_together() -> None:
    question = "gross domestic product per capita in the year 1982"
    found = select_links(
        link(split_words(question), targets("gdpPercap_1982", "gdpPercap_1992", "pop_1982", "country"))
    )
    assert [one.target for one in found][:1] == ["gdpPercap_1982"]


def test_any_of_several_names_links_the_target() -> None:
    found = link(split_words("show the turnover"), [Target("t.c1", ("c1", "net turnover", "turnover"))])
    assert (found[0].target, found[0].name, found[0].score) == ("t.c1", "turnover", 1.0)


def test_equal_targets_are_both_returned_in_the_order_given() -> None:
    found = link(split_words("name"), [Target("a.name", ("name",)), Target("b.name", ("name",))])
    assert [one.target for one in found] == ["a.name", "b.name"]
    assert [one.target for one in select_links(found)] == ["a.name"]


def test_meaning_is_asked_only_for_words_nothing_else_explains() -> None:
    words = split_words("region and shipments")
    found = link(words, targets("region", "shipmentcount"), HashedTfidfEmbedder())
    assert [one.how for one in found if one.target == "region"] == ["exact"]
    assert all(one.score < 0.76 for one in found if one.how == "embedding")


def test_the_tiers_keep_their_order() -> None:
    words = ["sales", "sale", "revenue"]
    scores = [found[1] for word in words if (found := compare(word, "sales"))]
    assert scores == sorted(scores, reverse=True)
    assert len(scores) == 3


@given(st.text(max_size=60), st.lists(st.text(min_size=1, max_size=12), max_size=5))
def test_links_stand_inside_the_question_and_selected_ones_share_no_word(question: str, names: list[str]) -> None:
    words = split_words(question)
    found = link(words, targets(*dict.fromkeys(names)))
    assert all(0 <= one.span[0] < one.span[1] <= len(question) and 0 < one.score <= 1 for one in found)
    chosen: list[Link] = select_links(found)
    used = [word for one in chosen for word in one.words]
    assert len(used) == len(set(used))


@given(st.text(alphabet="abc", max_size=7), st.text(alphabet="abc", max_size=7))
def test_the_distance_of_words_is_symmetric_and_bounded(one: str, two: str) -> None:
    assert distance(one, two, 9) == distance(two, one, 9)
    assert (distance(one, two, 9) == 0) == (one == two)
    assert distance(one, two, 2) == min(distance(one, two, 9), 3)


VALUES = [
    ("state", "Arizona"),
    ("state", "New York"),
    ("state", "Indiana"),
    ("code", "AZ"),
    ("code", "IN"),
    ("city", "São Paulo"),
    ("city", "St. Louis"),
    ("country", "US"),
    ("country", "CA"),
    ("gender", "F"),
    ("gender", "M"),
    ("uni", "Arizona State University"),
    ("cat", "Office Supplies"),
    ("cat", "Technology"),
    ("status", "Shipped"),
    ("name", "Sarah Williams"),
    ("grade", "A"),
    ("section", "h"),
    ("flag", "Y"),
    ("airline", "Delta Air Lines"),
    ("year", "2013"),
]


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Analyze Q1 2021 Arizona sales", ("state", "Arizona", "Arizona", "exact")),
        ("sales in arizona", ("state", "Arizona", "arizona", "case")),
        ("Arizona's sales", ("state", "Arizona", "Arizona", "exact")),
        ("orders in sao paulo", ("city", "São Paulo", "sao paulo", "case")),
        ("flights to st louis", ("city", "St. Louis", "st louis", "case")),
        ("office supply orders", ("cat", "Office Supplies", "office supply", "stem")),
        ("users from Canada", ("country", "CA", "Canada", "alias")),
        ("users from the U.S. only", ("country", "US", "U.S.", "case")),
        ("the United States", ("country", "US", "United States", "alias")),
        ("female customers", ("gender", "F", "female", "alias")),
        ("orders from AZ", ("code", "AZ", "AZ", "exact")),
        ("sales in Arizna", ("state", "Arizona", "Arizna", "fuzzy")),
        ("techonology sales", ("cat", "Technology", "techonology", "fuzzy")),
        ("students at arizona state", ("uni", "Arizona State University", "arizona state", "subset")),
        ("flights by delta", ("airline", "Delta Air Lines", "delta", "subset")),
        ('reviews by "sarah williams"', ("name", "Sarah Williams", "sarah williams", "case")),
        ("grade 'A' students", ("grade", "A", "A", "exact")),
        ("describe the section h", ("section", "h", "h", "exact")),
        ("in 2013", ("year", "2013", "2013", "exact")),
    ],
)
def test_a_value_is_found_in_a_question(question: str, expected: tuple[str, str, str, str]) -> None:
    found = ValueIndex(VALUES).find(question)
    assert expected in [(one.column, one.value, question[slice(*one.span)], one.how) for one in found]


@pytest.mark.parametrize(
    "question",
    ["is it in or me", "a list of us", "how many rows are there?", "", "in a state of mind", "rank by the y axis"],
)
def test_little_words_are_no_values(question: str) -> None:
    assert [one for one in ValueIndex(VALUES).find(question) if one.how in ("exact", "case", "alias")] == []


def test_a_longer_value_hides_the_shorter_one_inside_it() -> None:
    index = ValueIndex([("a", "York"), ("b", "New York")])
    assert [one.value for one in index.find("sales in New York")] == ["New York"]


def test_one_value_in_two_columns_is_found_in_both() -> None:
    index = ValueIndex([("home", "Leeds"), ("away", "Leeds")])
    assert {one.column for one in index.find("leeds")} == {"home", "away"}
    assert {one.column for one in index.find("leeds", columns=["home"])} == {"home"}


def test_fuzzy_matching_can_be_left_out() -> None:
    assert ValueIndex(VALUES).find("sales in Arizna", fuzzy=False) == []


def test_an_empty_index_finds_nothing() -> None:
    index = ValueIndex([("a", ""), ("a", "  "), ("a", "--")])
    assert (len(index), index.find("anything at all")) == (0, [])


def test_a_value_is_found_among_two_hundred_thousand() -> None:
    source = random.Random(7)
    parts = "ba ko ri mo ta le sun gar dim pel ost von ark tis rul".split()
    values = [("c", "".join(source.choices(parts, k=source.randint(3, 6)))) for _ in range(200_000)]
    index = ValueIndex([*values, ("state", "Arizona"), ("city", "Philadelphia")])
    assert [one.value for one in index.find("sales in arizona")] == ["Arizona"]
    assert "Philadelphia" in [one.value for one in index.find("sales in Philadelpia")]


@given(st.text(max_size=40), st.lists(st.text(max_size=12), max_size=6))
def test_found_values_stand_inside_the_question(question: str, values: list[str]) -> None:
    index = ValueIndex([("c", value) for value in values])
    for one in index.find(question):
        assert 0 <= one.span[0] < one.span[1] <= len(question)
        assert one.value in values


@given(
    st.lists(st.text(alphabet=st.characters(categories=("L", "N")), min_size=2, max_size=12), min_size=1, max_size=6)
)
def test_a_quoted_value_is_always_found(values: list[str]) -> None:
    index = ValueIndex([("c", value) for value in values])
    found = index.find(f'rows where it is "{values[0]}"', fuzzy=False)
    assert values[0] in [one.value for one in found if one.score >= 0.97]
