"""Questions as strangers type them, over documents of many makes: what is structure is read, what is asked is met."""

from __future__ import annotations

import pytest

from averment.corpus.answering.answerer import Answerer, tell
from averment.corpus.answering.card import card_of
from averment.corpus.answering.library import Library
from averment.corpus.answering.question import take_apart
from averment.corpus.answering.sentences import Odds, find_candidates, fitted_odds
from averment.corpus.readers.html import read_html
from averment.corpus.readers.limits import DocumentLimits
from averment.corpus.structure.read import read_structure


def library_of(texts: dict[str, str]) -> Library:
    kinds = {"md": "markdown", "rst": "rst", "txt": "text"}
    bodies = [
        read_structure(text, kinds[name.rpartition(".")[2]], f"file:///shelf/{name}") for name, text in texts.items()
    ]
    return Library([card_of(body) for body in bodies], None, bodies)


def candidates(library: Library, question: str) -> list[str]:
    found = find_candidates(take_apart(question, library), library, None, fitted_odds())
    return [library.lines[one.line].unit.text for one in found]


def test_a_wrapped_line_of_a_page_ends_no_sentence() -> None:
    story = "".join(f"<p>The {n}th boat was tied\nto the <em>old</em>\npier before noon.</p>" for n in range(4, 60))
    page = f"<html><body><article><h1>Boats</h1>{story}<pre>one\ntwo</pre></article></body></html>"
    text = read_html(page.encode(), DocumentLimits()).text
    body = read_structure(text, "html", "file:///boats.html")
    assert "The 7th boat was tied to the old pier before noon." in [u.text for b in body.blocks for u in b.units]
    assert "one two" not in text


def test_two_columns_without_a_header_are_fields_of_the_document() -> None:
    text = (
        "# Crane Rules\n\n| | |\n|---|---|\n| Owner | Ada Holm |\n| Valid from | 1 May 2024 |\n\n## Use\n\nAsk first.\n"
    )
    body = read_structure(text, "markdown", "file:///rules.md")
    assert [(field.key, field.value) for field in body.fields] == [("owner", "Ada Holm"), ("valid-from", "1 May 2024")]
    assert body.blocks[0].units[0].text == "Owner: Ada Holm"


@pytest.mark.parametrize(
    ("kind", "asked"),
    [
        ("markdown", "**May I moor overnight?**\nYes. The fee is 12 EUR.\n"),
        ("rst", "May I moor overnight?\n\nYes. The fee is 12 EUR.\n"),
        ("text", "Q. May I moor\novernight?\n\nYes. The fee is 12 EUR.\n"),
    ],
)
def test_a_question_of_its_own_heads_what_answers_it(kind: str, asked: str) -> None:
    body = read_structure(f"Opening words stand here.\n\n{asked}", kind, "file:///faq")
    assert body.blocks[-1].path[-1] == "May I moor overnight?"
    assert body.blocks[-1].units[-1].text == "The fee is 12 EUR."


def test_a_paragraph_whose_last_sentence_asks_stays_a_paragraph() -> None:
    body = read_structure("The pier is old. Who built it?\n\nNobody knows.\n", "markdown", "file:///pier.md")
    assert [block.path for block in body.blocks] == [(), ()]


def test_stars_of_an_outline_are_headings() -> None:
    text = "Tool NEWS\n\n* Changes in release 1.4 (2010-01-20)\n\n** Bug fixes\n\n  The crane no longer jams.\n"
    body = read_structure(text, "text", "file:///NEWS.txt")
    assert body.blocks[-1].path == ("Changes in release 1.4 (2010-01-20)", "Bug fixes")


def test_marks_of_links_and_escapes_are_no_part_of_a_text() -> None:
    body = read_structure("# Duties¶\n\nCall pier\\_open first.\n", "markdown", "file:///d.md")
    assert body.title == "Duties"
    assert body.blocks[0].text == "Call pier_open first."


def test_an_answer_under_its_question_says_yes_or_no_first() -> None:
    library = library_of(
        {"faq.md": "# Harbour\n\n**May I moor overnight at the pier?**\nYes. The fee for a mooring is 12 EUR.\n"}
    )
    line = next(line for line in library.lines if "12 EUR" in line.unit.text)
    question = take_apart("Can I moor at the pier overnight?", library)
    assert tell(question, library, line).answer == "Yes. The fee for a mooring is 12 EUR."


def test_what_is_counted_behind_the_thing_asked_for_is_not_the_question() -> None:
    library = library_of({"a.md": "# Boats\n\nThe log book counts how often a boat sails.\n"})
    assert take_apart("Which book counts how often a boat sails?", library).expects == "thing"
    assert take_apart("Which program lets several boats share one berth?", library).expects == "thing"
    assert take_apart("How often does a boat sail?", library).expects == "duration"
    assert take_apart("What is the size limit of a boat?", library).expects == "number"
    assert take_apart("limit the size of a boat", library).expects != "number"


def test_the_date_of_a_release_stands_in_its_heading_or_below_it() -> None:
    log = "# Changelog\n\n## 8.0.0 - 2024-09-28\n\n- The crane is quieter.\n\n## 7.0.0 - 2023-05-06\n\n- New ropes.\n"
    rst = "Winch\n=====\n\n4.3.0 RC1\n---------\n\n:release-date: 2019-02-20\n\n"
    rst += "4.3.0\n-----\n\n:release-date: 2019-03-31\n"
    desk = Answerer(library_of({"helm-changelog.md": log, "winch.rst": rst}), None)
    assert "2024-09-28" in desk.part("When was helm 8.0.0 released?").answer
    assert "2019-03-31" in desk.part("release date of winch 4.3.0").answer
    assert desk.part("When was helm 9.0.0 released?").answer == ""


def test_a_row_of_another_version_is_no_candidate() -> None:
    table = "| Version | Date |\n|---|---|\n| 5.0.0 | 2024-09-17 |\n| 6.1.0 | 2025-02-03 |\n"
    library = library_of({"helm.md": f"# Helm\n\n{table}"})
    assert candidates(library, "When was helm 6.1.0 released?") == ["Version: 6.1.0; Date: 2025-02-03"]


def test_a_sentence_that_leans_on_the_paragraph_above_is_told_with_it() -> None:
    text = (
        "# Pier\n\n## Lamps\n\nThe lamps of the pier burn oil.\n\nBecause of that, the keeper fills them each night.\n"
    )
    library = library_of({"pier.md": text})
    line = library.lines[-1]
    told = tell(take_apart("Why does the keeper fill the lamps each night?", library), library, line)
    assert told.answer.startswith("The lamps of the pier burn oil. Because of that")
    assert len(told.places) == 2


def test_a_name_may_stand_elsewhere_in_the_document_and_a_version_may_be_written_with_its_name() -> None:
    filler = "\n\n".join(f"## Part {n}\n\nRopes of kind {n} are kept in shed {n}." for n in range(30))
    library = library_of(
        {
            "pier.md": f"# Ropes\n\nNorvik made them.\n\n{filler}\n\n## Lamps\n\nA lamp burns for nine hours.\n",
            "terms.txt": "TERMS OF MOORING Version 3\n\nYou may charge any price for a berth.\n",
        }
    )
    assert "A lamp burns for nine hours." in candidates(library, "How long does a lamp of Norvik burn?")
    assert "You may charge any price for a berth." in candidates(library, "Which price may I charge under MOORINGv3?")


def test_a_definition_is_found_where_the_rest_of_the_question_names_the_document() -> None:
    library = library_of(
        {
            "harbour.md": "# Harbour Guide\n\nA dry berth is a place on land.\n",
            "canal.md": "# Canal Guide\n\nA lock is a gate in the water.\n",
        }
    )
    told = Answerer(library, None).part("What is a dry berth in the harbour guide?")
    assert told.answer.startswith("A dry berth is a place on land.")


def test_a_noun_for_files_asks_for_what_a_document_names_too() -> None:
    library = library_of({"a.md": "# Crane\n\nThe file crane.log shows the state of a running crane.\n"})
    assert "crane.log" in " ".join(candidates(library, "which file shows the state of a running crane"))
    assert (
        Answerer(library, None).part("which file shows the state of a running crane").note
        != "No document is about this."
    )


@pytest.mark.parametrize(("bias", "told"), [(0.0, True), (-1.0, False)])
def test_one_cell_whose_row_and_column_are_met_needs_lower_odds_than_a_sentence(bias: float, told: bool) -> None:
    table = "| Boat | Draught | Berth |\n|---|---|---|\n| Heron | 1.4 m | 12 |\n| Plover | 2.1 m | 31 |\n"
    library = library_of({"boats.md": f"# Boats\n\n{table}\nThe Curlew was built in 1931.\n"})
    curves = Odds({**fitted_odds().first, "bias": -20.0}, {"bias": bias}, bar=0.72)
    answerer = Answerer(library, None, odds=curves)
    [(_, cell)] = answerer.ask("What is the draught of the Plover?")
    assert (cell.how, "2.1 m" in cell.answer) == (("cell", True) if told else ("none", False))
    [(_, sentence)] = answerer.ask("When was the Curlew built?")
    assert sentence.how == "none"
