"""Fits weights that ship in the package again, from their recipe.

    python scripts/refit.py cross --data DIR --kept DIR [--jobs N] [--most N] [--again]
    python scripts/refit.py odds --data DIR --kept DIR [--write]
    python scripts/refit.py answers --data DIR --kept DIR [--write]
    python scripts/refit.py links | reader | intents | claims | hops --data DIR --kept DIR [--write]

``cross`` reads every question, runs its readings and packs them into ``KEPT/pack``; then ``odds_fitting/cross.py`` fits
the cross-reader on that folder, once for each fold left out and once on all of it, on any machine that has torch (six
fits take six minutes on one H200; a processor takes hours). ``odds`` takes what came back, in ``KEPT/cross``, fits the
odds of readings and prints their figures, all of tables and databases held out of the fits they are counted for. With
``--write`` the cross-reader (``reading/cross.safetensors``) and the odds (``reading/odds.json``) go into the package
with the manifest of what they were fitted on, and the figures into docs/explain/odds.md. The folder of ``--data`` holds
``bench/everyday`` and ``train/spider_train.tar.xz``.

``answers``: the reader of a question and a sentence (``corpus/answering/reader.safetensors``; where torch is installed,
minutes on a graphics card) and the odds over it (``corpus/answering/odds.json``). The folder of ``--data`` holds
``train/squad.tar.xz``, ``bench/ramdocs`` and ``bench/docsqa``, of which the questions that are set aside are not read.

The others are scripts of their own, which are run here with the folders of ``--data`` that they need. ``links`` and
``reader`` collect and pack first and print what a machine with torch runs next; with ``--write`` they put what came
back into the package. ``intents`` and ``claims`` measure, and with ``--write`` also fit; ``hops`` prints its weights.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
WEIGHTS = {
    "cross": ("reading/cross.safetensors",),
    "odds": ("reading/odds.json",),
    "answers": ("corpus/answering/reader.safetensors", "corpus/answering/odds.json"),
    "links": ("reading/links.safetensors", "reading/links.json"),
    "reader": ("llm/reader_adapter.npz", "reading/judge/ensemble.json"),
    "intents": ("language/intents/weights.npz",),
    "claims": ("language/claims/fitted.json",),
    "hops": ("corpus/hops.py",),
}
"""What each name fits, below ``src/averment``."""
WITH_TORCH = {
    "links": "python scripts/odds_fitting/cross.py --pack {kept}/pack --out {kept}/fits --without 0,1 2,3 4 all",
    "reader": "python scripts/sql_reader/tokenizer.py BASE.gguf {kept}/tokenizer.json && "
    "python scripts/sql_reader/fit.py {kept}/lines.json.xz BASE.gguf {kept}/tokenizer.json {kept}/fit",
}
"""What is run, on any machine that has torch, before ``--write``."""


def main() -> int:
    """Refit what is named."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("name", choices=tuple(WEIGHTS))
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--kept", type=Path, required=True)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument(
        "--most", type=int, help="questions of one Spider database at most, else 1,000; for answers a trial of so many"
    )
    parser.add_argument(
        "--again", action="store_true", help="read all questions again, as after a change of the reader"
    )
    parser.add_argument("--write", action="store_true")
    chosen = parser.parse_args()
    if chosen.name == "answers":
        from answer_fitting.refit import refit

        refit(chosen.data, chosen.kept, write=chosen.write, most=chosen.most)
        return 0
    if chosen.name not in {"cross", "odds"}:
        return _run_scripts(chosen.name, chosen.data, chosen.kept / chosen.name, chosen.jobs, write=chosen.write)

    from odds_fitting.collect import collect
    from odds_fitting.pack import folds_of, held_out_scores, pack
    from odds_fitting.sets import everyday, practice, spider

    data, kept, most = chosen.data, chosen.kept, chosen.most or 1_000
    if chosen.again:
        shutil.rmtree(kept / "read", ignore_errors=True)
    kept.mkdir(parents=True, exist_ok=True)
    asked = [*everyday(data), *practice(data, kept), *spider(data, kept, most)]
    cases = collect(asked, kept, chosen.jobs)
    if chosen.name == "cross":
        pack(cases, kept / "pack")
        print(f"python scripts/odds_fitting/cross.py --pack {kept / 'pack'} --out {kept / 'cross'}")
        return 0

    from odds_fitting.fitting import fit
    from odds_fitting.manifest import manifest_of, write

    fitted = fit(cases, folds_of(cases), held_out_scores(kept / "pack", kept / "cross"))
    manifest = manifest_of(data, cases, fitted, most, kept / "cross")
    for line in manifest["validation"]:
        print(line)
    if chosen.write:
        write(fitted, manifest, kept / "cross")
    return 0


def steps_of(name: str, data: Path, kept: Path, jobs: int, *, write: bool) -> list[list[str]]:
    """The scripts that fit what is named, in order, each with its arguments."""
    sets, place = data / "bench", str(kept)
    if name == "reader":
        pairs, lines = f"{place}/pairs", f"{place}/asked.jsonl"
        return (
            [
                ["sql_reader/collect.py", pairs, lines, "--answers", f"{place}/fit/answers.json.xz"],
                ["sql_reader/judge.py", lines, "--write", "--adapter", f"{place}/fit/adapter.npz"],
            ]
            if write
            else [["sql_reader/prepare.py", pairs, f"{place}/lines.json.xz", "--unpack", str(data)]]
        )
    if name == "links" and write:
        return [["link_fitting/write.py", "--kept", place, "--pack", f"{place}/pack", "--fits", f"{place}/fits"]]
    return {
        "links": [
            ["link_fitting/collect.py", "--data", str(data), "--kept", place, "--jobs", str(jobs)],
            ["link_fitting/pack.py", "--kept", place, "--out", f"{place}/pack"],
        ],
        "intents": [["fit_intents.py", "--data", str(sets / "taskintent"), *([] if write else ["--measure"])]],
        "claims": [
            ["fit_claims.py", "--data", str(sets / "ramdocs"), "--cache", place, *(["--write"] if write else [])]
        ],
        "hops": [["../bench/retrieval_fit.py", "wiki2", "hotpotqa", "musique"]],
    }[name]


def _run_scripts(name: str, data: Path, kept: Path, jobs: int, *, write: bool) -> int:
    kept.mkdir(parents=True, exist_ok=True)
    where = {"AVERMENT_BENCH_DATA": str(data.resolve() / "bench")}
    for script, *given in steps_of(name, data, kept, jobs, write=write):
        path = (ROOT / "scripts" / script).resolve()
        done = subprocess.run([sys.executable, str(path), *given], env=os.environ | where, check=False)
        if done.returncode:
            return done.returncode
    if name in WITH_TORCH and not write:
        print(WITH_TORCH[name].format(kept=kept))
    return 0


if __name__ == "__main__":
    sys.exit(main())
