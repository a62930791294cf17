"""What somebody does while a page is drawn anew is never lost: answers are held back here until it was done."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytestmark = [pytest.mark.thorough, pytest.mark.browser, pytest.mark.timeout(900)]

EXAMPLES = Path(__file__).parents[3] / "examples"
HOLD = """
// Answers whose address fits wait until they are let go, the oldest first.
window.held = [];
window.holding = null;
const hold = (address, go) => { if (window.holding?.test(address)) window.held.push(go); else go(); };
const ask = window.fetch;
window.fetch = (address, ...more) => {
  const came = ask(address, ...more);
  return new Promise((done, fail) => came.then((answer) => hold(String(address), () => done(answer)), fail));
};
const send = XMLHttpRequest.prototype.send;
const open = XMLHttpRequest.prototype.open;
XMLHttpRequest.prototype.open = function (method, address, ...more) { this.address = address; return open.call(this, method, address, ...more); };
XMLHttpRequest.prototype.send = function (body) { hold(String(this.address), () => send.call(this, body)); };
"""  # noqa: E501 - JavaScript of one line each


class Held:
    """A window whose answers can be held back."""

    def __init__(self, browser: Any, site: Any, open_visit: Any) -> None:
        self.visit = open_visit(browser, site)
        self.page = self.visit.page
        self.page.add_init_script(HOLD)

    def hold(self, pattern: str) -> None:
        """Hold back what is asked of addresses that fit."""
        self.page.evaluate("(pattern) => { window.holding = new RegExp(pattern); }", pattern)

    def wait_held(self, count: int = 1) -> None:
        """Wait until so many answers are held back."""
        self.page.wait_for_function("(count) => window.held.length >= count", arg=count)

    def let_go(self, *, last_first: bool = False) -> None:
        """Let everything through, and hold nothing back any more."""
        order = "pop" if last_first else "shift"
        self.page.evaluate(f"() => {{ window.holding = null; while (window.held.length) window.held.{order}()(); }}")


@pytest.fixture
def window(browser: Any, site: Any, open_visit: Any) -> Iterator[Held]:
    opened = Held(browser, site, open_visit)
    yield opened
    assert opened.visit.said == []
    opened.visit.context.close()


def test_a_message_and_a_file_that_come_while_the_reply_is_drawn_stay(window: Held, site: Any, tmp_path: Path) -> None:
    page = window.page
    page.goto(f"{site.url}/home")
    page.fill("#question", "show my tasks")
    window.hold(r"/chat/[^/]+$")
    page.keyboard.press("Enter")
    window.wait_held()
    note = tmp_path / "note.csv"
    note.write_text("day,amount\n2024-01-01,1\n")
    page.focus("#question")
    page.keyboard.type("the next one")
    page.set_input_files("#files", note)
    page.evaluate("document.querySelector('#question').mark = 'mine'; document.querySelector('.side a').focus()")
    window.let_go()
    page.locator(".by-assistant:not(.is-live)").nth(0).wait_for()
    page.wait_for_selector(".is-live", state="detached")
    assert page.input_value("#question") == "the next one"
    assert page.evaluate("document.querySelector('#question').mark") == "mine"
    assert page.evaluate("document.querySelector('#files').files[0].name") == "note.csv"
    assert "note.csv" in page.locator("[data-drop-list]").inner_text()
    assert page.evaluate("document.activeElement.matches('.side a')")
    # What is sent next is a message of its own, not the first one again.
    page.focus("#question")
    page.keyboard.press("Enter")
    page.locator(".by-assistant:not(.is-live)").nth(1).wait_for()
    page.wait_for_selector(".by-user:has-text('the next one')")
    assert page.locator(".by-user").count() == 2


def test_an_unsent_message_comes_back_and_is_one_message_when_it_is_sent_again(window: Held, site: Any) -> None:
    page = window.page
    page.goto(f"{site.url}/home")
    page.evaluate("""() => {
      const ask = window.fetch;
      // The first message arrives, and its answer is lost on the way back.
      window.fetch = (address, ...more) => ask(address, ...more).then((answer) => {
        if (!String(address).endsWith("/chat") || window.lost) return answer;
        window.lost = true;
        throw new TypeError("lost");
      });
    }""")
    page.fill("#question", "remind me to water the fern")
    page.keyboard.press("Enter")
    page.wait_for_function("() => document.querySelector('#question').value === 'remind me to water the fern'")
    page.wait_for_selector("#said.told:has-text('does not answer')")
    page.wait_for_selector("form.say button.primary:enabled")
    page.keyboard.press("Enter")
    page.wait_for_selector(".side .ticks li:has-text('fern')")
    page.wait_for_selector(".is-live", state="detached")
    assert page.locator(".by-user").count() == 1
    assert page.locator(".side .ticks li:has-text('fern')").count() == 1


def test_a_description_that_is_written_while_a_file_arrives_stays(window: Held, site: Any) -> None:
    page = window.page
    page.goto(f"{site.url}/drill")
    page.click("button:has-text('New drill')")
    page.set_input_files("#csv", EXAMPLES / "orders.csv")
    page.wait_for_selector(".sheets > li")
    window.hold("/files$")
    page.set_input_files("#csv", EXAMPLES / "customers.csv")
    window.wait_held()
    page.focus(".sheets input[name=description]")
    page.keyboard.type("One row an or")
    window.let_go()
    page.wait_for_selector(".sheets > li:nth-child(2)")
    page.keyboard.type("der.")
    assert page.input_value(".sheets > li:first-child input[name=description]") == "One row an order."
    # Leaving the page at once still keeps what was written.
    with page.expect_request("**/describe") as sent:
        page.click("a:has-text('Next: how they belong together')")
    assert sent.value.method == "POST"
    page.wait_for_selector(".diagram")
    page.go_back()
    page.wait_for_selector(".sheets > li:nth-child(2)")
    assert page.input_value(".sheets > li:first-child input[name=description]") == "One row an order."


def test_the_last_number_that_was_chosen_is_the_one_whose_proof_is_shown(window: Held, site: Any) -> None:
    run = site.ask("total amount by region", "sums.csv", "region,amount\nWest,1\nEast,2\nNorth,4\n")
    page = window.page
    page.goto(f"{site.url}/runs/{run}")
    window.hold("/proof/")
    numbers = page.locator(".number-link")
    numbers.nth(0).click()
    numbers.nth(1).click()
    window.wait_held(2)
    window.let_go(last_first=True)
    page.wait_for_selector("#panel:not([hidden])")
    page.wait_for_selector("#panel:not([aria-busy])")
    assert page.locator(".number-link[aria-current]").count() == 1
    assert numbers.nth(1).get_attribute("aria-current") == "true"


def test_a_window_that_nobody_looked_at_catches_up_when_it_is_seen(window: Held, site: Any) -> None:
    page = window.page
    place = site.post("/chat", message="show my tasks", message_id="seen").headers["location"]
    page.goto(site.url + place)
    turn = """(hidden) => {
      Object.defineProperty(document, "hidden", { value: hidden, configurable: true });
      document.dispatchEvent(new Event("visibilitychange"));
    }"""
    page.evaluate(turn, True)
    conversation = place.rsplit("/", 1)[1]
    site.post("/chat", message="thank you", message_id="unseen", conversation_id=conversation)
    assert page.locator(".message").count() == 2
    page.evaluate(turn, False)
    page.wait_for_selector(".by-user:has-text('thank you')")
    page.locator(".by-assistant:not(.is-live)").nth(1).wait_for()
    page.wait_for_selector(".is-live", state="detached")
    assert page.locator(".message").count() == 4


def test_details_selections_and_focus_outlive_a_page_that_is_drawn_anew(window: Held, site: Any) -> None:
    page = window.page
    page.goto(f"{site.url}/runs")
    # The page's own modules, on a part as the server sends it while a run is under way.
    page.evaluate("""async () => {
      const { putPart } = await import("/static/swap.js");
      const one = (n) => `<section aria-labelledby="r${n}"><h2 id="r${n}">Round ${n}</h2>
        <details><summary>Code</summary><p>code of ${n}</p></details></section>`;
      const draw = (rounds) => `<div id="live"><p class="soft">${rounds.length} rounds</p>
        <form><button id="stop">Stop</button><input id="words"></form>${rounds.map(one).join("")}</div>`;
      const read = (html) => new DOMParser().parseFromString(html, "text/html");
      document.querySelector("main").append(document.adoptNode(read(draw([2, 3])).body.firstChild));
      const live = document.getElementById("live");
      live.querySelectorAll("details")[1].open = true;
      document.getElementById("words").value = "typed";
      document.getElementById("stop").focus();
      getSelection().selectAllChildren(document.getElementById("r3"));
      putPart(live, read(draw([1, 2, 3, 4])));
    }""")
    opened = page.locator("#live details").evaluate_all("all => all.map((one) => one.open)")
    assert opened == [False, False, True, False]
    assert page.input_value("#words") == "typed"
    assert page.evaluate("document.activeElement.id") == "stop"
    assert page.evaluate("getSelection().toString()") == "Round 3"
    assert page.locator("#live p.soft").inner_text() == "4 rounds"
