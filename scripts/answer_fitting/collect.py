"""What the odds are fitted on: for each question its candidates with their features, and which of them are right."""

from __future__ import annotations

import hashlib
import importlib.util
import json
import pickle
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from answer_fitting.hand import HAND
from answer_fitting.left_out import is_left_out
from averment.corpus.answering.answerer import Answerer, tell
from averment.corpus.answering.card import card_of
from averment.corpus.answering.library import Library
from averment.corpus.answering.question import take_apart
from averment.corpus.answering.sentences import Odds, find_candidates
from averment.corpus.answering.windows import SentenceWindow, window_of
from averment.corpus.readers.html import read_html
from averment.corpus.readers.kinds import kind_of_suffix
from averment.corpus.readers.limits import DocumentLimits
from averment.corpus.structure.read import read_structure
from averment.corpus.structure.shape import Structure

_READ = ("rst", "markdown", "text", "html")
Embed = Callable[[Sequence[str]], Any]


@dataclass(frozen=True)
class Case:
    """A question, where it comes from, its candidates' features, what each would tell, and whether that is right."""

    corpus: str
    group: str
    question: str
    windows: list[SentenceWindow]
    features: list[dict[str, float]]
    said: list[str]
    right: list[bool]


class Vectors:
    """The embedder with what it computed kept in a file."""

    def __init__(self, place: Path) -> None:
        from averment.language.embeddings import default_embedder

        self._place = place
        self._kept: dict[bytes, Any] = pickle.loads(place.read_bytes()) if place.exists() else {}
        self._embedder = default_embedder(place.parent)

    def __call__(self, texts: Sequence[str]) -> Any:
        """The vectors of texts."""
        places = [hashlib.sha1(text.encode()).digest() for text in texts]
        for place, text in zip(places, texts, strict=True):
            if place not in self._kept:
                self._kept[place] = self._embedder.embed([text])[0]
        return np.array([self._kept[place] for place in places], np.float32)

    def save(self) -> None:
        """Keep what was computed."""
        self._place.write_bytes(pickle.dumps(self._kept))


def from_squad(source: Path, embed: Embed, count: int, seed: int) -> list[Case]:
    """Questions of a set in the form of SQuAD 2.0, its articles taken as one folder; not those the reader has seen."""
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
    asked = [
        (one["title"], question) for one in articles for paragraph in one["paragraphs"] for question in paragraph["qas"]
    ]
    random.Random(seed).shuffle(asked)
    odds = Odds(HAND, {"bias": 0.0}, 0.0)
    cases: list[Case] = []
    for title, question in asked[:count]:
        if not is_left_out(title):
            continue
        taken = take_apart(question["question"], library)
        found = find_candidates(taken, library, embed, odds)
        if not found:
            continue
        tellings = [tell(taken, library, library.lines[one.line]).answer for one in found]
        answers = [] if question["is_impossible"] else [one["text"].lower() for one in question["answers"]]
        homes = [library.cards[library.lines[one.line].document].title for one in found]
        right = [
            any(answer in said.lower() for answer in answers) and home.startswith(title.replace("_", " ")[:20])
            for said, home in zip(tellings, homes, strict=True)
        ]
        windows = [window_of(library, library.lines[one.line]) for one in found]
        cases.append(
            Case("squad", title, question["question"], windows, [dict(one.features) for one in found], tellings, right)
        )
    return cases


class Watching(Answerer):
    """Keeps the questions that come down to a sentence."""

    asked: list[Any]

    def sentence(self, question: Any) -> Any:
        """The sentence, and the question is kept."""
        self.asked = [*getattr(self, "asked", []), question]
        return super().sentence(question)


def from_folder(source: Path, embed: Embed, ids: str = "", script: Path | None = None) -> list[Case]:
    """Questions over a folder with ``cases.jsonl``, ``gold.jsonl``, ``corpus/`` and a ``score.py`` beside them.

    Only those whose id begins with ``ids`` are read; ``script`` judges where the folder has no ``score.py``.
    """
    own = source / "score.py"
    judge = judge_of(own if own.exists() or script is None else script)
    bodies = [body_of(path) for path in documents_of(source / "corpus")]
    library = Library([card_of(body) for body in bodies], None, bodies)
    gold = {one["id"]: one for one in map(json.loads, (source / "gold.jsonl").read_text().splitlines())}
    odds = Odds(HAND, {"bias": 0.0}, 0.0)
    cases: list[Case] = []
    for case in map(json.loads, (source / "cases.jsonl").read_text().splitlines()):
        if not case["id"].startswith(ids):
            continue
        watching = Watching(library, embed, odds=odds)
        watching.ask(case["question"])
        asked: list[Any] = getattr(watching, "asked", [])
        for place, question in enumerate(asked):
            found = find_candidates(question, library, embed, odds)
            if not found or len(asked) > 1:
                continue
            said = [tell(question, library, library.lines[one.line]).answer for one in found]
            right = [judge(gold[case["id"]], text) for text in said]
            windows = [window_of(library, library.lines[one.line]) for one in found]
            group = f"{source.name}-{case['id']}-{place}"
            features = [dict(one.features) for one in found]
            cases.append(Case(source.name, group, question.text, windows, features, said, right))
    return cases


def documents_of(corpus: Path) -> list[Path]:
    """The files of a folder that are read, by name."""
    return sorted(path for path in corpus.rglob("*") if kind_of_suffix(path.suffix) in _READ)


def body_of(path: Path) -> Structure:
    """A file taken apart."""
    kind = kind_of_suffix(path.suffix) or "text"
    if kind == "html":
        page = read_html(path.read_bytes(), DocumentLimits())
        return read_structure(page.text, kind, path.absolute().as_uri(), page.title)
    return read_structure(path.read_text(encoding="utf-8", errors="replace"), kind, path.absolute().as_uri())


def scorer(place: Path) -> Any:
    """The script that judges answers, as a module."""
    spec = importlib.util.spec_from_file_location("score", place)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def judge_of(place: Path) -> Callable[[dict[str, Any], str], bool]:
    """Whether what is told answers a question, by the script that judges."""
    module = scorer(place)

    def judge(gold: dict[str, Any], said: str) -> bool:
        words = module.told(said)
        return not gold["unanswerable"] and all(
            any(module.holds(words, one) for one in part) for part in gold["answers"]
        )

    return judge
