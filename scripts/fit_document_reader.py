"""Fitting the reader of a question and a sentence together, measured on articles and documents it was not fitted on.

    python scripts/fit_document_reader.py gather --kept DIR [--skip NAMES]
    python scripts/fit_document_reader.py prepare --squad dev-v2.0.json --pages DIR --kept DIR
    python scripts/fit_document_reader.py fit --kept DIR [--epochs N] [--rank N] [--rate X] [--most N]
    python scripts/fit_document_reader.py write --kept DIR

``gather`` keeps documents of this machine and the sentence model's weights; ``prepare`` makes questions and collects
windows as tokens; ``fit`` needs torch (minutes on a graphics card,
hours without) and leaves out every article whose name's SHA-256 begins with a byte that four divides, and one whole
corpus of technical documents; ``write`` puts the net into the package with the manifest of what it was fitted on and
what it reached.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import json
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

SEED = 1
BATCH, SPANS = 32, 0.3
MADE = 1_500
"""So many questions are made of the documents of each corpus."""
DOCUMENTS = 120


def main() -> int:
    """One stage."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("stage", choices=("gather", "prepare", "fit", "write"))
    parser.add_argument("--kept", type=Path, required=True, help="where what was collected is kept between the stages")
    parser.add_argument("--squad", type=Path, help="a file in the form of SQuAD 2.0")
    parser.add_argument("--pages", type=Path, help="a folder in the form of RAMDocs")
    parser.add_argument("--skip", default="", help="installed packages whose read-me is not read, by comma")
    parser.add_argument("--epochs", type=int, default=6)
    parser.add_argument("--rank", type=int, default=16)
    parser.add_argument("--rate", type=float, default=4e-4)
    parser.add_argument("--without", default="", help="corpora to leave out of the fit, by comma")
    parser.add_argument("--name", default="reader", help="the name of the fitted file")
    parser.add_argument("--most", type=int, default=0, help="fit and measure on so many questions only, as a trial")
    chosen = parser.parse_args()
    {"gather": gather, "prepare": prepare, "fit": fit, "write": write}[chosen.stage](chosen)
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
    rows = [
        {
            "group": one.group,
            "asked": one.asked,
            "windows": [
                (window.ids, window.first, len(window.offsets), right, span)
                for window, right, span in zip(one.windows, one.right, one.spans, strict=True)
            ],
        }
        for each in sets.values()
        for one in each
    ]
    with gzip.open(chosen.kept / "rows.json.gz", "wt") as file:
        json.dump(rows, file)
    sources = {"squad": chosen.squad, "pages": chosen.pages / "cases.jsonl"}
    sources |= dict.fromkeys(listed, chosen.kept / "texts.json.gz")
    hashes = {name: hashlib.sha256(path.read_bytes()).hexdigest() for name, path in sources.items()}
    manifest = {name: {"sha256": hashes[name], **sizes(each)} for name, each in sets.items()}
    (chosen.kept / "manifest.json").write_text(json.dumps(manifest, indent=1, sort_keys=True) + "\n")
    print({name: each["questions"] for name, each in manifest.items()}, flush=True)


def _of_documents(name: str, listed: list[Any], kept: Path, most: int | None) -> Any:
    from answer_fitting.hand import HAND
    from reader_fitting.collect import from_documents
    from reader_fitting.documents import read

    from averment.corpus.answering.windows import Tokens

    return from_documents(name, read(listed), Tokens(kept), HAND, min(most or MADE, MADE), SEED)


def _of_squad(source: Path, kept: Path, most: int | None) -> Any:
    from answer_fitting.hand import HAND
    from reader_fitting.collect import from_squad

    from averment.corpus.answering.windows import Tokens

    return from_squad(source, Tokens(kept), HAND, most)


def _of_pages(source: Path, kept: Path) -> Any:
    from reader_fitting.collect import from_pages

    from averment.corpus.answering.windows import Tokens

    return from_pages(source, Tokens(kept))


def fit(chosen: argparse.Namespace) -> None:
    """The net, and what it reaches on articles and documents it has not seen."""
    import torch
    from answer_fitting.left_out import is_left_out
    from reader_fitting.model import Reader, missed
    from safetensors.torch import load_file, save_file

    torch.manual_seed(SEED)
    device = "cuda" if torch.cuda.is_available() else "cpu"
    rows: list[dict[str, Any]] = []
    for path in sorted(chosen.kept.glob("rows*.json.gz")):
        with gzip.open(path, "rt") as file:
            rows += json.load(file)
    if chosen.most:
        # A trial takes some of every set, left out and not, in an order that depends on nothing else.
        picked = np.random.default_rng(SEED).permutation(len(rows))[: chosen.most]
        rows = [rows[n] for n in sorted(picked)]
    base = load_file(str(chosen.kept / "base.safetensors"))
    base["embeddings.word_embeddings.weight"] = base.pop("words").float() * base.pop("word_scales")
    net = Reader(base, chosen.rank).to_device(device)
    without = set(chosen.without.split(","))
    inside = [one for one in rows if not is_left_out(one["group"]) and one["group"] not in without]
    outside: dict[str, list[Any]] = {}
    for one in rows:
        if is_left_out(one["group"]):
            outside.setdefault(one["group"] if one["group"] in KNOWN else "squad", []).append(one)
    order = np.random.default_rng(SEED)
    optimiser = torch.optim.AdamW(net.parameters(), lr=chosen.rate, weight_decay=0.01)
    steps = chosen.epochs * -(-len(inside) // BATCH)
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimiser, lambda step: min(1.0, (step + 1) / (0.06 * steps)) * max(0.0, 1 - step / steps)
    )
    began = time.perf_counter()
    for epoch in range(chosen.epochs):
        net.train()
        total: Any = 0.0
        shuffled = order.permutation(len(inside))
        for start in range(0, len(shuffled), BATCH):
            made = batch_of([inside[n] for n in shuffled[start : start + BATCH]], device)
            with torch.autocast(device, torch.bfloat16, enabled=device == "cuda"):
                scores, ends = net(made["ids"], made["marks"], made["mask"])
            loss = missed(scores.float(), made["group"], made["right"])
            use = made["right"] & (made["spans"][:, 1] > 0)
            if use.any():
                logits = ends[use].float().transpose(1, 2)
                loss = loss + SPANS * torch.nn.functional.cross_entropy(
                    logits.flatten(0, 1), made["spans"][use].flatten()
                )
            optimiser.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(net.parameters(), 1.0)
            optimiser.step()
            schedule.step()
            total = total + loss.detach()
        if epoch + 1 < chosen.epochs and epoch % 3 != 2:
            continue
        reached = {name: measure(net, each, device) for name, each in outside.items()}
        spent = round(time.perf_counter() - began)
        print(chosen.name, epoch, round(float(total) * BATCH / len(inside), 4), json.dumps(reached), spent, flush=True)
        save_file(net.kept(), str(chosen.kept / f"{chosen.name}.safetensors"))
        settings = {"epochs": epoch + 1, "of": chosen.epochs, "rank": chosen.rank, "rate": chosen.rate}
        settings |= {"without": sorted(without - {""})}
        (chosen.kept / f"{chosen.name}.reached.json").write_text(json.dumps({"settings": settings, **reached}))


KNOWN = ("cmake", "docs")


def batch_of(part: list[dict[str, Any]], device: str) -> dict[str, Any]:
    """Some questions with their windows as tensors."""
    import torch

    pairs = [(n, one["asked"], window) for n, one in enumerate(part) for window in one["windows"]]
    long = max(len(asked) + len(window[0]) - 1 for _, asked, window in pairs)
    ids, marks = np.zeros((len(pairs), long), np.int64), np.zeros((len(pairs), long), np.int64)
    mask = np.zeros((len(pairs), long), bool)
    spans = np.zeros((len(pairs), 2), np.int64)
    for row, (_, asked, (window, first, many, _, span)) in enumerate(pairs):
        whole = [*asked, *window[1:]]
        ids[row, : len(whole)], mask[row, : len(whole)] = whole, True
        start = len(asked) + first - 1
        marks[row, len(asked) : len(whole)], marks[row, start : start + many] = 1, 2
        if span[1] > 0:
            spans[row] = span[0] + len(asked) - 1, span[1] + len(asked) - 1
    made = {"ids": ids, "marks": marks, "mask": mask, "spans": spans}
    found = {name: torch.from_numpy(value).to(device) for name, value in made.items()}
    found["group"] = torch.tensor([n for n, _, _ in pairs], device=device)
    found["right"] = torch.tensor([bool(window[3]) for _, _, window in pairs], device=device)
    return found


def measure(net: Any, rows: list[dict[str, Any]], device: str) -> dict[str, float]:
    """How often the first sentence is right, and how well its score tells right ones from all others."""
    import torch

    net.eval()
    best: list[tuple[float, bool]] = []
    answerable = first = 0
    for start in range(0, len(rows), 64):
        part = rows[start : start + 64]
        with torch.no_grad():
            made = batch_of(part, device)
            scores = net(made["ids"], made["marks"], made["mask"])[0].float().cpu().numpy()
        at = 0
        for one in part:
            mine = scores[at : at + len(one["windows"])]
            at += len(mine)
            right = bool(one["windows"][int(mine.argmax())][3])
            best.append((float(mine.max()), right))
            if any(window[3] for window in one["windows"]):
                answerable, first = answerable + 1, first + right
    best.sort(reverse=True)
    good = bad = below = 0
    for _, right in best:
        good, bad, below = (good + 1, bad, below) if right else (good, bad + 1, below + good)
    reached = {"questions": len(best), "first": first / max(1, answerable), "auc": below / max(1, good * bad)}
    for share in (0.1, 0.2, 0.3):
        told = best[: max(1, int(share * len(best)))]
        reached[f"right of the surest {share:.0%}"] = sum(right for _, right in told) / len(told)
    return {name: round(value, 4) for name, value in reached.items()}


def write(chosen: argparse.Namespace) -> None:
    """The net into the package."""
    place = Path(__file__).parents[1] / "src/averment/corpus/answering"
    data = (chosen.kept / f"{chosen.name}.safetensors").read_bytes()
    (place / "reader.safetensors").write_bytes(data)
    manifest = json.loads((chosen.kept / "manifest.json").read_text())
    manifest |= {"script": "scripts/fit_document_reader.py", "seed": SEED, "sha256": hashlib.sha256(data).hexdigest()}
    manifest["reached"] = json.loads((chosen.kept / f"{chosen.name}.reached.json").read_text())
    (place / "reader.json").write_text(json.dumps(manifest, indent=1, sort_keys=True) + "\n", encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
