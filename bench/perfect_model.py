"""What reaches a user of a perfect model's answers: a set's own gold queries, served over a model's protocol.

    python bench/perfect_model.py [--data DIR] [--sets defog spider dabench] [--protocol openai|anthropic] [--every N]

A server on loopback answers each question with the set's gold query, and says that it cannot be answered where the set
says so. Every question is asked through ``Workbench.analyze`` and verified; its rows are held against the gold rows by
the set's own scorer. For dabench, whose
gold is no program, programs of our own stand in. Printed are: right and verified, wrong, asked back, and the grades.
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
import tomllib
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


FIND = """import re
_named = {re.sub('[^a-z0-9]', '', str(name).lower()): name for name in t.columns}
n = lambda wanted: next(name for key, name in _named.items() if key == wanted or key.startswith(wanted))
x = lambda wanted: pd.to_numeric(t[n(wanted)], errors='coerce')
"""


def measure_programs(data: Path, errors: list[dict[str, Any]]) -> dict[str, Any]:
    """The figures of dabench, with programs of our own writing in the model's place."""
    from averment import Workbench
    from averment.errors import AvermentError
    from averment.settings import Settings

    server_module = load(HERE.parent / "tests" / "llm" / "model_server.py", "model_server")
    programs = tomllib.loads((HERE / "perfect_programs.toml").read_text(encoding="utf-8"))
    gold = {each["id"]: each["answers"] for each in read_jsonl(data / "gold.jsonl")}
    answers: dict[str, str] = {}

    def reply(prompt: str) -> dict[str, Any]:
        if server_module.data_of(prompt, "steps_left") is None:
            return {"findings": [server_module.data_of(prompt, "findings")[0]["id"]]}
        table = server_module.data_of(prompt, "schema")["tables"][0]["table"]
        code = FIND + answers[server_module.data_of(prompt, "question")]
        return {"tool": "submit", "code": code, "inputs": [{"name": "t", "sql": f'SELECT * FROM "{table}"'}]}

    server = server_module.ModelServer(reply)
    os.environ.update({"OPENAI_API_KEY": "k", "OPENAI_BASE_URL": server.url})
    found: Counter[str] = Counter()
    with tempfile.TemporaryDirectory(prefix="averment-bench-") as home:
        with Workbench(settings=Settings(home=Path(home), model_provider="openai")) as workbench:
            for case in read_jsonl(data / "cases.jsonl"):
                if case["id"] not in programs:
                    continue
                question = f"{case['question']} {case['constraints']}"[:1_990]
                answers[question], found["answerable"] = programs[case["id"]], found["answerable"] + 1
                path = data / "tables" / case["table"]
                try:
                    run = workbench.analyze(question, [path], timeout_seconds=180, deliverables=["tables", "reports"])
                    right = run.table is not None and _same_values(run.table, programs[case["id"]], gold[case["id"]])
                    verified = run.status == "completed" and workbench.verify(run.id).ok
                except AvermentError as error:
                    errors.append({"id": case["id"], "set": "dabench", "error": error.code, "message": error.message})
                    continue
                found[f"{'right' if right else 'wrong'}{'' if verified else ', not verified'}"] += 1
                if not (right and verified):
                    shown = None if run.table is None else run.table.to_pylist()[:3]
                    errors.append({"id": case["id"], "answer": run.answer, "table": str(shown), "status": run.status})
    server.close()
    return {"set": "dabench", **dict(sorted(found.items()))}


def _same_values(table: Any, program: str, gold: dict[str, str]) -> bool:
    """Whether the values of a program's one row are the gold's, to as many places as the gold has."""
    names = re.findall(r"'([A-Za-z_0-9]+)':", program)
    values = list(table.to_pylist()[0].values())
    if len(names) != len(values):
        return False
    for name, value in zip(names, values, strict=True):
        wanted = gold[name]
        if isinstance(value, str):
            if value.casefold() != wanted.casefold():
                return False
            continue
        places = len(wanted.partition(".")[2])
        if abs(float(value) - float(wanted)) > 0.51 * 10**-places:
            return False
    return True


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
                grades[run.marks.interpretation.code] += 1
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
        if name == "dabench":
            print(json.dumps(measure_programs(given.data / name, errors)), flush=True)
            continue
        print(
            json.dumps(measure(name, given.data / name, given.protocol, given.every, given.start, errors)), flush=True
        )
    if given.errors:
        given.errors.write_text("".join(json.dumps(each) + "\n" for each in errors), encoding="utf-8")


if __name__ == "__main__":
    main()
