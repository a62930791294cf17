"""The links in tokens, as ``odds_fitting/cross.py`` takes them: the question and its open words before every text.

    python scripts/link_fitting/pack.py --kept DIR --out DIR

The fit itself is ``odds_fitting/cross.py --pack OUT``, as for the cross-reader: here a text is a column or a value.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from pathlib import Path

import numpy as np
from tokenizers import Tokenizer

sys.path.insert(0, str(Path(__file__).parents[1]))

from odds_fitting.pack import KINDS, folds_of, save_pack

from averment.language.embeddings.minilm import model_dir
from averment.reading.lattice.link_reader import before

MOST = 90
"""So many texts of a question at most; of those that are not meant some are left out by chance."""


def main() -> int:
    """Pack."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kept", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    chosen = parser.parse_args()
    cases = [json.loads(line) for line in (chosen.kept / "links.jsonl").read_text("utf-8").splitlines()]
    folds = folds_of(cases)
    tokenizer = Tokenizer.from_file(str(model_dir() / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.no_truncation()
    chance = random.Random(1)
    for case in cases:
        others = [each for each in case["texts"] if not each[1]]
        chance.shuffle(others)
        case["texts"] = [*(each for each in case["texts"] if each[1]), *others][:MOST]
    rows = [each for case in cases for each in case["texts"]]
    said = [one.ids for one in tokenizer.encode_batch([text for text, _ in rows], add_special_tokens=False)]
    about = [before(tokenizer, case["question"], case["open"]) for case in cases]
    facts = {
        "starts": np.cumsum([0, *(len(case["texts"]) for case in cases)]).astype(np.int32),
        "right": np.array([right for _, right in rows]),
        "ran": np.ones(len(rows), bool),
        "left": np.zeros(len(rows), np.int16),
        "fold": np.array([folds[case["group"]] for case in cases], np.int16),
        "kind": np.array([KINDS.index(case["kind"]) for case in cases], np.int16),
        "masked": np.array([case["masked"] for case in cases]),
    }
    save_pack(chosen.out, {"q": [[] for _ in cases], "s": said, "c": about}, facts)
    return 0


if __name__ == "__main__":
    sys.exit(main())
