// The ask box: files can be dropped on it, are listed before they go, and show how far they have come.
import { putPart, tell } from "./swap.js";

const size = (bytes) => bytes < 1e6 ? `${Math.ceil(bytes / 1e3)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;

function list(files, place) {
  place.replaceChildren(...[...files].map((file) => {
    const line = document.createElement("li");
    const [name, much] = [document.createElement("span"), document.createElement("span")];
    name.textContent = file.name;
    much.textContent = size(file.size);
    line.append(name, much);
    return line;
  }));
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
    const place = call.getResponseHeader("X-Location");
    if (place) { location.assign(place); return; }
    end();
    putPart(form.querySelector("#problem"), new DOMParser().parseFromString(call.responseText, "text/html"));
  });
  call.addEventListener("error", () => { end(); tell("The server does not answer."); });
  bar.hidden = false;
  button.disabled = true;
  tell("Sending the question.");
  call.send(new FormData(form));
}

export function watchDrop() {
  const form = document.querySelector("form[data-drop]");
  if (!form) return;
  const zone = form.querySelector("[data-drop-zone]");
  const input = form.querySelector("input[type=file]");
  const chosen = form.querySelector("[data-drop-list]");
  input.addEventListener("change", () => list(input.files, chosen));
  for (const name of ["dragenter", "dragover"]) {
    form.addEventListener(name, (event) => { event.preventDefault(); zone.classList.add("is-over"); });
  }
  for (const name of ["dragleave", "drop"]) form.addEventListener(name, () => zone.classList.remove("is-over"));
  form.addEventListener("drop", (event) => {
    event.preventDefault();
    if (!event.dataTransfer.files.length) return;
    input.files = event.dataTransfer.files;
    list(input.files, chosen);
  });
  form.addEventListener("submit", (event) => { event.preventDefault(); send(form); });
  form.querySelector("textarea").addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) form.requestSubmit();
  });
}
