// Forms with files: they can be dropped on, are listed before they go, and show how far they have come.
import { putPart, tell } from "./swap.js";

const size = (bytes) => bytes < 1e6 ? `${Math.ceil(bytes / 1e3)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;

/** Show the files that are chosen in a form. */
export function listFiles(form) {
  const input = form.querySelector("input[type=file]");
  form.querySelector("[data-drop-list]")?.replaceChildren(...[...input.files].map((file) => {
    const line = document.createElement("li");
    const [name, much] = [document.createElement("span"), document.createElement("span")];
    name.textContent = file.name;
    much.textContent = size(file.size);
    line.append(name, much);
    return line;
  }));
  form.dispatchEvent(new CustomEvent("chosen", { bubbles: true }));
}

function send(form) {
  const bar = form.querySelector("[data-drop-progress]");
  const button = form.querySelector("button.primary");
  const call = new XMLHttpRequest();
  const end = () => { bar.hidden = true; button.disabled = false; };
  call.open("POST", form.action);
  call.setRequestHeader("X-Part", "1");
  call.setRequestHeader("Accept", "text/html");
  call.upload.addEventListener("progress", (event) => { if (event.lengthComputable) bar.value = (100 * event.loaded) / event.total; });
  call.addEventListener("load", () => {
    const place = call.getResponseHeader("X-Location") || (call.status < 400 && call.responseURL);
    if (place) { location.assign(place); return; }
    end();
    putPart(form.querySelector("#problem"), new DOMParser().parseFromString(call.responseText, "text/html"));
  });
  call.addEventListener("error", () => { end(); tell("The server does not answer.", true); });
  bar.hidden = false;
  button.disabled = true;
  tell("Sending.");
  call.send(new FormData(form));
}

const dropForm = (event) => event.target.closest?.("form")?.querySelector("[data-drop-zone]") || event.target.closest?.("[data-drop-zone]");

export function watchDrop() {
  for (const name of ["dragenter", "dragover"]) {
    document.addEventListener(name, (event) => {
      const zone = dropForm(event);
      if (zone) { event.preventDefault(); zone.classList.add("is-over"); }
    });
  }
  for (const name of ["dragleave", "drop"]) document.addEventListener(name, (event) => dropForm(event)?.classList.remove("is-over"));
  document.addEventListener("drop", (event) => {
    const form = dropForm(event)?.closest("form");
    if (!form || !event.dataTransfer.files.length) return;
    event.preventDefault();
    form.querySelector("input[type=file]").files = event.dataTransfer.files;
    listFiles(form);
  });
  document.addEventListener("change", (event) => {
    if (event.target.matches("form input[type=file]") && event.target.form.querySelector("[data-drop-list]")) listFiles(event.target.form);
  });
  document.addEventListener("submit", (event) => {
    if (!event.target.matches("form[data-drop]")) return;
    event.preventDefault();
    if (!event.target.querySelector("button.primary").disabled) send(event.target);
  });
  // Whoever was quicker than this script has chosen already.
  for (const form of document.querySelectorAll("form:has([data-drop-list])")) if (form.querySelector("input[type=file]")?.files.length) listFiles(form);
  document.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey) && event.target.matches("form[data-drop] textarea")) event.target.form.requestSubmit();
  });
}
