"""Documents taken apart: fields, headings, lists and tables, each at its place in the raw text."""

from __future__ import annotations

import pytest

from averment.corpus.structure.read import read_structure
from averment.corpus.structure.shape import Structure

MANUAL = """\
Note: 12
Title: Mooring in Winter
Author: Ada Holm <ada@example.org>,
        Per Lind
Status: Active
Created: 04-Feb-2021

Abstract
========

Boats stay **out** of the water from November.  The crane lifts ``12`` tonnes.

Fees
----

.. csv-table:: Fees of the winter
   :header: Length, Fee

   "8 m", 120
   "12 m", 190

Duties
------

The keeper must:

- check the ropes;
- clear the snow
  from the decks.

.. code-block:: python

   fee = 120 * weeks

.. _link: https://example.org
"""


@pytest.fixture(scope="module")
def manual() -> Structure:
    return read_structure(MANUAL, "rst", "file:///notes/note-0012.rst")


def test_header_lines_become_fields_that_stand_where_they_say(manual: Structure) -> None:
    values = {field.key: field.value for field in manual.fields}
    assert values["author"] == "Ada Holm <ada@example.org>, Per Lind"
    assert values["created"] == "04-Feb-2021"
    assert (manual.kind, manual.number, manual.title) == ("note", "12", "Mooring in Winter")
    for field in manual.fields:
        assert MANUAL[field.start : field.end].lower().startswith(field.key)


def test_sentences_are_plain_and_lead_back_to_the_raw_text(manual: Structure) -> None:
    units = [unit for block in manual.blocks if block.path == ("Abstract",) for unit in block.units]
    assert [unit.text for unit in units] == [
        "Boats stay out of the water from November.",
        "The crane lifts 12 tonnes.",
    ]
    assert MANUAL[units[0].start : units[0].end] == "Boats stay **out** of the water from November."


def test_an_item_has_the_sentence_it_hangs_on_and_a_row_its_headers(manual: Structure) -> None:
    items = [block for block in manual.blocks if block.kind == "item"]
    assert [item.text for item in items] == ["check the ropes;", "clear the snow from the decks."]
    assert {item.lead.text for item in items if item.lead} == {"The keeper must:"}
    rows = [block.cells for block in manual.blocks if block.kind == "row"]
    assert rows == [(("Length", "8 m"), ("Fee", "120")), (("Length", "12 m"), ("Fee", "190"))]


def test_code_and_link_targets_are_never_facts(manual: Structure) -> None:
    told = " ".join(block.text for block in manual.blocks)
    assert "weeks" not in told
    assert "example.org" not in told


def test_front_matter_headings_and_pipe_tables_of_markdown_are_read() -> None:
    head = "---\ntitle: Harbour Plan\nauthors: [A. Berg, C. Dahl]\n---\n"
    text = f"{head}# Plan\n\n## Depths\n\n| berth | depth |\n|---|---|\n| north | 9 m |\n"
    found = read_structure(text, "markdown", "file:///plan.md")
    assert [field.value for field in found.fields if field.key == "authors"] == ["A. Berg", "C. Dahl"]
    assert found.title == "Harbour Plan"
    row = next(block for block in found.blocks if block.kind == "row")
    assert (row.path, row.cells) == (("Plan", "Depths"), (("berth", "north"), ("depth", "9 m")))


@pytest.mark.parametrize(
    ("name", "series"),
    [
        ("rfc-0012.txt", ("rfc", "12")),
        ("rfc2119.txt", ("rfc", "2119")),
        ("libfoo8.txt", ("", "")),
        ("GPL-3.0.txt", ("", "")),
    ],
)
def test_a_number_in_a_name_counts_only_where_it_is_that_of_a_series(name: str, series: tuple[str, str]) -> None:
    found = read_structure("Some words.", "text", f"file:///texts/{name}")
    assert (found.kind, found.number) == series


def test_a_heading_after_the_first_paragraph_is_no_title() -> None:
    assert read_structure("Words first.\n\n# Later\n\nMore.", "markdown", "file:///b/intro.md").title == "intro"


@pytest.mark.parametrize("kind", ["rst", "markdown", "text"])
def test_every_place_lies_in_the_text_whatever_it_holds(kind: str) -> None:
    odd = "====\n\n.. \n..\n- \n1. x\n|a|\n|-|\n+--+\n```\n" * 3 + "\t: x\n\x0b–\n"
    for block in read_structure(odd, kind, "file:///odd").blocks:
        assert all(0 <= unit.start < unit.end <= len(odd) for unit in block.units)


def test_a_list_of_fields_is_told_entry_by_entry_and_what_hangs_on_one_has_it_as_its_lead() -> None:
    text = (
        "Tides\n=====\n\n:Creator: Ada Holm\n:Rows: 12\n:Columns:\n    - hour  of the day\n    - level in metres\n"
        ":Source: The harbour\n    office.\n\n:func:`load` reads them.\n"
    )
    found = read_structure(text, "rst", "file:///sets/tides.rst")
    assert [block.text for block in found.blocks] == [
        "Creator: Ada Holm",
        "Rows: 12",
        "hour of the day",
        "level in metres",
        "Source: The harbour office.",
        "load reads them.",
    ]
    assert found.blocks[2].lead is not None
    assert found.blocks[2].lead.text == "Columns:"
    assert {field.key: field.value for field in found.fields} == {
        "creator": "Ada Holm",
        "rows": "12",
        "source": "The harbour office.",
    }
    assert found.number == ""
    assert all(text[field.start : field.end].startswith(":") for field in found.fields)


def test_badges_are_no_part_of_a_title() -> None:
    text = "# Multer [![NPM Version][npm-image]][npm-url] ![Tests](t.svg)\n\nMulter reads forms.\n"
    assert read_structure(text, "markdown", "file:///readme.md").title == "Multer"
