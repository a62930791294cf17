"""Puts the fitted reader of links into the package: weights, the line that makes its scores hold, and the manifest.

    python scripts/link_fitting/write.py --kept DIR --pack DIR --fits DIR

The line is fitted on questions as people wrote them, over tables that the reader of each score had not seen. Beside the
weights ``FITS/without.json`` is written, by which the odds are collected: of each table a reader that did not see it.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import shutil
import sys
from pathlib import Path

import numpy as np
from scipy.optimize import minimize

sys.path.insert(0, str(Path(__file__).parents[1]))

import itertools

from odds_fitting.manifest import digest, header
from odds_fitting.pack import KINDS, fits_without, folds_of, held_out_scores

PACKAGE = Path(__file__).parents[2] / "src" / "averment" / "reading"
BARS = (0.1, 0.25, 0.5, 0.6, 0.7, 0.8, 1.01)


def main() -> int:
    """Write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("kept", "pack", "fits"):
        parser.add_argument(f"--{name}", type=Path, required=True)
    chosen = parser.parse_args()
    cases = [json.loads(line) for line in (chosen.kept / "links.jsonl").read_text("utf-8").splitlines()]
    folds = folds_of(cases)
    names = {g: f"cross_{fits_without(chosen.fits)[fold]}.safetensors" for g, fold in folds.items()}
    (chosen.fits / "without.json").write_text(json.dumps(names))
    with np.load(chosen.pack / "data.npz") as held:
        natural = np.repeat(~held["masked"] & (held["kind"] == KINDS.index("practice")), np.diff(held["starts"]))
        right = held["right"].astype(float)
    scores = held_out_scores(chosen.pack, chosen.fits)
    inside = natural & ~np.isnan(scores)
    at, good = scores[inside], right[inside]

    def loss(both: np.ndarray) -> float:
        total = both[0] * at + both[1]
        return float((np.logaddexp(0, total) - good * total).sum())

    slope, height = (round(float(each), 4) for each in minimize(loss, np.array([1.0, 0.0]), method="Nelder-Mead").x)
    chance = 1 / (1 + np.exp(-(slope * at + height)))
    table = [
        {"from": low, "count": int(here.sum()), "meant": int(good[here].sum())}
        for low, high in itertools.pairwise(BARS)
        for here in [(chance >= low) & (chance < high)]
    ]
    weights = chosen.fits / "cross_all.safetensors"
    shutil.copyfile(weights, PACKAGE / "links.safetensors")
    manifest = {
        "command": "python scripts/link_fitting/collect.py, pack.py, odds_fitting/cross.py, link_fitting/write.py",
        "questions": {kind: sum(case["kind"] == kind for case in cases) for kind in KINDS},
        "as_written": sum(not case["masked"] for case in cases),
        "links_sha256": hashlib.sha256((chosen.kept / "links.jsonl").read_bytes()).hexdigest(),
        "sha256": digest(weights),
        "recipe": json.loads(header(weights)["recipe"]),
        "held_out": table,
    }
    body = json.dumps({"line": [slope, height], "manifest": manifest}, indent=1)
    (PACKAGE / "links.json").write_text(f"{body}\n", encoding="utf-8")
    print(body)
    return 0


if __name__ == "__main__":
    sys.exit(main())
