"""The part of a folder of questions that may be read: what ``bench/set_aside.toml`` sets aside is left out unread."""

from __future__ import annotations

import json
import math
import shutil
import tomllib
from collections import Counter
from pathlib import Path
from typing import Any

from averment.corpus.answering.library import content_keys

ASIDE = Path(__file__).parents[2] / "bench" / "set_aside.toml"


def seen_folder(source: Path, target: Path, most: int | None = None) -> Path:
    """A copy of a folder without the corpus that is set aside, its documents and its questions; ``most`` at most.

    A question that no document answers names none: it belongs to the corpus whose documents use its words more.
    """
    aside = tomllib.loads(ASIDE.read_text(encoding="utf-8"))[source.name]["corpus"]
    corpora = {folder.name: folder for folder in sorted((source / "corpus").iterdir()) if folder.is_dir()}
    shutil.rmtree(target, ignore_errors=True)
    for name, folder in corpora.items():
        if name != aside:
            shutil.copytree(folder, target / "corpus" / name)
    shutil.copy(source / "score.py", target / "score.py")
    home = {path.name: name for name, folder in corpora.items() for path in folder.iterdir()}
    held = {name: _held(folder) for name, folder in corpora.items()}
    gold = {one["id"]: one for one in lines_of(source / "gold.jsonl")}
    kept: list[dict[str, Any]] = []
    for case in lines_of(source / "cases.jsonl"):
        named = {home[document] for document in gold[case["id"]].get("docs") or () if document in home}
        if aside not in (named or {_nearest(case["question"], held)}):
            kept.append(case)
    kept = kept[:most]
    (target / "cases.jsonl").write_text("".join(f"{json.dumps(case)}\n" for case in kept), encoding="utf-8")
    answers = "".join(f"{json.dumps(gold[case['id']])}\n" for case in kept)
    (target / "gold.jsonl").write_text(answers, encoding="utf-8")
    return target


def lines_of(path: Path) -> list[dict[str, Any]]:
    """The objects of a file, one a line."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]


def _held(folder: Path) -> dict[str, float]:
    """For each word the share of a corpus's documents that hold it, never quite nothing."""
    paths = [path for path in folder.iterdir() if path.is_file()]
    counts = Counter(key for path in paths for key in set(content_keys(path.read_text(encoding="utf-8"))))
    return {key: (count + 0.5) / (len(paths) + 1) for key, count in counts.items()} | {"": 0.5 / (len(paths) + 1)}


def _nearest(question: str, held: dict[str, dict[str, float]]) -> str:
    def fit(name: str) -> float:
        return sum(math.log(held[name].get(key, held[name][""])) for key in set(content_keys(question)))

    return max(sorted(held), key=fit)
