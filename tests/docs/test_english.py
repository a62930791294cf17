"""What a person reads is plain technical English: no phrase of a list of known bad ones is in a document or a message.

The list holds phrases that reviewers found hard to read. It is a floor, not a style checker: a sentence can pass and
still be bad. Raised messages are found in the syntax tree, so that comments and docstrings are free.
"""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
RECORDS = {"docs/benchmarks.md", "docs/seeds.md"}
"""Logs of what was measured and required at a time; their wording is not rewritten."""
MADE = {"docs/start/gallery.md", "docs/explain/one-question.md", "docs/explain/prompts.md"}
"""Pages that scripts write from real runs, whose sentences are sealed and versioned."""

BAD = {
    "stands there": r"\bstands? there\b",
    "is no X, for is not an X": r"(?<!here )\b(?:is|are) no (?!longer\b|more\b|fewer\b|less\b)\w",
    "is told": r"\b(?:is|are|was|were) (?:never |only |also )?told\b",
    "anew": r"\banew\b",
    "a research": r"\ba research\b(?! (?:run|report|question|plan|agent)\b)",
    "like data": r"\blike data\b",
    "nothing holds": r"\bnothing holds\b",
    "lies beside": r"\b(?:lies?|lying|laid) beside\b",
    "those that": r"\bthose that\b",
    "what was said": r"\bwhat was said\b",
}


def bad_phrases(text: str) -> list[str]:
    flat = re.sub(r"\s+", " ", text)
    return [
        f"{name}: …{flat[max(0, found.start() - 40) : found.end() + 30]}…"
        for name, pattern in BAD.items()
        for found in re.finditer(pattern, flat, re.IGNORECASE)
    ]


def documents() -> Iterator[Path]:
    yield from sorted(ROOT.glob("*.md"))
    for path in sorted((ROOT / "docs").rglob("*.md")):
        name = path.relative_to(ROOT).as_posix()
        if name not in RECORDS | MADE and "decisions" not in path.parts:
            yield path


def written(node: ast.expr) -> Iterator[str]:
    """The texts of an expression, with a blank name for each value that is filled in."""
    if isinstance(node, ast.Constant):
        if isinstance(node.value, str):
            yield node.value
    elif isinstance(node, ast.JoinedStr):
        yield "".join(str(part.value) if isinstance(part, ast.Constant) else "X" for part in node.values)
    else:
        for inner in ast.iter_child_nodes(node):
            if isinstance(inner, ast.keyword):
                yield from written(inner.value)
            elif isinstance(inner, ast.expr):
                yield from written(inner)


def messages(path: Path) -> Iterator[tuple[int, str]]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call):
            yield from ((node.lineno, text) for text in written(node.exc))
        elif isinstance(node, ast.keyword) and node.arg in {"hint", "suggestion", "help"}:
            yield from ((node.value.lineno, text) for text in written(node.value))


@pytest.mark.parametrize("path", list(documents()), ids=lambda path: path.relative_to(ROOT).as_posix())
def test_a_document_holds_no_phrase_that_reviewers_found_hard_to_read(path: Path) -> None:
    assert path.name == "CHANGELOG.md" or not bad_phrases(path.read_text(encoding="utf-8"))


def test_no_raised_message_hint_or_option_holds_a_phrase_that_reviewers_found_hard_to_read() -> None:
    found = [
        f"{path.relative_to(ROOT)}:{line}: {phrase}"
        for path in sorted((ROOT / "src").rglob("*.py"))
        for line, text in messages(path)
        for phrase in bad_phrases(text)
    ]
    assert not found, "\n".join(found)


@pytest.mark.parametrize(
    "sentence",
    [
        "No run stands there.",
        "The file holds NUL bytes: it is no text.",
        "What was found is told.",
        "Each redirect is checked anew.",
        "A research works over documents.",
        "The rows are like data.",
        "Nothing holds against calendar and chance.",
        "The key lies beside the log.",
        "They are not those that were signed.",
        "It repeats what was said.",
    ],
)
def test_each_phrase_of_the_list_is_found(sentence: str) -> None:
    assert len(bad_phrases(sentence)) == 1


@pytest.mark.parametrize(
    "sentence", ["There is no file.", "It is no longer there.", "A research run ends.", "Ask again."]
)
def test_ordinary_sentences_pass(sentence: str) -> None:
    assert not bad_phrases(sentence)
