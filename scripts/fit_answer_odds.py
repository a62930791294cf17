"""Fitting the odds that a sentence answers a question, and the bar from which it is told.

    python scripts/fit_answer_odds.py --squad dev-v2.0.json --folders DIR [DIR ...] --kept DIR [--write]
        [--reader FILE] [--without FOLDER=FILE ...] [--last DIR ...] [--measured DIR ...]

Two logistic curves are fitted: is a candidate right, and is the best one right as it stands among the others. What is
printed for a folder was fitted without any question over its documents, and for SQuAD without the article: it is what
to expect of documents that nobody has fitted on. With ``--write`` the curves of everything go into the package, with a
manifest of what they were fitted on. Folders named with ``--measured`` are measured and never fitted on; those named
with ``--last`` are neither printed nor seen by what is printed, and only the curves that are written are fitted on them
too. A folder that the reader was fitted on is read by a reader that was not: ``--without`` names that reader's weights.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import pickle
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from answer_fitting.collect import Case, Vectors, from_folder, from_squad
from answer_fitting.opinions import Read

from averment.corpus.answering.answerer import READ, READ_FEATURES, reordered, with_opinions
from averment.corpus.answering.features import FEATURES
from averment.corpus.answering.sentences import STANDING, Odds, SentenceCandidate, standing_of

SEED, QUESTIONS, FOLDS = 17, 6_078, 3
WORTH = 12.0
"""So much more than one of SQuAD a question over documents weighs."""
FIRST_HELD, READ_HELD, SECOND_HELD = 240.0, 240.0, 600.0
"""How strongly weights are held near nothing: what is loose fits one folder and misleads in the next."""
BARS = (0.5, 0.55, 0.6, 0.65, 0.7, 0.72, 0.75, 0.8)


def main() -> int:
    """The arguments, and what they ask for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--squad", type=Path, required=True)
    parser.add_argument("--folders", type=Path, nargs="+", required=True)
    parser.add_argument("--measured", type=Path, nargs="*", default=[], help="folders to measure only")
    parser.add_argument("--last", type=Path, nargs="*", default=[], help="folders that the last fit alone sees")
    parser.add_argument("--judge", type=Path, help="the script that judges answers where a folder has none")
    parser.add_argument("--kept", type=Path, required=True)
    parser.add_argument("--bar", type=float, default=0.72)
    parser.add_argument("--read-bar", type=float, default=0.72, help="the bar where the reader reads")
    parser.add_argument("--reader", type=Path, help="the reader's weights, where not those of the package")
    parser.add_argument(
        "--without", nargs="*", default=[], help="FOLDER=FILE: a reader that was not fitted on a folder"
    )
    parser.add_argument("--again", action="store_true", help="collect all candidates anew")
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--questions", type=int, default=QUESTIONS, help="so many questions of SQuAD are drawn")
    fit_and_report(parser.parse_args())
    return 0


def fit_and_report(chosen: argparse.Namespace) -> None:
    """Collect, fit, print, and write where asked."""
    chosen.kept.mkdir(parents=True, exist_ok=True)
    vectors = Vectors(chosen.kept / "vectors.pickle")
    drawn = chosen.kept / f"squad-{chosen.questions}.pickle"
    squad = _kept(drawn, chosen.again, lambda: from_squad(chosen.squad, vectors, chosen.questions, SEED))
    folders = {
        folder: _kept(
            chosen.kept / f"{folder.name}.pickle",
            chosen.again,
            lambda one=folder: from_folder(one, vectors, script=chosen.judge),
        )
        for folder in (*chosen.folders, *chosen.measured, *chosen.last)
    }
    vectors.save()
    named = dict(one.split("=", 1) for one in chosen.without)
    read = Read(chosen.kept, chosen.reader, {folder: Path(place) for folder, place in named.items()})
    read.all([*squad, *(case for cases in folders.values() for case in cases)])
    shown = [case for folder in chosen.folders for case in folders[folder]]
    report([*squad, *shown], [case for folder in chosen.measured for case in folders[folder]], read)
    last = [case for folder in chosen.last for case in folders[folder]]
    first, second, with_reader, settled = fit_all([*squad, *shown, *last], read)
    manifest: dict[str, Any] = {
        "squad": {"sha256": hashlib.sha256(chosen.squad.read_bytes()).hexdigest(), "questions": len(squad)},
        "seed": SEED,
        "script": "scripts/fit_answer_odds.py",
    }
    for folder in (*chosen.folders, *chosen.last):
        held = hashlib.sha256((folder / "cases.jsonl").read_bytes()).hexdigest()
        manifest[folder.name] = {"sha256": held, "questions": len(folders[folder])}
    if chosen.write:
        place = Path(__file__).parents[1] / "src/averment/corpus/answering/odds.json"
        data = {"bar": chosen.bar, "first": first, "second": second, "manifest": manifest}
        data |= {"read": with_reader, "settled": settled, "read_bar": chosen.read_bar}
        place.write_text(json.dumps(data, indent=1, sort_keys=True) + "\n", encoding="utf-8")


def _kept(place: Path, again: bool, make: Any) -> list[Case]:
    if not place.exists() or again:
        place.write_bytes(pickle.dumps(make()))
    return pickle.loads(place.read_bytes())


def fit(rows: np.ndarray, right: np.ndarray, weights: np.ndarray, strength: float) -> np.ndarray:
    """A logistic curve by Newton's method; the last weight is the bias."""
    full = np.hstack([rows, np.ones((len(rows), 1))])
    held = np.full(full.shape[1], strength)
    held[-1] = 1e-3
    curve = np.zeros(full.shape[1])
    for _ in range(40):
        chance = 1 / (1 + np.exp(-np.clip(full @ curve, -30, 30)))
        slope = full.T @ (weights * (chance - right)) + held * curve
        bend = (full * (weights * chance * (1 - chance))[:, None]).T @ full + np.diag(held + 1e-6)
        step = np.linalg.solve(bend, slope)
        curve -= step
        if np.abs(step).max() < 1e-7:
            break
    return curve


def curve_of(
    names: Sequence[str], rows: list[dict[str, float]], right: list[bool], weights: list[float], strength: float
) -> dict[str, float]:
    """A fitted curve by the names of its features, for features as they are."""
    matrix = np.array([[row.get(name, 0.0) for name in names] for row in rows])
    mean, scale = matrix.mean(0), matrix.std(0) + 1e-6
    curve = fit((matrix - mean) / scale, np.array(right, float), np.array(weights), strength)
    plain = curve[:-1] / scale
    found = {name: round(float(value), 5) for name, value in zip(names, plain, strict=True)}
    return found | {"bias": round(float(curve[-1] - plain @ mean), 5)}


def fit_first(cases: Sequence[Case]) -> dict[str, float]:
    """The first curve; each question weighs the same, those over documents more than SQuAD's."""
    rows, right, weights = [], [], []
    for case in cases:
        rows += case.features
        right += case.right
        weights += [worth_of(case) * 10 / len(case.right)] * len(case.right)
    return curve_of(FEATURES, rows, right, weights, FIRST_HELD)


def ordered(case: Case, first: dict[str, float]) -> list[SentenceCandidate]:
    """The candidates of a case, the likeliest by the first curve first."""
    odds = [_chance(first, row) for row in case.features]
    return [
        SentenceCandidate(n, case.features[n], odds[n]) for n in sorted(range(len(odds)), key=lambda n: (-odds[n], n))
    ]


def standings(
    cases: Sequence[Case],
    first: dict[str, float],
    with_reader: dict[str, float] | None = None,
    read: Read | None = None,
) -> list[tuple[dict[str, float], bool, Case]]:
    """How the best candidate of each case stands, and whether it is right."""
    found = []
    for case in cases:
        listed = ordered(case, first)
        if with_reader is not None and read is not None:
            opinions = read.of(case, [one.line for one in listed[:READ]])
            listed = reordered(listed, opinions, Odds(first, {}, 0.0, read=with_reader))
        said = [case.said[one.line] for one in listed[:8]]
        found.append((standing_of(listed, said), case.right[listed[0].line], case))
    return found


def fit_read(cases: Sequence[Case], first: dict[str, float], read: Read) -> dict[str, float]:
    """The curve of read candidates, by a first curve."""
    rows, right, weights = [], [], []
    for case in cases:
        listed = ordered(case, first)[:READ]
        features = with_opinions(listed, read.of(case, [one.line for one in listed]))
        rows += features
        right += [case.right[one.line] for one in listed]
        weights += [worth_of(case) * 10 / len(listed)] * len(listed)
    return curve_of(READ_FEATURES, rows, right, weights, READ_HELD)


def fit_all(cases: Sequence[Case], read: Read) -> tuple[dict[str, float], ...]:
    """All four curves; those of the standing see the others' odds of questions they were not fitted on."""
    plain, settled = [], []
    for fold in sorted({fold_of(case) for case in cases}):
        left = [case for case in cases if fold_of(case) == fold]
        rest = [case for case in cases if fold_of(case) != fold]
        first = fit_first(rest)
        plain += standings(left, first)
        settled += standings(left, first, fit_read(rest, first, read), read)
    curves = []
    for unseen in (plain, settled):
        weights = [worth_of(case) for _, _, case in unseen]
        rows, right = [row for row, _, _ in unseen], [right for _, right, _ in unseen]
        curves.append(curve_of(STANDING, rows, right, weights, SECOND_HELD))
    first = fit_first(cases)
    return first, curves[0], fit_read(cases, first, read), curves[1]


def report(cases: list[Case], measured: list[Case], read: Read) -> None:
    """What each bar gives, for corpora that were not fitted on, without the reader and with it."""
    rows: dict[str, list[tuple[float, bool, Case]]] = {"without": [], "with": []}

    def count(left: list[Case], rest: list[Case]) -> None:
        first, second, with_reader, settled = fit_all(rest, read)
        rows["without"] += [(_chance(second, row), right, case) for row, right, case in standings(left, first)]
        told = standings(left, first, with_reader, read)
        rows["with"] += [(_chance(settled, row), right, case) for row, right, case in told]

    for fold in sorted({fold_of(case) for case in cases}):
        count([case for case in cases if fold_of(case) == fold], [case for case in cases if fold_of(case) != fold])
    count(measured, cases)
    names = list(dict.fromkeys(case.corpus for case in [*cases, *measured]))
    for name in (*names, "all documents"):
        for how, every in rows.items():
            mine = [row for row in every if row[2].corpus == name or (name not in names and row[2].corpus != "squad")]
            can = sum(any(case.right) for _, _, case in mine)
            best = sum(right for _, right, _ in mine)
            print(f"{name}, {how} the reader: {len(mine)} questions, {can} with a right candidate, best right {best}")
            for bar in BARS:
                said = [right for odds, right, _ in mine if odds >= bar]
                print(f"  bar {bar}: told {len(said)}, right {sum(said)}, wrong {len(said) - sum(said)}")


def worth_of(case: Case) -> float:
    """How much a question weighs."""
    return 1.0 if case.corpus == "squad" else WORTH


def fold_of(case: Case) -> str:
    """What is left out together: all questions over one folder of documents, or a share of SQuAD's articles."""
    if case.corpus != "squad":
        return case.corpus
    return f"squad {hashlib.sha256(case.group.encode()).digest()[0] % FOLDS}"


def _chance(curve: dict[str, float], row: dict[str, float]) -> float:
    value = curve["bias"] + sum(curve.get(name, 0.0) * one for name, one in row.items())
    return float(1 / (1 + np.exp(-np.clip(value, -30, 30))))


if __name__ == "__main__":
    raise SystemExit(main())
