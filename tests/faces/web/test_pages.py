"""The pages without scripts: everything can be read and done, and nothing of it can run."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from importlib import resources
from pathlib import Path
from typing import Any

import pytest

SALES = "region,day,amount\n" + "".join(
    f"{('West', 'East', 'North')[n % 3]},2024-01-{n % 28 + 1:02d},{n}.50\n" for n in range(90)
)
EVERY = ("/home", "/runs", "/drill", "/tasks", "/recipes", "/sources", "/ledger", "/settings")


class Reader(HTMLParser):
    """Reads a page as a browser does, and keeps what could run or reach out."""

    def __init__(self) -> None:
        super().__init__()
        self.scripts: list[str | None] = []
        self.faults: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        if tag == "script":
            self.scripts.append(given.get("src"))
        if tag in {"style", "iframe", "embed", "object", "base", "video", "audio", "math"}:
            self.faults.append(tag)
        for name, value in attrs:
            leads_out = name in {"href", "src", "action", "formaction", "srcdoc"} and not re.match(
                r"(/(?!/)|#|data:image/png;)", value or ""
            )
            if name.startswith("on") or name == "style" or leads_out:
                self.faults.append(f"{tag} {name}={value}")


def read(page: str) -> Reader:
    reader = Reader()
    reader.feed(page)
    return reader


@pytest.fixture(scope="module")
def run_id(site: Any) -> str:
    return site.ask("total amount by region", "sales.csv", SALES)


@pytest.fixture(scope="module")
def inquired(site: Any) -> str:
    return site.inquire()


def test_our_own_scripts_stay_under_eighty_kilobytes() -> None:
    package = resources.files("averment")
    places = (package.joinpath("faces", "web", "static"), package.joinpath("reports"))
    files = [file for place in places for file in place.iterdir() if file.name.endswith(".js")]
    assert len(files) > 10 and sum(len(file.read_bytes()) for file in files) <= 80_000


@pytest.mark.parametrize("path", EVERY)
def test_an_empty_home_has_every_page(serve: Any, path: str) -> None:
    global _empty  # One empty server for all of these.
    _empty = globals().get("_empty") or serve()
    answer = _empty.client.get(path)
    assert answer.status_code == 200
    assert "<main" in answer.text and "<h1" in answer.text


def test_a_run_tells_its_reading_its_findings_and_its_steps(site: Any, run_id: str) -> None:
    page = site.client.get(f"/runs/{run_id}").text
    assert 'data-status="completed"' in page
    assert "✓" not in page.partition("How it was done")[0] and "It could also mean" in page
    assert "Interpreted as" in page and "not yet recomputed" in page
    assert "How it was done" in page
    assert page.count('class="number-link"') >= 4
    assert page.count('<g class="node is-done">') == page.count('<g class="node ') >= 2
    assert "The same as a table" in page and "A bar chart of" in page
    assert f"/v1/runs/{run_id}/artifacts/chart.vl.json" in page


def test_every_number_leads_to_its_query_and_its_cell(site: Any, run_id: str) -> None:
    page = site.client.get(f"/runs/{run_id}").text
    links = re.findall(r'class="number-link" href="([^"]+/proof/[^"]+)"', page)
    # The numbers of the answer itself lead there, not only those of a list below it.
    answer = page.partition('<p class="answer">')[2].partition("</p>")[0]
    assert answer.count('class="number-link"') >= 4
    for link in links:
        proof = site.client.get(link)
        assert proof.status_code == 200
        assert "SELECT" in proof.text
        assert "Re-check now" in proof.text
    shown = [site.client.get(link).text for link in links]
    assert any(re.search(r'<td class="meant"><mark>[\d.]+</mark></td>', proof) for proof in shown)


def test_a_number_that_is_not_there_is_not_found(site: Any, run_id: str) -> None:
    assert site.client.get(f"/runs/{run_id}/proof/highest/nothing").status_code == 404
    assert site.client.get(f"/runs/{run_id}/proof/nothing/value").status_code == 404
    assert site.client.get("/runs/00000000-0000-0000-0000-000000000000").status_code == 404


def test_a_run_is_verified_replayed_and_exported(site: Any, run_id: str) -> None:
    assert 'data-figures="recomputed"' in site.post(f"/runs/{run_id}/verify").text
    assert 'data-figures="recomputed"' in site.client.get(f"/runs/{run_id}").text
    # It stands with the run, not in this process: after a restart the page says the same.
    figures = site.workbench.show(run_id).marks.figures
    assert figures.checked_at is not None and figures.state == "recomputed"
    assert f"{figures.checked_at:%Y-%m-%d %H:%M}" in site.client.get(f"/runs/{run_id}").text
    assert "byte for byte" in site.post(f"/runs/{run_id}/replay").text
    export = site.client.get(f"/runs/{run_id}/export?format=html")
    assert export.headers["content-disposition"].startswith("attachment")
    assert export.content.startswith(b"<!doctype html>")
    assert site.client.get(f"/runs/{run_id}/export?format=md").content.startswith(b"# total amount by region")
    assert site.client.get(f"/runs/{run_id}/export?format=pdf").content.startswith(b"%PDF-")
    assert site.client.get(f"/runs/{run_id}/export?format=ipynb").json()["nbformat"] == 4
    assert site.client.get(f"/v1/runs/{run_id}/export?format=pdf").headers["content-type"] == "application/pdf"
    assert site.client.get(f"/runs/{run_id}/export?format=exe").status_code == 422
    assert "Signed checkpoint" in site.client.get(f"/runs/{run_id}/report").text


@pytest.mark.thorough
def test_a_drill_down_shows_its_hypotheses_its_rounds_and_every_number(
    site: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    examples = Path(__file__).parents[3] / "examples"
    run = site.workbench.drill(
        [examples / "orders.csv", examples / "customers.csv"],
        metric_sql="SUM(amount)",
        baseline=("2024-01-01", "2024-01-28"),
        comparison=("2024-01-29", "2024-02-25"),
    )
    page = site.client.get(f"/runs/{run.id}").text
    assert "Hypotheses" in page and "chip is-confirmed" in page and "chip is-ruled_out" in page
    assert page.count("Code and output") >= 3
    links = re.findall(r'class="number-link" href="([^"]+)"', page)
    assert len(links) == sum(len(finding.slots) for finding in run.findings)
    assert {site.client.get(link).status_code for link in links} == {200}
    notebook = site.client.get(f"/runs/{run.id}/export?format=ipynb").json()
    names: dict[str, Any] = {}
    monkeypatch.chdir(examples)
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            exec(compile(cell["source"], "cell", "exec"), names)
    names["run"].close()
    assert sum("run.check(" in cell["source"] for cell in notebook["cells"]) == len(run.findings)


@pytest.mark.thorough
def test_a_table_is_sorted_and_paged_by_the_server(site: Any) -> None:
    many = site.ask("total amount by day and region", "sales.csv", SALES)
    page = site.client.get(f"/runs/{many}/table?page=2").text
    assert "page 2 of" in page
    table = site.workbench.show(many).table
    amounts = sorted(float(value) for value in table.column(table.num_columns - 1).to_pylist())
    last = table.num_columns - 1
    for descending, wanted in (("false", amounts[0]), ("true", amounts[-1])):
        part = site.client.get(f"/runs/{many}/table?sort={last}&descending={descending}").text
        first_row = part.partition("<tbody>")[2].partition("</tr>")[0]
        last_cell = re.sub(r"<[^>]+>", "", first_row.rpartition("<td")[2].partition(">")[2])
        assert float(last_cell.replace(",", "")) == wanted
    assert site.client.get(f"/runs/{many}/table?page=999&sort=999").status_code == 200


@pytest.mark.parametrize(
    ("name", "content", "code"),
    [
        ("empty.csv", b"", "SOURCE_EMPTY"),
        ("photo.png", b"\x89PNG", "INVALID_FILE_TYPE"),
        ("notes.md", b"", "SOURCE_EMPTY"),
    ],
)
def test_a_file_that_cannot_be_asked_about_is_refused_by_its_name(
    site: Any, name: str, content: bytes, code: str
) -> None:
    answer = site.send("/chat", [(name, content)], message="total amount")
    assert answer.status_code >= 400
    assert name in answer.text and code in answer.text


def test_a_file_that_is_too_large_is_refused_by_its_name(site: Any) -> None:
    answer = site.send(
        "/chat", [("sales.csv", SALES.encode()), ("big.csv", b"a\n" * 27_000_000)], message="total amount"
    )
    assert answer.status_code == 413
    assert "big.csv is over 52,428,800 bytes" in answer.text


def test_a_question_without_a_table_says_what_to_do(site: Any) -> None:
    page = site.client.get(site.post("/chat", message="total amount by region").headers["location"]).text
    assert 'class="message by-assistant' in page and "data-run" not in page
    assert "file" in page.rpartition('class="message by-assistant')[2].partition("</li>")[0].lower()


def test_a_refused_file_leaves_nothing_and_shows_no_path(site: Any) -> None:
    uploads = site.workbench.settings.home / "uploads"
    before = sorted(uploads.iterdir()) if uploads.exists() else []
    answer = site.send("/chat", [("../../x.exe", b"MZ")], message="total")
    assert answer.status_code >= 400
    assert str(site.workbench.settings.home) not in answer.text
    assert (sorted(uploads.iterdir()) if uploads.exists() else []) == before


def test_a_follow_up_under_a_run_begins_a_thread_with_it_and_changes_its_plan(site: Any, run_id: str) -> None:
    answer = site.post("/chat", message="only for West", about=run_id)
    page = site.client.get(answer.headers["location"]).text
    runs = re.findall(r'data-run="([^"]+)"', page)
    assert runs[0] == run_id and len(runs) == 2
    again = site.workbench.show(runs[1])
    assert again.status == "completed"
    assert again.read_back == "total amount, by region, where region is West, in sales"
    # What follows is read after that, in the same thread.
    thread = answer.headers["location"].rsplit("/", 1)[1]
    more = site.run_in(site.post("/chat", message="the average instead", conversation_id=thread))
    assert "average amount" in site.workbench.show(more).read_back


def test_an_offer_is_a_card_with_a_preview_and_is_chosen_by_its_button(site: Any) -> None:
    place = site.send("/chat", [("sales.csv", SALES.encode())], message="West vs East").headers["location"]
    page = site.client.get(place).text
    offering = site.workbench.show(re.findall(r'data-run="([^"]+)"', page)[-1])
    assert offering.status == "clarification_needed" and len(offering.offers) > 1
    offers = page.rpartition('<ol class="offers"')[2].partition("</ol>")[0]
    assert offers.count('class="card offer"') == len(offering.offers) and "<td>" in offers
    question = re.search(r'name="question_id" value="([^"]+)"', offers)
    assert question is not None
    site.post(f"{place}/answer", question_id=question.group(1), answer="1", message_id="chosen")
    after = site.client.get(place).text
    chosen = site.workbench.show(re.findall(r'data-run="([^"]+)"', after)[-1])
    assert (chosen.status, chosen.read_back) == ("completed", offering.offers[0].read_back)
    # It is said in the words of the reading, not as a number.
    assert f'<p class="said">{offering.offers[0].read_back}</p>' in after
    # The same from the page of the run itself.
    other = site.post(f"/runs/{offering.id}/choose", number="2")
    assert (
        site.workbench.runs.wait(other.headers["location"].rsplit("/", 1)[1]).read_back == offering.offers[1].read_back
    )
    assert site.post(f"/runs/{offering.id}/choose", number="99").status_code >= 400


def test_the_tabs_of_an_answer_have_its_table_query_plan_and_proof(site: Any, run_id: str) -> None:
    page = site.client.get(f"/runs/{run_id}").text
    run = site.workbench.show(run_id)
    for name in ("table", "sql", "plan", "proof"):
        assert f'href="/runs/{run_id}/{name}" data-swap="#tab-{run_id}"' in page
        assert site.client.get(f"/runs/{run_id}/{name}").status_code == 200
    assert "SELECT" in site.client.get(f"/runs/{run_id}/sql").text
    assert run.read_back in site.client.get(f"/runs/{run_id}/plan").text
    proof = site.client.get(f"/runs/{run_id}/proof").text
    assert proof.count('class="number-link"') == sum(len(finding.slots) for finding in run.findings)
    assert run.proof().run_root in proof


@pytest.mark.thorough
def test_a_chart_is_drawn_anew_in_the_kinds_that_its_result_allows(site: Any, run_id: str) -> None:
    own = site.client.get(f"/runs/{run_id}/chart").json()
    assert "bar" in str(own["layer"])
    names = [row["c0"] for row in own["data"]["values"]]
    line = site.client.get(f"/runs/{run_id}/chart?kind=line").json()
    assert line["mark"]["type"] == "line" and line["data"] == own["data"]
    lowest = site.client.get(f"/runs/{run_id}/chart?sort=lowest").json()
    values = {row["c0"]: row["c1"] for row in own["data"]["values"]}
    assert lowest["encoding"]["x"]["sort"] == sorted(names, key=lambda name: values[name])
    assert site.client.get(f"/runs/{run_id}/chart?log=true").json()["encoding"]["y"]["scale"]["type"] == "log"
    assert site.client.get(f"/runs/{run_id}/chart?kind=pie&sort=name&form=svg").text.startswith("<svg")
    assert site.client.get(f"/runs/{run_id}/chart?form=png").content.startswith(b"\x89PNG")
    assert site.client.get(f"/runs/{run_id}/chart?kind=scatter").status_code >= 400
    # Averages are no parts of a whole: no pie of them is offered.
    average = site.run_in(site.post("/chat", message="average amount by region", about=run_id))
    assert '<option value="pie">' in site.client.get(f"/runs/{run_id}").text
    assert '<option value="pie">' not in site.client.get(f"/runs/{average}").text
    assert site.client.get(f"/runs/{average}/chart?kind=pie").status_code >= 400


@pytest.mark.thorough
def test_why_a_series_moved_is_asked_with_its_break_filled_in(site: Any) -> None:
    days = "".join(
        f"2024-{1 + n // 28:02d}-{1 + n % 28:02d},{'West' if n % 2 else 'East'},{100 if n < 28 else 60}\n"
        for n in range(56)
    )
    run_id = site.ask("total amount by day", "daily.csv", "day,region,amount\n" + days)
    page = site.client.get(f"/runs/{run_id}").text
    asked = re.search(r'name="message" value="(Why did[^"]+)"', page)
    assert asked is not None
    assert "fall in 2024-02-01 to 2024-02-28 compared to 2024-01-01 to 2024-01-28" in asked.group(1)
    drilled = site.run_in(site.post("/chat", message=asked.group(1), about=run_id))
    drill = site.workbench.show(drilled)
    assert drill.kind == "drilldown" and "fell from 100 to 60" in drill.answer


def test_a_task_is_added_once_finished_deleted_and_brought_back(site: Any) -> None:
    for _ in range(2):
        assert site.post("/tasks", title="Call the bank", key="one").status_code == 303
    page = site.client.get("/tasks").text
    assert page.count(">Call the bank<") == 1
    number = re.findall(r"/tasks/(\d+)/complete", page)[0]
    site.post(f"/tasks/{number}/complete")
    assert ">Call the bank<" not in site.client.get("/tasks?status=pending").text
    site.post(f"/tasks/{number}/delete")
    assert ">Call the bank<" not in site.client.get("/tasks").text
    site.post("/tasks/undo")
    assert ">Call the bank<" in site.client.get("/tasks").text


def test_the_ledger_is_listed_narrowed_and_verified(site: Any, run_id: str) -> None:
    whole = site.client.get("/ledger").text
    assert whole.count('<span class="seq">') >= 10
    of_run = site.client.get(f"/ledger?run={run_id}").text
    assert set(re.findall(r'href="/runs/([0-9a-f-]{36})"', of_run)) == {run_id}
    assert "The ledger holds" in site.post("/ledger/verify").text


def test_a_recipe_is_forgotten(site: Any) -> None:
    asked = site.ask("total zorp by region in January 2024", "sales.csv", SALES)
    chosen = site.post(f"/runs/{asked}/choose", number="1").headers["location"].rsplit("/", 1)[1]
    site.workbench.runs.wait(chosen)
    recipes = re.findall(r"/recipes/([0-9a-f-]{36})/forget", site.client.get("/recipes").text)
    assert recipes
    site.post(f"/recipes/{recipes[0]}/forget")
    assert recipes[0] not in site.client.get("/recipes").text
    assert site.post(f"/recipes/{recipes[0]}/forget").status_code == 404


def test_the_theme_is_kept_in_a_cookie(site: Any) -> None:
    answer = site.post("/theme", theme="dark", next="/runs")
    assert (answer.status_code, answer.headers["location"]) == (303, "/runs")
    assert 'data-theme="dark"' in site.client.get("/home").text
    site.post("/theme", theme="<script>", next="/runs")
    assert 'data-theme="auto"' in site.client.get("/home").text


def test_the_chat_asks_before_it_deletes_and_a_button_answers(site: Any) -> None:
    site.post("/tasks", title="Water the plants", key="plants")
    said = site.post("/chat", message="delete the task about the plants", message_id="m-1")
    place = said.headers["location"]
    page = site.client.get(place).text
    question = re.search(r'name="question_id" value="([^"]+)"', page)
    assert question is not None and 'value="yes"' in page
    assert site.post(f"{place}/answer", question_id=question.group(1), answer="maybe").status_code >= 400
    answered = site.post(f"{place}/answer", question_id=question.group(1), answer="yes", message_id="m-2")
    assert answered.headers["location"] == place
    assert "Water the plants" not in site.client.get("/tasks").text
    site.post(f"{place}/forget")
    assert site.client.get(place).status_code == 404


def test_hostile_texts_are_words_on_every_page(site: Any, hostile_texts: list[str]) -> None:
    # Control characters are the charts' matter, not the page's; here they are in the tasks.
    drawable = [text for text in hostile_texts if text.isprintable()]
    cells = "".join(f'"{text.replace(chr(34), chr(34) * 2)}",{n}\n' for n, text in enumerate(drawable, start=1))
    assert len(drawable) > 15
    hostile = site.ask("total amount by name", "names.csv", "name,amount\n" + cells)
    for number, text in enumerate(hostile_texts):
        site.post("/tasks", title=text[:255], key=f"hostile-{number}")
    answer = site.post("/chat", message=hostile_texts[0])
    told = "\n\n".join(f"The harbour was deepened in 1961 {text}." for text in drawable)
    site.send("/sources", [("<img src=x onerror=alert(1)>.md", f"# {hostile_texts[0]}\n\n{told}".encode())])
    asked = site.post(f"/runs/{site.inquire('When was the harbour deepened?')}/verify")
    inquiry = asked.request.url.path.removesuffix("/verify")
    cited = re.findall(r'href="(/runs/[^"]+/cite/[^"]+)"', site.client.get(inquiry).text)
    sources = re.findall(r'href="(/sources/[^"]+)"', site.client.get("/sources").text)
    assert cited and sources
    run = f"/runs/{hostile}"
    pages = [run, f"{run}/report", f"{run}/table", "/home", "/tasks", "/ledger", "/runs", "/sources", "/recipes"]
    pages += [inquiry, f"{inquiry}/report", *cited, *sources, "/nothing/<script>alert(1)</script>"]
    for path in (*pages, answer.headers["location"]):
        page = site.client.get(path).text
        assert (path, read(page).faults, read(page).scripts) == (path, [], ["/static/main.js"])


@pytest.mark.parametrize("path", EVERY)
def test_no_page_has_a_script_or_a_style_of_its_own(site: Any, run_id: str, path: str) -> None:
    for address in (path, f"/runs/{run_id}"):
        answer = site.client.get(address)
        policy = answer.headers["content-security-policy"]
        assert "unsafe" not in policy and "default-src 'none'" in policy and "frame-ancestors 'none'" in policy
        assert read(answer.text).faults == []
        assert set(read(answer.text).scripts) <= {"/static/main.js", "/static/drill.js"}


def test_our_scripts_are_small_and_come_from_here(site: Any) -> None:
    files = list(resources.files("averment.faces.web").joinpath("static").iterdir())
    scripts = [file for file in files if file.name.endswith(".js")]
    assert sum(len(file.read_bytes()) for file in scripts) < 80_000
    for file in files:
        answer = site.client.get(f"/static/{file.name}")
        assert answer.status_code == 200
        again = site.client.get(f"/static/{file.name}", headers={"If-None-Match": answer.headers["etag"]})
        assert again.status_code == 304
    for name in ("..%2Fpages.py", "nothing.js", "%2e%2e", "main.js%00"):
        assert site.client.get(f"/static/{name}").status_code == 404


def test_what_is_asked_goes_to_whoever_fits_it(site: Any, inquired: str) -> None:
    assert inquired

    def tools(answer: Any) -> str:
        return site.client.get(answer.headers["location"]).text

    table = [("sales.csv", SALES.encode())]
    analysed = site.workbench.show(site.run_in(site.send("/chat", table, message="average amount by region")))
    assert analysed.kind == "analysis"
    assert "Added a task" in tools(site.post("/chat", message="remind me to call the bank"))
    asked = site.workbench.show(site.run_in(site.post("/chat", message="what do the sources say about dredging?")))
    assert asked.kind == "research"
    for depth in ("quick", "odd"):
        chosen = site.post("/sources/ask", question="What did the dredging cost?", depth=depth)
        assert site.workbench.runs.wait(chosen.headers["location"].rsplit("/", 1)[1]).kind == "research"


def test_a_run_that_is_worked_on_in_a_thread_can_be_stopped(site: Any) -> None:
    thread = site.send("/chat", [("sales.csv", SALES.encode())], message="total amount").headers["location"]
    assert site.post(f"{thread}/stop").headers["location"] == thread
    assert site.post("/chat/nobody-has-this/stop").status_code == 404


def test_a_research_shows_its_tree_its_sources_its_facts_and_its_conflicts(site: Any, inquired: str) -> None:
    page = site.client.get(f"/runs/{inquired}").text
    for part in ("Where sources disagree", "no rule decides", "38 million euros", "41 million euros", "Credibility"):
        assert part in page
    assert page.count('class="dot"') >= 3
    report = site.client.get(f"/runs/{inquired}/report").text
    links = set(re.findall(r'class="cite" href="([^"]+)"', report))
    assert links
    run = site.workbench.show(inquired)
    quotes = {slot.evidence.quote for finding in run.findings for slot in finding.slots.values()}
    for link in links:
        passage = site.client.get(link).text
        marked = re.search(r"<mark>(.*?)</mark>", passage, re.S)
        assert marked is not None
        assert any(marked.group(1).replace("&#39;", "'") in quote for quote in quotes)
    assert site.client.get(f"/runs/{inquired}/cite/none").status_code == 404


def test_a_table_is_downloaded_whole(site: Any, run_id: str) -> None:
    import io

    import pyarrow.parquet as pa_parquet

    table = site.workbench.show(run_id).table
    csv = site.client.get(f"/runs/{run_id}/table/download?format=csv")
    assert len(csv.text.strip().splitlines()) == table.num_rows + 1
    parquet = site.client.get(f"/runs/{run_id}/table/download?format=parquet")
    assert pa_parquet.read_table(io.BytesIO(parquet.content)).equals(table)


def test_a_forgotten_run_is_gone_with_its_files_and_the_ledger_keeps_it(site: Any) -> None:
    secret = ("secret.csv", SALES.replace("West", "Westmost").encode())
    asked = site.send("/chat", [secret], message="total amount by region")
    run_id = site.run_in(asked)
    home = site.workbench.settings.home
    uploads = home / "uploads"
    before = {path.name for path in uploads.iterdir()}
    assert site.post(f"/runs/{run_id}/forget").status_code == 422
    assert site.post(f"/runs/{run_id}/forget", sure="yes").headers["location"] == "/runs"
    assert site.client.get(f"/runs/{run_id}").status_code == 404
    # The thread can still be asked about the file; it goes when the thread goes too.
    assert {path.name for path in uploads.iterdir()} == before
    assert site.post(f"{asked.headers['location']}/forget").headers["location"] == "/home"
    assert len(before - {path.name for path in uploads.iterdir()}) == 1
    left = [path for path in home.rglob("*") if path.is_file() and "logs" not in path.parts and "db" not in path.parts]
    assert not [path for path in left if run_id in str(path) or b"Westmost" in path.read_bytes()]
    assert site.client.get(f"/ledger?run={run_id}").text.count('<span class="seq">') >= 5
    assert "The ledger holds" in site.post("/ledger/verify").text


def test_a_research_that_is_forgotten_leaves_its_sources(site: Any) -> None:
    run_id = site.inquire()
    documents = len(site.workbench.corpora.documents())
    bearer = {"Authorization": f"Bearer {site.token}", "Accept": "application/json"}
    assert site.client.delete(f"/v1/runs/{run_id}", headers=bearer).status_code == 204
    assert site.client.delete(f"/v1/runs/{run_id}", headers=bearer).status_code == 404
    assert len(site.workbench.corpora.documents()) == documents > 0


def test_documents_are_archived_found_checked_and_taken_away(site: Any) -> None:
    text = b"# The lighthouse of Norby\n\nThe lighthouse of Norby was built in 1874 of granite."
    assert site.send("/sources", [("norby.md", text)]).headers["location"] == "/sources"
    found = site.client.get("/sources?find=norby").text
    assert found.count('<li class="card">') == 1
    assert "Nothing fits" in site.client.get("/sources?find=nowhere").text
    place = re.search(r'href="(/sources/[0-9a-f-]{36})"', found)
    assert place is not None
    assert "The archive holds" in site.post(f"{place.group(1)}/verify").text
    assert '<mark id="marked">' in site.client.get(f"{place.group(1)}?start=2&end=16").text
    assert site.post(f"{place.group(1)}/remove").status_code == 303
    assert "Nothing fits" in site.client.get("/sources?find=norby").text
    assert site.send("/sources", [("broken.pdf", b"%PDF-1.7 broken")]).status_code >= 400
    assert site.send("/sources", [("", b"")]).status_code >= 400


def test_lists_are_narrowed(site: Any, run_id: str) -> None:
    site.post("/tasks", title="Paint the fence", key="fence")
    assert ">Paint the fence<" in site.client.get("/tasks?find=FENCE").text
    assert ">Paint the fence<" not in site.client.get("/tasks?find=roof").text
    only = site.client.get(f"/ledger?run={run_id}&event=tool_called").text
    assert only.count("<strong>tool called</strong>") == only.count('<span class="seq">') >= 2
    assert "Nothing fits" in site.client.get("/recipes?find=nothing-like-this").text
    assert run_id in site.client.get("/runs?find=region+amount&kind=analysis").text
    assert run_id not in site.client.get("/runs?find=region+amount&kind=research").text
    assert "Nothing fits" in site.client.get("/runs?find=nothing-like-this").text


def test_what_is_not_there_is_a_page_for_a_browser_and_json_for_a_program(site: Any) -> None:
    page = site.client.get("/nothing/here")
    assert (page.status_code, page.headers["content-type"]) == (404, "text/html; charset=utf-8")
    assert "ROUTE_NOT_FOUND" in page.text and "<nav" in page.text
    program = site.client.get("/nothing/here", headers={"Accept": "application/json"})
    assert program.json()["error"]["code"] == "ROUTE_NOT_FOUND"
    assert site.client.get("/v1/nothing").json()["error"]["code"] == "ROUTE_NOT_FOUND"
    assert site.client.get("/theme").status_code == 405


def test_a_failure_without_a_name_is_a_page_that_shows_nothing_of_it(
    serve: Any, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    site = serve()

    def broken(**_: object) -> None:
        raise RuntimeError("the secret inside")

    monkeypatch.setattr(site.workbench.runs, "list", broken)
    page = site.client.get("/runs")
    assert page.status_code == 500
    assert "<main" in page.text and "secret" not in page.text
    assert "the secret inside" in caplog.text


def test_a_table_that_is_attached_to_a_message_is_asked_about(site: Any) -> None:
    said = site.send("/chat", [("sales.csv", SALES.encode())], message="total amount by region", message_id="with-file")
    page = site.client.get(said.headers["location"]).text
    assert '<article class="answer-card"' in page
    assert '<li class="file">sales.csv</li>' in page
    run = re.search(r'data-run="([0-9a-f-]{36})"', page)
    assert run is not None
    assert 'data-figures="recomputed"' in site.post(f"/runs/{run.group(1)}/verify").text
    assert str(site.workbench.settings.home) not in page.partition("<pre")[0]
