"""What of the data a model is shown follows the level that was set, whatever the model asks to see."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from averment import Workbench
from averment.settings import Settings

sys.path.insert(0, str(Path(__file__).parent))
from speaking import Speaker

FIRST, LAST = ("Ada", "Bela", "Cleo", "Dora", "Egon", "Fritzi"), ("Ottakring", "Pernegg", "Quirin", "Rabenau", "Sulz")
PEOPLE = [
    (f"{first} {last}", f"{first}.{last}@example.com".lower(), ("Wels", "Steyr", "Enns")[n % 3], 7000 + 13 * n)
    for n, (first, last) in enumerate((first, last) for first in FIRST for last in LAST)
]
PARTS = {
    "name": {name for name, *_ in PEOPLE},
    "address": {address for _, address, *_ in PEOPLE},
    "city": {city for *_, city, _ in PEOPLE},
    "amount": {str(amount) for *_, amount in PEOPLE[1:-1]},
}
"""What the cells of each column are known by; the least and the greatest amount belong to a profile."""


@pytest.fixture(scope="module")
def speaker(model_at: Callable[[str], None]) -> Iterator[Speaker]:
    opened = Speaker()
    model_at(opened.url)
    yield opened
    opened.close()


@pytest.fixture(scope="module")
def people(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("people") / "people.csv"
    path.write_text("customer_name,contact,city,amount\n" + "".join(f"{a},{b},{c},{d}\n" for a, b, c, d in PEOPLE))
    return path


@pytest.mark.parametrize(
    ("settings", "seen"),
    [
        ({"model_privacy": "names"}, set[str]()),
        ({"model_privacy": "profiles"}, set[str]()),
        ({"model_privacy": "values"}, {"city", "amount"}),
        ({"model_privacy": "values", "model_privacy_of": {"people.city": "names"}}, {"amount"}),
        ({"model_privacy": "values", "model_privacy_of": {"people": "names"}}, set[str]()),
        ({"model_privacy": "rows"}, {"name", "city", "amount"}),
    ],
    ids=["names", "profiles", "values", "values but a column", "values but the table", "rows"],
)
def test_the_rows_that_a_model_asks_to_see_show_what_its_level_permits(
    speaker: Speaker, people: Path, tmp_path: Path, settings: dict[str, object], seen: set[str]
) -> None:
    query = "SELECT customer_name, contact, city, amount FROM people"
    speaker.lie = {"tool": "try", "sql": query, "fits": True, "prose": ""}
    speaker.then = {"tool": "ask", "question_back": "The data do not hold that.", "fits": True, "prose": ""}
    speaker.heard.clear()
    with Workbench(settings=Settings(home=tmp_path / "home", **settings)) as workbench:  # type: ignore[arg-type]
        workbench.analyze("which galaxy shines brightest", [people])
    heard = "\n".join(speaker.heard)
    assert '"row_count": 30' in heard  # It was told what came of its query.
    assert {part for part, values in PARTS.items() if any(value in heard for value in values)} == seen
