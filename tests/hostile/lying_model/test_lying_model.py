"""A model that lies in every form it is given: nothing it says is told as proven, in any face, by any agent.

The corpus (``data/lying_model/cases.jsonl``) has more than a hundred lies of eleven kinds. Each case names what must
never be said. What stands there as a model's own words, and is called so, is no statement of the product.
"""

from __future__ import annotations

import json
import re
import socket
import sys
import threading
from collections import Counter
from collections.abc import Iterator
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import httpx2
import pytest

from lazily import lazily

sys.path.insert(0, str(Path(__file__).parent))

from liar import Liar

from averment import Workbench
from averment.settings import Settings
from faces import session_files, shown

uvicorn = lazily("uvicorn")
http_app = lazily("averment.faces.http.app")

pytestmark = pytest.mark.xdist_group("lying_model")
DATA = Path(__file__).parents[1] / "data" / "lying_model" / "cases.jsonl"
CASES: list[dict[str, Any]] = [json.loads(line) for line in DATA.read_text(encoding="utf-8").splitlines()]
TOKEN = "the-token-of-the-liar"
QUESTION = "How big is the swing of each region?"
CALLED_A_MODELS = re.compile(r"A model (?:asks|says, unchecked): [^\n]*")


def cases(agent: str) -> Any:
    mine = [case for case in CASES if case["agent"] == agent]
    return pytest.mark.parametrize("case", mine, ids=[case["id"] for case in mine])


class Stand:
    """A home with a lying model behind it, its pages, and the data that is lied about."""

    def __init__(self, folder: Path, liar: Liar) -> None:
        self.folder, self.liar = folder, liar
        self.bench = Workbench(settings=Settings(home=folder / "home", model_timeout_seconds=20))
        listener = socket.create_server(("127.0.0.1", 0))
        config = uvicorn.Config(
            http_app.create_app(self.bench, token=TOKEN), http="h11", ws="none", log_level="critical"
        )
        self._server = uvicorn.Server(config)
        self._thread = threading.Thread(target=self._server.run, kwargs={"sockets": [listener]}, daemon=True)
        self._thread.start()
        url = f"http://127.0.0.1:{listener.getsockname()[1]}"
        self.client = httpx2.Client(base_url=url, headers={"Accept": "text/html"}, timeout=60)
        assert self.client.get("/", params={"token": TOKEN}).status_code == 303

    def close(self) -> None:
        self.client.close()
        self._server.should_exit = True
        self._thread.join()
        self.bench.close()


@pytest.fixture(scope="module")
def stand(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stand]:
    liar = Liar()
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("ANTHROPIC_API_KEY", raising=False)
        patch.setenv("OPENAI_API_KEY", "sk-test")
        patch.setenv("OPENAI_BASE_URL", liar.url)
        made = Stand(tmp_path_factory.mktemp("liar"), liar)
        yield made
        made.close()
    liar.close()


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
    stand.liar.lie = case["lie"]
    before = stand.liar.asked
    run = stand.bench.analyze(case["lie"].get("question", QUESTION), [sales])
    assert stand.liar.asked > before
    assert told(case, shown(stand.bench, run, stand.client)) == []


@cases("driller")
def test_no_lie_about_a_change_is_told_as_proven(stand: Stand, orders: Path, case: dict[str, Any]) -> None:
    stand.liar.lie = case["lie"]
    before = stand.liar.asked
    run = stand.bench.drill(
        [orders],
        metric_sql="SUM(amount)",
        baseline=("2024-01-01", "2024-01-28"),
        comparison=("2024-01-29", "2024-02-25"),
        investigation_prompt="Somebody said the handhelds are to blame.",
    )
    assert stand.liar.asked > before
    assert run.status == "completed"
    assert told(case, shown(stand.bench, run, stand.client)) == []
    assert told(case, session_files(stand.bench.settings.home, run.id)) == []


@cases("researcher")
def test_no_lie_about_texts_is_told_as_proven(stand: Stand, harbour: Path, case: dict[str, Any]) -> None:
    stand.liar.lie = case["lie"]
    before = stand.liar.asked
    run = stand.bench.research("When was Lindholm Harbour deepened?", corpus=[harbour], depth="quick")
    assert stand.liar.asked > before
    assert told(case, shown(stand.bench, run, stand.client)) == []


@cases("assistant")
def test_no_lie_in_a_conversation_is_told_as_proven(stand: Stand, sales: Path, case: dict[str, Any]) -> None:
    stand.liar.lie = case["lie"]
    before = stand.liar.asked
    reply = stand.bench.chat("how about those figures then", files=[sales])
    assert stand.liar.asked > before
    assert told(case, [("reply", reply.response)]) == []
