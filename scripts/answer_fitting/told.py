"""Fitting the last step alone: the odds that what is told answers, by what the curves say of its first sentence.

    python scripts/answer_fitting/told.py --folders DIR [DIR ...] --judge score.py --kept DIR [--write]
        [--without FOLDER=FILE ...]

A sentence is told with what stands around it, so it is right more often than the curves expect, which were fitted on
sentences. A number a curve and two more are fitted over the product's own answers; what is printed for a folder was
fitted without it. A folder that the reader was fitted on is read by one that was not (``--without``). With ``--write``
the numbers go into the package, with a manifest of the folders.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
from dataclasses import dataclass, fields
from pathlib import Path
from typing import ClassVar

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))

from fit_answer_odds import fit as fit_curve

from answer_fitting.collect import Vectors, body_of, documents_of, judge_of
from answer_fitting.seen import lines_of
from averment.corpus.answering.answerer import Answerer
from averment.corpus.answering.card import card_of
from averment.corpus.answering.library import Library
from averment.corpus.answering.sentences import Odds, fitted_odds, logit
from averment.corpus.answering.span_reader import SpanReader

PACKAGED = Path(__file__).parents[2] / "src/averment/corpus/answering/odds.json"
BARS = (0.5, 0.55, 0.6, 0.65, 0.7, 0.75, 0.8, 0.85)
HELD = 1.0
COLUMNS = {"with": ("read", "plain", "covered"), "without": ("plain", "covered")}


@dataclass(frozen=True, slots=True)
class Told:
    """An answer of the product: what the curves say of it, and whether it is right."""

    folder: str
    plain: float
    read: float
    covered: float
    right: bool


class Recording(Odds):
    """The package's curves; whatever they say is told, and what they said is kept."""

    said: ClassVar[list[tuple[float, float, float]]] = []

    def together(self, plain: float, read: float | None, covered: float) -> float:
        """Always told."""
        self.said.append((logit(plain), logit(plain if read is None else read), covered))
        return 1.0


def main() -> int:
    """The arguments, and what they ask for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folders", type=Path, nargs="+", required=True)
    parser.add_argument("--judge", type=Path, required=True, help="the script that judges answers")
    parser.add_argument("--kept", type=Path, required=True)
    parser.add_argument("--bar", type=float, default=0.8, help="the bar without the reader")
    parser.add_argument("--read-bar", type=float, default=0.78)
    parser.add_argument("--without", nargs="*", default=[], help="FOLDER=FILE: a reader not fitted on a folder")
    parser.add_argument("--write", action="store_true")
    chosen = parser.parse_args()
    told: dict[str, list[Told]] = {}
    for how in COLUMNS:
        told[how] = [one for folder in chosen.folders for one in answers_of(folder, chosen, how == "with")]
        report(how, told[how])
    if chosen.write:
        data = json.loads(PACKAGED.read_text(encoding="utf-8"))
        data |= {"bar": chosen.bar, "read_bar": chosen.read_bar}
        data["told"] = {how: fit(how, every) for how, every in told.items()}
        data["manifest"]["told"] = {
            folder.name: {
                "questions": sum(one.folder == folder.name for one in told["with"]),
                "sha256": hashlib.sha256((folder / "cases.jsonl").read_bytes()).hexdigest(),
            }
            for folder in chosen.folders
        }
        PACKAGED.write_text(json.dumps(data, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    return 0


def answers_of(folder: Path, chosen: argparse.Namespace, read: bool) -> list[Told]:
    """What the product would tell for every question of one part that comes down to a sentence."""
    from averment.language.embeddings.minilm import MiniLmEmbedder

    judge, vectors = judge_of(chosen.judge), Vectors(chosen.kept / "vectors.pickle")
    other = dict(one.split("=", 1) for one in chosen.without).get(folder.name)
    weights = Path(other).read_bytes() if other is not None else None
    reader = SpanReader(MiniLmEmbedder(chosen.kept), weights) if read else None
    bodies = [body_of(path) for path in documents_of(folder / "corpus")]
    library = Library([card_of(body) for body in bodies], None, bodies)
    gold = {one["id"]: one for one in lines_of(folder / "gold.jsonl")}
    ours = fitted_odds()
    odds = Recording(**{each.name: getattr(ours, each.name) for each in fields(Odds)})
    found: list[Told] = []
    for case in lines_of(folder / "cases.jsonl"):
        odds.said.clear()
        parts = Answerer(library, vectors, odds=odds, reader=reader).ask(case["question"])
        if len(parts) == 1 and len(odds.said) == 1:
            found.append(Told(folder.name, *odds.said[0], judge(gold[case["id"]], parts[0][1].answer)))
    vectors.save()
    return found


def fit(how: str, every: list[Told]) -> dict[str, float]:
    """The weights of what the curves say, by name."""
    names = COLUMNS[how]
    rows = np.array([[getattr(one, name) for name in names] for one in every])
    weights = fit_curve(rows, np.array([one.right for one in every], float), np.ones(len(every)), HELD)
    return {name: round(float(one), 4) for name, one in zip((*names, "bias"), weights, strict=True)}


def report(how: str, every: list[Told]) -> None:
    """What each bar gives for folders that were not fitted on."""
    print(f"{how} the reader, each folder by numbers fitted without it: right / wrong told")
    sums = dict.fromkeys(BARS, (0, 0))
    for folder in dict.fromkeys(one.folder for one in every):
        weights = fit(how, [one for one in every if one.folder != folder])
        mine = [one for one in every if one.folder == folder]
        value = [weights["bias"] + sum(weights[name] * getattr(one, name) for name in COLUMNS[how]) for one in mine]
        cells: list[str] = []
        for bar in BARS:
            said = [one.right for one, at in zip(mine, value, strict=True) if 1 / (1 + np.exp(-at)) >= bar]
            sums[bar] = (sums[bar][0] + sum(said), sums[bar][1] + len(said) - sum(said))
            cells.append(f"{bar}: {sum(said)} / {len(said) - sum(said)}")
        print(f"  {folder} ({len(mine)}): {'; '.join(cells)}")
    print(f"  all: {'; '.join(f'{bar}: {good} / {bad}' for bar, (good, bad) in sums.items())}")


if __name__ == "__main__":
    raise SystemExit(main())
