"""What the reader is fitted on: for each question sentences in their surroundings, and which answer it by which words.

SQuAD 2.0's articles are taken as one folder, and candidates are what the product itself would find there; the sentences
of the paragraph a question was written for are read beside them. RAMDocs names what each of its documents answers.
"""

from __future__ import annotations

import json
import random
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from averment.corpus.answering.card import card_of
from averment.corpus.answering.library import Library
from averment.corpus.answering.question import take_apart
from averment.corpus.answering.sentences import Odds, find_candidates
from averment.corpus.answering.windows import SentenceWindow, TokenWindow, WindowTokens, window_of
from averment.corpus.structure.read import read_structure
from averment.corpus.structure.shape import Structure
from reader_fitting.questions import questions_of, shortened

FOUND, BESIDE = 6, 3
"""So many candidates of a question are read, and so many further sentences of its own paragraph."""
HIDDEN, SHORTENED, TITLED = 0.3, 0.15, 0.15
"""How many of the made questions are asked without their sentence, in a few words, and with their document named."""


@dataclass(frozen=True)
class Listed:
    """A question as tokens, where it comes from, its windows, which answer, and the tokens of the answering words."""

    group: str
    asked: list[int]
    windows: list[TokenWindow]
    right: list[bool]
    spans: list[tuple[int, int]]


def from_squad(source: Path, tokens: WindowTokens, hand: dict[str, float], most: int | None = None) -> list[Listed]:
    """All questions of a set in the form of SQuAD 2.0; about ``most`` of them, evenly spaced, for a trial."""
    articles = json.loads(source.read_text(encoding="utf-8"))["data"]
    texts = [
        "# {}\n\n{}".format(one["title"].replace("_", " "), "\n\n".join(p["context"] for p in one["paragraphs"]))
        for one in articles
    ]
    bodies = [
        read_structure(text, "markdown", f"file:///squad/{one['title']}.md")
        for text, one in zip(texts, articles, strict=True)
    ]
    library = Library([card_of(body) for body in bodies], None, bodies)
    odds = Odds(hand, {"bias": 0.0}, 0.0)
    count = sum(len(paragraph["qas"]) for one in articles for paragraph in one["paragraphs"])
    step, place = max(1, count // most) if most else 1, 0
    found: list[Listed] = []
    for number, (article, text) in enumerate(zip(articles, texts, strict=True)):
        first, last = library.ranges[number]
        places = [(library.lines[n].unit.start, library.lines[n].unit.end, n) for n in range(first, last)]
        at = 0
        for paragraph in article["paragraphs"]:
            at = text.index(paragraph["context"], at)
            own = [n for start, end, n in places if start >= at and end <= at + len(paragraph["context"])]
            for asked in paragraph["qas"]:
                place += 1
                if place % step:
                    continue
                taken = take_apart(asked["question"], library)
                chosen = [one.line for one in find_candidates(taken, library, None, odds)[:FOUND]]
                chosen += [n for n in own if n not in chosen][:BESIDE]
                answers = [] if asked["is_impossible"] else asked["answers"]
                offsets = [(at + one["answer_start"], one["text"]) for one in answers]
                for n in own:
                    unit = library.lines[n].unit
                    if n not in chosen and any(unit.start <= start < unit.end for start, _ in offsets):
                        chosen.append(n)
                listed = _listed(library, tokens, asked["question"], article["title"], chosen, offsets)
                if listed is not None:
                    found.append(listed)
    return found


def _listed(
    library: Library, tokens: WindowTokens, question: str, group: str, chosen: list[int], offsets: list[tuple[int, str]]
) -> Listed | None:
    windows, right, spans = [], [], []
    for n in chosen:
        line = library.lines[n]
        said = [text for start, text in offsets if line.unit.start <= start < line.unit.end and text in line.unit.text]
        if not said and any(text.lower() in line.unit.text.lower() for _, text in offsets):
            continue  # It may answer too.
        window = window_of(library, line)
        marked = tokens.window(window)
        windows.append(marked)
        right.append(bool(said))
        spans.append(span_of(marked, window.own, min(said, key=len)) if said else (0, 0))
    return Listed(group, tokens.question(question), windows, right, spans) if windows else None


def from_pages(source: Path, tokens: WindowTokens) -> list[Listed]:
    """Questions with pages and, for each page, the answer it gives (RAMDocs)."""
    gold = {one["id"]: one for one in map(json.loads, (source / "gold.jsonl").read_text().splitlines())}
    found: list[Listed] = []
    for case in map(json.loads, (source / "cases.jsonl").read_text().splitlines()):
        answers = gold[case["id"]]["evidence"]
        every = [*answers.values(), *gold[case["id"]].get("wrong", [])]
        windows, right, spans = [], [], []
        for page in case["documents"]:
            parts = [one for one in re.split(r"(?<=[.!?])\s+(?=[A-Z\"(])", page["text"]) if one.strip()]
            for place, own in enumerate(parts[:12]):
                said = answers.get(page["doc_id"])
                said = said if said and said in own else None
                if said is None and any(one.lower() in own.lower() for one in every):
                    continue
                window = SentenceWindow("", parts[place - 1] if place else "", own)
                marked = tokens.window(window)
                windows.append(marked)
                right.append(said is not None)
                spans.append(span_of(marked, own, said) if said else (0, 0))
        order = sorted(range(len(windows)), key=lambda n: (not right[n], n))[:8]
        if order:
            kept = [windows[n] for n in order], [right[n] for n in order], [spans[n] for n in order]
            found.append(Listed("pages", tokens.question(case["question"]), *kept))
    return found


def span_of(marked: TokenWindow, own: str, said: str) -> tuple[int, int]:
    """The first and last token of the answering words; (0, 0) where they were cut off."""
    start = own.find(said)
    end = start + len(said)
    inside = [n for n, (a, b) in enumerate(marked.offsets) if a < end and b > start]
    return (marked.first + inside[0], marked.first + inside[-1]) if inside else (0, 0)


def sizes(listed: list[Listed]) -> dict[str, Any]:
    """How many questions and windows there are."""
    return {
        "questions": len(listed),
        "answered": sum(any(one.right) for one in listed),
        "windows": sum(len(one.windows) for one in listed),
    }


def from_documents(
    name: str, bodies: list[Structure], tokens: WindowTokens, hand: dict[str, float], most: int, seed: int
) -> list[Listed]:
    """Questions made of sentences of some documents; a fifth of them asked where the sentence is not among the others.

    A question about a thing that another document speaks of is no question of this one: it gets that thing's name.
    """
    library = Library([card_of(body) for body in bodies], None, bodies)
    odds = Odds(hand, {"bias": 0.0}, 0.0)
    chance = random.Random(seed)
    places = list(range(len(library.lines)))
    chance.shuffle(places)
    found: list[Listed] = []
    for n in places:
        line = library.lines[n]
        path = library.block_of(line).path
        made = questions_of(line.unit.text, path[-1] if path else "", chance)
        if not made:
            continue
        one = chance.choice(made)
        asked = shortened(one.question, chance) if chance.random() < SHORTENED else one.question
        if chance.random() < TITLED and library.cards[line.document].title.lower() not in asked.lower():
            asked = f"{asked.rstrip('?')} in {library.cards[line.document].title.split(':')[0][:40]}?"
        chosen = [each.line for each in find_candidates(take_apart(asked, library), library, None, odds)[:FOUND]]
        around = [m for m in (n - 1, n + 1) if 0 <= m < len(library.lines)]
        chosen += [m for m in around if m not in chosen and library.lines[m].document == line.document]
        same = {m for m in {*chosen, n} if library.lines[m].unit.text == line.unit.text}
        hidden = chance.random() < HIDDEN
        chosen = [m for m in chosen if m not in same] + ([] if hidden else [n])
        listed = _made(library, tokens, asked, name, chosen, n, one.words)
        if listed is not None:
            found.append(listed)
        if len(found) >= most:
            break
    return found


def _made(
    library: Library, tokens: WindowTokens, question: str, group: str, chosen: list[int], n: int, words: str
) -> Listed | None:
    windows, right, spans = [], [], []
    for m in chosen:
        window = window_of(library, library.lines[m])
        marked = tokens.window(window)
        windows.append(marked)
        right.append(m == n)
        spans.append(span_of(marked, window.own, words) if m == n and words in window.own else (0, 0))
    return Listed(group, tokens.question(question), windows, right, spans) if windows else None
