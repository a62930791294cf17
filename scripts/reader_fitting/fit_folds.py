"""The reader fitted once for each fold of the folders left out, and once on all of them.

    python scripts/reader_fitting/fit_folds.py --kept DIR --out DIR --looked d1,d4 d3,d6 --aside d2,d5
        [--minutes N] [--settings RANK,EPOCHS ...] [--start FILE] [--rate X]

Needs torch (a graphics card, else hours), numpy and safetensors; nothing of ours but this folder and what
``fit_document_reader.py`` prepared. The folds that may be looked at choose among the settings, by the area under the
curve of what is right; those of ``--aside`` choose nothing and are fitted with what was chosen. Folders joined by a
comma are left out together. Settings that are not done in time are dropped.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import sys
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

SEED, RATE = 1, 7e-4
SETTINGS = ("24,4", "48,4")
CHOOSING, LEAST = 0.58, 240.0
"""This share of the time goes to choosing; what was chosen has so many seconds at least."""


def main() -> int:
    """Fit, choose, fit again, and write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kept", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--minutes", type=float, default=6.0)
    parser.add_argument("--most", type=int, default=0, help="fit on so many questions only, as a trial")
    parser.add_argument("--settings", nargs="*", default=SETTINGS, help="rank and epochs; the first is the plain one")
    parser.add_argument("--looked", nargs="+", required=True, help="folders left out, one fit each; comma for together")
    parser.add_argument("--aside", nargs="*", default=[], help="the same, and nothing is chosen by them")
    parser.add_argument("--start", type=Path, help="weights of an earlier fit to begin with")
    parser.add_argument("--rate", type=float, default=RATE)
    chosen = parser.parse_args()
    began = time.perf_counter()
    chosen.out.mkdir(parents=True, exist_ok=True)
    folds = [tuple(each.split(",")) for each in chosen.looked]
    aside = [tuple(each.split(",")) for each in chosen.aside]
    looked = {name_of(fold): fold for fold in folds}
    jobs = {f"{setting}-{name}": (setting, fold) for setting in chosen.settings for name, fold in looked.items()}
    done = at_once(jobs, chosen, 60 * chosen.minutes * CHOOSING)
    reached = {
        setting: [done[f"{setting}-{name}"] for name in looked]
        for setting in chosen.settings
        if all(f"{setting}-{name}" in done for name in looked)
    }
    worth = {setting: mean_of(figures) for setting, figures in reached.items()}
    best = max(worth, key=lambda one: worth[one]) if worth else chosen.settings[0]
    print(f"chosen {best} of {worth}, {time.perf_counter() - began:.0f} s", flush=True)
    rest: dict[str, tuple[str, tuple[str, ...]]] = {f"{best}-{name_of(fold)}": (best, fold) for fold in aside}
    rest |= {f"{best}-{name}": (best, fold) for name, fold in looked.items() if f"{best}-{name}" not in done}
    rest[f"{best}-final"] = (best, ())
    done |= at_once(rest, chosen, max(LEAST, 60 * chosen.minutes - (time.perf_counter() - began)))
    for path in sorted(chosen.out.glob("*-*.safetensors")):
        if path.name.startswith(f"{best}-"):
            path.rename(chosen.out / path.name.removeprefix(f"{best}-"))
        else:
            path.unlink()
    (chosen.out / "figures.json").write_text(json.dumps({"chosen": best, "worth": worth, "fits": done}, indent=1))
    print(f"{sorted(path.name for path in chosen.out.iterdir())}, {time.perf_counter() - began:.0f} s", flush=True)
    return 0


def name_of(fold: tuple[str, ...]) -> str:
    """What a fit without some folders is called."""
    return f"without_{'_'.join(fold)}"


def mean_of(figures: list[dict[str, Any]]) -> float:
    """What a setting is worth on folders left out: how well scores part right from wrong, and firsts that are right."""
    rows = [value for each in figures for name, value in each.items() if name.startswith("folder ")]
    return round(sum(row["auc"] + row["first"] for row in rows) / max(1, len(rows)), 4)


def at_once(
    jobs: dict[str, tuple[str, tuple[str, ...]]], chosen: argparse.Namespace, seconds: float
) -> dict[str, dict[str, Any]]:
    """Several fits side by side; those that are not done in time are ended and left out."""
    spawning = multiprocessing.get_context("spawn")
    running = {
        name: spawning.Process(target=one_fit, args=(name, setting, fold, chosen))
        for name, (setting, fold) in jobs.items()
    }
    for process in running.values():
        process.start()
    end = time.perf_counter() + seconds
    for process in running.values():
        process.join(max(0.0, end - time.perf_counter()))
        if process.is_alive():
            process.terminate()
            process.join()
    found: dict[str, dict[str, Any]] = {}
    for name, process in running.items():
        place = chosen.out / f"{name}.json"
        if place.exists():
            if process.exitcode == 0:
                found[name] = json.loads(place.read_text())
            place.unlink()
    return found


def one_fit(name: str, setting: str, fold: tuple[str, ...], chosen: argparse.Namespace) -> None:
    """One fit into its files."""
    import numpy as np
    import torch
    from answer_fitting.left_out import FOLDER

    from reader_fitting.fitting import fit_net, rows_of

    torch.set_num_threads(2)
    kept, out = chosen.kept, chosen.out
    rows = rows_of(kept)
    if chosen.most:
        rows = [rows[n] for n in sorted(np.random.default_rng(SEED).permutation(len(rows))[: chosen.most])]
    rank, epochs = (int(part) for part in setting.split(","))
    without = frozenset(f"{FOLDER}{one}" for one in fold)
    reached, tensors = fit_net(
        kept, rows, without, rank=rank, epochs=epochs, rate=chosen.rate, seed=SEED, start=chosen.start,
        said=lambda text: print(name, text, flush=True),
    )  # fmt: skip
    print(name, json.dumps(reached), flush=True)
    (out / f"{name}.safetensors").write_bytes(tensors)
    (out / f"{name}.json").write_text(json.dumps(reached))


if __name__ == "__main__":
    sys.exit(main())
