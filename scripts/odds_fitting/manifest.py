"""What the weights were fitted on and what they are worth, and the files that say so."""

from __future__ import annotations

import hashlib
import json
import re
import shutil
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from safetensors import safe_open

from odds_fitting.fitting import FOLDS, LEFT, NAMES, SEED, TREES, WEIGHTS, Fitted
from odds_fitting.sets import PRACTICE, ROOT

PACKAGE = ROOT / "src" / "averment" / "reading"
CARD = ROOT / "docs" / "explain" / "odds.md"
BUCKETS = (0.0, 0.5, 0.7, 0.8, 0.9, 0.95, 1.01)
SIDES = {"single tables": ("everyday", "practice"), "joined databases": ("spider",)}


def manifest_of(data: Path, cases: Sequence[dict[str, Any]], fitted: Fitted, most: int, fits: Path) -> dict[str, Any]:
    """The recipe of a fit: data with hashes, counts, settings, and the figures of what was held out."""
    asked = Counter(case["kind"] for case in cases)
    held = {kind: len({case["group"] for case in cases if case["kind"] == kind}) for kind in asked}
    files = {
        "everyday": [data / "bench/everyday/cases.jsonl", data / "bench/everyday/gold.jsonl"],
        "practice": [PRACTICE],
        "spider": [data / "train/spider_train.tar.xz"],
        "reworded": [data / "train/spider_train.tar.xz"],
    }
    return {
        "command": "make refit NAME=odds",
        "data": {
            kind: {"questions": asked[kind], "held_out_by": held[kind], "sha256": {p.name: digest(p) for p in paths}}
            for kind, paths in files.items()
        },
        "set_aside_sha256": digest(ROOT / "bench" / "set_aside.toml"),
        "most_of_a_database": most,
        "seed": SEED,
        "folds": FOLDS,
        "weights": WEIGHTS,
        "trees": {name: value for name, value in TREES.items() if name != "random_state"},
        "lines": {name: trees["lines"] for name, trees in fitted.trees.items()},
        "cross_reader": {
            "command": "python scripts/odds_fitting/cross.py",
            "sha256": digest(fits / "cross_all.safetensors"),
            "recipe": json.loads(header(fits / "cross_all.safetensors")["recipe"]),
            "starts_from_sha256": digest(PACKAGE / "rows" / "reader.safetensors"),
        },
        "features": list(NAMES),
        "validation": validation(fitted, cases),
    }


def validation(fitted: Fitted, cases: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """For each side: how often the first reading is right, and of the answerable ones the share right by odds."""
    found: list[dict[str, Any]] = []
    for side, kinds in SIDES.items():
        total = sum(1 for case in cases if case["kind"] in kinds)
        questions = [q for q, kind in enumerate(fitted.readings.kinds) if kind in kinds]
        row: dict[str, Any] = {"side": side, "questions": total}
        row["a right reading among those run"] = _share(
            sum(fitted.readings.right[fitted.readings.of(q)].any() for q in questions), total
        )
        row["first by the grammar"] = _share(
            sum(fitted.readings.right[fitted.readings.starts[q]] for q in questions), total
        )
        for name, odds in fitted.held_out.items():
            best = [_best(fitted, odds, q) for q in questions]
            row[f"first by {name}"] = _share(sum(fitted.readings.right[at] for at in best), total)
            whole = [(odds[at], fitted.readings.right[at]) for at in best if fitted.readings.facts[at, LEFT] == 0]
            row[f"by {name}"] = [
                {"from": low, "count": len(inside), "right": int(sum(inside))}
                for low, high in pairwise(BUCKETS)
                for inside in [[right for chance, right in whole if low <= chance < high]]
            ]
        found.append(row)
    return found


def _best(fitted: Fitted, odds: np.ndarray, question: int) -> int:
    """The reading the judge would take."""
    rows = fitted.readings.of(question)
    places = range(rows.start, rows.stop)
    return min(places, key=lambda at: (fitted.readings.facts[at, LEFT] > 0, -odds[at], at))


def _share(count: float, total: int) -> float:
    return round(float(count) / max(1, total), 4)


def digest(path: Path) -> str:
    """The SHA-256 of a file."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def header(path: Path) -> dict[str, str]:
    """What a file of weights says of itself."""
    with safe_open(str(path), "np") as held:
        return held.metadata()


def write(fitted: Fitted, manifest: dict[str, Any], fits: Path) -> None:
    """The package's files and the figures of the model card."""
    shutil.copyfile(fits / "cross_all.safetensors", PACKAGE / "cross.safetensors")
    body = json.dumps({"manifest": manifest}, indent=1)[:-2]
    for name, made in fitted.trees.items():
        trees = ",\n".join(json.dumps(tree, separators=(",", ":")) for tree in made["trees"])
        body += (
            f',\n "{name}": {{"base": {made["base"]}, "lines": {json.dumps(made["lines"])}, "trees": [\n{trees}\n]}}'
        )
    (PACKAGE / "odds.json").write_text(f"{body}\n}}\n", encoding="utf-8")
    card = CARD.read_text(encoding="utf-8")
    made = f"<!-- figures -->\n{figures(manifest)}\n<!-- end of figures -->"
    CARD.write_text(
        re.sub(r"<!-- figures -->.*<!-- end of figures -->", lambda _: made, card, flags=re.DOTALL), "utf-8"
    )


def figures(manifest: dict[str, Any]) -> str:
    """The tables of the model card."""
    sides = manifest["validation"]
    lines = ["| | " + " | ".join(side["side"] for side in sides) + " |", "|---|" + "---|" * len(sides)]
    for name in [key for key, value in sides[0].items() if key != "side" and not isinstance(value, list)]:
        shown = [f"{side[name]:.1%}" if isinstance(side[name], float) else str(side[name]) for side in sides]
        lines.append(f"| {name} | {' | '.join(shown)} |")
    for name in ("odds", "odds without the reader"):
        lines += ["", f"| {name} | " + " | ".join(f"{s['side']}: right of all" for s in sides) + " |"]
        lines.append("|---|" + "---|" * len(sides))
        for place, low in enumerate(BUCKETS[:-1]):
            cells = [side[f"by {name}"][place] for side in sides]
            shown = [
                f"{c['right']} of {c['count']}" + f" ({c['right'] / c['count']:.0%})" * bool(c["count"]) for c in cells
            ]
            high = BUCKETS[place + 1]
            lines.append(f"| {low:g} to {min(1.0, high):g} | {' | '.join(shown)} |")
    return "\n".join(lines)
