"""A sentence that somebody slips into the making of a document stops that document, whatever its kind."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pytest

from averment import Run, Workbench
from averment.agents.driller.session_export import read_investigation
from averment.errors import AvermentError, UntrueClaim
from averment.operations import Operations
from averment.records.base import utc_now
from averment.reports.document import Grid
from averment.settings import Settings
from averment.store.search.memory import MemoryPassage, MemoryStore

LIE = "Sales were half of that, ten times in a row."
CONTEXT = {
    "metric_sql": "SUM(amount)",
    "baseline_period": {"start": "2024-01-01", "end": "2024-01-28"},
    "comparison_period": {"start": "2024-01-29", "end": "2024-02-25"},
}
SPANS = {"baseline": ("2024-01-01", "2024-01-28"), "comparison": ("2024-01-29", "2024-02-25")}


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workbench]:
    home = tmp_path_factory.mktemp("forged") / "home"
    with Workbench(settings=Settings(home=home, model_provider="none")) as opened:
        yield opened


@pytest.fixture(scope="module")
def orders(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("orders") / "orders.csv"
    lines = ["day,region,amount"]
    for offset in range(56):
        for number, region in enumerate(("North", "South", "West")):
            for k in range(4):
                amount = (20 + (offset * 7 + number * 3 + k * 5) % 11) // (
                    2 if offset >= 28 and region == "West" else 1
                )
                lines.append(f"{date(2024, 1, 1) + timedelta(days=offset)},{region},{amount}")
    path.write_text("\n".join(lines) + "\n")
    return path


@pytest.fixture(scope="module")
def analysis(bench: Workbench, orders: Path) -> Run:
    return bench.analyze("total amount by region", [orders])


@pytest.fixture(scope="module")
def session(bench: Workbench, orders: Path) -> str:
    made = bench.sessions.create().session_id
    with orders.open("rb") as stream:
        bench.sessions.add_file(made, stream, "orders.csv")
    bench.runs.wait(bench.sessions.start(made, CONTEXT))
    return made


def _stopped(act: Callable[[], Any]) -> None:
    with pytest.raises(AvermentError) as raised:
        act()
    assert isinstance(raised.value, UntrueClaim) or "UNTRUE" in str(raised.value.code), raised.value


def _after(function: Callable[..., Any], change: Callable[[Any], Any]) -> Callable[..., Any]:
    return lambda *given, **named: change(function(*given, **named))


ANALYST = "averment.agents.analyst.agent"
FORGED_IN_REPORTS: dict[str, tuple[str, Callable[[Any], Any]]] = {
    "caveats": (f"{ANALYST}.limits", lambda told: (*told, LIE)),
    "reading": (f"{ANALYST}._read_as", lambda told: f"{told}; {LIE}"),
    "method": (
        f"{ANALYST}._method",
        lambda blocks: [*blocks, type(blocks[0])(text=LIE)],
    ),
    "caption": (
        f"{ANALYST}._grid",
        lambda grid: Grid(header=grid.header, rows=grid.rows, numeric=grid.numeric, caption=LIE),
    ),
    "answer": ("averment.agents.analyst.skills.answer_of", lambda told: f"{told} {LIE}"),
}


@pytest.mark.parametrize("place", FORGED_IN_REPORTS)
def test_a_forged_sentence_stops_an_analysis_before_its_report(
    bench: Workbench, orders: Path, monkeypatch: pytest.MonkeyPatch, place: str
) -> None:
    import importlib

    target, change = FORGED_IN_REPORTS[place]
    module, _, name = target.rpartition(".")
    monkeypatch.setattr(target, _after(getattr(importlib.import_module(module), name), change))
    _stopped(lambda: bench.analyze("average amount by region", [orders]))


@pytest.mark.parametrize(
    ("target", "change"),
    [
        ("averment.reports.html._block", lambda html: f"{html}<p>{LIE}</p>"),
        ("averment.reports.html._grid", lambda html: html.replace("</table>", f"<caption>{LIE}</caption></table>")),
    ],
)
def test_a_forged_sentence_stops_an_html_export(
    bench: Workbench, analysis: Run, monkeypatch: pytest.MonkeyPatch, target: str, change: Callable[[Any], Any]
) -> None:
    from averment.reports import html

    monkeypatch.setattr(target, _after(getattr(html, target.rpartition(".")[2]), change))
    _stopped(lambda: Operations(bench).export(analysis.id, "html"))


def test_a_forged_hint_stops_an_html_export(bench: Workbench, analysis: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    from averment.reports import html

    slipped = _after(html._block, lambda text: text.replace("<p>", f'<p title="{LIE}">'))
    monkeypatch.setattr("averment.reports.html._block", slipped)
    _stopped(lambda: Operations(bench).export(analysis.id, "html"))


def test_a_forged_sentence_stops_a_pdf(bench: Workbench, analysis: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("typst")
    from averment.reports import pdf

    monkeypatch.setattr("averment.reports.pdf._block", _after(pdf._block, lambda block: {**block, "text": LIE}))
    _stopped(lambda: Operations(bench).export(analysis.id, "pdf"))


def test_a_forged_sentence_stops_a_notebook(bench: Workbench, analysis: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    from averment.reports import notebook

    monkeypatch.setattr(
        "averment.reports.notebook._proof", _after(notebook._proof, lambda cells: [*cells, notebook._markdown(LIE)])
    )
    _stopped(lambda: Operations(bench).export(analysis.id, "ipynb"))


def test_a_forged_sentence_stops_the_proof_below_a_report(
    bench: Workbench, analysis: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    from averment.reports import export

    code, said = export.Code, export.Paragraph
    monkeypatch.setattr("averment.reports.export.Code", lambda **given: said(text=LIE) if given else code(**given))
    for form in ("html", "md"):
        _stopped(lambda form=form: Operations(bench).export(analysis.id, form))


DRILLER = "averment.agents.driller"
FORGED_IN_INVESTIGATIONS: dict[str, tuple[str, Callable[[Any], Any]]] = {
    "plan": (
        f"{DRILLER}.iteration_log.analysis_plan",
        lambda plan: plan.changed(steps=(*plan.steps[:-1], plan.steps[-1].changed(description=LIE))),
    ),
    "hypotheses": (
        f"{DRILLER}.iteration_log.first_suspicions",
        lambda found: tuple(one.changed(story=LIE) for one in found),
    ),
    "rounds": (f"{DRILLER}.iteration_log.whole_sentences", lambda text: f"{text} {LIE}"),
    "next steps": (f"{DRILLER}.report.next_steps", lambda steps: (*steps, LIE)),
    "pictures": (f"{DRILLER}.report.pictures", lambda drawn: {n: (LIE, spec) for n, (_, spec) in drawn.items()}),
}


@pytest.mark.parametrize("place", FORGED_IN_INVESTIGATIONS)
def test_a_forged_sentence_stops_an_investigation(
    bench: Workbench, orders: Path, monkeypatch: pytest.MonkeyPatch, place: str
) -> None:
    import importlib

    target, change = FORGED_IN_INVESTIGATIONS[place]
    module, _, name = target.rpartition(".")
    monkeypatch.setattr(target, _after(getattr(importlib.import_module(module), name), change))
    _stopped(lambda: bench.drill([orders], metric_sql="SUM(amount)", **SPANS))


def test_a_forged_sentence_stops_the_memory_of_an_investigation(
    bench: Workbench, session: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    from averment.agents.driller import memory

    services, tree = bench.home.services, bench.sessions._tree
    found = read_investigation(tree, session)
    assert found is not None
    slipped = _after(memory._context, lambda lines: [*lines, (LIE, "context", "context.json")])
    monkeypatch.setattr(f"{DRILLER}.memory._context", slipped)
    _stopped(lambda: memory.remember(memory_of(bench), services.texts.embedder(), session, found, at=utc_now()))


def test_a_memory_that_was_made_to_lie_is_made_anew_before_it_is_asked(bench: Workbench, session: str) -> None:
    store, embedder = memory_of(bench), bench.home.services.texts.embedder()
    kept = store.get(session)
    assert kept is not None
    passages = [
        MemoryPassage(number=1, text=f"The metric is dollars. {LIE}", section="context", artifact="context.json")
    ]
    vectors = list(embedder.embed([passage.text for passage in passages]))
    store.put(kept[0], embedder=embedder.name, passages=passages, vectors=vectors)
    told = bench.sessions.chat(session, "What is the metric?").content
    assert LIE not in told
    assert "The metric is SUM(amount)." in told


def memory_of(bench: Workbench) -> MemoryStore:
    """Where the session's memory is kept."""
    return bench.sessions._memory


def test_a_forged_sentence_is_never_a_reply_about_an_investigation(
    bench: Workbench, session: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    told = bench.sessions.chat(session, "what caused it?").content
    assert LIE not in told
    monkeypatch.setattr(f"{DRILLER}.chat.answer_directly", lambda *_: (f"{told}\n{LIE}", ()))
    assert LIE not in bench.sessions.chat(session, "what caused it?").content


@pytest.mark.parametrize("said", ["hello", "add buy milk to my tasks", "show my tasks", "undo"])
def test_a_forged_sentence_is_never_a_reply_of_the_assistant(
    bench: Workbench, monkeypatch: pytest.MonkeyPatch, said: str
) -> None:
    from averment.agents.assistant import agent

    chat = bench.assistant
    assert LIE not in chat.turn(said).response
    monkeypatch.setattr(agent, "reply_to", _after(agent.reply_to, lambda reply: (f"{reply[0]} {LIE}", *reply[1:])))
    assert LIE not in chat.turn(said).response
