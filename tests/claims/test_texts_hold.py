"""Sentences over texts: quoted word for word, said by the sources they name, and refused where they rest on less."""

from typing import Any

import pytest
from invented import given, quoted, say

from averment.claims.of_inferences import Premise, why_not_inferred
from averment.claims.of_texts import says_no_more, words_of

LONG, SHORT = "The Vasa is 69 metres long.", "The Vasa is 61 metres long."


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ([quoted("quote", LONG)], LONG),
        ([quoted("quote", LONG), quoted("subject", "The Vasa is a ship.")], f"The Vasa is a ship. {LONG}"),
        ([quoted("subject", LONG)], None),
        ([given("quote", LONG, "quote")], None),
        ([quoted("quote", LONG), given("subject", "A ship.", "quote")], None),
        ([quoted("quote", LONG), quoted("source", SHORT)], None),
        ([], None),
    ],
)
def test_a_quotation_is_a_span_of_a_source(values: Any, said: str | None) -> None:
    assert say("quotation", *values) == said


@pytest.mark.parametrize(
    ("text", "quotes", "names", "joining", "holds"),
    [
        ("metres LONG", [LONG], [], False, True),
        ("69", [LONG], [], False, True),
        ("6", [LONG], [], False, False),
        ("wreck", [LONG], ["The wreck"], False, True),
        ("long ships", [LONG], [], False, False),
        ("not long", [LONG], [], False, False),
        ("not long", [LONG], [], True, True),
        ("long 61", [LONG, SHORT], [], False, True),
    ],
)
def test_a_text_says_no_word_of_its_own(text: str, quotes: Any, names: Any, joining: bool, holds: bool) -> None:
    assert says_no_more(text, quotes, names, joining=joining) is holds


def test_words_are_told_apart_by_what_is_no_letter() -> None:
    assert words_of("It’s 3.5 m_long") == ["it", "s", "3", "5", "m", "long"]


@pytest.mark.parametrize(
    ("answer", "sources", "documents", "holds"),
    [
        ("69 metres", [LONG], "", True),
        ("No: 69 metres", [LONG], "", True),
        ("The wreck: 69 metres", [LONG], "A page\nThe wreck", True),
        ("The wreck: 69 metres", [LONG], "", False),
        ("69 metres", [], "", False),
        ("  ", [LONG], "", False),
    ],
)
def test_an_answer_is_in_the_words_of_its_sources(answer: str, sources: Any, documents: str, holds: bool) -> None:
    values = [given("answer", answer, "quote"), *(quoted("source", each) for each in sources)]
    assert say("answered", *values, words={"documents": documents}) == (answer if holds else None)
    assert say("answered", quoted("answer", answer), *values[1:], words={"documents": documents}) is None


READ = [given("sentences", 340, "count"), given("opened", 5, "count")]


@pytest.mark.parametrize(
    ("reason", "values", "more", "said"),
    [
        ("nothing passed", [], {}, "No answer was found. Searched: 3 pages."),
        ("nothing passed", READ, {"cut": "yes", "notes": "One note."},
         "No answer was found. One note. Searched: 3 pages. 340 sentences of the 5 most likely were read. The "
         "time ran out "
         "before all questions were asked."),
        ("denied", [], {}, "The sources do not answer this as it is asked. Searched: 3 pages."),
        ("out of time", [], {}, "Not answered: the time ran out before 3 pages were searched."),
        ("not searched", [], {}, "Not answered: the search failed before 3 pages were searched."),
        ("not searched", READ, {}, None),
        ("nothing passed", READ[:1], {}, None),
        ("nothing passed", [quoted("sentences", "340"), quoted("opened", "5")], {}, None),
        ("nothing passed", [], {"where": ""}, None),
        ("lost", [], {}, None),
    ],
)  # fmt: skip
def test_what_was_searched_without_an_answer_is_told(reason: str, values: Any, more: Any, said: str | None) -> None:
    assert say("absent", *values, words={"reason": reason, "where": "3 pages", **more}) == said


OPEN = "Uncertain: sources say {} and {}; no rule decides, so both are shown."
FORMS = [
    OPEN,
    "Consensus: 2 independent sources say {}, one says {}.",
    "Recency: {} is of 2024-03-04, {} of 2020-01-01; the figure changes with time, so the newer one is preferred.",
    "Credibility: a.org (0.90) says {}; the best source for {} has 0.50.",
]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(
    ("one", "two", "sides", "holds"),
    [
        ("'69 metres'", "'61 metres'", [(LONG, "a"), (SHORT, "b")], True),
        ('"69 metres"', "'61 metres'", [(LONG, "a"), (SHORT, "b")], True),
        ("'69 metres'", "'61 metres'", [(LONG, "a"), (SHORT, "b"), (LONG, "c")], True),
        ("'69 metres'", "'61 metres'", [(LONG, "a"), (SHORT, "a")], False),
        ("'69 metres'", "'61 metres'", [(f"{LONG} {SHORT}", "a"), ("It is a ship.", "b")], False),
        ("'69 metres'", "'61 metres'", [(f"{LONG} {SHORT}", "a"), (SHORT, "b")], True),
        ("'69 metres'", "'70 metres'", [(LONG, "a"), (SHORT, "b")], False),
        ("'70 metres'", "'61 metres'", [(LONG, "a"), (SHORT, "b")], False),
        ("'69 metres'", "'69 Metres'", [(LONG, "a"), (LONG, "b")], False),
        ("'69 metres'", "'61 metres'", [(LONG, "a")], False),
        ("'affirmed'", "'denied'", [("It is so.", "a"), ("It is not so.", "b")], True),
        ("'affirmed'", "'affirmed'", [("It is so.", "a"), ("It is so.", "b")], False),
        ("'affirmed'", "'denied'", [("It is so.", "a"), ("It is not so.", "a")], False),
        (r"'the king\'s ship'", "'a boat'", [("It is the king's ship.", "a"), ("It is a boat.", "b")], True),
        (r"'a\\b'", "'c'", [(r"It is a\b.", "a"), ("It is c.", "b")], True),
    ],
)
def test_sources_disagree_where_each_says_another_value(form: str, one: str, two: str, sides: Any, holds: bool) -> None:
    resolution = form.format(one, two)
    values = [quoted("side", text, source) for text, source in sides]
    assert say("disagrees", *values, words={"resolution": resolution}) == (
        f"Sources disagree on this. {resolution}" if holds else None
    )
    assert say("disagrees", *values, words={"resolution": f"{resolution} So it is."}) is None


FALK = "It was dredged by the steamer Falk, and the mud went out to sea."
PORT = "Lindholm Harbour lies at the mouth of the Lind."


@pytest.mark.parametrize(
    ("text", "values", "holds"),
    [
        ("It was dredged by the steamer Falk.", [quoted("quote", FALK)], True),
        ("Lindholm Harbour was dredged by the steamer Falk.", [quoted("quote", FALK)], False),
        ("Lindholm Harbour was dredged by the steamer Falk.", [quoted("quote", FALK), quoted("subject", PORT)], True),
        ("It was dredged by the steamer Falk.", [given("quote", FALK, "quote")], False),
        ("It was dredged by the steamer Falk.", [quoted("quote", FALK), given("subject", PORT, "quote")], False),
        ("It was dredged by the steamer Falk.", [quoted("quote", FALK), quoted("quote", PORT)], False),
        ("It was dredged by the steamer Falk.", [quoted("quote", FALK), quoted("side", PORT)], False),
        ("It was dredged by the steamer Falk.", [], False),
        ("", [quoted("quote", FALK)], False),
    ],
)
def test_a_restatement_rests_on_one_quotation(text: str, values: Any, holds: bool) -> None:
    assert say("restated", *values, words={"said": text}) == (text if holds else None)


JOINED = "The harbour opened in 1901 and the mine closed in 1950."
FIRST, SECOND = "The harbour opened in 1901.", "The mine closed in 1950."


@pytest.mark.parametrize(
    ("text", "values", "holds"),
    [
        (JOINED, [quoted("fact", FIRST), quoted("fact", SECOND, start=40)], True),
        (JOINED, [quoted("fact", FIRST), quoted("fact", SECOND, "b")], True),
        (JOINED, [quoted("fact", FIRST), quoted("fact", SECOND)], False),
        (JOINED, [quoted("fact", FIRST), given("fact", SECOND, "quote")], False),
        (JOINED, [quoted("fact", FIRST), quoted("fact", SECOND, "b"), quoted("quote", PORT, "c")], False),
        (JOINED, [quoted("fact", FIRST), quoted("named", SECOND, "b")], False),
        (
            "Lindholm Harbour opened in 1901 and the mine closed in 1950.",
            [
                quoted("fact", "It opened in 1901.", subject=0),
                quoted("named", PORT, start=40, subject=0),
                quoted("fact", SECOND, "b", subject=1),
            ],
            True,
        ),
        (
            "Lindholm Harbour opened in 1901 and the mine closed in 1950.",
            [
                quoted("fact", "It opened in 1901.", subject=0),
                quoted("named", PORT, start=40, subject=1),
                quoted("fact", SECOND, "b", subject=1),
            ],
            False,
        ),
    ],
)
def test_an_inference_rests_on_facts_of_different_places(text: str, values: Any, holds: bool) -> None:
    assert say("inferred", *values, words={"said": text}) == (text if holds else None)


RFC, GUIDE = "RFC 42 – Names", "The guide"


@pytest.mark.parametrize(
    ("text", "holds"),
    [
        ("RFC 42 – Names requires a name and the tool reads the name.", True),
        ("RFC 42 requires a name and the tool reads the name.", True),
        ("RFC 43 requires a name and the tool reads the name.", False),
        ("The guide requires a name and the tool reads the name.", False),
        ("RFC 42 requires a name and according to the guide, the tool reads the name.", True),
        ("RFC 42 requires a name and according to the guide the tool reads the name.", True),
        ("RFC 42 requires a name and according to RFC 42, the tool reads the name.", False),
        ("RFC 42 requires a name and the guide says that the tool reads the name.", True),
        ("RFC 42 requires a name and the guide notes the tool reads the name.", True),
        ("RFC 42 requires a name and the guide denies the tool reads the name.", False),
        ("RFC 42 requires a name and the tool writes the name.", False),
    ],
)
def test_who_says_what_stays_with_its_document(text: str, holds: bool) -> None:
    facts = [Premise("This RFC requires a name.", title=RFC), Premise("The tool reads the name.", title=GUIDE)]
    assert (why_not_inferred(text, facts) is None) is holds


@pytest.mark.parametrize(("size", "holds"), [(1, False), (2, True), (3, True), (4, True), (5, False)])
def test_an_inference_rests_on_two_to_four_facts(size: int, holds: bool) -> None:
    facts = [
        f"The {place} opened in {1900 + at}."
        for at, place in enumerate("harbour mine bridge school mill".split()[:size])
    ]
    parts = [fact.removesuffix(".") for fact in facts]
    text = " and ".join([parts[0], *(part[:1].lower() + part[1:] for part in parts[1:])]) + "."
    assert (why_not_inferred(text, [Premise(fact) for fact in facts]) is None) is holds
    if holds:
        assert why_not_inferred(text, [Premise(fact) for fact in [*facts[1:], facts[1]]]) is not None
