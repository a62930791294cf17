// Forms with files: they can be dropped on, are listed before they go, and show how far they have come.
import { make, putPart, tell } from "./swap.js";

export const size = (bytes) => bytes < 1e6 ? `${Math.ceil(bytes / 1e3)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;

const MOST = 52428800;
const kept = new WeakMap();

/** Why a file cannot be sent, or nothing. */
function faultOf(file, input) {
  const ending = file.name.slice(file.name.lastIndexOf(".")).toLowerCase();
  if (input.accept && !input.accept.split(",").includes(ending)) return "is not a kind of file that is read here";
  if (!file.size) return "is empty (0 bytes)";
  return file.size > MOST ? "is over 50 MB; connect larger data in place instead" : "";
}

function line(form, file, fault) {
  const made = make("li");
  const away = make("button", "quiet", "×");
  away.type = "button";
  away.setAttribute("aria-label", `Remove ${file.name}`);
  away.addEventListener("click", () => { keep(form, (kept.get(form) || []).filter((one) => one !== file)); form.querySelector("[data-ask], input[type=file]").focus(); });
  made.append(make("span", "", file.name), make("span", fault ? "fault" : "soft", fault || size(file.size)), away);
  return made;
}

/** Let a form hold these files; those that cannot be sent are named with the reason, and are not sent. */
function keep(form, files) {
  const input = form.querySelector("input[type=file]");
  kept.set(form, files);
  const good = new DataTransfer();
  const faults = [];
  form.querySelector("[data-drop-list]")?.replaceChildren(...files.map((file) => {
    const fault = faultOf(file, input);
    if (fault) faults.push(`${file.name} ${fault}.`); else good.items.add(file);
    return line(form, file, fault);
  }));
  input.files = good.files;
  tell(faults.join(" "), faults.length > 0);
  form.dispatchEvent(new CustomEvent("chosen", { bubbles: true }));
}

/** Add what was chosen just now to the files of a form. */
export function listFiles(form, more = form.querySelector("input[type=file]").files) {
  const before = form.querySelector("[data-drop-list] li") ? kept.get(form) || [] : [];
  const isNew = (file) => !before.some((one) => one.name === file.name && one.size === file.size);
  keep(form, [...before, ...[...more].filter(isNew)]);
}

/** Send files and show how far they have come; the answered call and its part, if one came. */
export function upload(address, body, bar, sent = () => {}) {
  return new Promise((done) => {
    const call = new XMLHttpRequest();
    call.open("POST", address);
    call.setRequestHeader("X-Part", "1");
    call.setRequestHeader("Accept", "text/html");
    call.upload.addEventListener("progress", (event) => {
      if (!event.lengthComputable) return;
      bar.value = (100 * event.loaded) / event.total;
      if (event.loaded === event.total) sent();
    });
    call.addEventListener("load", () => done({ call, part: new DOMParser().parseFromString(call.responseText, "text/html") }));
    call.addEventListener("error", () => done(null));
    call.send(body);
  });
}

async function send(form) {
  const bar = form.querySelector("[data-drop-progress]");
  const button = form.querySelector("button.primary");
  bar.hidden = false;
  button.disabled = true;
  tell("Sending.");
  const answer = await upload(form.action, new FormData(form), bar);
  const place = answer && (answer.call.getResponseHeader("X-Location") || (answer.call.status < 400 && answer.call.responseURL));
  if (place) { location.assign(place); return; }
  bar.hidden = true;
  button.disabled = false;
  if (answer) putPart(form.querySelector("#problem"), answer.part); else tell("The server does not answer.", true);
}

/** Where a file that is let go here belongs: the form under it, else the box in which things are asked. */
const dropForm = (event) => event.target.closest?.("form")?.querySelector("[data-drop-zone]") || event.target.closest?.("[data-drop-zone]") || document.querySelector("form.say[data-drop-zone]");

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
    listFiles(form, event.dataTransfer.files);
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
