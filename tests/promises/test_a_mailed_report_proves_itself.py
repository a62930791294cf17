"""A report that was mailed is checked by whoever gets it, with nothing but the file and its sources.

At the command line in an empty home, and in a browser on the page that ``averment verifier`` writes.
"""

from __future__ import annotations

import base64
import json
import re
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from chromium import CHROMIUM, FLAGS
from golden import Ended, GoldenHome, command

Change = Callable[[bytes], bytes]


class Mailed:
    """What was mailed: a report as bytes, the table it was computed from, and the public key of its home."""

    def __init__(self, folder: Path, home: GoldenHome) -> None:
        self.folder, self.key = folder, home.golden.key
        ended = home.cli("export", home.runs["analysis"], "--to", "html", "--out", folder / "sent.html")
        assert ended.code == 0, ended.err
        self.report, self.table = (folder / "sent.html").read_bytes(), home.golden.orders.read_bytes()
        self.places = (str(home.golden.folder), str(home.home))


@pytest.fixture(scope="module")
def mailed(golden_home_of_module: GoldenHome, tmp_path_factory: pytest.TempPathFactory) -> Mailed:
    return Mailed(tmp_path_factory.mktemp("mailed"), golden_home_of_module)


@pytest.fixture
def verify(mailed: Mailed, tmp_path: Path) -> Callable[..., Ended]:
    """``averment verify report.html`` far from the home that made it."""

    def run(report: bytes, table: bytes | None = mailed.table, *, name: str = "orders.csv", key: str = "") -> Ended:
        (tmp_path / "report.html").write_bytes(report)
        given: list[object] = ["--home", tmp_path / "none", "verify", tmp_path / "report.html", "--json"]
        if table is not None:
            (tmp_path / name).write_bytes(table)
            given += ["--source", tmp_path / name]
        return command(*given, *(["--key", key] if key else []))

    return run


def named(ended: Ended) -> dict[str, str]:
    """What does not hold, and what was seen."""
    return {check["subject"]: check["detail"] for check in ended.document["checks"] if not check["ok"]}


def test_an_untouched_report_holds_and_every_number_is_computed_again(
    mailed: Mailed, verify: Callable[..., Ended]
) -> None:
    for name in ("orders.csv", "renamed.csv"):
        ended = verify(mailed.report, name=name, key=mailed.key)
        assert ended.code == 0
        assert ended.document["numbers_rederived"] >= 9
    without = verify(mailed.report, None)
    assert without.code == 0 and without.document["numbers_rederived"] in {0, ended.document["numbers_rederived"]}


def test_it_names_no_place_of_the_machine_that_made_it(mailed: Mailed) -> None:
    text = mailed.report.decode()
    assert not any(place in text or place in json.dumps(capsule(mailed.report)) for place in mailed.places)


def capsule(report: bytes) -> dict[str, Any]:
    return dict(json.loads(zlib.decompress(base64.b64decode(packed(report)[1]))))


def packed(report: bytes) -> re.Match[bytes]:
    found = re.search(rb"<!-- averment-capsule ([A-Za-z0-9+/=]+) -->", report)
    assert found is not None
    return found


def forged_capsule(report: bytes) -> bytes:
    body, found = capsule(report), packed(report)
    body["run"]["answer"] = body["run"]["answer"].replace("3,040", "3,940")
    again = base64.b64encode(zlib.compress(json.dumps(body).encode(), 9))
    return report[: found.start(1)] + again + report[found.end(1) :]


def replaced(old: bytes, new: bytes) -> Change:
    return lambda report: report.replace(old, new, 1)


FORGED: dict[str, tuple[Change, str]] = {
    "digit": (replaced(b"3,040", b"3,940"), "Signature"),
    "name": (replaced(b"West", b"Wist"), "Signature"),
    "sentence": (replaced(b"<p>", b"<p>Sales collapsed. "), "Signature"),
    "appended": (replaced(b"</main>", b"<p>Bought by a rival.</p></main>"), "Signature"),
    "picture": (replaced(b"data:image/png;base64,iVBOR", b"data:image/png;base64,iVBOS"), "Signature"),
    "capsule": (forged_capsule, "Answer"),
}
BARE: dict[str, Change] = {
    "no signature": lambda report: report.replace(b"averment-signature", b"gone"),
    "no capsule": lambda report: report.replace(b"averment-capsule", b"gone"),
}


@pytest.mark.parametrize("name", FORGED)
def test_whatever_is_changed_in_the_file_is_named(mailed: Mailed, verify: Callable[..., Ended], name: str) -> None:
    forged = FORGED[name][0](mailed.report)
    assert forged != mailed.report
    ended = verify(forged)
    assert ended.code == 5 and named(ended)


@pytest.mark.parametrize("name", BARE)
def test_a_file_without_its_proof_is_refused(mailed: Mailed, verify: Callable[..., Ended], name: str) -> None:
    ended = verify(BARE[name](mailed.report))
    assert (ended.code, ended.document["error"]["code"]) == (5, "VERIFICATION_FAILED")


def test_a_changed_table_and_another_key_are_named(mailed: Mailed, verify: Callable[..., Ended]) -> None:
    ended = verify(mailed.report, mailed.table.replace(b"7.25", b"8.25", 1))
    assert (ended.code, [*named(ended)]) == (5, ["source orders.csv"])
    strange = "averment.local/ledger+00000000+AQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
    assert verify(mailed.report, key=strange).code in {2, 5}


@pytest.fixture(scope="module")
def page(mailed: Mailed) -> Iterator[Any]:
    """The verifier's page in a browser, opened from the disk; it asks the network for nothing."""
    if CHROMIUM is None:
        pytest.skip("no Chromium on this machine (Debian: apt-get install chromium)")
    from playwright.sync_api import sync_playwright

    assert command("verifier", mailed.folder / "verifier.html").code == 0
    asked: list[str] = []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        opened = browser.new_page()
        opened.on("request", lambda request: asked.append(request.url))
        yield opened
        browser.close()
    assert [url for url in asked if not url.startswith(("file:", "data:", "blob:"))] == []


@pytest.fixture
def check(mailed: Mailed, page: Any, tmp_path: Path) -> Callable[..., tuple[bool, str]]:
    """What the browser says of a report and a table: whether all holds, and what it says of each part."""

    def look(report: bytes, table: bytes | None = None, *, key: str = "", inside: bool = False) -> tuple[bool, str]:
        given = [tmp_path / "given.html", *([] if table is None else [tmp_path / "orders.csv"])]
        for path, content in zip(given, (report, table), strict=False):
            path.write_bytes(content or b"")
        page.goto((mailed.folder / ("sent.html" if inside else "verifier.html")).as_uri())
        page.fill("#check-key", key)
        page.set_input_files("#check-files", [str(path) for path in given])
        page.wait_for_selector(".verdict")
        holds = "holds" in (page.locator(".verdict").get_attribute("class") or "")
        return holds, page.locator("#check-result").inner_text()

    return look


@pytest.mark.browser
@pytest.mark.parametrize("inside", [False, True])
def test_an_untouched_report_holds_in_a_browser(
    mailed: Mailed, check: Callable[..., tuple[bool, str]], inside: bool
) -> None:
    holds, said = check(mailed.report, mailed.table, key=mailed.key, inside=inside)
    assert holds and "✗" not in said
    assert "numbers were computed again in this browser" in said


@pytest.mark.browser
def test_a_browser_names_whatever_is_changed_in_the_file(
    mailed: Mailed, check: Callable[..., tuple[bool, str]]
) -> None:
    for name, (change, subject) in FORGED.items():
        holds, said = check(change(mailed.report))
        assert not holds and f"✗ {subject}" in said, (name, said)
    for name, change in BARE.items():
        assert not check(change(mailed.report))[0], name


@pytest.mark.browser
def test_a_browser_names_another_table_with_the_number_that_it_changes(
    mailed: Mailed, check: Callable[..., tuple[bool, str]]
) -> None:
    holds, said = check(mailed.report, mailed.table.replace(b"West,Lamp,1,28.25", b"West,Lamp,1,98.25", 1))
    assert not holds
    named = [line for line in said.splitlines() if "is given as" in line]
    assert named and all("West" in line for line in named), said


@pytest.mark.browser
def test_a_browser_names_another_key_than_the_trusted_one(
    mailed: Mailed, check: Callable[..., tuple[bool, str]]
) -> None:
    strange = "averment.local/ledger+00000000+AQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
    assert not check(mailed.report, key=strange)[0]
