// Files of a drill: chosen or dropped, sent one after another, each with its own progress and its own refusal.
import { size, upload } from "./drop.js";
import { inTurn, make, putPart, tell } from "./swap.js";

function line(file) {
  const [row, much, bar] = [make("li"), make("span", "soft", size(file.size)), make("progress")];
  bar.max = 100;
  bar.value = 0;
  bar.setAttribute("aria-label", `Upload of ${file.name}`);
  row.append(make("strong", "", file.name), much, bar);
  return { row, bar, much };
}

async function sendOne(form, file, { bar, much }) {
  const body = new FormData();
  body.append("form_token", form.elements.form_token.value);
  body.append("files", file, file.name);
  const answer = await upload(form.action, body, bar, () => { much.textContent = "being read…"; });
  return answer?.part;
}

async function sendAll(form, files) {
  const list = form.querySelector("[data-upload-list]");
  const waiting = files.map((file) => ({ file, ...line(file) }));
  list.append(...waiting.map((one) => one.row));
  list.hidden = false;
  const faults = [];
  for (const one of waiting) {
    tell(`Sending ${one.file.name}.`);
    const part = await inTurn("#uploaded", () => sendOne(form, one.file, one));
    one.row.remove();
    const place = document.getElementById("uploaded");
    if (!part) { tell(`The server does not answer; ${one.file.name} was not sent.`, true); continue; }
    const found = [...part.querySelectorAll("#file-faults .field-fault, .problem")];
    faults.push(...found.map((fault) => document.importNode(fault, true)));
    if (part.getElementById("uploaded")) putPart(place, part);
    if (!found.length) tell(`${one.file.name} is there.`);
  }
  list.hidden = !list.childElementCount;
  if (faults.length) {
    // Each answer tells of its own file; what was refused before stays in sight.
    const place = document.getElementById("uploaded");
    place.querySelector("#file-faults")?.remove();
    const box = make("div", "faults");
    box.id = "file-faults";
    box.append(...faults);
    place.prepend(box);
  }
}

export function watchUploads() {
  const form = document.querySelector("form[data-upload]");
  if (!form) return;
  const zone = form.querySelector("[data-upload-zone]");
  const input = form.querySelector("input[type=file]");
  let last = Promise.resolve();
  const take = (files) => { if (files.length) last = last.then(() => sendAll(form, files)); };
  form.querySelector("[data-upload-button]").hidden = true;
  const chosen = () => { take([...input.files]); input.value = ""; };
  input.addEventListener("change", chosen);
  chosen(); // Whoever was quicker than this script has chosen already.
  for (const name of ["dragenter", "dragover"]) {
    form.addEventListener(name, (event) => { event.preventDefault(); zone.classList.add("is-over"); });
  }
  for (const name of ["dragleave", "drop"]) form.addEventListener(name, () => zone.classList.remove("is-over"));
  form.addEventListener("drop", (event) => { event.preventDefault(); take([...event.dataTransfer.files]); });
}
