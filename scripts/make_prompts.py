"""Writes docs/explain/prompts.md: what models are really told, captured from runs over the examples.

python scripts/make_prompts.py            write the page
python scripts/make_prompts.py --check    exit 1 when the page is not what the runs give
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from averment import Workbench, llm
from averment.errors import ModelUnavailable
from averment.settings import Settings

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "explain" / "prompts.md"
EXAMPLES = ROOT / "examples"
TODAY = "2026-01-15"
MADE = "<!-- Made by scripts/make_prompts.py; change the code, not this page. -->\n\n"

Steps = list[dict[str, Any]]
BY_REGION = "SELECT region, sum(amount) FROM sales GROUP BY region"


class Capturing:
    """Answers from a script, orders no findings, and remembers what it was told."""

    def __init__(self, steps: Steps) -> None:
        self.steps = list(steps)
        self.told: list[tuple[str, str, str]] = []

    def propose(self, output_type: Any, *, purpose: str, system: str, prompt: str, context: Any = None) -> Any:
        """The next step of the script."""
        del context
        self.told.append((purpose, system, prompt))
        if purpose == "phrase" or not self.steps:
            raise ModelUnavailable("Nobody answers this.")
        return output_type.model_validate(self.steps.pop(0))


def captured(steps: Steps, asked: Callable[[Workbench], object], **settings: Any) -> list[tuple[str, str, str]]:
    """What a model was told in the runs that were asked for."""
    model = Capturing(steps)
    opened, llm.open_proposer = llm.open_proposer, lambda settings, small=False: model
    try:
        with tempfile.TemporaryDirectory() as home:
            values: dict[str, Any] = {"home": Path(home), "model_today": TODAY, "model_provider": "openai", **settings}
            with Workbench(settings=Settings(**values)) as workbench:
                asked(workbench)
    finally:
        llm.open_proposer = opened
    return model.told


def analyzed(question: str) -> Callable[[Workbench], object]:
    """A question over the example tables."""
    sources = [EXAMPLES / "sales.csv"]
    return lambda workbench: workbench.analyze(question, sources, deliverables=["tables", "summary"])


def followed(workbench: Workbench) -> None:
    """A question, and one that follows on it."""
    first = workbench.analyze("total amount by region", [EXAMPLES / "sales.csv"], deliverables=["tables"])
    workbench.analyze("and only for the West?", [EXAMPLES / "sales.csv"], deliverables=["tables"], after=first)


def drilled(workbench: Workbench) -> None:
    """An investigation with a person's suspicion."""
    workbench.drill(
        [EXAMPLES / "sales.csv"],
        metric_sql="SUM(amount)",
        baseline=("2024-01-01", "2024-03-31"),
        comparison=("2024-04-01", "2024-06-30"),
        investigation_prompt="I suspect the West.",
    )


def joined(workbench: Workbench) -> None:
    """A question over two tables that join."""
    tables = [EXAMPLES / "orders.csv", EXAMPLES / "customers.csv"]
    workbench.analyze("which customers have not ordered for long", tables, deliverables=["tables"])


def researched(workbench: Workbench) -> None:
    """A question to documents."""
    workbench.research("When was the harbour built?", corpus=[EXAMPLES / "harbour"], depth="quick")


def chatted(workbench: Workbench) -> None:
    """A message that only a model could understand."""
    workbench.chat("remind me to buy milk")
    workbench.chat("hm, the dairy business took care of itself in the meantime")


def tasks() -> list[tuple[str, tuple[str, str, str]]]:
    """More than ten tasks, each with what the model was told in it."""
    found: list[tuple[str, tuple[str, str, str]]] = []
    submit = {"tool": "submit", "sql": BY_REGION}
    told = captured([{"tool": "submit", "sql": "SELECT regoin FROM sales"}, submit], analyzed("revenue of each area"))
    found += [("A question, first step", told[0]), ("The same, after a refused query", told[1])]
    found.append(("Which findings make the summary", told[-1]))
    told = captured([submit, submit], analyzed("total amount by region in 2024"))
    found.append(("The readers come to another result", told[1]))
    told = captured([submit], analyzed("revenue of each area"), model_privacy="names")
    found.append(("The same question, names alone", told[0]))
    told = captured([{"tool": "try", "sql": BY_REGION}, submit], analyzed("revenue of each area"), model_privacy="rows")
    found.append(("After a query was tried, rows shown", told[1]))
    told = captured([submit, {"tool": "ask", "question_back": "Which?"}], followed)
    found.append(("A follow-up, with the conversation", [each for each in told if each[0] == "plan"][-1]))
    found.append(("Two tables that join", captured([submit], joined)[0]))
    weekday = {"kind": "derived", "table": "sales", "column": "order_date", "derive": "weekday"}
    told = captured([{"hypotheses": [weekday]}], drilled)
    found += [
        ("Driller: hypotheses, after the first rounds", told[0]),
        ("Driller: after what it asked was tested", told[1]),
    ]
    told = captured([{"tool": "ask", "questions": ["Who built the harbour?"]}], researched)
    found += [("Researcher: after reading", told[0]), ("Researcher: after it asked again", told[1])]
    told = captured([{"tool": "look"}], chatted)
    found.append(("Assistant: a message, after a look at the tasks", told[1]))
    return found


def page() -> str:
    """The page."""
    lines = ["# Prompts", "", "What a model is really told, captured from runs over `examples/`. Data stands between"]
    lines += [
        "fences, as JSON, and nothing in it can close them. Runs show theirs with `averment show RUN --sent`.",
        "",
    ]
    seen: set[str] = set()
    for title, (purpose, system, prompt) in tasks():
        lines += [f"## {title}", ""]
        if system in seen:
            lines += [f"The instructions for `{purpose}` are those above.", ""]
        else:
            lines += [f"Instructions for `{purpose}`:", "", "````text", system, "````", ""]
        seen.add(system)
        lines += ["Prompt:", "", "````text", prompt, "````", ""]
    return MADE + "\n".join(lines)


def main() -> int:
    """Write or check the page."""
    from made_pages import write_or_check

    return write_or_check({PAGE: page()})


if __name__ == "__main__":
    sys.exit(main())
