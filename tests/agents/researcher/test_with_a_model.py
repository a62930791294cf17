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
from averment.agents.researcher.agent import Researcher
from averment.agents.researcher.model_loop.loop import ReadingLoop
from averment.errors import ModelUnavailable
from averment.factory import AgentFactory
from averment.settings import Settings

SPEC = importlib.util.spec_from_file_location("model_server", Path(__file__).parents[2] / "llm" / "model_server.py")
assert SPEC is not None and SPEC.loader is not None
model_server = sys.modules.setdefault("model_server", importlib.util.module_from_spec(SPEC))
SPEC.loader.exec_module(model_server)

QUESTION = "When was Lindholm Harbour deepened?"
PAYLOADS = Path(__file__).parents[2] / "hostile" / "data" / "injection_payloads" / "cases.jsonl"
Said = dict[str, Any]


class Scripted:
    """A model that takes the steps its script says, each made of what it is shown, and remembers what it was asked."""

    def __init__(self, *script: Callable[[str], Said]) -> None:
        self.script = list(script)
        self.prompts: list[str] = []

    def propose(self, output_type: Any, *, purpose: str, system: str, prompt: str, context: Any = None) -> Any:
        assert purpose == "research"
        return output_type.model_validate(self.reply(prompt))

    def reply(self, prompt: str) -> Said:
        """What it does when it is asked."""
        self.prompts.append(prompt)
        return self.script.pop(0)(prompt) if self.script else {"tool": "done"}


def reading(patch: pytest.MonkeyPatch, model: Any, **options: Any) -> None:
    patch.setattr(AgentFactory, "researcher", lambda self: Researcher(ReadingLoop(model, **options)))


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
        return stripped(workbench.runs.list()[-1])


def shown(prompt: str, name: str) -> Any:
    """What a model was shown under a name."""
    return model_server.data_of(prompt, name)


def fact(prompt: str, words: str) -> str:
    return next(one["id"] for one in shown(prompt, "facts") if words in one["text"])


def payloads() -> list[str]:
    return [json.loads(line)["payload"] for line in PAYLOADS.read_text(encoding="utf-8").splitlines()]


def ask(prompt: str) -> Said:
    return {"thoughts": "who?", "tool": "ask", "questions": ["Who led the deepening of Lindholm Harbour?"]}


def point(prompt: str) -> Said:
    said = "It was dredged by the steamer Falk, and the mud went out to sea."
    return {
        "tool": "point",
        "sentences": [
            {"passage": one["number"], "sentence": said} for one in shown(prompt, "passages") if said in one["text"]
        ][:1],
    }


def reject(prompt: str) -> Said:
    return {"tool": "reject", "facts": [fact(prompt, "4,200 ships")], "why": "no_answer"}


def outline(prompt: str) -> Said:
    first = fact(prompt, "Anna Berg")
    return {"tool": "outline", "summary": [first], "sections": [{"question": 1, "facts": [first]}]}


def write(prompt: str) -> Said:
    text = "Lindholm Harbour was deepened in 1961."
    return {"tool": "write", "claims": [{"fact": fact(prompt, "because larger ships"), "text": text}]}


def test_a_model_plans_after_reading_asks_again_rejects_outlines_and_writes_over_spans(
    plain: Workbench, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = Scripted(ask, point, reject, outline, write)
    with monkeypatch.context() as patch:
        reading(patch, model)
        run = plain.research(QUESTION, depth="quick")
    rounds = [e.data for e in plain.runs.events(run.id) if e.type == "round_begun"]
    states = [one["state"] for one in rounds]
    asked = [state["question"]["text"] for state in states if "question" in state]
    assert asked[0] == QUESTION
    # What it asked for was searched after the planner's questions had been read, before its next step.
    assert asked[-1] == "A model asks: Who led the deepening of Lindholm Harbour?"
    assert [state["tool"] for state in states if state.get("kind") == "model"] == [
        *("ask", "point", "reject", "outline", "write", "done")
    ]
    assert len(shown(model.prompts[1], "asked")) == len(shown(model.prompts[0], "asked")) + 1
    report = str(run.report)
    assert "It was dredged by the steamer Falk, and the mud went out to sea." in report
    assert "4,200 ships" not in report.split("## Citations")[0]
    assert "Lindholm Harbour was deepened in 1961." in report
    assert "larger ships" not in report.split("## Citations")[0]
    brought = "1 further questions; 1 sentences pointed to; 1 facts set aside; an outline; 1 facts reworded"
    assert brought in report
    restated = [claim for claim in run.claims if claim.relation == "restated"]
    assert [claim.text for claim in restated] == ["Lindholm Harbour was deepened in 1961."]
    steps = [e.data for e in plain.runs.events(run.id) if e.type == "model_stepped"]
    assert [one["tool"] for one in steps] == ["ask", "point", "reject", "outline", "write", "done"]
    verdict = plain.verify(run.id)
    assert verdict.ok, verdict.faults
    assert "steamer Falk" in str(plain.runs.export(run.id, "html", plain.settings.home / "told.html").read_text())


BOTH = "Lindholm Harbour was deepened in 1961, and the engineer Anna Berg led the deepening of Lindholm Harbour."


def _path(run: Run, name: str) -> Path:
    return Path(run.path_of(next(one for one in run.artifacts if one.content_ref.endswith(name))))


def infer(prompt: str) -> Said:
    ids = [fact(prompt, "because larger ships"), fact(prompt, "Anna Berg")]
    return {"tool": "write", "claims": [{"facts": ids, "text": BOTH}]}


def lying_inferences(prompt: str) -> Said:
    ids = [fact(prompt, "because larger ships"), fact(prompt, "Anna Berg")]
    lies = [
        BOTH.replace("1961", "1962"),
        BOTH.replace(", and", ", because"),
        BOTH.replace("Anna Berg", "Anna Falk"),
        "The engineer Anna Berg led the deepening of Lindholm Harbour in 1961.",
        "Lindholm Harbour was deepened in 1961.",
    ]
    return {"tool": "write", "claims": [{"facts": ids, "text": lie} for lie in lies]}


def test_a_sentence_over_several_facts_is_marked_as_inferred_from_them_everywhere(
    plain: Workbench, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        reading(patch, Scripted(infer))
        run = plain.research(QUESTION, depth="quick")
    report = str(run.report)
    assert re.search(re.escape(BOTH) + r" \(inferred from \[\^\d+\] \[\^\d+\]\)", report)
    assert "1 sentences over several facts" in report
    data = json.loads(_path(run, "report.json").read_text(encoding="utf-8"))
    told = {one["id"]: one["told"] for one in data["facts"]}
    assert [one["text"] for one in data["inferred"]] == [BOTH]
    assert ["1961" in told[name] or "Anna Berg" in told[name] for name in data["inferred"][0]["fact_ids"]] == [
        True,
        True,
    ]
    assert [claim.text for claim in run.claims if claim.relation == "inferred"] == [BOTH]
    page = plain.runs.export(run.id, "html", plain.settings.home / "inferred.html").read_text(encoding="utf-8")
    assert "(inferred from <a" in page
    verdict = plain.verify(run.id)
    assert verdict.ok, verdict.faults


def test_an_inference_that_was_changed_in_the_report_is_found_by_verify(
    plain: Workbench, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        reading(patch, Scripted(infer))
        run = plain.research(QUESTION, depth="quick")
    path = _path(run, "report.md")
    path.chmod(0o644)
    path.write_text(path.read_text(encoding="utf-8").replace(", and the engineer", ", since the engineer"), "utf-8")
    assert not plain.verify(run.id).ok


def test_a_sentence_that_no_facts_make_together_comes_back_with_its_reason(
    plain: Workbench, embedded: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = Scripted(lying_inferences)
    reading(monkeypatch, model)
    run = plain.research(QUESTION, depth="quick")
    assert stripped(run) == embedded
    assert "it says something that none of its facts says" in model.prompts[1]
    assert "it names a fact that it does not rest on" in model.prompts[1]


def lying_claims(prompt: str) -> Said:
    lies = [
        "Lindholm Harbour was deepened in 1999.",
        "Lindholm Harbour was closed.",
        "Deepening Lindholm Harbour would damage the oyster beds.",
        "Lindholm Harbour was deepened in 1961 because Anna Berg wished it.",
    ]
    ids = [one["id"] for one in shown(prompt, "facts")]
    return {"tool": "write", "claims": [{"fact": name, "text": lie} for name in ids[:4] for lie in lies]}


def lying_points(prompt: str) -> Said:
    picked = [
        (0, "Lindholm Harbour was deepened in 1999."),
        (77, "Lindholm Harbour was deepened in 1961."),
        (0, "Lindholm Harbour was deepened"),
        *((place, text[:900]) for place, text in enumerate(payloads()[:6])),
    ]
    return {"tool": "point", "sentences": [{"passage": place, "sentence": text} for place, text in picked]}


def lying_questions(prompt: str) -> Said:
    return {
        "tool": "ask",
        "questions": ["How did Atlantis sink in 1755?", *(f"{text[:170]}?" for text in payloads()[:2])],
    }


def lying_outline(prompt: str) -> Said:
    return {"tool": "outline", "summary": ["f98"], "sections": [{"question": 99, "facts": ["f99"]}]}


def hiding(prompt: str) -> Said:
    return {"tool": "reject", "facts": [one["id"] for one in shown(prompt, "facts") if one.get("fixed")]}


LIES = (lying_claims, lying_points, lying_questions, lying_outline)


def test_nothing_of_a_lie_reaches_the_report(plain: Workbench, embedded: str, monkeypatch: pytest.MonkeyPatch) -> None:
    model = Scripted(*LIES, lambda _: {"tool": "done"})
    reading(monkeypatch, model)
    run = plain.research(QUESTION, depth="quick")
    assert stripped(run) == embedded
    # Each came back with its reason, and was corrected into nothing.
    assert "it does not keep the numbers of its sentence" in model.prompts[1]
    assert "no whole sentence of its passage reads exactly like this" in model.prompts[2]
    assert "neither the person nor a source gave" in model.prompts[3]
    assert "there is no such fact" in model.prompts[4]
    assert plain.verify(run.id).ok


def test_what_the_answer_rests_on_cannot_be_set_aside(
    plain: Workbench, embedded: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = Scripted(hiding, lambda _: {"tool": "done"})
    reading(monkeypatch, model)
    assert stripped(plain.research(QUESTION, depth="quick")) == embedded
    assert "the answer rests on it" in model.prompts[1]


def test_a_model_that_repeats_what_was_refused_is_given_up(
    plain: Workbench, embedded: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = Scripted(*[lying_outline] * 9)
    reading(monkeypatch, model)
    run = plain.research(QUESTION, depth="quick")
    assert stripped(run) == embedded
    assert len(model.prompts) == 2
    assert [e.data["code"] for e in plain.runs.events(run.id) if e.type == "model_fell_back"] == ["MODEL_NONSENSE"]


@pytest.mark.parametrize("provider", [pytest.param("openai", marks=pytest.mark.thorough), "anthropic"])
def test_over_the_wire_the_same_steps_are_taken_and_a_tape_takes_them_again(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, provider: str
) -> None:
    server = model_server.ModelServer(Scripted(ask, write).reply)
    for name in ("ANTHROPIC_API_KEY", "OPENAI_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv(f"{provider.upper()}_API_KEY", "sk-test")
    monkeypatch.setenv(f"{provider.upper()}_BASE_URL", server.url if provider == "openai" else server.root)
    settings = Settings(home=home, model_tape=tmp_path / "research.tape")
    try:
        with Workbench(settings=settings) as workbench:
            first = workbench.research(QUESTION, depth="quick")
            assert len(first.sent) == 3
            assert len(server.prompts) == 3
    finally:
        server.close()
    with Workbench(settings=settings) as workbench:
        again = workbench.research(QUESTION, depth="quick")
        assert stripped(again) == stripped(first)
        assert workbench.verify(again.id).ok


@pytest.mark.parametrize(
    "answer",
    [
        pytest.param("Arrr, forty-two!", marks=pytest.mark.thorough),
        {"tool": "fly"},
        pytest.param(503, marks=pytest.mark.thorough),
        '```json\n{"tool": "done", "mood": 1}\n```',
    ],
    ids=str,
)
def test_a_broken_model_leaves_the_readers_report(
    home: Path, embedded: str, monkeypatch: pytest.MonkeyPatch, answer: Any
) -> None:
    server = model_server.ModelServer(lambda _: answer)
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test")
    monkeypatch.setenv("OPENAI_BASE_URL", server.url)
    try:
        with Workbench(settings=Settings(home=home, model_timeout_seconds=4)) as workbench:
            run = workbench.research(QUESTION, depth="quick")
            assert stripped(run) == embedded
            assert workbench.verify(run.id).ok
    finally:
        server.close()


def test_whoever_changes_a_models_kept_choice_is_found_out(plain: Workbench, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        reading(patch, Scripted(write))
        run = plain.research(QUESTION, depth="quick")
    with sqlite3.connect(plain.settings.home / "db" / "averment.db") as database:
        changed = database.execute(
            "UPDATE run_records SET body = replace(body, '\"written\"', '\"older\"') "
            "WHERE run_id = ? AND kind = 'round' AND body LIKE '%\"written\"%'",
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
    reading(monkeypatch, model)
    run = plain.research(QUESTION, depth="quick")
    assert stripped(run) == embedded
    assert len(model.prompts) == 1
    assert "(MODEL\\_UNAVAILABLE)" in str(run.report)


def test_text_of_sources_stays_at_home_where_it_may_not_leave(
    plain: Workbench, embedded: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = Scripted(lambda _: {"tool": "done"})
    reading(monkeypatch, model, texts=False)
    run = plain.research(QUESTION, depth="quick")
    assert stripped(run) == embedded
    assert not any("Anna Berg" in prompt or "oyster" in prompt for prompt in model.prompts)


def test_a_model_searches_the_sources_and_opens_documents(plain: Workbench, monkeypatch: pytest.MonkeyPatch) -> None:
    def look(prompt: str) -> Said:
        return {"tool": "search", "words": "steamer Falk"}

    def read(prompt: str) -> Said:
        found = shown(prompt, "steps")[-1]["observation"]["passages"]
        return {"tool": "open_document", "title": next(one["title"] for one in found if "Falk" in one["text"])}

    def miss(prompt: str) -> Said:
        assert "the mud went out to sea" in shown(prompt, "steps")[-1]["observation"]["text"]
        return {"tool": "open_document", "title": "The secret diary"}

    model = Scripted(look, read, miss)
    with monkeypatch.context() as patch:
        reading(patch, model)
        run = plain.research(QUESTION, depth="quick")
    steps = [e.data for e in plain.runs.events(run.id) if e.type == "model_stepped"]
    assert [(one["tool"], one["status"]) for one in steps] == [
        ("search", "success"),
        ("open_document", "success"),
        ("open_document", "error"),
        ("done", "success"),
    ]
    # Looks change nothing: there is one round of a model, in which it was done.
    rounds = [e.data["state"] for e in plain.runs.events(run.id) if e.type == "round_begun"]
    assert [state["tool"] for state in rounds if state.get("kind") == "model"] == ["done"]
    assert plain.verify(run.id).ok


def test_no_tool_shows_text_of_sources_where_it_may_not_leave(
    plain: Workbench, monkeypatch: pytest.MonkeyPatch
) -> None:
    offered: list[str] = []

    class Seeing(Scripted):
        def propose(self, output_type: Any, **more: Any) -> Any:
            offered.extend(output_type.TOOLS)
            return super().propose(output_type, **more)

    reading(monkeypatch, Seeing(), texts=False)
    plain.research(QUESTION, depth="quick")
    assert "point" in offered
    assert not {"search", "open_document"} & set(offered)
