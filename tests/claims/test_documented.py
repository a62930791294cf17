"""The page about claims lists every relation, derived value and format, with the promise the code makes."""

from pathlib import Path

from averment.claims.relation import relations
from averment.evidence.derive import FUNCTIONS
from averment.evidence.formats import KINDS

PAGE = (Path(__file__).parents[2] / "docs" / "reference" / "claims.md").read_text(encoding="utf-8")


def test_every_relation_is_on_its_page_with_its_promise() -> None:
    ours = {name: relation for name, relation in relations().items() if name != "ours"}
    assert [name for name, relation in ours.items() if f"| `{name}` | {relation.promise} |" not in PAGE] == []


def test_every_derived_value_and_every_format_is_on_the_page() -> None:
    assert [name for name in (*FUNCTIONS, *KINDS) if f"`{name}`" not in PAGE] == []
