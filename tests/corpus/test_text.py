from __future__ import annotations

from collections import Counter
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from averment.corpus.dates import date_in, read_date
from averment.corpus.duplicates import are_copies, bands, shingles
from averment.corpus.names import find_titles, names, title_keys
from averment.corpus.passages import LONGEST, cut
from averment.corpus.snapshot import normalise
from averment.corpus.stemmer import stem
from averment.corpus.terms import pack, terms, unpack

WORDS = st.lists(
    st.sampled_from("alpha beta gamma delta epsilon zeta eta theta iota kappa".split()), min_size=1, max_size=400
)


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("caresses", "caress"),
        ("ponies", "poni"),
        ("relational", "relat"),
        ("conditional", "condit"),
        ("hopping", "hop"),
        ("agreed", "agre"),
        ("generalizations", "gener"),
        ("oscillators", "oscil"),
        ("sky", "sky"),
        ("yes", "ye"),
        ("p53", "p53"),
        ("naïve", "naïve"),
    ],
)
def test_words_are_cut_as_porter_cuts_them(word: str, expected: str) -> None:
    assert stem(word) == expected


def test_terms_leave_out_little_words_unless_nothing_else_is_there() -> None:
    assert terms("The regulation of the regulators") == ["regul", "regul"]
    assert terms("to be or not to be")


def test_packed_terms_read_back_and_equal_texts_give_equal_bytes() -> None:
    counts = Counter(terms("profits rose and profits fell"))
    keys, numbers = unpack(pack(counts))
    assert sorted(numbers.tolist()) == sorted(counts.values())
    assert len(keys) == len(counts)
    assert pack(counts) == pack(Counter(reversed(terms("profits rose and profits fell"))))


@given(st.text(max_size=400))
def test_a_snapshot_of_a_snapshot_is_itself(text: str) -> None:
    once = normalise(text)
    assert normalise(once) == once
    once.encode("utf-8")


def test_a_snapshot_holds_nothing_that_a_reader_does_not_see() -> None:
    hidden = "ok\u202e\u200b\U000e0070\U000e006c\ufeff and\x00 so\x1b[31m on"
    assert normalise(hidden) == "ok and so[31m on"


@given(WORDS, st.sampled_from([" ", "\n\n", ". ", "\n"]))
def test_passages_cover_a_text_in_order_and_stay_short(found: list[str], gap: str) -> None:
    text = normalise(gap.join(found * 5))
    spans = cut(text)
    assert all(0 < end - start <= LONGEST for start, end in spans)
    assert [text[start:end] for start, end in spans] == [text[start:end].strip() for start, end in spans]
    covered = "".join(text[start:end] for start, end in spans)
    assert "".join(covered.split()) == "".join(text.split())
    assert all(before[1] <= after[0] for before, after in pairwise(spans))


def test_a_word_without_end_is_cut_and_nothing_is_lost() -> None:
    text = "x" * 10_000
    assert "".join(text[start:end] for start, end in cut(text)) == text


def test_titles_are_found_in_prose_the_longest_first_and_across_no_sentence_end() -> None:
    known = {
        key for title in ("Lothair II", "Ermengarde of Tours", "Tours", "John F. Kennedy") for key in title_keys(title)
    }
    text = "He was the son of Ermengarde of Tours. Lothair II met John F. Kennedy in tours."
    assert [mention.name for mention in find_titles(text, known)] == [
        "ermengarde of tours",
        "lothair ii",
        "john f kennedy",
    ]


def test_a_title_in_a_question_is_found_in_any_case_but_not_as_a_common_word() -> None:
    known = set(title_keys("God's Gift to Women")) | set(title_keys("Film"))
    found = find_titles("Who made the film God'S Gift To Women?", known, is_question=True)
    assert [mention.name for mention in found] == ["god gift to women"]


def test_a_title_is_known_without_its_bracket_and_place() -> None:
    assert title_keys("Dark River (2017 film)") == ("dark river 2017 film", "dark river")
    assert title_keys("Leland, North Carolina") == ("leland north carolina", "leland")


def test_a_long_name_is_found_by_its_parts() -> None:
    assert {"lothair ii", "lothair ii of lotharingia", "lotharingia"} <= set(
        names("She married Lothair II of Lotharingia.")
    )


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2024-03-05T10:00:00Z", "2024-03-05"),
        ("D:20210409120000+02'00'", "2021-04-09"),
        ("Tue, 05 Mar 2024 10:00:00 +0000", "2024-03-05"),
        ("5 March 2024", "2024-03-05"),
        ("March 5th, 2024", "2024-03-05"),
        ("2024-03", "2024-03"),
        ("31 February 2024", None),
        ("in May the march began", None),
        ("", None),
    ],
)
def test_a_date_is_read_where_one_stands(text: str, expected: str | None) -> None:
    assert read_date(text) == expected


def test_a_date_in_running_text_is_no_publication_date() -> None:
    assert date_in("A study\n\nPublished: 3 May 2021\n\nText.") == "2021-05-03"
    assert date_in("News\n12 June 2020\nThe minister said.") == "2020-06-12"
    assert date_in("The war began on 1 September 1939 and went on for years, as everyone in the town recalls.") is None


STORY = " ".join(f"sentence number {number} tells of thing {number * 7 % 13}" for number in range(60))


def test_a_text_with_small_changes_is_a_copy_and_shares_a_band() -> None:
    changed = STORY.replace("number 7 ", "no. seven ") + " Reprinted with permission."
    one, other = shingles(STORY), shingles(changed)
    assert are_copies(one, other)
    assert set(bands(one)) & set(bands(other))


def test_the_first_two_thirds_of_a_text_are_a_copy_of_it_and_a_quotation_is_not() -> None:
    words = STORY.split()
    assert are_copies(shingles(STORY), shingles(" ".join(words[: len(words) * 2 // 3])))
    assert not are_copies(shingles(STORY), shingles(" ".join(words[:40])))


def test_texts_on_one_matter_in_other_words_are_no_copies() -> None:
    other = "The ministry said on Monday that exports had risen by a tenth, the fastest growth in a decade of trade."
    mine = (
        "Exports rose by a tenth, the ministry announced at the start of the week, growing faster than for ten years."
    )
    assert not are_copies(shingles(other), shingles(mine))
    assert not are_copies(frozenset(), frozenset())


def test_blanks_that_lay_a_text_out_stay() -> None:
    table = "Model     Cost\n========  ====\none\tthread  5%\n\n\n\n  - item   \n    of it"
    kept = normalise(table, laid_out=True)
    assert kept == "Model     Cost\n========  ====\none     thread  5%\n\n  - item\n    of it"
    assert normalise(kept, laid_out=True) == kept
    assert normalise("seen" + " " * 900 + "hidden", laid_out=True) == "seen" + " " * 80 + "hidden"
