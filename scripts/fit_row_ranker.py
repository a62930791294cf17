"""Fitting the row reader in three stages, each measured on tables it was not fitted on.

    python scripts/fit_row_ranker.py prepare --data DIR --kept DIR [--model DIR] [--cache FILE] [--jobs N]
    python scripts/fit_row_ranker.py read --kept DIR [--model DIR] --fold 0 ... 4 and --fold 5 (everything)
    python scripts/fit_row_ranker.py finish --kept DIR [--write]

The set in DIR holds ``cases.jsonl``, ``gold.jsonl``, ``tables/`` and a ``score.py`` that says when an answer is right.
``prepare`` collects all candidates and fits the linear ranker; ``read`` fits the reader over its shortlists (it needs
torch, and a graphics card to be done in minutes); ``finish`` fits trust, prints what is reached at each bar, and with
``--write`` puts the weights into the package. Folds are of whole tables, the same in all stages.
"""

from __future__ import annotations

import argparse
import json
import pickle
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from row_fitting.shortlists import Prepared

STRENGTH = 8.0


def main() -> int:
    """One stage."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("stage", choices=("prepare", "read", "finish"))
    parser.add_argument("--kept", type=Path, required=True, help="where what was found is kept between the stages")
    parser.add_argument("--data", type=Path, help="the set")
    parser.add_argument("--limit", type=int, help="only so many cases, spread over the tables")
    parser.add_argument("--cache", type=Path, help="where the tables are kept between runs")
    parser.add_argument("--model", type=Path, help="the sentence model's folder, where it is not the installed one")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--strength", type=float, default=STRENGTH, help="how strongly weights are held near nothing")
    parser.add_argument("--fold", type=int, default=0, help="the fold to leave out; 5 leaves none out")
    parser.add_argument("--recipe", default="{}", help="how the reader is fitted, where not as usual, in JSON")
    parser.add_argument("--name", default="reader", help="what the reader's files begin with")
    parser.add_argument("--write", action="store_true", help="write the weights into the package")
    chosen = parser.parse_args()
    chosen.kept.mkdir(parents=True, exist_ok=True)
    {"prepare": prepare, "read": read, "finish": finish}[chosen.stage](chosen)
    return 0


def prepare(chosen: argparse.Namespace) -> None:
    """Candidates, the linear ranker and the shortlists."""
    from row_fitting.cases import fold_of, read_cases, read_tables
    from row_fitting.collecting import collect
    from row_fitting.linear import fit_folds
    from row_fitting.shortlists import prepare as listed

    cases = read_cases(chosen.data, chosen.limit)
    grids = read_tables(chosen.data, {str(case["table"]) for case in cases}, chosen.cache)
    collected = collect(cases, grids, chosen.data, chosen.jobs)
    fold = fold_of(collected.tables)
    scores, weights = fit_folds(collected, fold, chosen.strength, chosen.jobs)
    idents = [str(case["id"]) for case in cases]
    made = listed(collected, scores, weights, fold, idents, _model(chosen))
    (chosen.kept / "prepared.pkl").write_bytes(pickle.dumps(made))
    first = np.mean([bool(one and one.right[0]) for one in made.listed])
    held = np.mean([bool(one and one.right.any()) for one in made.listed])
    print(f"right candidate {made.reach:.1%}, in the shortlist {held:.1%}, first by the linear ranker {first:.1%}")


def read(chosen: argparse.Namespace) -> None:
    """A reader that saw nothing of one fold, and its scores there."""
    import torch
    from row_fitting.reader import Recipe, fit_reader, read_all, without_base
    from safetensors.torch import load_file, save_file

    kept = _prepared(chosen)
    device = "cuda" if torch.cuda.is_available() else "cpu"
    base = {name: value.float().to(device) for name, value in load_file(_model(chosen) / "model.safetensors").items()}
    inside = [one for one, fold in zip(kept.listed, kept.fold, strict=True) if one and fold != chosen.fold]
    places = [q for q, one in enumerate(kept.listed) if one and kept.fold[q] == chosen.fold]
    outside = [one for q in places if (one := kept.listed[q])]
    reader = fit_reader(base, inside, outside, Recipe(**json.loads(chosen.recipe)), device, seed=1)
    stem = f"{chosen.name}-{chosen.fold}"
    scores = read_all(reader, outside, device)
    prior = reader.prior.detach().cpu().numpy()
    (chosen.kept / f"{stem}.pkl").write_bytes(pickle.dumps((prior, dict(zip(places, scores, strict=True)))))
    if not places:
        save_file(without_base(reader), chosen.kept / f"{stem}.safetensors")


def finish(chosen: argparse.Namespace) -> None:
    """Trust, the figures, and the package's files."""
    from row_fitting.trust import report, weigh, write

    kept = _prepared(chosen)
    weighed = weigh(kept, [pickle.loads((chosen.kept / f"{chosen.name}-{n}.pkl").read_bytes()) for n in range(5)])
    report(kept, weighed)
    if chosen.write:
        write(kept, weighed, chosen.kept / f"{chosen.name}-5.safetensors")


def _prepared(chosen: argparse.Namespace) -> Prepared:
    return pickle.loads((chosen.kept / "prepared.pkl").read_bytes())  # our own file of an earlier stage


def _model(chosen: argparse.Namespace) -> Path:
    if chosen.model is not None:
        return chosen.model
    from averment.language.embeddings.minilm import model_dir

    return model_dir()


if __name__ == "__main__":
    sys.exit(main())
