"""What a person reads is plain technical English: no phrase of a list of known bad ones is in a document or a message.

The list holds phrases that reviewers found hard to read. It is a floor, not a style checker: a sentence can pass and
still be bad. Read are the documents and every text in the code: raised messages, frames, details of faults, help, the
strings of scripts, and the pages. Comments and docstrings are free.
"""

import ast
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
CODE = ROOT / "src" / "averment"
RECORDS = {"docs/benchmarks.md", "docs/seeds.md"}
"""Logs of what was measured and required at a time; their wording is not rewritten. Decisions are such logs too."""
MADE = {"docs/start/gallery.md", "docs/explain/one-question.md", "docs/explain/prompts.md"}
"""Pages that scripts write from real runs, whose sentences are sealed and versioned."""
PROGRAMS = {"agents/driller/scripts.py", "agents/driller/model_loop/trials.py"}
"""Programs as texts, with their comments. Runs are sealed with them, so they stay as they are. For the same reason the
prompts for models (``llm/prompts``) are not read: recorded exchanges are found again by them."""

BAD = {
    "stands there": r"\bstands? (?:there|twice)\b",
    "is no X, for is not an X": r"(?<!here )\b(?:is|are) no (?!longer\b|more\b|fewer\b|less\b)\w",
    "is told": r"\b(?:is|are|was|were) (?:never |only |also )?told\b",
    "anew": r"\banew\b",
    "a research": r"\ba research\b(?! (?:run|report|question|plan|agent)\b)",
    "like data": r"\blike data\b",
    "nothing holds": r"\bnothing holds\b",
    "lies beside": r"\b(?:lies?|lying|laid|held) beside\b",
    "those that": r"\bthose that\b",
    "what was said": r"\bwhat was said\b",
    "otherwise than": r"\botherwise than\b",
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


def texts_of_python(source: str) -> Iterator[str]:
    """Every string of a module but its docstrings, with a blank name for each value that is filled in."""
    waiting: list[ast.AST] = [ast.parse(source)]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            continue
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value
        elif isinstance(node, ast.JoinedStr):
            yield "".join(str(part.value) if isinstance(part, ast.Constant) else "X" for part in node.values)
            waiting.extend(part for part in node.values if isinstance(part, ast.FormattedValue))
        else:
            waiting.extend(ast.iter_child_nodes(node))


_SCRIPT = re.compile(
    r"""/\*.*?\*/|(?<![:"'`\w])//[^\n]*|"((?:\\.|[^"\\\n])*)"|'((?:\\.|[^'\\\n])*)'|`((?:\\.|[^`\\])*)`""", re.DOTALL
)
_FILLED = re.compile(r"\$\{[^{}]*\}")


def texts_of_script(source: str) -> Iterator[str]:
    """Every string of a JavaScript file; comments are passed over."""
    for found in _SCRIPT.finditer(source):
        text = next((group for group in found.groups() if group is not None), None)
        if text is not None:
            yield _FILLED.sub("X", text)


def text_of_page(source: str) -> str:
    """What a template shows, with its attributes: without comments, statements and values."""
    shown = re.sub(r"\{#.*?#\}|<!--.*?-->|\{%.*?%\}", " ", source, flags=re.DOTALL)
    return re.sub(r"\{\{.*?\}\}", "X", shown, flags=re.DOTALL)


def texts_of_table(held: object) -> Iterator[str]:
    """Every text among the values of a TOML file."""
    if isinstance(held, str):
        yield held
    elif isinstance(held, dict | list):
        for one in held.values() if isinstance(held, dict) else held:
            yield from texts_of_table(one)


def texts(path: Path) -> Iterator[str]:
    """What a file of the package may say to a person."""
    source = path.read_text(encoding="utf-8")
    if path.suffix == ".py":
        yield from texts_of_python(source)
    elif path.suffix == ".js":
        yield from texts_of_script(source)
    elif path.suffix == ".toml":
        yield from texts_of_table(tomllib.loads(source))
    else:
        yield text_of_page(source)


@pytest.mark.parametrize("path", list(documents()), ids=lambda path: path.relative_to(ROOT).as_posix())
def test_a_document_holds_no_phrase_that_reviewers_found_hard_to_read(path: Path) -> None:
    assert not bad_phrases(path.read_text(encoding="utf-8"))


@pytest.mark.parametrize("suffix", [".py", ".js", ".html", ".toml"])
def test_no_text_of_the_package_holds_a_phrase_that_reviewers_found_hard_to_read(suffix: str) -> None:
    read = [path for path in sorted(CODE.rglob(f"*{suffix}")) if path.relative_to(CODE).as_posix() not in PROGRAMS]
    assert len(read) > 10
    found = [
        f"{path.relative_to(CODE)}: {phrase}" for path in read for text in texts(path) for phrase in bad_phrases(text)
    ]
    assert not found, "\n".join(found)


def test_the_commands_of_the_makefile_hold_no_such_phrase() -> None:
    assert not bad_phrases((ROOT / "Makefile").read_text(encoding="utf-8"))


def test_texts_are_found_and_comments_and_docstrings_are_not() -> None:
    module = '"""Said anew."""\nFRAMES = (Frame("one {x}"),)\nraise Fault(0, f"two {f(\'three\')} four")  # anew\n'
    assert sorted(texts_of_python(module)) == ["one {x}", "three", "two X four"]
    script = 'tell("one // two"); // anew\n/* "anew" */ say(`at ${place}`, \'it\\\'s\'); fetch("https://x.org");'
    assert list(texts_of_script(script)) == ["one // two", "at X", "it\\'s", "https://x.org"]
    assert text_of_page('{# anew #}<p title="one">{{ two }} three</p>').split() == ["<p", 'title="one">X', "three</p>"]


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
        "The key stands twice.",
        "It moved otherwise than the rest.",
    ],
)
def test_each_phrase_of_the_list_is_found(sentence: str) -> None:
    assert len(bad_phrases(sentence)) == 1


@pytest.mark.parametrize(
    "sentence", ["There is no file.", "It is no longer there.", "A research run ends.", "Ask again."]
)
def test_ordinary_sentences_pass(sentence: str) -> None:
    assert not bad_phrases(sentence)
