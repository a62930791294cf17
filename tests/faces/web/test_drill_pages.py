"""A drill without scripts: every step is a form, every refusal stands at its field, and the report has its proof."""

from __future__ import annotations

import re
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from averment.faces.http.limits import Limits
from averment.faces.web.drill.draft import Drafts, DrillDraft, KeyLink
from averment.faces.web.drill.field_errors import PLAIN
from averment.faces.web.drill.preparation import Preview, preview, read_model
from averment.records.drilldown.files import MAX_FILE_BYTES
from averment.records.drilldown.loop import HYPOTHESIS_STATES
from averment.records.drilldown.results import REPORT_HEADINGS
from averment.records.drilldown.session import ERROR_OF_CODE
from lazily import lazily

drills = lazily("averment.faces.web.drill.drills")

EXAMPLES = Path(__file__).parents[3] / "examples"
SMALL = b"day,region,amount\n2024-01-01,north,1\n2024-01-02,south,2\n2024-02-01,north,3\n2024-02-02,south,5\n"
FOUND = KeyLink(left="orders", left_column="customer_id", right="customers", right_column="customer_id")
PERIODS = {
    "before_start": "2024-01-01",
    "before_end": "2024-01-28",
    "after_start": "2024-01-29",
    "after_end": "2024-02-25",
}


def begin(site: Any) -> str:
    """The place of a new drill."""
    place = site.post("/drill").headers["location"]
    assert place.endswith("/files")
    return place.removesuffix("/files")


def send(site: Any, place: str, *files: tuple[str, bytes]) -> Any:
    """Upload files as a browser without scripts does."""
    parts = [("files", file) for file in files]
    return site.client.post(f"{place}/files", data={"form_token": site.form_token}, files=parts)


def preview_of(site: Any, session_id: str) -> Preview:
    """What the drill's metric gives, as its page has it."""
    settings, sessions = site.workbench.settings, site.workbench.sessions
    sources = sessions.sources(session_id)
    model = read_model(settings, sessions.files(session_id), sources)
    return preview(settings, sources, model, Drafts(settings).get(session_id))


def codes(page: str) -> list[str]:
    """The codes of the refusals on a page."""
    return re.findall(r'class="field-fault"[^>]*>.*?<code>([A-Z_]+)</code></p>', page, re.DOTALL)


@pytest.fixture(scope="module")
def with_files(site: Any) -> str:
    """The place of a drill with both example files."""
    place = begin(site)
    names = ("orders.csv", "customers.csv")
    assert send(site, place, *((name, (EXAMPLES / name).read_bytes()) for name in names)).status_code == 200
    return place


@pytest.fixture
def place(site: Any, with_files: str) -> str:
    """The same drill with its tables confirmed as found and its metric, whatever was chosen before."""
    draft = DrillDraft(links=(FOUND,), focus=("orders.channel",), metric="SUM(amount)")
    Drafts(site.workbench.settings).keep(with_files.rsplit("/", 1)[1], draft)
    return with_files


@pytest.fixture(scope="module")
def drilled(site: Any) -> str:
    """The place of a drill that is over, filled in by forms alone."""
    place = site.post("/drill/sample").headers["location"].removesuffix("/model")
    fields = {"use:0": "1", "left:0": "orders.customer_id", "right:0": "customers.customer_id", "act": "next"}
    assert site.post(f"{place}/model", **fields, **{"focus:orders.channel": "1"}).status_code == 303
    assert site.post(f"{place}/metric", metric="SUM(amount)", act="next").headers["location"] == f"{place}/periods"
    started = site.post(f"{place}/periods", act="start", **PERIODS)
    assert (started.status_code, started.headers["location"]) == (303, place)
    site.workbench.runs.wait(site.workbench.sessions.run_of(place.rsplit("/", 1)[1]))
    return place


def test_a_drill_leads_to_the_step_that_is_next(site: Any) -> None:
    place = begin(site)
    assert site.client.get(place).headers["location"] == f"{place}/files"
    assert site.client.get(f"{place}/periods").headers["location"] == f"{place}/files"
    send(site, place, ("small.csv", SMALL))
    assert site.client.get(place).headers["location"] == f"{place}/model"
    site.post(f"{place}/model", act="next")
    assert site.client.get(place).headers["location"] == f"{place}/metric"
    site.post(f"{place}/metric", metric="SUM(amount)", act="next")
    assert site.client.get(place).headers["location"] == f"{place}/periods"
    assert place in site.client.get("/drill").text


def test_each_file_is_taken_or_refused_by_itself(site: Any) -> None:
    place = begin(site)
    answer = send(
        site,
        place,
        ("good.csv", SMALL),
        ("table.parquet", b"PAR1"),
        ("bare.csv", b"2024-01-01,5\n2024-01-02,6\n"),
        ("head.csv", b"day,amount\n"),
    )
    assert answer.status_code == 422
    assert codes(answer.text) == ["INVALID_FILE_TYPE", "NO_HEADERS", "NO_ROWS"]
    assert [file.original_name for file in site.workbench.sessions.files(place.rsplit("/", 1)[1])] == ["good.csv"]
    assert str(site.workbench.settings.home) not in answer.text
    nothing = (
        f'--x\r\nContent-Disposition: form-data; name="form_token"\r\n\r\n{site.form_token}\r\n'
        '--x\r\nContent-Disposition: form-data; name="files"; filename=""\r\n\r\n\r\n--x--\r\n'
    )
    kind = {"Content-Type": "multipart/form-data; boundary=x"}
    answer = site.client.post(f"{place}/files", content=nothing.encode(), headers=kind)
    assert codes(answer.text) == ["NO_FILES_UPLOADED"]


def test_the_pages_take_files_as_large_as_the_api_does() -> None:
    assert Limits().max_file_bytes == MAX_FILE_BYTES == 52_428_800


def test_every_refusal_of_the_seed_is_told_in_plain_words() -> None:
    assert set(ERROR_OF_CODE) <= set(PLAIN)


def test_a_file_is_described_and_taken_out(site: Any) -> None:
    place = begin(site)
    page = send(site, place, ("small.csv", SMALL)).text
    described = re.search(rf"{place}/files/([0-9a-f-]+)/describe", page)
    assert described is not None
    kept = site.post(f"{place}/files/{described.group(1)}/describe", description="One row a <sale>.")
    assert 'value="One row a &lt;sale&gt;."' in kept.text
    assert "No file yet" in site.post(f"{place}/files/{described.group(1)}/remove").text


def test_the_tables_are_drawn_with_their_relation_and_said_in_words(site: Any, place: str) -> None:
    page = site.client.get(f"{place}/model").text
    assert page.count('class="wire"') == 1
    assert "orders.customer_id refers to customers.customer_id" in page
    assert page.count('class="table-box"') == 2
    assert 'name="focus:orders.channel" value="1" aria-label="Look at orders.channel first" checked' in page


@pytest.mark.thorough
def test_a_corrected_relation_is_how_the_metric_is_joined(site: Any, place: str) -> None:
    fields = {"use:0": "1", "left:0": "orders.order_id", "right:0": "customers.customer_id", "act": "next"}
    site.post(f"{place}/model", **fields)
    page = site.client.get(f"{place}/metric").text
    assert "LEFT JOIN &#34;customers&#34; ON &#34;orders&#34;.&#34;order_id&#34;" in page


def test_a_relation_that_would_repeat_rows_is_refused_at_its_line(site: Any, place: str) -> None:
    fields = {"use:0": "1", "left:0": "customers.customer_id", "right:0": "orders.customer_id", "act": "next"}
    answer = site.post(f"{place}/model", **fields)
    assert (answer.status_code, codes(answer.text)) == (422, ["JOIN_FANS_OUT"])


def confirm(site: Any, place: str, **roles: str) -> Any:
    """Confirm the tables as they were found, with these columns as something else."""
    found = {"use:0": "1", "left:0": "orders.customer_id", "right:0": "customers.customer_id", "act": "next"}
    given = {f"role:{name.replace('__', '.')}": role for name, role in roles.items()}
    return site.post(f"{place}/model", **found, **given)


def test_every_column_shows_what_it_counts_as_and_can_be_changed_without_scripts(site: Any, place: str) -> None:
    page = site.client.get(f"{place}/model").text
    assert page.count('<select name="role:') == 7
    assert confirm(site, place, orders__channel="ignore", orders__amount="measure").status_code == 303
    assert Drafts(site.workbench.settings).get(place.rsplit("/", 1)[1]).roles == {"orders.channel": "ignore"}
    page = site.client.get(f"{place}/model").text
    chosen = re.search(r'<select name="role:orders.channel">.*?</select>', page, re.DOTALL)
    assert chosen is not None and '<option value="ignore" selected>' in chosen.group()
    assert 'name="focus:orders.channel"' not in page


@pytest.mark.thorough
def test_what_a_column_counts_as_is_how_the_metric_is_searched(site: Any, place: str) -> None:
    session_id = place.rsplit("/", 1)[1]
    assert {"channel", "country"} <= set(preview_of(site, session_id).cut_by)
    confirm(site, place, orders__channel="ignore", orders__customer_id="dimension")
    found = preview_of(site, session_id)
    assert "channel" not in found.cut_by
    assert any("customer_id" in name for name in found.cut_by)
    assert "orders.channel" in dict(found.not_cut_by)


def test_a_role_that_a_column_cannot_have_is_refused_at_its_line(site: Any, place: str) -> None:
    answer = confirm(site, place, orders__channel="measure", customers__country="timestamp")
    assert (answer.status_code, codes(answer.text)) == (422, ["TYPE_MISMATCH", "TYPE_MISMATCH"])
    assert answer.text.count('aria-invalid="true"') == 2
    assert Drafts(site.workbench.settings).get(place.rsplit("/", 1)[1]).roles == {}


@pytest.mark.thorough
def test_a_table_that_no_relation_leads_to_takes_no_part(site: Any, place: str) -> None:
    shown = site.post(f"{place}/model", act="show").text
    assert "takes no part" in shown and 'class="table-box is-apart"' in shown
    page = site.client.get(f"{place}/metric").text
    assert "channel</span>" in page and "country</span>" not in page
    session_id = place.rsplit("/", 1)[1]
    customers = site.workbench.sessions.files(session_id)[1]
    found = preview_of(site, session_id)
    assert (found.apart, found.metric) == ((customers.file_id,), "SUM(amount)")


WRONG_METRICS = {
    "": "METRIC_SQL_REQUIRED",
    "SUM(amoun)": "MISSING_COLUMN",
    "the weather": "METRIC_UNREADABLE",
}


def test_a_metric_that_cannot_be_followed_says_why_at_its_field(site: Any, place: str) -> None:
    for metric, code in WRONG_METRICS.items():
        answer = site.post(f"{place}/metric", metric=metric, act="next")
        assert (metric, answer.status_code, codes(answer.text)) == (metric, 422, [code])
    assert site.client.get(f"{place}/periods").headers["location"] == f"{place}/metric"


def test_a_metric_in_words_shows_how_it_was_read_and_what_it_gives(site: Any, place: str) -> None:
    page = site.post(f"{place}/metric", metric="revenue", act="show").text
    assert "total amount" in page
    assert "56 days with data, 2024-01-01 to 2024-02-25" in page
    assert page.count("<tr><td>2024-") == 56


WRONG_PERIODS = {
    "INVALID_DATE_RANGE": {**PERIODS, "after_end": "2024-01-01"},
    "PERIOD_WITHOUT_DATA": {**PERIODS, "after_start": "2025-01-01", "after_end": "2025-01-31"},
}


@pytest.mark.parametrize("code", WRONG_PERIODS)
def test_a_period_that_cannot_be_used_says_why_at_its_field(site: Any, place: str, code: str) -> None:
    answer = site.post(f"{place}/periods", act="start", **WRONG_PERIODS[code])
    assert (answer.status_code, codes(answer.text)) == (422, [code])
    assert 'id="fault-comparison"' in answer.text
    assert site.workbench.sessions.get(place.rsplit("/", 1)[1]).status == "has_files"


def test_suggested_periods_are_marked_on_the_chart(site: Any, place: str) -> None:
    page = site.post(f"{place}/periods", suggested="2024-01-01,2024-01-07,2024-01-08,2024-01-14").text
    assert page.count('class="band is-') == 2
    assert 'value="2024-01-14"' in page
    assert 'value="2024-01-14"' in site.client.get(f"{place}/periods").text


def test_the_report_has_its_six_parts_and_every_number_its_proof(site: Any, drilled: str) -> None:
    page = site.client.get(drilled).text
    report = page.partition('<article class="report">')[2].partition("</article>")[0]
    assert set(REPORT_HEADINGS) <= set(re.findall(r'<h3 id="report-[^"]+">([^<]+)</h3>', report))
    assert "report-foot" in report and "<h1" not in report
    run = site.workbench.show(site.workbench.sessions.run_of(drilled.rsplit("/", 1)[1]))
    bound = {f"/runs/{run.id}/proof/{finding.finding_id}/{slot}" for finding in run.findings for slot in finding.slots}
    assert set(re.findall(r'class="number-link" href="([^"]+)"', page)) == bound
    assert {site.client.get(link).status_code for link in sorted(bound)[:6]} == {200}
    assert 'id="explanation-1"' in page and page.count('<figure class="chart" data-spec=') == 3
    assert page.count("As a table") == 3


def test_the_prompt_tells_the_driller_where_to_look_first(site: Any, drilled: str) -> None:
    run = site.workbench.show(site.workbench.sessions.run_of(drilled.rsplit("/", 1)[1]))
    mentions = run.reading["investigation"]["mentions"]
    assert [(one["dimension"], one["asked"]) for one in mentions] == [("channel", True)]


def test_a_question_is_answered_with_references_that_are_on_the_page(site: Any, drilled: str) -> None:
    for question in ("What was ruled out?", "Why did it change?"):
        assert site.post(f"{drilled}/ask", message=question).status_code == 303
    page = site.client.get(drilled).text
    places = re.findall(r'class="reference" href="#([^"]+)"', page)
    assert len(places) >= 2
    assert all(f'id="{name}"' in page for name in places)
    assert site.post(f"{drilled}/ask", message=" ").status_code == 422


@pytest.mark.thorough
def test_a_drill_can_be_done_again_with_the_same_files_and_choices(site: Any, drilled: str) -> None:
    again = site.post(f"{drilled}/again").headers["location"]
    assert again.endswith("/metric") and drilled not in again
    page = site.client.get(again).text
    assert 'value="SUM(amount)"' in page
    assert 'value="2024-02-25"' in site.client.get(again.replace("/metric", "/periods")).text


@pytest.mark.thorough
def test_two_groups_of_a_file_without_dates_are_compared(site: Any) -> None:
    place = begin(site)
    rows = [
        f"{n},{'AB'[n % 2]},{('phone', 'desk')[n // 2 % 2]},{int(n % 2 == 0 or n // 4 % 3 > 0)}" for n in range(1200)
    ]
    send(site, place, ("visits.csv", ("visit,variant,device,bought\n" + "\n".join(rows) + "\n").encode()))
    site.post(f"{place}/model", act="next")
    assert site.post(f"{place}/metric", metric="AVG(bought)", act="next").headers["location"] == f"{place}/periods"
    page = site.client.get(f"{place}/periods").text
    assert '<option value="visits.variant"' in page
    groups = {"flag": "visits.variant", "control": "A", "test": "nothing"}
    refused = site.post(f"{place}/periods", act="start", **groups)
    assert refused.status_code == 422 and "no value" in refused.text
    assert site.post(f"{place}/periods", act="start", **{**groups, "test": "B"}).headers["location"] == place
    run = site.workbench.runs.wait(site.workbench.sessions.run_of(place.rsplit("/", 1)[1]))
    assert "in variant = A and" in (run.answer or "")
    assert "variant = B" in site.client.get(place).text


def test_hypotheses_move_by_the_seeds_steps_alone(site: Any, drilled: str) -> None:
    events = site.workbench.runs.events(site.workbench.sessions.run_of(drilled.rsplit("/", 1)[1]))
    boards = [
        {card.hypothesis_id: card.lane for card in drills.follow_loop(events[:count]).cards}
        for count in range(len(events))
    ]
    steps = {
        (before[name], after[name])
        for before, after in pairwise(boards)
        for name in before
        if before[name] != after[name]
    }
    assert steps == {("pending", "investigating"), ("investigating", "confirmed"), ("investigating", "ruled_out")}
    assert all(HYPOTHESIS_STATES.allows(before.upper(), after.upper()) for before, after in steps)
    assert drills.follow_loop(events).resolved == len(boards[-1])


def test_nothing_of_a_drill_runs_or_reaches_out(site: Any, hostile_texts: list[str]) -> None:
    place = begin(site)
    text = next(one for one in hostile_texts if "<script" in one and one.isprintable())
    quoted = text.replace('"', '""')
    rows = "".join(f'2024-0{month}-1{n},{n},"{quoted}"\n' for month in (1, 2) for n in range(9))
    page = send(site, place, ("<img src=x>.csv", f'day,amount,"{quoted}"\n{rows}'.encode())).text
    file_id = re.findall(r"/files/([0-9a-f-]+)/describe", page)[0]
    site.post(f"{place}/files/{file_id}/describe", description=text)
    site.post(f"{place}/model", act="next")
    site.post(f"{place}/metric", metric=text[:200], prompt=text, background=text, act="show")
    site.post(f"{place}/periods", before_start=text[:10], after_end=text[:10], act="show")
    for step in ("files", "model", "metric"):
        answer = site.client.get(f"{place}/{step}")
        assert "unsafe" not in answer.headers["content-security-policy"]
        scripts = re.findall(r"<script[^>]*>", answer.text)
        assert sorted(re.findall(r'src="([^"]+)"', "".join(scripts))) == ["/static/drill.js", "/static/main.js"]
        assert len(scripts) == 2
        assert not re.search(r"<[^>]+\s(on[a-z]+|style)=", answer.text)
        assert "<img src=x>" not in answer.text


def test_a_form_of_another_page_changes_nothing(site: Any) -> None:
    place = begin(site)
    for path in ("/drill", "/drill/sample", f"{place}/model", f"{place}/periods", f"{place}/delete", f"{place}/ask"):
        assert site.client.post(path, data={"form_token": "0" * 64}).status_code == 403
    upload = site.client.post(f"{place}/files", data={"form_token": ""}, files=[("files", ("a.csv", SMALL))])
    assert upload.status_code == 403
    assert not site.workbench.sessions.files(place.rsplit("/", 1)[1])


def test_a_deleted_drill_is_gone(site: Any) -> None:
    place = begin(site)
    send(site, place, ("small.csv", SMALL))
    assert site.post(f"{place}/delete").headers["location"] == "/drill"
    assert site.client.get(place).status_code == 404
    assert site.client.get("/drill/not-an-id").status_code == 422


@pytest.mark.thorough
def test_a_finished_drill_takes_another_question_and_the_two_are_compared(site: Any, drilled: str) -> None:
    assert site.client.get(f"{drilled}/files").headers["location"] == drilled
    assert site.post(f"{drilled}/metric", metric="COUNT(*)", act="next").headers["location"] == f"{drilled}/periods"
    started = site.post(f"{drilled}/periods", act="start", **PERIODS)
    assert (started.status_code, started.headers.get("location")) == (303, drilled), codes(started.text) or started.text
    site.workbench.runs.wait(site.workbench.sessions.run_of(drilled.rsplit("/", 1)[1]))
    page = site.client.get(drilled).text
    compared = re.search(r'href="([^"]+/compare[^"]+)"', page)
    assert compared is not None
    found = site.client.get(compared[1].replace("&amp;", "&")).text
    assert "SUM(amount)" in found and "COUNT(*)" in found and "Values whose parts differ most" in found
    assert site.client.get(f"{drilled}/compare?first=1&second=7").status_code == 409
