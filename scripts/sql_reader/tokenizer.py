"""The tokenizer of the base weights, as a file that the fitting reads: python tokenizer.py BASE.gguf TOKENIZER.json."""

from __future__ import annotations

import sys

from gguf import GGUFReader
from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers

CONTROL = 3
"""The kind of token in GGUF that stands for no text."""


def tokenizer_of(path: str) -> Tokenizer:
    """A tokenizer with the vocabulary and the merges that a GGUF file holds."""
    fields = GGUFReader(path).fields
    tokens, merges, kinds = (fields[f"tokenizer.ggml.{name}"].contents() for name in ("tokens", "merges", "token_type"))
    pairs = [tuple(merge.split(" ", 1)) for merge in merges]
    made = Tokenizer(models.BPE(vocab={token: place for place, token in enumerate(tokens)}, merges=pairs))
    digits, bytes_ = pre_tokenizers.Digits(individual_digits=True), pre_tokenizers.ByteLevel(add_prefix_space=False)
    made.pre_tokenizer = pre_tokenizers.Sequence([digits, bytes_])
    made.decoder = decoders.ByteLevel()
    special = [token for token, kind in zip(tokens, kinds, strict=True) if kind == CONTROL]
    made.add_special_tokens([AddedToken(token, special=True) for token in special])
    return made


if __name__ == "__main__":
    tokenizer_of(sys.argv[1]).save(sys.argv[2])
