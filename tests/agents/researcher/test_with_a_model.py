"""A model beside the researcher: what it proposes well is used, and nothing false of it reaches a report."""

from __future__ import annotations

import importlib.util
import json
import re
import sqlite3
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from averment import Run, Workbench
from averment.agents.researcher.advice import ModelAdviser
from averment.agents.researcher.agent import Researcher
from averment.crew import Crew
from averment.errors import ModelUnavailable
from averment.settings import Settings

QUESTION = "When was Lindholm Harbour deepened?"
PAYLOADS = Path(__file__).parents[2] / "hostile" / "data" / "injection_payloads" / "cases.jsonl"
NOTHING: dict[str, Any] = {
    "questions": lambda _: {"questions": []},
    "picks": lambda _: {"sentences": []},
    "order": lambda _: {"summary": []},
}


class Scripted:
    """A model that answers each form as its script says, and remembers what it was asked."""

    def __init__(self, **script: Callable[[str], Any]) -> None:
        self.script = {**NOTHING, **script}
        self.prompts: list[str] = []

    def propose(self, output_type: Any, *, purpose: str, system: str, prompt: str, context: Any = None) -> Any:
        self.prompts.append(prompt)
        name = {"ProposedQuestions": "questions", "PickedSentences": "picks", "ChosenFacts": "order"}
        return output_type.model_validate(self.script[name[output_type.__name__]](prompt))


def advise(patch: pytest.MonkeyPatch, model: Any, **options: Any) -> None:
    patch.setattr(Crew, "researcher", lambda self: Researcher(ModelAdviser(model, **options)))


def stripped(run: Run) -> str:
    """A report without ids, times and what is said of a model."""
    numbers: dict[str, str] = {}
    report = re.sub(
        r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}",
        lambda found: numbers.setdefault(found.group(), f"id {len(numbers)}"),
        str(run.report),
    )
    report = re.sub(r"## A model's part\n.*?(?=\n## )", "", report, flags=re.DOTALL)
    return "\n".join(line for line in report.splitlines() if line.strip() and not line.startswith("Asked "))


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home whose corpus holds the harbour's sources, pages with planted instructions among them."""
    folder = tmp_path_factory.mktemp("advised")
    docs = folder / "docs"
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
    for number, line in enumerate(PAYLOADS.read_text(encoding="utf-8").splitlines()[:6]):
        told = f"Lindholm Harbour was deepened in 1961, page {number}. {json.loads(line)['payload']}"
        (docs / f"planted_{number}.md").write_text(f"# Notes, part {number}\n\n{told}\n", encoding="utf-8")
    with Workbench(settings=Settings(home=folder / "home", model_provider="none")) as workbench:
        workbench.add_sources(str(docs))
        workbench.research(QUESTION, depth="quick")
    return folder / "home"


@pytest.fixture
def plain(home: Path) -> Iterator[Workbench]:
    with Workbench(settings=Settings(home=home, model_provider="none")) as workbench:
        yield workbench


@pytest.fixture(scope="module")
def embedded(home: Path) -> str:
    """The report that no model had a part in."""
    with Workbench(settings=Settings(home=home, model_provider="none")) as workbench:
        return stripped(workbench.list()[-1])


GOOD = (
    "Who led the deepening of Lindholm Harbour?",
    "How was Lindholm Harbour dredged?",
    "How many ships did Lindholm Harbour handle?",
)


def good_questions(prompt: str) -> Any:
    return {"questions": [{"text": text, "priority": place} for place, text in enumerate(GOOD, start=1)]}


def facts_in(prompt: str) -> list[dict[str, str]]:
    """The facts a model was shown for their order."""
    return json.loads(next(line for line in prompt.splitlines() if line.startswith('[{"id"')))


def payloads() -> list[str]:
    return [json.loads(line)["payload"] for line in PAYLOADS.read_text(encoding="utf-8").splitlines()]


def lie_in_order(prompt: str) -> Any:
    """Facts that nobody showed, and words beside the form: the first is cut, the second refused."""
    return {"summary": ["f98", "f99"], **({"sentences": payloads()[:2]} if "again" in prompt else {})}


def lie_in_picks(prompt: str) -> Any:
    picked = [
        (0, "Lindholm Harbour was deepened in 1999."),
        (77, "Lindholm Harbour was deepened in 1961."),
        (0, "Lindholm Harbour was deepened"),
        *((place, text[:900]) for place, text in enumerate(payloads()[:6])),
    ]
    return {"sentences": [{"passage": place, "sentence": text} for place, text in picked]}


def lie_in_questions(prompt: str) -> Any:
    return {"questions": [{"text": f"{text[:190]}?", "priority": n + 1} for n, text in enumerate(payloads()[:4])]}


LIES = {"questions": lie_in_questions, "picks": lie_in_picks, "order": lie_in_order}


def test_nothing_of_a_lie_reaches_the_report(plain: Workbench, embedded: str, monkeypatch: pytest.MonkeyPatch) -> None:
    advise(monkeypatch, Scripted(**LIES))
    run = plain.research(QUESTION, depth="quick")
    assert stripped(run) == embedded
    report = str(run.report).replace("\\", "")
    assert "The rules stood in for the model: sub-questions (MODEL_NONSENSE)" in report
    for reason in ("a fact that does not exist", "a sentence that its passage does not hold"):
        assert reason in report
    assert [e.data["code"] for e in plain.events(run.id) if e.type == "model_fell_back"] == ["MODEL_NONSENSE"]
    assert plain.verify(run.id).ok


@pytest.fixture
def serve(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[dict[str, Any]], Any]]:
    """A real endpoint on loopback that the settings lead to."""
    spec = importlib.util.spec_from_file_location("lying_model", Path(__file__).with_name("lying_model.py"))
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    opened: list[Any] = []

    def start(script: dict[str, Any]) -> Any:
        opened.append(module.LyingModel({**NOTHING, **script}))
        monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
        monkeypatch.setenv("OPENAI_API_KEY", "sk-test")
        monkeypatch.setenv("OPENAI_BASE_URL", opened[-1].url)
        return opened[-1]

    yield start
    for one in opened:
        one.close()


def test_an_endpoint_that_lies_in_every_form_changes_nothing(
    home: Path, embedded: str, serve: Callable[[dict[str, Any]], Any]
) -> None:
    endpoint = serve(LIES)
    with Workbench(settings=Settings(home=home, model_timeout_seconds=10)) as workbench:
        run = workbench.research(QUESTION, depth="quick")
        assert stripped(run) == embedded
        assert len(endpoint.prompts) >= 3
        asked = len(endpoint.prompts)
        assert workbench.verify(run.id).ok
        assert len(endpoint.prompts) == asked
        assert "a sentence that its passage does not hold" in str(run.report)


def good_order(prompt: str) -> Any:
    """The fact about dredging first."""
    return {"summary": [one["id"] for one in facts_in(prompt) if one["text"].startswith("It was dredged")]}


def point_to_dredging(prompt: str) -> Any:
    said = "It was dredged by the steamer Falk, and the mud went out to sea."
    lines = [line for line in prompt.splitlines() if "steamer Falk" in line and '"number"' in line]
    shown = json.loads(lines[0]) if lines else []
    return {"sentences": [{"passage": one["number"], "sentence": said} for one in shown if said in one["text"]]}


def test_what_a_model_proposes_well_is_told_and_verified_without_it(
    plain: Workbench, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = Scripted(questions=good_questions, picks=point_to_dredging, order=good_order)
    with monkeypatch.context() as patch:
        advise(patch, model)
        run = plain.research(QUESTION, depth="quick")
    asked = [e.data["state"]["question"]["text"] for e in plain.events(run.id) if "question" in e.data.get("state", {})]
    assert asked[0] == QUESTION
    assert {f"A model asks: {text}" for text in GOOD} <= set(asked)
    report = str(run.report)
    assert "It was dredged by the steamer Falk, and the mud went out to sea." in report
    assert "From a model: 3 sub-questions;" in report
    assert "the order of 1 facts in the summary" in report
    verdict = plain.verify(run.id)
    assert verdict.ok, verdict.faults
    assert "steamer Falk" in str(plain.export(run.id, "html", plain.settings.home / "told.html").read_text())


def test_whoever_changes_a_models_kept_choice_is_found_out(plain: Workbench, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        advise(patch, Scripted(questions=good_questions, picks=point_to_dredging, order=good_order))
        run = plain.research(QUESTION, depth="quick")
    with sqlite3.connect(plain.settings.home / "db" / "averment.db") as database:
        changed = database.execute(
            "UPDATE run_records SET body = replace(body, '\"summary\"', '\"older\"') "
            "WHERE run_id = ? AND kind = 'round' AND body LIKE '%\"order\"%'",
            (run.id,),
        )
        assert changed.rowcount >= 1
    assert not plain.verify(run.id).ok


def test_a_model_that_cannot_be_reached_is_asked_once(
    plain: Workbench, embedded: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Away(Scripted):
        def propose(self, output_type: Any, **more: Any) -> Any:
            self.prompts.append(more["prompt"])
            raise ModelUnavailable("Nobody answers.")

    model = Away()
    advise(monkeypatch, model)
    run = plain.research(QUESTION, depth="quick")
    assert stripped(run) == embedded
    assert len(model.prompts) == 1
    assert "(MODEL\\_UNAVAILABLE)" in str(run.report)


def test_text_of_sources_stays_at_home_where_samples_may_not_leave(
    plain: Workbench, embedded: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = Scripted(order=good_order)
    advise(monkeypatch, model, samples=False)
    run = plain.research(QUESTION, depth="quick")
    assert stripped(run) == embedded
    assert not any("Anna Berg" in prompt or "oyster" in prompt for prompt in model.prompts)
