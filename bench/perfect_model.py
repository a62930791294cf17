"""What reaches a user of a perfect model's answers: a set's own gold queries, served over a model's protocol.

    python bench/perfect_model.py [--data DIR] [--sets defog spider] [--protocol openai|anthropic] [--every N]

A server on loopback answers each question with the set's gold query, and says that it cannot be answered where the set
says so. Every question is asked through ``Workbench.analyze`` and verified; its rows are held against the gold rows by
the set's own scorer. Printed are: right and verified, wrong, asked back, and the grades.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import re
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from types import ModuleType
from typing import Any

HERE = Path(__file__).parent
SHARED = Path(os.environ.get("AVERMENT_BENCH_DATA") or HERE.parents[1] / "shared" / "bench")
NUMBER = re.compile(r"-?\d[\d,]*\.?\d*")


def load(path: Path, name: str) -> ModuleType:
    """A module by its place."""
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def read_jsonl(path: Path) -> list[dict[str, Any]]:
    """The objects of a file, one a line."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]


def asked(case: dict[str, Any]) -> str:
    """The question with the notes that come with it."""
    return "\n\n".join(part for part in (case["question"], case.get("instructions")) if part)


class Oracle:
    """Knows the gold query of every question, and nothing else."""

    def __init__(self, server: ModuleType) -> None:
        self._server = server
        self.answers: dict[str, dict[str, Any]] = {}
        self.calls = 0

    def __call__(self, prompt: str) -> dict[str, Any]:
        """The answer to a prompt: the gold query as a submission, or that there is none."""
        self.calls += 1
        if self._server.data_of(prompt, "steps_left") is None:
            return {"findings": [self._server.data_of(prompt, "findings")[0]["id"]]}
        return self.answers[self._server.data_of(prompt, "question")]


def gold_queries(name: str, score: ModuleType, gold: dict[str, Any]) -> list[str]:
    """The accepted queries of a question; none where it cannot be answered."""
    if name == "defog":
        return [score.frozen(query) for query in score.accepted(gold["sql"])] if gold.get("answerable", True) else []
    return [gold["sql"]]


def measure(
    name: str, data: Path, protocol: str, every: int, start: int, errors: list[dict[str, Any]]
) -> dict[str, Any]:
    """The figures of one set."""
    from averment import Workbench
    from averment.errors import AvermentError
    from averment.settings import Settings

    score = load(data / "score.py", f"score_{name}")
    server_module = load(HERE.parent / "tests" / "llm" / "model_server.py", "model_server")
    cases, gold = (
        read_jsonl(data / "cases.jsonl")[start::every],
        {each["id"]: each for each in read_jsonl(data / "gold.jsonl")},
    )
    oracle = Oracle(server_module)
    server = server_module.ModelServer(oracle)
    os.environ.update(
        {"ANTHROPIC_API_KEY": "k", "ANTHROPIC_BASE_URL": server.root}
        if protocol == "anthropic"
        else {"OPENAI_API_KEY": "k", "OPENAI_BASE_URL": server.url}
    )
    found: Counter[str] = Counter()
    grades: Counter[str] = Counter()
    began = time.perf_counter()
    with tempfile.TemporaryDirectory(prefix="averment-bench-") as home:
        settings = Settings(home=Path(home), model_provider="anthropic" if protocol == "anthropic" else "openai")
        with Workbench(settings=settings) as workbench:
            for case in cases:
                queries = gold_queries(name, score, gold[case["id"]])
                path = data / "databases" / f"{case['db']}.sqlite"
                oracle.answers[asked(case)] = (
                    {"tool": "submit", "sql": queries[0]}
                    if queries
                    else {"tool": "ask", "question_back": "The data do not hold that; what would you like instead?"}
                )
                kind = "answerable" if queries else "unanswerable"
                found[kind] += 1
                try:
                    run = workbench.analyze(
                        asked(case), [path], timeout_seconds=180, deliverables=["tables", "reports"]
                    )
                except AvermentError as error:
                    found[f"{kind} failed"] += 1
                    errors.append({"id": case["id"], "set": name, "error": error.code, "message": error.message})
                    continue
                if run.status in {"clarification_needed", "abstained"}:
                    found[f"{kind} asked back"] += 1
                    if queries:
                        errors.append({"id": case["id"], "set": name, "asked": run.answer})
                    continue
                rows = [] if run.table is None else [list(row.values()) for row in run.table.to_pylist()]
                rows = json.loads(json.dumps(rows, default=str))
                right = any(
                    score.same_result(score.run_sql(path, query), rows, score.is_ordered(query), extra_columns=True)
                    for query in queries
                )
                verified = workbench.verify(run.id).ok
                grades[str(run.grade)] += 1
                found[f"{kind} {'right' if right else 'wrong'}{'' if verified else ', not verified'}"] += 1
                if not (right and verified):
                    errors.append({"id": case["id"], "set": name, "answer": run.answer, "verified": verified})
    server.close()
    return {
        "set": name,
        "protocol": protocol,
        **dict(sorted(found.items())),
        "grades": dict(grades),
        "calls": oracle.calls,
        "seconds": round(time.perf_counter() - began),
    }


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=SHARED)
    parser.add_argument("--sets", nargs="+", default=["defog", "spider"])
    parser.add_argument("--protocol", choices=["openai", "anthropic"], default="openai")
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--from", dest="start", type=int, default=0)
    parser.add_argument("--errors", type=Path)
    given = parser.parse_args()
    errors: list[dict[str, Any]] = []
    for name in given.sets:
        print(
            json.dumps(measure(name, given.data / name, given.protocol, given.every, given.start, errors)), flush=True
        )
    if given.errors:
        given.errors.write_text("".join(json.dumps(each) + "\n" for each in errors), encoding="utf-8")


if __name__ == "__main__":
    main()
