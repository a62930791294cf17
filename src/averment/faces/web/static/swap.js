// A link or a form with data-swap="#place" fills that place instead of the window.
import { suspect } from "./connection.js";
import { filled, morph, sent } from "./morph.js";

export function make(name, className = "", words = "") {
  const node = document.createElement(name);
  if (className) node.className = className;
  node.textContent = words;
  return node;
}

/** Ask the server for a part of a page. */
export async function askPart(address, options = {}) {
  const answer = await fetch(address, {
    ...options,
    headers: { "X-Part": "1", Accept: "text/html" },
  });
  if (answer.status === 401) location.reload();
  return new DOMParser().parseFromString(await answer.text(), "text/html");
}

/** Put what came into its place: what changed of the element of the same id, else all of it. */
export function putPart(place, part) {
  const focused = place.contains(document.activeElement) ? document.activeElement : null;
  const same = place.id ? part.getElementById(place.id) : null;
  if (same && place.tagName !== "ASIDE") morph(place, same);
  else place.replaceChildren(...[...part.body.childNodes].map((node) => document.adoptNode(node)));
  // Where the focused thing went, who uses the keyboard goes on from near where it was.
  if (focused && !focused.isConnected) (focused.id && document.getElementById(focused.id) || place.closest("[tabindex]"))?.focus({ preventScroll: true });
  place.dispatchEvent(new CustomEvent("swapped", { bubbles: true }));
}

/** Say something to those who listen; a fault is seen as well, until something else is said. */
export function tell(words, isFault = false) {
  const said = document.getElementById("said");
  if (!said) return;
  said.className = isFault ? "told" : "unseen";
  said.textContent = words;
}

const turns = new Map();

/** Begin work about a place when earlier work for it is over: no older answer covers a newer one. */
export function inTurn(place, work) {
  const next = (turns.get(place) || Promise.resolve()).then(work);
  turns.set(place, next.catch(() => {}));
  return next;
}

function showBusy(place, words) {
  place.setAttribute("aria-busy", "true");
  if (words) tell(words);
  if (words && place.childElementCount === 0) place.append(make("p", "busy", words));
}

const asked = new Map();

/** Fill a place; the place, or nothing when a newer link was chosen for it meanwhile. */
async function swap(selector, busy, ask, isForm = false) {
  const number = (asked.get(selector) || 0) + 1;
  asked.set(selector, number);
  let place = document.querySelector(selector);
  showBusy(place, busy);
  const isNewest = () => asked.get(selector) === number;
  try {
    const part = await ask();
    if (!isForm && !isNewest()) return null;
    // The page may have been drawn again meanwhile: the answer goes into what is seen now.
    if (!place.isConnected) place = document.querySelector(selector) || place;
    putPart(place, part);
    filled.add(place);
    tell("");
  } catch {
    suspect();
    if (!isForm && !isNewest()) return null;
    const line = make("p", "fault", "The server does not answer. It may have been stopped; try again when it runs.");
    line.setAttribute("role", "alert");
    if (place.querySelector("form")) { place.querySelector(":scope > .fault")?.remove(); place.append(line); } else place.replaceChildren(line);
  } finally {
    if (isNewest()) place.removeAttribute("aria-busy");
  }
  return place;
}

/** Keep a form from being sent twice; what lets it go again, or nothing where it is under way. */
export function hold(form) {
  if (sent.has(form)) return null;
  sent.add(form);
  const buttons = [...form.querySelectorAll("button")];
  for (const button of buttons) button.disabled = true;
  return () => { sent.delete(form); for (const button of buttons) button.disabled = false; };
}

/** Send a form for its place; what was typed into it while the answer came stays. */
async function sendForm(form, submitter) {
  const body = new URLSearchParams(new FormData(form, submitter));
  const typed = [...form.querySelectorAll("input:not([type=hidden]), textarea")].map((field) => [field, field.value]);
  const give = hold(form);
  if (!give) return;
  await swap(form.dataset.swap, form.dataset.busy || "", () => inTurn(form.dataset.swap, async () => {
    const part = await askPart(form.action, { method: "POST", body });
    give();
    if (!part.querySelector(".problem")) for (const [field, words] of typed) if (field.value === words) field.value = field.defaultValue;
    return part;
  }), true);
  give();
}

export function watchSwaps() {
  document.addEventListener("click", (event) => {
    const link = event.target.closest("a[data-swap]");
    if (!link || event.defaultPrevented || event.button || event.ctrlKey || event.metaKey || event.shiftKey) return;
    if (!document.querySelector(link.dataset.swap)) return;
    event.preventDefault();
    swap(link.dataset.swap, link.dataset.busy || "", () => askPart(link.href)).then((place) => place?.dispatchEvent(new CustomEvent("filled", { bubbles: true, detail: link })));
  });
  document.addEventListener("submit", (event) => {
    const form = event.target;
    if (!form.dataset.swap || !document.querySelector(form.dataset.swap)) return;
    event.preventDefault();
    sendForm(form, event.submitter);
  });
}
