"""Sides of a disagreement speak of one thing: no namesake, successor or part of it."""

import pytest

from averment.language.claims.one_subject import speaks_of


@pytest.mark.parametrize(
    ("question", "text", "same"),
    [
        ("When was the satellite Falcon 2 launched?", "Falcon 2 was launched on 14 June 2011.", True),
        ("When was the satellite Falcon 2 launched?", "Falcon 3 was launched on 2 March 2015.", False),
        ("When was Quill released?", "Quill 2.0 was released in 2018.", False),
        ("When was Quill 2.0 released?", "Quill 2.0 was released in 2018.", True),
        ("When was Elmstad founded?", "Elmstad was founded in 1650.", True),
        ("When was Elmstad founded?", "Elmstad FK was founded in 1911.", False),
        ("When was the Orla Dam completed?", "The Orla Dam was completed in 1957.", True),
        ("When was the Orla Dam completed?", "The road to the Orla Dam was built, and the Orla Dam completed.", True),
        ("When was the Orla Dam completed?", "The reservoir of the Orla Dam was completed in 1961.", False),
        ("When was the Orla Dam completed?", "The Orla Dam's turbines were completed in 1963.", False),
        ("When was the reservoir of the Orla Dam filled?", "The reservoir of the Orla Dam was filled in 1961.", True),
        ("When was the harbour of Sund deepened?", "The harbour of Sund was deepened in 1971.", True),
        ("Who directs the Orla Dam?", "The director of the Orla Dam is Ada Holm.", True),
        ("When was the boathouse of Bakke Light built?", "Bakke Light was built in 1874.", False),
        ("When was the boathouse of Bakke Light built?", "The boathouse of Bakke Light was built in 1902.", True),
        ("When was it built?", "It was built in 1911.", True),
    ],
)
def test_a_side_speaks_of_the_thing_asked_about(question: str, text: str, same: bool) -> None:
    asked = f"{question[:1].lower()}{question[1:]}"
    assert speaks_of(asked, text, itself=not question.startswith("Who")) is same
