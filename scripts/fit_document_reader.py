"""Fitting the reader of a question and a sentence together, measured on articles and documents it was not fitted on.

    python scripts/fit_document_reader.py gather --kept DIR [--skip NAMES]
    python scripts/fit_document_reader.py prepare --squad dev-v2.0.json --pages DIR --kept DIR [--folders DIR ...]
    python scripts/fit_document_reader.py folders --folders DIR ... --judge score.py --kept DIR
    python scripts/fit_document_reader.py fit --kept DIR [--epochs N] [--rank N] [--rate X] [--most N]
    python scripts/fit_document_reader.py write --kept DIR [--folds DIR]

``gather`` keeps documents of this machine and the sentence model's weights; ``prepare`` makes questions and collects
windows as tokens; ``folders`` does so for folders of questions that people wrote, and nothing else. ``fit`` needs torch
(minutes on a graphics card, hours without) and leaves out every article whose name's SHA-256 begins with a byte that
four divides, and one whole corpus of technical documents; ``reader_fitting/fit_folds.py`` fits one for each fold of the
folders left out, and one on all. ``write`` puts the net into the package with the manifest of what it was fitted on
and what it reached; with ``--folds`` the one on all, and what the others reached on the folders they had not seen.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import json
import sys
from pathlib import Path
from typing import Any

import numpy as np

SEED = 1
MADE = 1_500
"""So many questions are made of the documents of each corpus."""
DOCUMENTS = 120


def main() -> int:
    """One stage."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("stage", choices=("gather", "prepare", "folders", "fit", "write"))
    parser.add_argument("--kept", type=Path, required=True, help="where what was collected is kept between the stages")
    parser.add_argument("--squad", type=Path, help="a file in the form of SQuAD 2.0")
    parser.add_argument("--pages", type=Path, help="a folder in the form of RAMDocs")
    parser.add_argument("--folders", type=Path, nargs="*", default=[], help="folders of documents and questions")
    parser.add_argument("--judge", type=Path, help="the script that judges answers over the folders")
    parser.add_argument("--skip", default="", help="installed packages whose read-me is not read, by comma")
    parser.add_argument("--epochs", type=int, default=6)
    parser.add_argument("--rank", type=int, default=16)
    parser.add_argument("--rate", type=float, default=4e-4)
    parser.add_argument("--without", default="", help="corpora to leave out of the fit, by comma")
    parser.add_argument("--name", default="reader", help="the name of the fitted file")
    parser.add_argument("--folds", type=Path, help="what fit_folds.py made, to be written")
    parser.add_argument("--most", type=int, default=0, help="fit and measure on so many questions only, as a trial")
    chosen = parser.parse_args()
    stages = {"gather": gather, "prepare": prepare, "folders": folders, "fit": fit, "write": write}
    stages[chosen.stage](chosen)
    return 0


def gather(chosen: argparse.Namespace) -> None:
    """Documents that lie on this machine, and the weights and tokens that stay as they are."""
    from reader_fitting.documents import texts
    from safetensors.numpy import load_file, save_file

    from averment.language.embeddings.minilm import model_dir

    chosen.kept.mkdir(parents=True, exist_ok=True)
    with gzip.open(chosen.kept / "texts.json.gz", "wt") as file:
        json.dump(texts(DOCUMENTS, frozenset(chosen.skip.split(","))), file)
    (chosen.kept / "tokenizer.json").write_bytes((model_dir() / "tokenizer.json").read_bytes())
    weights = load_file(str(model_dir() / "model.safetensors"))
    words = weights.pop("embeddings.word_embeddings.weight")
    scales = np.maximum(np.abs(words).max(1, keepdims=True), 1e-9) / 127
    kept = {name: value.astype(np.float16) for name, value in weights.items() if value.dtype == np.float32}
    kept |= {"words": np.rint(words / scales).astype(np.int8), "word_scales": scales.astype(np.float32)}
    save_file(kept, str(chosen.kept / "base.safetensors"))


def prepare(chosen: argparse.Namespace) -> None:
    """The windows of every question as tokens."""
    from concurrent.futures import ProcessPoolExecutor

    from reader_fitting.collect import sizes

    with gzip.open(chosen.kept / "texts.json.gz", "rt") as file:
        listed = json.load(file)
    with ProcessPoolExecutor() as pool:
        most = chosen.most or None
        jobs = {name: pool.submit(_of_documents, name, each, chosen.kept, most) for name, each in listed.items()}
        jobs |= {"squad": pool.submit(_of_squad, chosen.squad, chosen.kept, most)}
        jobs |= {"pages": pool.submit(_of_pages, chosen.pages, chosen.kept)}
        sets = {name: job.result() for name, job in jobs.items()}
    _keep(chosen.kept / "rows.json.gz", [one for each in sets.values() for one in each])
    sources = {"squad": chosen.squad, "pages": chosen.pages / "cases.jsonl"}
    sources |= dict.fromkeys(listed, chosen.kept / "texts.json.gz")
    hashes = {name: hashlib.sha256(path.read_bytes()).hexdigest() for name, path in sources.items()}
    manifest = {name: {"sha256": hashes[name], **sizes(each)} for name, each in sets.items()}
    (chosen.kept / "manifest.json").write_text(json.dumps(manifest, indent=1, sort_keys=True) + "\n")
    print({name: each["questions"] for name, each in manifest.items()}, flush=True)
    if chosen.folders:
        folders(chosen)


def folders(chosen: argparse.Namespace) -> None:
    """The windows of questions over folders; what was prepared of the other sets stays."""
    from answer_fitting.collect import Vectors, scorer
    from answer_fitting.hand import HAND
    from reader_fitting.collect import sizes
    from reader_fitting.folders import from_questions

    from averment.corpus.answering.windows import WindowTokens

    judge, tokens = scorer(chosen.judge), WindowTokens(chosen.kept)
    vectors = Vectors(chosen.kept / "vectors.pickle")
    sets = {
        folder: from_questions(
            folder, tokens, HAND, vectors, lambda text, one: judge.holds(judge.words(text), one), SEED
        )
        for folder in chosen.folders
    }
    vectors.save()
    _keep(chosen.kept / "rows-folders.json.gz", [one for each in sets.values() for one in each])
    manifest = json.loads((chosen.kept / "manifest.json").read_text())
    for folder, each in sets.items():
        held = hashlib.sha256((folder / "cases.jsonl").read_bytes()).hexdigest()
        manifest[f"folder {folder.name}"] = {"sha256": held, **sizes(each)}
        print(folder.name, sizes(each), flush=True)
    (chosen.kept / "manifest.json").write_text(json.dumps(manifest, indent=1, sort_keys=True) + "\n")


def _keep(place: Path, listed: list[Any]) -> None:
    rows = [
        {
            "group": one.group,
            "asked": one.asked,
            "windows": [
                (window.ids, window.first, len(window.offsets), right, span)
                for window, right, span in zip(one.windows, one.right, one.spans, strict=True)
            ],
        }
        for one in listed
    ]
    with gzip.open(place, "wt") as file:
        json.dump(rows, file)


def _of_documents(name: str, listed: list[Any], kept: Path, most: int | None) -> Any:
    from answer_fitting.hand import HAND
    from reader_fitting.collect import from_documents
    from reader_fitting.documents import read

    from averment.corpus.answering.windows import WindowTokens

    return from_documents(name, read(listed), WindowTokens(kept), HAND, min(most or MADE, MADE), SEED)


def _of_squad(source: Path, kept: Path, most: int | None) -> Any:
    from answer_fitting.hand import HAND
    from reader_fitting.collect import from_squad

    from averment.corpus.answering.windows import WindowTokens

    return from_squad(source, WindowTokens(kept), HAND, most)


def _of_pages(source: Path, kept: Path) -> Any:
    from reader_fitting.collect import from_pages

    from averment.corpus.answering.windows import WindowTokens

    return from_pages(source, WindowTokens(kept))


def fit(chosen: argparse.Namespace) -> None:
    """The net, and what it reaches on articles and documents it has not seen."""
    from reader_fitting.fitting import fit_net, rows_of

    rows = rows_of(chosen.kept)
    if chosen.most:
        # A trial takes some of every set, left out and not, in an order that depends on nothing else.
        picked = np.random.default_rng(SEED).permutation(len(rows))[: chosen.most]
        rows = [rows[n] for n in sorted(picked)]
    without = frozenset(chosen.without.split(",")) - {""}
    reached, tensors = fit_net(
        chosen.kept, rows, without, rank=chosen.rank, epochs=chosen.epochs, rate=chosen.rate, seed=SEED
    )
    (chosen.kept / f"{chosen.name}.safetensors").write_bytes(tensors)
    (chosen.kept / f"{chosen.name}.reached.json").write_text(json.dumps(reached))
    print(chosen.name, json.dumps(reached), flush=True)


def write(chosen: argparse.Namespace) -> None:
    """The net into the package."""
    place = Path(__file__).parents[1] / "src/averment/corpus/answering"
    if chosen.folds:
        data, reached = of_folds(chosen.folds)
    else:
        data = (chosen.kept / f"{chosen.name}.safetensors").read_bytes()
        reached = json.loads((chosen.kept / f"{chosen.name}.reached.json").read_text())
    (place / "reader.safetensors").write_bytes(data)
    manifest = json.loads((chosen.kept / "manifest.json").read_text())
    manifest |= {"script": "scripts/fit_document_reader.py", "seed": SEED, "sha256": hashlib.sha256(data).hexdigest()}
    manifest["reached"] = reached
    (place / "reader.json").write_text(json.dumps(manifest, indent=1, sort_keys=True) + "\n", encoding="utf-8")


def of_folds(made: Path) -> tuple[bytes, dict[str, Any]]:
    """The net that was fitted on all, what it reached, and for each folder what the fit without it reached there."""
    figures = json.loads((made / "figures.json").read_text())
    fits = {name.split("-")[-1]: each for name, each in figures.get("fits", figures).items()}
    reached: dict[str, Any] = dict(fits.pop("final"))
    for name, each in sorted(fits.items()):
        reached[name] = {group: row for group, row in each.items() if group in each["settings"]["without"]}
    return (made / "final.safetensors").read_bytes(), reached


if __name__ == "__main__":
    sys.exit(main())
