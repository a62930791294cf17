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
EVERY = ("/home", "/runs", "/chat", "/tasks", "/recipes", "/sources", "/ledger")


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
    assert "How it was read" in page
    assert page.count('class="number-link"') >= 4
    assert page.count('<g class="node is-done">') == 3
    assert f"/v1/runs/{run_id}/artifacts/chart.vl.json" in page


def test_every_number_leads_to_its_query_and_its_cell(site: Any, run_id: str) -> None:
    page = site.client.get(f"/runs/{run_id}").text
    links = re.findall(r'class="number-link" href="([^"]+)"', page)
    for link in links:
        proof = site.client.get(link)
        assert proof.status_code == 200
        assert "SELECT" in proof.text
        assert "Re-check now" in proof.text
    highest = next(link for link in links if "/highest/value" in link)
    assert re.search(r'<td class="meant"><mark>[\d.]+</mark></td>', site.client.get(highest).text)


def test_a_number_that_is_not_there_is_not_found(site: Any, run_id: str) -> None:
    assert site.client.get(f"/runs/{run_id}/proof/highest/nothing").status_code == 404
    assert site.client.get(f"/runs/{run_id}/proof/nothing/value").status_code == 404
    assert site.client.get("/runs/00000000-0000-0000-0000-000000000000").status_code == 404


def test_a_run_is_verified_replayed_and_exported(site: Any, run_id: str) -> None:
    assert "Everything holds" in site.post(f"/runs/{run_id}/verify").text
    assert "byte for byte" in site.post(f"/runs/{run_id}/replay").text
    export = site.client.get(f"/runs/{run_id}/export?format=html")
    assert export.headers["content-disposition"].startswith("attachment")
    assert export.content.startswith(b"<!doctype html>")
    assert site.client.get(f"/runs/{run_id}/export?format=md").content.startswith(b"# total amount by region")
    assert "Signed checkpoint" in site.client.get(f"/runs/{run_id}/report").text


def test_a_drill_down_shows_its_hypotheses_its_rounds_and_every_number(site: Any) -> None:
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


def test_a_table_is_sorted_and_paged_by_the_server(site: Any) -> None:
    many = site.ask("list amount by day and region", "sales.csv", SALES)
    page = site.client.get(f"/runs/{many}/table?page=2").text
    assert "page 2 of" in page
    table = site.workbench.show(many).table
    amounts = sorted(float(value) for value in table.column(table.num_columns - 1).to_pylist())
    last = table.num_columns - 1
    for descending, wanted in (("false", amounts[0]), ("true", amounts[-1])):
        part = site.client.get(f"/runs/{many}/table?sort={last}&descending={descending}").text
        first_row = part.partition("<tbody>")[2].partition("</tr>")[0]
        assert float(re.findall(r">([^<]+)</td>", first_row)[-1]) == wanted
    assert site.client.get(f"/runs/{many}/table?page=999&sort=999").status_code == 200


def test_a_question_without_a_table_says_what_to_do(site: Any) -> None:
    fields = {"form_token": site.form_token, "question": "total amount", "agent": "analyst"}
    answer = site.client.post("/ask", data=fields, files=[("files", ("empty.csv", b""))])
    assert answer.status_code == 422 or answer.status_code == 400
    assert "NO_SOURCES" in answer.text


def test_a_refused_file_leaves_nothing_and_shows_no_path(site: Any) -> None:
    uploads = site.workbench.settings.home / "uploads"
    before = sorted(uploads.iterdir()) if uploads.exists() else []
    fields = {"form_token": site.form_token, "question": "total", "agent": "analyst"}
    answer = site.client.post("/ask", data=fields, files=[("files", ("../../x.exe", b"MZ"))])
    assert answer.status_code >= 400
    assert str(site.workbench.settings.home) not in answer.text
    assert (sorted(uploads.iterdir()) if uploads.exists() else []) == before


def test_another_question_about_the_same_data_is_one_form_away(site: Any, run_id: str) -> None:
    answer = site.post(f"/runs/{run_id}/again", question="average amount by region")
    assert answer.status_code == 303
    again = site.workbench.wait(answer.headers["location"].rsplit("/", 1)[1])
    assert again.status == "completed"


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
    site.ask("total amount by region in January 2024", "sales.csv", SALES)
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
    pages = [f"/runs/{hostile}", f"/runs/{hostile}/report", f"/runs/{hostile}/table", "/tasks", "/ledger", "/runs"]
    for path in (*pages, answer.headers["location"]):
        page = site.client.get(path).text
        assert (path, read(page).faults, read(page).scripts) == (path, [], ["/static/main.js"])


@pytest.mark.parametrize("path", EVERY)
def test_no_page_has_a_script_or_a_style_of_its_own(site: Any, run_id: str, path: str) -> None:
    for address in (path, f"/runs/{run_id}"):
        answer = site.client.get(address)
        policy = answer.headers["content-security-policy"]
        assert "unsafe" not in policy and "default-src 'none'" in policy and "frame-ancestors 'none'" in policy
        assert (read(answer.text).faults, read(answer.text).scripts) == ([], ["/static/main.js"])


def test_our_scripts_are_small_and_come_from_here(site: Any) -> None:
    files = list(resources.files("averment.faces.web").joinpath("static").iterdir())
    scripts = [file for file in files if file.name.endswith(".js")]
    assert sum(len(file.read_bytes()) for file in scripts) < 60_000
    for file in files:
        answer = site.client.get(f"/static/{file.name}")
        assert answer.status_code == 200
        again = site.client.get(f"/static/{file.name}", headers={"If-None-Match": answer.headers["etag"]})
        assert again.status_code == 304
    for name in ("..%2Fpages.py", "nothing.js", "%2e%2e", "main.js%00"):
        assert site.client.get(f"/static/{name}").status_code == 404
