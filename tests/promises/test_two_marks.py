"""Every face shows two marks, never one: how a question was interpreted, and whether its figures were recomputed."""

from __future__ import annotations

import json
import re
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from averment import Run, Workbench
from averment.errors import AvermentError
from averment.settings import Settings
from lazily import lazily

testing = lazily("starlette.testclient")
http_app = lazily("averment.faces.http.app")

SALES = Path(__file__).parents[2] / "examples" / "sales.csv"
HARBOUR = SALES.parent / "harbour"
CODES = {"sure", "probable", "chosen", "given", "confirmed", "model", "open", "unrated"}
SURE, PROBABLE, OPEN = "total amount by region in 2024", "amount by month", "which product sells best?"
STORES = "date,store,revenue\n" + "".join(
    f"2024-0{1 + n % 6}-05,{('North', 'South')[n % 2]},{'TBD' if n == 4 else f'${n * 10}.50'}\n" for n in range(12)
)
"""One cell keeps the column from being numbers, so that the word has nothing to be summed."""
INTERPRETED, EVIDENCE = "Interpreted as: ", "Evidence: "


class Home:
    """A home with one run of each certainty, and each face over it."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.home = folder, folder / "home"
        self.sales = Path(shutil.copy(SALES, folder / "sales.csv"))

    def open(self) -> Workbench:
        return Workbench(settings=Settings(home=self.home, model_provider="none"))

    def cli(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "averment", "--home", str(self.home), *arguments]
        return subprocess.run(command, capture_output=True, text=True, check=False)

    def get(self, path: str, accept: str = "application/json") -> Any:
        with self.open() as workbench:
            served = http_app.create_app(workbench, token="marks")
            with testing.TestClient(served, base_url="http://127.0.0.1") as client:
                client.headers["Accept"] = accept
                assert client.get("/", params={"token": "marks"}).status_code == 200
                client.headers["Authorization"] = "Bearer marks"
                return client.get(path)

    def page(self, path: str) -> str:
        return str(self.get(path, "text/html").text)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[Home, dict[str, str]]:
    home = Home(tmp_path_factory.mktemp("marks"))
    with home.open() as workbench:
        runs = {name: workbench.analyze(name, [home.sales]).id for name in (SURE, PROBABLE, OPEN)}
        runs["chosen"] = workbench.choose(runs[OPEN], 1).id
        runs["given"] = workbench.run_plan("from sales by region take sum(amount)", [home.sales]).id
        runs["drill"] = workbench.drill(
            [home.sales],
            metric_sql="SUM(amount)",
            baseline=("2023-01-01", "2023-12-31"),
            comparison=("2024-01-01", "2024-12-31"),
        ).id
        asked = "What did the dredging of the Port of Aldermouth cost?"
        runs["research"] = workbench.research(asked, corpus=[HARBOUR], depth="quick").id
    return home, runs


@pytest.fixture
def home(made: tuple[Home, dict[str, str]], tmp_path: Path) -> Iterator[Home]:
    """A copy of the home, to be checked and broken."""
    shutil.copytree(made[0].folder, tmp_path / "copy", symlinks=True)
    copy = Home(tmp_path / "copy")
    yield copy


@pytest.fixture
def runs(made: tuple[Home, dict[str, str]]) -> dict[str, str]:
    return made[1]


def shown(home: Home, run_id: str) -> Run:
    with home.open() as workbench:
        return workbench.show(run_id)


@pytest.mark.parametrize(
    ("name", "code"),
    [(SURE, "sure"), (PROBABLE, "probable"), (OPEN, "open"), ("chosen", "chosen"), ("given", "given")],
)
def test_the_certainty_says_how_the_interpretation_came_about(
    made: tuple[Home, dict[str, str]], name: str, code: str
) -> None:
    marks = shown(made[0], made[1][name]).marks
    assert marks.interpretation.code == code
    assert marks.interpretation.certainty
    assert (marks.interpretation.text is None) == (code == "open")


def test_sure_and_probable_are_told_apart_by_the_odds_alone(made: tuple[Home, dict[str, str]]) -> None:
    sure, probable = (shown(made[0], made[1][name]) for name in (SURE, PROBABLE))
    assert sure.odds is not None
    assert probable.odds is not None
    assert sure.odds >= 0.95 > probable.odds


@pytest.mark.parametrize("kind", ["drill", "research"])
def test_where_no_certainty_was_recorded_none_is_shown(made: tuple[Home, dict[str, str]], kind: str) -> None:
    interpretation = shown(made[0], made[1][kind]).marks.interpretation
    assert (interpretation.code, interpretation.certainty) == ("unrated", None)
    assert interpretation.text


def test_an_investigation_says_which_metric_periods_and_data_it_understood(made: tuple[Home, dict[str, str]]) -> None:
    text = shown(made[0], made[1]["drill"]).marks.interpretation.text or ""
    assert all(part in text for part in ("SUM(amount)", "2023-01-01", "2024-12-31", "sales"))


def test_a_research_counts_its_quotations(made: tuple[Home, dict[str, str]]) -> None:
    assert shown(made[0], made[1]["research"]).marks.figures.quotations > 0


@pytest.mark.parametrize("command", ["show", "explain"])
@pytest.mark.parametrize("name", [SURE, PROBABLE, "chosen", "given"])
def test_the_command_line_prints_both_marks(made: tuple[Home, dict[str, str]], command: str, name: str) -> None:
    lines = made[0].cli(command, made[1][name]).stdout.splitlines()
    assert sum(line.startswith(INTERPRETED) for line in lines) == 1
    assert sum(line.startswith(EVIDENCE) for line in lines) == 1


def test_analyze_prints_both_marks_and_their_document_has_the_same(home: Home) -> None:
    done = home.cli("analyze", "number of rows by channel", "--source", str(home.sales))
    assert INTERPRETED in done.stdout
    assert EVIDENCE in done.stdout
    document = json.loads(home.cli("analyze", "median amount", "--source", str(home.sales), "--json").stdout)
    assert document["marks"]["figures"]["state"] == "bound"
    assert document["marks"]["interpretation"]["code"] in CODES


def test_http_and_its_contract_have_both_marks(made: tuple[Home, dict[str, str]]) -> None:
    home, runs = made
    marks = home.get(f"/v1/runs/{runs[PROBABLE]}").json()["marks"]
    assert marks["interpretation"]["code"] == "probable"
    assert marks["figures"]["state"] in {"bound", "recomputed"}
    contract = home.get("/openapi.json").json()["components"]["schemas"]
    assert set(contract["Marks"]["properties"]) == {"interpretation", "figures"}
    assert "marks" in contract["RunDocument"]["required"]


def test_the_tools_of_mcp_give_both_marks_before_and_after_a_check(home: Home) -> None:
    with home.open() as workbench:

        def call(name: str, key: str, **arguments: Any) -> dict[str, Any]:
            result = workbench.assistant.call(name, arguments, key=key).result
            assert result is not None
            return result

        made = call("analyze", "a", question=PROBABLE, sources=[str(home.sales)])
        assert (made["marks"]["interpretation"]["code"], made["marks"]["figures"]["state"]) == ("probable", "bound")
        checked = call("verify", "b", run_id=made["run_id"])["marks"]
        again = call("show", "c", run_id=made["run_id"])["marks"]
    assert checked == again
    assert (again["interpretation"]["code"], again["figures"]["state"]) == ("probable", "recomputed")


@pytest.mark.parametrize("name", [SURE, PROBABLE, "chosen"])
def test_a_notebook_shows_both_marks(made: tuple[Home, dict[str, str]], name: str) -> None:
    with made[0].open() as workbench:
        run = workbench.show(made[1][name])
        html, text = run._repr_html_(), repr(run)
    for written in (html, text):
        assert INTERPRETED in written
        assert EVIDENCE in written
        assert str(run.marks.interpretation.certainty) in written


@pytest.mark.parametrize("name", [SURE, PROBABLE, OPEN, "chosen", "drill", "research"])
def test_the_page_of_a_run_shows_both_marks_and_no_sign_of_success_on_the_first(
    made: tuple[Home, dict[str, str]], name: str
) -> None:
    home, runs = made
    page = home.page(f"/runs/{runs[name]}")
    marks = page.partition('<dl class="marks">')[2].partition("</dl>")[0]
    first, _, second = marks.partition("<dt>Evidence</dt>")
    assert shown(home, runs[name]).marks.figures.text in re.sub(r"&#\d+;", "'", second)
    assert "✓" not in first
    assert "is-sealed" not in first
    assert "data-figures" not in first


def test_the_library_tells_the_certainty_of_each_run_and_the_state_of_its_figures(
    home: Home, runs: dict[str, str]
) -> None:
    with home.open() as workbench:
        workbench.verify(runs[PROBABLE])
    page = home.page("/runs")
    item = page.partition(f'id="run-{runs[PROBABLE]}"')[2].partition("</li>")[0]
    assert 'as-probable">' in item
    assert 'data-figures="recomputed"' in item


def test_the_proof_of_a_number_shows_how_the_question_was_interpreted(made: tuple[Home, dict[str, str]]) -> None:
    home, runs = made
    link = re.search(r'class="number-link" href="([^"]+/proof/[^"]+)"', home.page(f"/runs/{runs[PROBABLE]}"))
    assert link is not None
    assert 'as-probable">' in home.page(link.group(1))


@pytest.mark.parametrize("form", ["html", "md", "ipynb"])
@pytest.mark.parametrize("name", [PROBABLE, "drill", "research"])
def test_an_exported_report_carries_both_marks(home: Home, runs: dict[str, str], form: str, name: str) -> None:
    with home.open() as workbench:
        file = workbench.runs.export(runs[name], form, home.folder / f"report.{form}")
    text = file.read_text(encoding="utf-8")
    assert INTERPRETED in text
    assert EVIDENCE in text


def test_an_export_made_after_a_check_says_when_its_figures_were_recomputed(home: Home, runs: dict[str, str]) -> None:
    with home.open() as workbench:
        before = workbench.runs.export(runs[SURE], "md", home.folder / "before.md").read_text()
        workbench.verify(runs[SURE])
        figures = workbench.show(runs[SURE]).marks.figures
        after = workbench.runs.export(runs[SURE], "md", home.folder / "after.md").read_text()
    assert figures.text not in before
    assert figures.text in after


def test_verify_ends_with_both_marks_and_show_repeats_what_it_found(home: Home, runs: dict[str, str]) -> None:
    done = home.cli("verify", runs[PROBABLE])
    assert done.returncode == 0
    tail = done.stdout.splitlines()[-3:]
    assert tail[0].startswith(INTERPRETED)
    assert tail[1].startswith(EVIDENCE)
    assert "probable" in tail[0]
    assert tail[1] in home.cli("show", runs[PROBABLE]).stdout


def test_a_chat_reply_tells_both_marks_of_the_run_it_rests_on(home: Home) -> None:
    with home.open() as workbench:
        reply = workbench.chat(PROBABLE, files=[home.sales]).response
    assert INTERPRETED in reply
    assert EVIDENCE in reply


def test_recomputing_a_doubtful_reading_leaves_it_as_doubtful_as_it_was(tmp_path: Path) -> None:
    """The figures are exact whatever the question meant: recomputing them must say nothing about the interpretation."""
    source = tmp_path / "revenue.csv"
    source.write_text(STORES)
    with Workbench(settings=Settings(home=tmp_path / "home", model_provider="none")) as workbench:
        run = workbench.analyze("total revenue by store", [source])
        run = workbench.choose(run, len(run.offers)) if run.offers else run
        before = run.marks
        verdict = workbench.verify(run.id)
        after = workbench.show(run.id).marks
    assert verdict.ok
    assert verdict.marks is not None
    assert before.interpretation == after.interpretation == verdict.marks.interpretation
    assert (before.figures.state, after.figures.state) == (
        ("bound", "recomputed") if run.findings else ("none", "none")
    )


def test_a_changed_source_turns_the_second_mark_and_leaves_the_first(home: Home, runs: dict[str, str]) -> None:
    before = shown(home, runs[PROBABLE]).marks
    location = json.loads(shown_row(home, runs[PROBABLE])["catalog"])["sources"][0]["location"]
    kept = Path(location).read_bytes()
    try:
        Path(location).write_bytes(kept.replace(b"2024", b"2023", 1))
        assert home.cli("verify", runs[PROBABLE]).returncode == 5
    finally:
        Path(location).write_bytes(kept)
    after = shown(home, runs[PROBABLE]).marks
    assert after.interpretation == before.interpretation
    assert (before.figures.state, after.figures.state) == ("bound", "fault")
    assert "sales.csv" in (after.figures.fault or "")


def test_a_changed_figure_turns_the_second_mark_and_leaves_the_first(home: Home, runs: dict[str, str]) -> None:
    before = shown(home, runs[SURE]).marks
    with closing(sqlite3.connect(home.home / "db" / "averment.db")) as connection:
        changed = "UPDATE run_records SET body = replace(body, '26,026.10', '96,026.10') WHERE kind = 'conclusion'"
        assert connection.execute(changed).rowcount
        connection.commit()
    with home.open() as workbench:
        verdict = workbench.verify(runs[SURE])
    assert not verdict.ok
    assert verdict.marks is not None
    assert verdict.marks.interpretation == before.interpretation
    assert verdict.marks.figures.state == "fault"


def shown_row(home: Home, run_id: str) -> dict[str, Any]:
    with home.open() as workbench:
        return dict(workbench.runs.row(run_id).request)


def test_a_mailed_report_without_its_source_does_not_pass_for_recomputed(home: Home, runs: dict[str, str]) -> None:
    folder = home.folder / "mailed"
    folder.mkdir()
    with home.open() as workbench:
        report = workbench.runs.export(runs[SURE], "html", folder / "report.html")
    alone = home.cli("verify", str(report), "--json")
    assert alone.returncode == 3
    document = json.loads(alone.stdout)
    assert (document["numbers_rederived"], document["marks"]["figures"]["state"]) == (0, "missing")
    whole = home.cli("verify", str(report), "--source", str(home.sales), "--json")
    assert whole.returncode == 0
    marks = json.loads(whole.stdout)["marks"]
    assert (marks["interpretation"]["code"], marks["figures"]["state"]) == ("sure", "recomputed")
    report.write_bytes(report.read_bytes().replace(b"26,026.10", b"96,026.10"))
    forged = home.cli("verify", str(report), "--source", str(home.sales), "--json")
    assert forged.returncode == 5
    marks = json.loads(forged.stdout)["marks"]
    assert (marks["interpretation"]["code"], marks["figures"]["state"]) == ("sure", "fault")


def test_a_question_that_was_not_interpreted_claims_no_certainty(home: Home) -> None:
    with home.open() as workbench:
        run = workbench.analyze("zorple the quux of blibs", [home.sales])
    assert run.marks.interpretation.code == "open"
    assert run.marks.figures.state == "none"
    with pytest.raises(AvermentError), home.open() as workbench:
        workbench.runs.export(run.id, "md", home.folder / "none.md")
