"""What the reader is fitted on besides: questions that people wrote over folders of documents, with their answers.

A folder holds ``corpus/``, ``cases.jsonl`` and ``gold.jsonl``; each answerable question names its documents, quotes the
sentence that answers and lists the decisive strings of each part of its answer.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from answer_fitting.collect import Embed, body_of, documents_of

from averment.corpus.answering.answerer import tell
from averment.corpus.answering.card import card_of
from averment.corpus.answering.library import Library
from averment.corpus.answering.question import CorpusQuestion, split_parts, take_apart
from averment.corpus.answering.sentences import Odds, find_candidates
from averment.corpus.answering.windows import WindowTokens, window_of
from reader_fitting.collect import HIDDEN, Listed, span_of

READ, AROUND = 10, 2
"""So many candidates of a question are read, and so many lines on each side of a right one."""
_THREE, _ENOUGH = 3, 0.6
Hold = Callable[[str, str], bool]
"""Whether a text holds a decisive string, as it is judged."""


def from_questions(
    folder: Path, tokens: WindowTokens, hand: dict[str, float], embed: Embed | None, hold: Hold, seed: int
) -> list[Listed]:
    """The questions of a folder with what the product finds for them, and the lines that are quoted as the answer.

    Other lines that hold a decisive string are left out, for they may answer too; a share of the questions is asked a
    second time where the quoted lines are hidden. What quotes no line that the product reads is left out.
    """
    paths = documents_of(folder / "corpus")
    bodies = [body_of(path) for path in paths]
    library = Library([card_of(body) for body in bodies], None, bodies)
    names = {path.name: number for number, path in enumerate(paths)}
    odds = Odds(hand, {"bias": 0.0}, 0.0)
    chance = random.Random(seed)
    gold = {one["id"]: one for one in map(json.loads, (folder / "gold.jsonl").read_text().splitlines())}
    found: list[Listed] = []
    for case in map(json.loads, (folder / "cases.jsonl").read_text().splitlines()):
        truth = gold[case["id"]]
        parts = split_parts(case["question"])
        apart = len(parts) > 1 and len(truth["answers"]) == len(parts)
        for place, text in enumerate(parts if apart or truth["unanswerable"] else parts[:1]):
            answers = [truth["answers"][place]] if apart else truth["answers"]
            asked = take_apart(text, library)
            chosen = [one.line for one in find_candidates(asked, library, embed, odds)[:READ]]
            quoted = [] if truth["unanswerable"] else quoted_lines(library, truth, names)
            right = _right(asked, library, quoted, answers, hold)
            if not truth["unanswerable"] and not right:
                continue
            near = {m for n in right for m in range(n - AROUND, n + AROUND + 1) if 0 <= m < len(library.lines)}
            home = {library.lines[n].document for n in right}
            chosen += [m for m in sorted(near) if m not in chosen and library.lines[m].document in home]
            chosen += [n for n in right if n not in chosen]
            open_ones = [n for n in chosen if n in right or (n not in quoted and not _may(library, n, answers, hold))]
            group = f"folder {folder.name}"
            for hidden in (False, True) if right and chance.random() < HIDDEN else (False,):
                shown = [n for n in open_ones if not (hidden and n in right)]
                if shown:
                    found.append(_listed(library, tokens, asked.text, group, shown, right, answers))
    return found


def quoted_lines(library: Library, truth: dict[str, Any], names: dict[str, int]) -> list[int]:
    """The lines of the documents a question names that stand in its quote, or hold it, or most of it."""
    quote = _plain(truth.get("quote") or "")
    grams = _grams(quote)
    found: list[int] = []
    for number in [names[name] for name in truth["docs"] if name in names]:
        first, last = library.ranges[number]
        for n in range(first, last):
            own = _plain(library.lines[n].unit.text)
            mine = _grams(own)
            inside = len(mine & grams) / len(mine) if mine else 0.0
            if (mine and inside >= _ENOUGH) or (grams and len(mine & grams) >= _ENOUGH * len(grams)):
                found.append(n)
    return found


def _plain(text: str) -> list[str]:
    kept = "".join(one if one.isalnum() else " " for one in text.casefold())
    return kept.split()


def _grams(words: Sequence[str]) -> set[tuple[str, ...]]:
    long = min(_THREE, len(words))
    return {tuple(words[n : n + long]) for n in range(len(words) - long + 1)} if long else set()


def _right(
    asked: CorpusQuestion, library: Library, quoted: Sequence[int], answers: Sequence[Sequence[str]], hold: Hold
) -> list[int]:
    """The quoted lines that tell the whole answer; where none does, those of a part; for yes and no the first two."""
    parts = [[one for one in part if not one.startswith("^")] for part in answers]
    parts = [part for part in parts if part]
    if not parts:
        return list(quoted[:2])
    said = {n: tell(asked, library, library.lines[n]).answer for n in quoted}
    whole = [n for n in quoted if all(any(hold(said[n], one) for one in part) for part in parts)]
    own = [n for n in whole if all(any(hold(library.lines[n].unit.text, one) for one in part) for part in parts)]
    some = [n for n in quoted if any(hold(library.lines[n].unit.text, one) for part in parts for one in part)]
    return own or whole or some


def _may(library: Library, n: int, answers: Sequence[Sequence[str]], hold: Hold) -> bool:
    text = library.lines[n].unit.text
    return any(hold(text, one) for part in answers for one in part if not one.startswith("^"))


def _listed(
    library: Library, tokens: WindowTokens, text: str, group: str, shown: Sequence[int], right: Sequence[int],
    answers: Sequence[Sequence[str]],
) -> Listed:  # fmt: skip
    windows, good, spans = [], [], []
    for n in shown:
        window = window_of(library, library.lines[n])
        marked = tokens.window(window)
        low = window.own.lower()
        said = [one for part in answers for one in part if one.lower() in low]
        at = low.find(max(said, key=len).lower()) if said else -1
        windows.append(marked)
        good.append(n in right)
        words = window.own[at : at + len(max(said, key=len))] if said else ""
        spans.append(span_of(marked, window.own, words) if n in right and words else (0, 0))
    return Listed(group, tokens.question(text), windows, good, spans)
