"""Who words a sentence otherwise raises the teller's number: runs told before must not look tampered with.

``tellers.json`` holds, for each kind of run, the number of its teller and the hash of what it says about a few fixed
questions. A sentence that changed without its number is noticed here. After raising the number in
``averment.version.TELLERS``, record the new wording with ``AVERMENT_RECORD_TELLERS=1`` and this file's tests.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Iterator
from dataclasses import replace
from datetime import date, timedelta
from pathlib import Path

import pytest

from averment import Workbench
from averment.claims import relation as registry
from averment.settings import Settings
from averment.version import TELLERS

RECORDED = Path(__file__).with_name("tellers.json")
OWN = re.compile(
    r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|\b[0-9a-f]{64}\b|\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z?"
    r"|^[^\n]*archived[^\n]*$|file://\S+|\d{4}-\d\d-\d\d (?=\|)",
    re.MULTILINE,
)
"""What belongs to one run alone: its ids, its hashes, its moments and places."""
QUESTIONS = (
    "total amount by channel",
    "which channel and device has the highest average amount",
    "how many rows are there where channel is app",
    "amount by week",
    "correlation between amount and pieces",
)


def write_orders(path: Path) -> Path:
    lines = ["day,channel,device,pieces,amount"]
    for offset in range(56):
        for n, (channel, device) in enumerate((c, d) for c in ("app", "web", "shop") for d in ("phone", "desk")):
            size = 1 if offset >= 28 and channel == "app" else 4
            for row in range(size):
                amount = 20 + (offset * 7 + n + row) % 5
                lines.append(f"{date(2024, 1, 1) + timedelta(days=offset)},{channel},{device},{row + 1},{amount}")
    path.write_text("\n".join(lines) + "\n")
    return path


def write_texts(folder: Path) -> Path:
    folder.mkdir()
    texts = {
        "harbour": "Lindholm Harbour was deepened in 1961 because larger ships could not enter the basin. The engineer "
        "Anna Berg led the deepening of Lindholm Harbour.",
        "archive": "According to the city archive, Lindholm Harbour was deepened in 1964. It was dredged by the Falk.",
    }
    for name, text in texts.items():
        (folder / f"{name}.md").write_text(f"# The {name} of the port\n\n{text}\n")
    return folder


class Teller:
    """Has each agent say what it says of the same data."""

    def __init__(self, folder: Path) -> None:
        self.bench = Workbench(settings=Settings(home=folder / "home", model_provider="none"))
        self.orders, self.texts = write_orders(folder / "orders.csv"), write_texts(folder / "texts")

    def said(self, kind: str) -> str:
        if kind == "analysis":
            runs = [self.bench.analyze(question, [self.orders]) for question in QUESTIONS]
        elif kind == "drilldown":
            periods = {"baseline": ("2024-01-01", "2024-01-28"), "comparison": ("2024-01-29", "2024-02-25")}
            runs = [self.bench.drill([self.orders], metric_sql="SUM(amount)", **periods)]
        elif kind == "research":
            asked = ("When was Lindholm Harbour deepened?", "Who was the first mayor of Lindholm?")
            runs = [self.bench.research(one, corpus=[self.texts], depth="quick") for one in asked]
        else:
            return "\n".join(self.bench.chat(one).response for one in ("add buy milk", "show my tasks", "delete milk"))
        return "\n".join(OWN.sub("…", f"{run.answer}\n{run.report or ''}") for run in runs)

    def close(self) -> None:
        self.bench.close()


@pytest.fixture(scope="module")
def teller(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Teller]:
    made = Teller(tmp_path_factory.mktemp("tellers"))
    yield made
    made.close()


def digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


@pytest.mark.parametrize("kind", TELLERS)
def test_what_a_teller_says_changes_only_with_its_number(teller: Teller, kind: str) -> None:
    recorded = json.loads(RECORDED.read_text())
    now = {"teller": TELLERS[kind], "sha256": digest(teller.said(kind))}
    if os.environ.get("AVERMENT_RECORD_TELLERS"):
        RECORDED.write_text(json.dumps({**recorded, kind: now}, indent=1, sort_keys=True) + "\n")
        return
    before = recorded[kind]
    if before["teller"] == TELLERS[kind]:
        assert now == before, f"{kind} is worded otherwise: raise TELLERS[{kind!r}] in version.py and record it"
    assert now == before, f"the wording of teller {TELLERS[kind]} is not recorded: AVERMENT_RECORD_TELLERS=1"


def test_a_reworded_sentence_is_noticed(teller: Teller, monkeypatch: pytest.MonkeyPatch) -> None:
    before = digest(teller.said("analysis"))
    known = registry.relations()["count"]
    reworded = replace(known, render=lambda claim: known.render(claim).replace("There are", "We have"))
    monkeypatch.setitem(registry._REGISTRY, "count", reworded)
    assert digest(teller.said("analysis")) != before
