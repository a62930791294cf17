// Completes names of columns and values while a question is typed, as a combobox; and loads parts that take a while.
import { filled } from "./morph.js";
import { askPart, inTurn, make, putPart } from "./swap.js";

const WAIT = 120;

function watchField(field) {
  const list = make("ul", "completions");
  const frame = field.closest(".completing") || make("div", "completing");
  list.id = `${field.id}-completions`;
  list.setAttribute("role", "listbox");
  list.setAttribute("aria-label", "Names that fit");
  list.hidden = true;
  if (!frame.contains(field)) { field.replaceWith(frame); frame.append(field); }
  frame.append(list);
  filled.add(frame); // What is typed and what is offered for it stay when the page around them is drawn anew.
  // A box of several lines cannot be a combobox; it names its list and the chosen line all the same.
  const isLine = field.tagName === "INPUT";
  const names = { "aria-autocomplete": "list", "aria-controls": list.id, autocomplete: "off", ...(isLine ? { role: "combobox", "aria-expanded": "false" } : {}) };
  for (const [name, value] of Object.entries(names)) field.setAttribute(name, value);
  const spread = (open) => { if (isLine) field.setAttribute("aria-expanded", String(open)); };
  let found = [], chosen = -1, timer = 0, turn = 0;

  const close = () => { list.hidden = true; found = []; chosen = -1; spread(false); field.removeAttribute("aria-activedescendant"); };
  const mark = (at) => {
    chosen = at;
    [...list.children].forEach((line, number) => line.setAttribute("aria-selected", String(number === at)));
    if (at >= 0) { field.setAttribute("aria-activedescendant", list.children[at].id); list.children[at].scrollIntoView({ block: "nearest" }); }
    else field.removeAttribute("aria-activedescendant");
  };
  const take = (at) => {
    const one = found[at], rest = field.value.slice(field.selectionStart);
    const before = `${field.value.slice(0, one.start)}${one.text}${rest.startsWith(" ") ? "" : " "}`;
    field.value = before + rest;
    field.setSelectionRange(before.length, before.length);
    close();
    field.focus();
  };
  const show = () => {
    list.replaceChildren(...found.map((one, at) => {
      const line = make("li");
      line.id = `${list.id}-${at}`;
      line.setAttribute("role", "option");
      line.setAttribute("aria-selected", "false");
      line.append(one.text, make("span", "soft", one.about));
      line.addEventListener("mousedown", (event) => { event.preventDefault(); take(at); });
      return line;
    }));
    list.hidden = !found.length;
    spread(found.length > 0);
    mark(-1);
  };
  const ask = async () => {
    const number = turn += 1, typed = field.value.slice(0, field.selectionStart);
    if (typed.trim().length < 2 || !field.dataset.complete) { close(); return; }
    try {
      const answer = await fetch(`${field.dataset.complete}?text=${encodeURIComponent(typed.slice(-2000))}`);
      const body = answer.ok ? await answer.json() : [];
      if (number !== turn || document.activeElement !== field) return;
      found = body;
      show();
    } catch { close(); }
  };
  field.addEventListener("input", () => { clearTimeout(timer); timer = setTimeout(ask, WAIT); });
  field.addEventListener("blur", close);
  field.addEventListener("keydown", (event) => {
    if (list.hidden || event.ctrlKey || event.metaKey) return;
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step) { event.preventDefault(); mark((chosen + step + found.length + (chosen < 0 && step < 0 ? 1 : 0)) % found.length); }
    else if ((event.key === "Enter" || event.key === "Tab") && chosen >= 0) { event.preventDefault(); take(chosen); }
    else if (event.key === "Escape") { event.stopPropagation(); close(); }
  });
}

/** Every field that can be completed, every part that is loaded later, and the builder's preview. */
export function watchCompletion() {
  for (const field of document.querySelectorAll("[data-complete]")) watchField(field);
  for (const place of document.querySelectorAll("[data-load]")) {
    place.setAttribute("aria-busy", "true");
    askPart(place.dataset.load).then((part) => putPart(place, part), () => {}).finally(() => place.removeAttribute("aria-busy"));
  }
  for (const form of document.querySelectorAll("form[data-preview]")) {
    form.addEventListener("change", () => inTurn(form, async () => {
      const part = await askPart(form.dataset.preview, { method: "POST", body: new URLSearchParams(new FormData(form)) });
      putPart(form.querySelector("#built"), part);
    }).catch(() => {}));
  }
}
