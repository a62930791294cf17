"""The questions and readings of a fit in tokens, and the sentence model in half precision: what the cross-reader needs.

All that is fitted on a machine with a graphics card travels in one small folder; words that do not occur are left out
of the model's table of words.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np
from safetensors.numpy import load_file, save_file
from tokenizers import Tokenizer

from averment.language.embeddings.minilm import model_dir
from averment.plans.plan import Plan
from averment.reading.account.word_accounts import tables_of
from averment.reading.judge.judging import CONTEXT_TOKENS, tables_text, text_of
from odds_fitting.altered import altered, columns_used, said
from odds_fitting.fitting import FOLDS, LEFT, SEED

ALTERED = 10
"""So many altered plans of a question at most."""
KINDS = ("everyday", "practice", "spider", "reworded")


def folds_of(cases: Sequence[dict[str, Any]]) -> dict[str, int]:
    """Of each table or database the fold it is held out with."""
    groups = sorted({case["group"] for case in cases})
    random.Random(SEED).shuffle(groups)
    return {group: at % FOLDS for at, group in enumerate(groups)}


def pack(cases: Sequence[dict[str, Any]], folder: Path) -> None:
    """Writes the folder. Follow-ups are left out: their few words say nothing by themselves."""
    tokenizer = Tokenizer.from_file(str(model_dir() / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.no_truncation()
    folds = folds_of(cases)
    texts = _texts(cases)
    read = [case for case in cases if not case["follows"] and texts[case["id"]]]
    rows = [row for case in read for row in texts[case["id"]]]
    asked, said, tables = (
        [one.ids for one in tokenizer.encode_batch(each, add_special_tokens=False)]
        for each in (
            [case["question"] for case in read],
            [text_of(row.said) for row in rows],
            [tables_text(_tables(case)) for case in read],
        )
    )
    tables = [text[:CONTEXT_TOKENS] for text in tables]
    facts: dict[str, np.ndarray] = {
        "starts": np.cumsum([0, *(len(texts[case["id"]]) for case in read)]).astype(np.int32),
        "right": np.array([row.right for row in rows]),
        "ran": np.array([row.ran for row in rows]),
        "left": np.array([row.left for row in rows], np.int16),
        "fold": np.array([folds[case["group"]] for case in read], np.int16),
        "kind": np.array([KINDS.index(case["kind"]) for case in read], np.int16),
    }
    save_pack(folder, {"q": asked, "s": said, "c": tables}, facts)


def save_pack(folder: Path, texts: dict[str, list[list[int]]], facts: dict[str, np.ndarray]) -> None:
    """Texts in tokens, facts about them, and the sentence model with the words that occur."""
    model = model_dir()
    tokenizer = Tokenizer.from_file(str(model / "tokenizer.json"))
    marks = [int(tokenizer.token_to_id(mark)) for mark in ("[CLS]", "[SEP]")]
    words = sorted({0, *marks, *(token for each in texts.values() for text in each for token in text)})
    number = {token: at for at, token in enumerate(words)}
    held = dict(facts)
    for name, each in texts.items():
        held[name] = np.array([number[token] for text in each for token in text], np.uint16)
        held[f"{name}_at"] = np.cumsum([0, *(len(text) for text in each)]).astype(np.int32)
    held["marks"] = np.array([number[mark] for mark in marks])
    folder.mkdir(parents=True, exist_ok=True)
    np.savez_compressed(folder / "data.npz", **held)
    base = load_file(str(model / "model.safetensors"))
    base["embeddings.word_embeddings.weight"] = base["embeddings.word_embeddings.weight"][words]
    small = {n: np.ascontiguousarray(v.astype(np.float16)) for n, v in base.items() if n.startswith(("emb", "enc"))}
    save_file(small, folder / "base.safetensors")
    before = resources.files("averment.reading").joinpath("cross.safetensors")
    (folder / "before.safetensors").write_bytes(before.read_bytes())


def held_out_scores(folder: Path, fits: Path) -> np.ndarray:
    """The score of each text that was run, by the reader that saw nothing of its fold."""
    without = fits_without(fits)
    with np.load(folder / "data.npz") as held, np.load(fits / "scores.npz") as scores:
        fold = np.repeat(held["fold"], np.diff(held["starts"]))
        found = np.choose(fold, [scores[f"cross_{without[number]}"] for number in range(FOLDS)])
        return found[held["ran"]].astype(float)


def fits_without(fits: Path) -> dict[int, str]:
    """Of each fold the name of the fit that left it out, alone or with others."""
    with np.load(fits / "scores.npz") as scores:
        names = [name.removeprefix("cross_") for name in scores.files]
    return {int(fold): name for name in names for fold in name}


def _tables(case: dict[str, Any]) -> list[tuple[str, list[str]]]:
    """The tables that a reading of the question uses, with their columns, as the judge tells them."""
    used = {name for reading in case["readings"] for name in tables_of(Plan.model_validate(reading["plan"]))}
    return [(table, [column[0] for column in columns]) for table, columns in case["schema"] if table in used]


@dataclass(frozen=True)
class Text:
    """What a plan says of itself, and whether it is what was asked for."""

    said: str
    right: bool
    ran: bool = False
    left: int = 0


def _texts(cases: Sequence[dict[str, Any]]) -> dict[str, list[Text]]:
    """Of each question what was run, then what was meant, then the same with a part altered."""
    plans: dict[str, list[dict[str, Any]]] = {}
    for case in cases:
        meant = [case["meant"]] if case["meant"] is not None else []
        plans.setdefault(case["group"], []).extend([*(reading["plan"] for reading in case["readings"]), *meant])
    columns = {group: columns_used(each) for group, each in plans.items()}
    rng = random.Random(SEED)
    found: dict[str, list[Text]] = {}
    for case in cases:
        texts = [Text(r["said"], r["right"], True, int(r["facts"][LEFT])) for r in case["readings"]]
        known = {text.said for text in texts}
        meant = said(case["meant"]) if case["meant"] is not None else None
        if meant is not None and meant not in known:
            texts.append(Text(meant, True))
        right = next((reading["plan"] for reading in case["readings"] if reading["right"]), None)
        start = case["meant"] if meant is not None else right
        for text in altered(start, columns[case["group"]], ALTERED, rng) if start is not None else ():
            if text not in known and text != meant:
                texts.append(Text(text, False))
        found[case["id"]] = texts
    return found
