"""The recipe of the answers over documents from end to end: the reader where torch is, then the odds over it."""

from __future__ import annotations

import tarfile
from argparse import Namespace
from importlib.util import find_spec
from pathlib import Path

EPOCHS, RANK, RATE, READ_BAR = 3, 24, 7e-4, 0.72


def refit(data: Path, kept: Path, *, write: bool, most: int | None = None) -> None:
    """Fit both from the shared folder; without torch the reader of the package stays, and its odds are fitted anew.

    ``most`` questions of each set are taken for a trial of the recipe; what that gives is not written.
    """
    import fit_answer_odds
    import fit_document_reader as reader

    from answer_fitting.installed import installed_folder
    from answer_fitting.seen import seen_folder

    kept = kept / "answers"
    kept.mkdir(parents=True, exist_ok=True)
    squad = kept / "squad" / "dev-v2.0.json"
    if not squad.exists():
        with tarfile.open(data / "train/squad.tar.xz") as archive:
            archive.extractall(kept, filter="data")
    weights = None
    if find_spec("torch") is None:
        print("torch is not installed: the reader stays as it is")
    else:
        chosen = Namespace(squad=squad, pages=data / "bench/ramdocs", kept=kept, skip="", without="", name="reader")
        chosen.folders, chosen.folds, chosen.judge = [], None, data / "bench/docsqa/score.py"
        chosen.epochs, chosen.rank, chosen.rate, chosen.most = 1 if most else EPOCHS, RANK, RATE, most or 0
        for stage in (reader.gather, reader.prepare, reader.fit, *([reader.write] if write and not most else [])):
            stage(chosen)
        weights = kept / "reader.safetensors"
    judge = data / "bench/docsqa/score.py"
    folders = [
        seen_folder(data / "bench/docsqa", kept / "docsqa", most),
        installed_folder("installed_fitted", kept / "installed_fitted", judge),
    ]
    measured = [installed_folder("installed_measured", kept / "installed_measured", judge)]
    fit_answer_odds.fit_and_report(
        Namespace(
            squad=squad, folders=folders, measured=measured, kept=kept,
            reader=weights, bar=READ_BAR, read_bar=READ_BAR, again=True, write=write and most is None,
            questions=most or fit_answer_odds.QUESTIONS, last=[], without=[], judge=judge,
        )
    )  # fmt: skip
