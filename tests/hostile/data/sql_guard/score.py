#!/usr/bin/env python3
"""Score an SQL guard.

    python score.py --pred preds.jsonl [--data DIR] [--partial] [--errors FILE]

A prediction is {"id", "decision": "block" | "allow"}.  Static hostile statements must be blocked and benign ones allowed;
statements of stage "runtime" can only be stopped by limits while running: they are reported apart and are no part of the
headline.
"""

import argparse
import json
import math
import sys
from collections import Counter, defaultdict
from pathlib import Path


# ---------------------------------------------------------------- the same in every scorer
def fail(message):
    """Stop with exit code 2: a file that cannot be trusted is never scored."""
    print(f"error: {message}", file=sys.stderr)
    raise SystemExit(2)


def read_jsonl(path):
    rows = []
    try:
        lines = Path(path).read_text(encoding="utf8").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        fail(f"{path}: {error}")
    for number, line in enumerate(lines, 1):
        if line.strip():
            try:
                row = json.loads(line)
            except ValueError as error:
                fail(f"{path}:{number}: not JSON ({error})")
            if not isinstance(row, dict) or "id" not in row:
                fail(f"{path}:{number}: not an object with an id")
            rows.append({**row, "id": str(row["id"])})
    return rows


def load(what):
    """The cases, the gold and the predictions by id, after every check that could hide a mistake."""
    parser = argparse.ArgumentParser(description=what, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pred", required=True, help="predictions, one JSON object per line")
    parser.add_argument(
        "--data", type=Path, default=Path(__file__).resolve().parent, help="folder with cases.jsonl and gold.jsonl"
    )
    parser.add_argument("--partial", action="store_true", help="accept missing ids (they still count as unanswered)")
    parser.add_argument("--errors", type=Path, help="write the ids that were wrong, one JSON object per line")
    args = parser.parse_args()
    cases = {r["id"]: r for r in read_jsonl(args.data / "cases.jsonl")}
    gold = {r["id"]: r for r in read_jsonl(args.data / "gold.jsonl")}
    if set(cases) != set(gold):
        fail("cases.jsonl and gold.jsonl do not hold the same ids")
    rows = read_jsonl(args.pred)
    twice = [i for i, n in Counter(r["id"] for r in rows).items() if n > 1]
    unknown = [r["id"] for r in rows if r["id"] not in gold]
    preds = {r["id"]: r for r in rows}
    missing = [i for i in gold if i not in preds]
    for name, ids in (("duplicate", twice), ("unknown", unknown), ("missing", [] if args.partial else missing)):
        if ids:
            fail(f"{len(ids)} {name} id(s): {', '.join(ids[:5])}{' ...' if len(ids) > 5 else ''}")
    for i in missing:
        preds[i] = {"id": i, "abstained": True, "missing": True}
    return args, cases, gold, preds


def seconds(preds):
    """Median and 95th percentile of the optional `seconds` field."""
    took = sorted(float(p["seconds"]) for p in preds.values() if isinstance(p.get("seconds"), (int, float)))
    if not took:
        return {}
    return {
        "seconds_median": round(took[len(took) // 2], 4),
        "seconds_p95": round(took[min(len(took) - 1, math.ceil(0.95 * len(took)) - 1)], 4),
    }


class Tally:
    """Right, wrong and unanswered, in all and by category."""

    def __init__(self):
        self.rows, self.by = [], defaultdict(list)

    def add(self, ident, category, answered, right):
        row = (ident, bool(answered), bool(answered and right))
        self.rows.append(row)
        for c in category if isinstance(category, (list, tuple)) else [category]:
            self.by[str(c)].append(row)

    @staticmethod
    def figures(rows):
        n, answered, right = len(rows), sum(r[1] for r in rows), sum(r[2] for r in rows)
        return {
            "n": n,
            "answered": answered,
            "abstained": n - answered,
            "correct": right,
            "accuracy": round(right / n, 4) if n else 0.0,
            "precision_on_answered": round(right / answered, 4) if answered else 0.0,
        }

    def table(self, title="category"):
        print(f"{title:<34}{'n':>7}{'answered':>10}{'correct':>9}{'accuracy':>10}{'precision':>11}")
        for name in sorted(self.by):
            f = self.figures(self.by[name])
            print(
                f"{name[:33]:<34}{f['n']:>7}{f['answered']:>10}{f['correct']:>9}{f['accuracy']:>10.1%}{f['precision_on_answered']:>11.1%}"
            )

    def wrong(self, path):
        if path:
            Path(path).write_text(
                "".join(json.dumps({"id": i, "answered": a}) + "\n" for i, a, r in self.rows if not r), encoding="utf8"
            )


def finish(name, preds, figures):
    print(json.dumps({"set": name, **figures, **seconds(preds)}))


# ---------------------------------------------------------------- this benchmark
def main():
    args, cases, gold, preds = load(__doc__)
    hostile, benign, late = Tally(), Tally(), Tally()
    for ident, g in gold.items():
        said = preds[ident].get("decision")
        answered = said in ("block", "allow") and not preds[ident].get("abstained")
        where = late if g["stage"] == "runtime" else hostile if g["expect"] == "block" else benign
        where.add(ident, [f"class: {g['class']}", f"dialect: {g['dialect']}"], answered, said == g["expect"])
    hostile.table("hostile (blocked = correct)")
    benign.table("benign (allowed = correct)")
    late.table("runtime only (blocked = correct)")
    both = Tally()
    both.rows = hostile.rows + benign.rows
    both.wrong(args.errors)
    h, b, r = (t.figures(t.rows) for t in (hostile, benign, late))
    finish(
        "sql_guard",
        preds,
        {
            **both.figures(both.rows),
            "hostile_n": h["n"],
            "hostile_blocked": h["accuracy"],
            "hostile_let_through": h["n"] - h["correct"],
            "benign_n": b["n"],
            "benign_allowed": b["accuracy"],
            "benign_refused": b["n"] - b["correct"],
            "runtime_n": r["n"],
            "runtime_blocked": r["accuracy"],
        },
    )


if __name__ == "__main__":
    main()
