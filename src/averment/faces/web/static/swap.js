// A link or a form with data-swap="#place" fills that place instead of the window.

/** Ask the server for a part of a page; an error is a part as well. */
export async function askPart(address, options = {}) {
  const answer = await fetch(address, {
    ...options,
    headers: { ...(options.headers || {}), "X-Part": "1", Accept: "text/html" },
    credentials: "same-origin",
  });
  if (answer.status === 401) { window.location.reload(); }
  return new DOMParser().parseFromString(await answer.text(), "text/html");
}

/** Put what came into its place: the element of the same id if there is one, else all of it. */
export function putPart(place, part) {
  const same = place.id ? part.getElementById(place.id) : null;
  const nodes = same && place.tagName !== "ASIDE" ? [...same.childNodes] : [...part.body.childNodes];
  place.replaceChildren(...nodes.map((node) => document.adoptNode(node)));
  if (same) {
    for (const { name, value } of same.attributes) if (name.startsWith("data-")) place.setAttribute(name, value);
  }
  place.dispatchEvent(new CustomEvent("swapped", { bubbles: true }));
}

export function tell(words) {
  const said = document.getElementById("said");
  if (said) said.textContent = words;
}

function showBusy(place, words) {
  place.setAttribute("aria-busy", "true");
  if (words) tell(words);
  if (words && place.childElementCount === 0) {
    const line = document.createElement("p");
    line.className = "busy";
    line.textContent = words;
    place.append(line);
  }
}

async function swap(source, address, options) {
  let place = document.querySelector(source.dataset.swap);
  showBusy(place, source.dataset.busy || "");
  try {
    const part = await askPart(address, options);
    // A page that is under way may have been drawn anew meanwhile: the answer belongs into what is seen now.
    if (!place.isConnected) place = document.querySelector(source.dataset.swap) || place;
    putPart(place, part);
    tell("");
  } catch {
    const line = document.createElement("p");
    line.className = "fault";
    line.setAttribute("role", "alert");
    line.textContent = "The server does not answer. It may have been stopped; try again when it runs.";
    place.replaceChildren(line);
  } finally {
    place.removeAttribute("aria-busy");
  }
  return place;
}

export function watchSwaps() {
  document.addEventListener("click", (event) => {
    const link = event.target.closest("a[data-swap]");
    if (!link || event.defaultPrevented || event.button || event.ctrlKey || event.metaKey || event.shiftKey) return;
    if (!document.querySelector(link.dataset.swap)) return;
    event.preventDefault();
    swap(link, link.href).then((place) => place.dispatchEvent(new CustomEvent("filled", { bubbles: true, detail: link })));
  });
  document.addEventListener("submit", (event) => {
    const form = event.target;
    if (!form.dataset.swap || !document.querySelector(form.dataset.swap)) return;
    event.preventDefault();
    const body = new URLSearchParams(new FormData(form, event.submitter));
    for (const button of form.querySelectorAll("button")) button.disabled = true;
    swap(form, form.action, { method: "POST", body }).then((place) => {
      for (const button of form.querySelectorAll("button")) button.disabled = false;
    });
  });
}
