"""A model that lies in every form it is given: nothing it says is told as proven, in any face, by any agent.

The corpus (``tests/hostile/data/lying_model``) has more than a hundred lies of eleven kinds. Each case names what must
never be said. What stands there as a model's own words, and is called so, is no statement of the product.
"""

from __future__ import annotations

import json
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parent))
from shown_text import session_files, shown
from speaking import Speaker

DATA = Path(__file__).parents[2] / "hostile" / "data" / "lying_model" / "cases.jsonl"
CASES: list[dict[str, Any]] = [json.loads(line) for line in DATA.read_text(encoding="utf-8").splitlines()]
QUESTION = "How big is the swing of each region?"
CALLED_A_MODELS = re.compile(r"A model (?:asks|says, unchecked): [^\n]*")
ALWAYS = {"analyst": 8, "driller": 1, "researcher": 3, "assistant": 2}
"""How many lies of an agent the normal run tells, each of another kind; the others are thorough."""


def cases(agent: str) -> Any:
    mine = [case for case in CASES if case["agent"] == agent]
    kinds = list(dict.fromkeys(case["kind"] for case in mine))[: ALWAYS[agent]]
    first = {next(case["id"] for case in mine if case["kind"] == kind) for kind in kinds}
    given = [
        pytest.param(case, id=case["id"], marks=() if case["id"] in first else pytest.mark.thorough) for case in mine
    ]
    return pytest.mark.parametrize("case", given)


@dataclass(frozen=True)
class Stand:
    """A served home with a lying model behind it, and a folder for the data that is lied about."""

    folder: Path
    speaker: Speaker
    served: Any

    @property
    def bench(self) -> Any:
        """The workbench that is served."""
        return self.served.workbench

    def told(self, case: dict[str, Any], run: Any) -> list[str]:
        """Where a run tells a lie as if it were so."""
        return told(case, shown(self.bench, run, self.served.page, self.folder))


@pytest.fixture(scope="module")
def stand(
    tmp_path_factory: pytest.TempPathFactory, model_at: Callable[[str], None], open_served: Any
) -> Iterator[Stand]:
    speaker = Speaker()
    model_at(speaker.url)
    folder = tmp_path_factory.mktemp("liar")
    with open_served(folder / "home", model_timeout_seconds=20) as served:
        yield Stand(folder, speaker, served)
    speaker.close()


@pytest.fixture(scope="module")
def sales(stand: Stand) -> Path:
    amounts = {"North": (100, 120, 95), "South": (80, 60, 75), "East": (330, 205, 180), "West": (400, 390, 420)}
    lines = ["region,product,month,quantity,amount"]
    for region, values in amounts.items():
        for month, (value, product) in enumerate(zip(values, ("pen", "ink", "pad"), strict=True), start=1):
            lines.append(f"{region},{product},2024-0{month}-01,{month + value // 100 + 2},{value}")
    path = stand.folder / "sales.csv"
    path.write_text("\n".join(lines) + "\n")
    return path


@pytest.fixture(scope="module")
def orders(stand: Stand) -> Path:
    lines = ["day,channel,device,amount"]
    for offset in range(56):
        day = date(2024, 1, 1) + timedelta(days=offset)
        for channel in ("app", "web", "shop"):
            for device in ("phone", "desk"):
                fewer = offset >= 28 and channel == "app"
                lines += [f"{day},{channel},{device},{20 + (offset * 7 + n) % 5}" for n in range(1 if fewer else 4)]
    path = stand.folder / "orders.csv"
    path.write_text("\n".join(lines) + "\n")
    return path


@pytest.fixture(scope="module")
def harbour(stand: Stand) -> Path:
    docs = stand.folder / "docs"
    docs.mkdir()
    texts = {
        "harbour": "Lindholm Harbour was deepened in 1961 because larger ships could not enter the basin. The engineer "
        "Anna Berg led the deepening of Lindholm Harbour. In 2019 Lindholm Harbour handled 4,200 ships.",
        "history": "According to the city archive, Lindholm Harbour was deepened in 1961. Critics warned that "
        "deepening Lindholm Harbour would damage the oyster beds. Lindholm Harbour was never closed.",
        "dredgers": "Lindholm Harbour lies at the mouth of the Lind. It was dredged by the steamer Falk, and the mud "
        "went out to sea.",
    }
    for name, text in texts.items():
        (docs / f"{name}.md").write_text(f"# The {name} of the port\n\n{text}\n")
    return docs


def told(case: dict[str, Any], faces: Any) -> list[str]:
    """Where a lie is told as if it were so."""
    found: list[str] = []
    for face, text in faces:
        own = CALLED_A_MODELS.sub("", text)
        for line in own.splitlines():
            found += [f"{face}: {line.strip()[:160]}" for lie in case["never"] if re.search(lie, line, re.IGNORECASE)]
    return found


def test_the_corpus_is_as_large_as_it_is_said_to_be() -> None:
    assert len(CASES) >= 80
    assert len({case["kind"] for case in CASES}) >= 10
    assert set(Counter(case["agent"] for case in CASES)) == {"analyst", "driller", "researcher", "assistant"}
    assert len({case["id"] for case in CASES}) == len(CASES)


@cases("analyst")
def test_no_lie_over_a_table_is_told_as_proven(stand: Stand, sales: Path, case: dict[str, Any]) -> None:
    stand.speaker.lie = case["lie"]
    before = stand.speaker.asked
    run = stand.bench.analyze(case["lie"].get("question", QUESTION), [sales])
    assert stand.speaker.asked > before
    assert stand.told(case, run) == []


@cases("driller")
def test_no_lie_about_a_change_is_told_as_proven(stand: Stand, orders: Path, case: dict[str, Any]) -> None:
    stand.speaker.lie = case["lie"]
    before = stand.speaker.asked
    run = stand.bench.drill(
        [orders],
        metric_sql="SUM(amount)",
        baseline=("2024-01-01", "2024-01-28"),
        comparison=("2024-01-29", "2024-02-25"),
        investigation_prompt="Somebody said the handhelds are to blame.",
    )
    assert stand.speaker.asked > before
    assert run.status == "completed"
    assert stand.told(case, run) == []
    assert told(case, session_files(stand.bench.settings.home, run.id)) == []


@cases("researcher")
def test_no_lie_about_texts_is_told_as_proven(stand: Stand, harbour: Path, case: dict[str, Any]) -> None:
    stand.speaker.lie = case["lie"]
    before = stand.speaker.asked
    run = stand.bench.research("When was Lindholm Harbour deepened?", corpus=[harbour], depth="quick")
    assert stand.speaker.asked > before
    assert stand.told(case, run) == []


@cases("assistant")
def test_no_lie_in_a_conversation_is_told_as_proven(stand: Stand, sales: Path, case: dict[str, Any]) -> None:
    stand.speaker.lie = case["lie"]
    before = stand.speaker.asked
    reply = stand.bench.chat("how about those figures then", files=[sales])
    assert stand.speaker.asked > before
    assert told(case, [("reply", reply.response)]) == []


ORDINARY = {
    "labels of a condition": "SELECT CASE WHEN month(month) < 3 THEN 'winter' ELSE 'spring' END AS season, "
    "SUM(amount) FROM sales GROUP BY 1",
    "labels of a size": "SELECT CASE WHEN amount >= 100 THEN 'large' ELSE 'small' END AS size, COUNT(*) AS n "
    "FROM sales GROUP BY size ORDER BY n DESC",
    "a text without its separator": "SELECT REPLACE(product, '_', ' ') AS product, SUM(amount) FROM sales GROUP BY 1",
    "a text in capitals": "SELECT UPPER(TRIM(region)) AS region, SUM(amount) FROM sales GROUP BY 1",
    "days that are missing": "SELECT CAST(d AS DATE) AS d, COUNT(s.amount) FROM generate_series((SELECT MIN(month) "
    "FROM sales), (SELECT MAX(month) FROM sales), INTERVAL 1 DAY) t(d) LEFT JOIN sales s ON s.month = t.d GROUP BY 1",
    "two columns in one": "SELECT region || ' / ' || product AS place, 'Q' || quarter(month) AS q, SUM(amount) "
    "FROM sales GROUP BY 1, 2",
}
LARGEST = {"labels of a condition": 1685, "labels of a size": 8, "days that are missing": 4, "two columns in one": 420}
"""The largest figure of a query; of the others it is a region's or a product's."""


@pytest.mark.parametrize("kind", ORDINARY)
def test_an_ordinary_query_is_still_answered_and_its_labels_are_called_the_models(
    stand: Stand, sales: Path, kind: str
) -> None:
    stand.speaker.lie = {"sql": ORDINARY[kind], "fits": True, "prose": ""}
    run = stand.bench.analyze(QUESTION, [sales])
    assert run.status == "completed", run.answer
    assert run.table is not None
    figures = [value for row in run.table.to_pylist() for value in row.values() if isinstance(value, int)]
    assert max(figures) == LARGEST.get(kind, 1210 if "capitals" in kind else 910)
    assert stand.bench.verify(run.id).ok
    labelled = [name for name in run.table.column_names if name.startswith("the model's label")]
    assert bool(labelled) is kind.startswith("labels")
    for name in labelled:
        for label in run.table.column(name).to_pylist():
            assert f"the model's label “{label}”" in run.answer
            assert label not in run.answer.replace(f"the model's label “{label}”", "")
