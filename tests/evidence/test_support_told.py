"""A retelling stands only where it can be laid over its source."""

import pytest

from averment.evidence.support_told import check_told

BOUGHT = "In 2020, Acme Corp purchased Zenith Ltd, a maker of lamps, for $180 million."


@pytest.mark.parametrize(
    ("sentence", "quote"),
    [
        ("Acme Corp bought Zenith Ltd in 2020.", "Acme Corp purchased Zenith Ltd in 2020."),
        ("In 2020 Acme Corp bought Zenith Ltd.", "Acme Corp purchased Zenith Ltd in 2020."),
        ("Acme Corp purchased Zenith Ltd, for $180 million, in 2020.", BOUGHT),
        ("John Smith died in 1950.", "John Smith, the brother of Bob, died in 1950."),
        ("The dam may harm salmon.", "The dam may harm salmon, and eels."),
        ("Lind Harbour was deepened in 1961.", "Lind Harbour was deepened in 1961 because ships did not fit."),
    ],
)
def test_a_retelling_in_the_sources_order_stands(sentence: str, quote: str) -> None:
    assert check_told(sentence, quote).supported


@pytest.mark.parametrize(
    ("sentence", "quote", "fault"),
    [
        ("Zenith Ltd purchased Acme Corp in 2020.", "Acme Corp purchased Zenith Ltd in 2020.", "order"),
        (
            "Revenue was $1 million and profit was $5 million.",
            "Revenue was $5 million and profit was $1 million.",
            "order",
        ),
        ("Acme Corp sales rose in 2020.", "Acme Corp sales fell in 2020.", "words"),
        ("Acme paid a dividend and did not buy Zenith.", "Acme paid no dividend and bought Zenith.", "negation"),
        ("Patients died after the treatment.", "Some patients died after the treatment.", "negation"),
        ("All patients died after treatment.", "Patients died after treatment.", "negation"),
        ("John Smith died in 1950.", "The wife of John Smith died in 1950.", "order"),
        ("John Smith died in 1950.", "John Smith's wife died in 1950.", "order"),
        ("Acme won the case in 2010.", "Acme won the right to appeal the case in 2010.", "order"),
        ("Lind Harbour was deepened in 1961.", "According to Bo Ek, Lind Harbour was deepened in 1961.", "certainty"),
        ("The dam harms salmon.", "The dam may harm salmon.", "certainty"),
    ],
)
def test_a_retelling_that_turns_the_sense_is_cut(sentence: str, quote: str, fault: str) -> None:
    assert check_told(sentence, quote).fault == fault


def test_a_subject_is_named_only_as_the_sentence_before_names_it() -> None:
    quote, named = "The club was formed in 1993 and plays in Perth.", "The Adelaide Lightning are a team."
    assert check_told("Adelaide Lightning was formed in 1993.", quote, named=named).supported
    assert not check_told("Adelaide Lightning was formed in 1993.", quote).supported
    assert not check_told("Perth Lightning was formed in 1993.", quote, named=named).supported
