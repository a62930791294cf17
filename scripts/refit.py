"""Fits weights that ship in the package anew, from their recipe.

    python scripts/refit.py odds --data DIR --kept DIR [--jobs N] [--most N] [--again] [--write]

``odds``: the odds of readings (``reading/odds.json``) and the learned reader (``reading/learned.json``). The folder of
``--data`` holds ``bench/everyday`` and ``train/spider_train.tar.xz``; what is read is kept in ``--kept``. All figures
are of tables and databases held out of the fit they are counted for, and of the learned reader's. With ``--write`` the
weights go into the package with the manifest of what they were fitted on, and the figures into docs/explain/odds.md.

``answers``: the reader of a question and a sentence (``corpus/answering/reader.safetensors``; where torch is installed,
minutes on a graphics card) and the odds over it (``corpus/answering/odds.json``). The folder of ``--data`` holds
``train/squad.tar.xz``, ``bench/ramdocs`` and ``bench/docsqa``, of which the questions that are set aside are not read.
"""

from __future__ import annotations

import argparse
import shutil
import sys
from pathlib import Path


def main() -> int:
    """Refit what is named."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("name", choices=("odds", "answers"))
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--kept", type=Path, required=True)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--most", type=int, default=30, help="questions of one Spider database at most")
    parser.add_argument("--again", action="store_true", help="read all questions anew, as after a change of the reader")
    parser.add_argument("--write", action="store_true")
    chosen = parser.parse_args()
    if chosen.name == "answers":
        from answer_fitting.refit import refit

        refit(chosen.data, chosen.kept, write=chosen.write)
        return 0

    from odds_fitting.collect import collect
    from odds_fitting.fitting import fit
    from odds_fitting.manifest import manifest_of, write
    from odds_fitting.sets import everyday, practice, spider

    if chosen.again:
        shutil.rmtree(chosen.kept / "read", ignore_errors=True)
    chosen.kept.mkdir(parents=True, exist_ok=True)
    data, kept = chosen.data, chosen.kept
    asked = [*everyday(data), *practice(data, kept), *spider(data, kept, chosen.most)]
    cases = collect(asked, kept, chosen.jobs)
    fitted = fit(cases)
    manifest = manifest_of(data, cases, fitted, chosen.most)
    for line in manifest["validation"]:
        print(line)
    if chosen.write:
        write(fitted, manifest)
    return 0


if __name__ == "__main__":
    sys.exit(main())
