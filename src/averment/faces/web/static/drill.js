// The drill's pages: files with their progress, the metric's preview, periods drawn on the chart, cards that move.
import { askPart, inTurn, putPart, tell } from "./swap.js";
import { watchPeriods } from "./drill-periods.js";
import { watchUploads } from "./drill-uploads.js";

const send = (form, submitter) => askPart(form.action, { method: "POST", body: new URLSearchParams(new FormData(form, submitter)) });

/** The metric is checked in its place; without scripts the whole page comes back with it. */
function watchMetric() {
  const form = document.querySelector("form[data-metric]");
  let number = 0;
  form?.addEventListener("submit", async (event) => {
    const button = event.submitter;
    if (!button?.matches("[data-check]")) return;
    event.preventDefault();
    const [place, input] = [document.getElementById("preview"), document.getElementById("metric")];
    const mine = ++number;
    const asked = inTurn("#preview", () => send(form, button));
    if (button.name === "example") input.value = button.value;
    place.setAttribute("aria-busy", "true");
    tell("Computing the metric.");
    try {
      const part = await asked;
      // Another metric was asked for meanwhile; its answer is what is waited for.
      if (mine !== number) return;
      place.removeAttribute("aria-busy");
      putPart(place, part);
      const wrong = part.getElementById("metric")?.getAttribute("aria-invalid");
      if (wrong) input.setAttribute("aria-invalid", wrong); else input.removeAttribute("aria-invalid");
      tell(wrong ? "The metric cannot be followed." : "The metric was read.");
    } catch { if (mine === number) tell("The server does not answer.", true); }
    if (mine === number) place.removeAttribute("aria-busy");
  });
}

/** What a file holds is kept when its field is left, and by its button. */
function watchDescriptions() {
  const keep = async (form) => {
    const said = form.querySelector("[data-kept]");
    try {
      // It reaches the server even where the page is left at once, and in the order it was written.
      const body = new URLSearchParams(new FormData(form));
      const part = await inTurn(form, () => askPart(form.action, { method: "POST", body, keepalive: true }));
      said.textContent = part.querySelector(".problem") ? "Not kept" : "Kept";
    } catch { said.textContent = "Not kept"; }
  };
  document.addEventListener("submit", (event) => {
    if (!event.target.matches("form[data-keep]")) return;
    event.preventDefault();
    keep(event.target);
  });
  document.addEventListener("change", (event) => {
    const form = event.target.closest?.("form[data-keep]");
    if (form) keep(form);
  });
}

/** A card that changed its lane glides there from where it was. */
function watchCards() {
  const still = matchMedia("(prefers-reduced-motion: reduce)");
  const look = () => new Map([...document.querySelectorAll("[data-card]")].map((card) => [card.dataset.card, card.getBoundingClientRect()]));
  let before = look();
  document.addEventListener("swapped", () => {
    const now = look();
    for (const card of still.matches ? [] : document.querySelectorAll("[data-card]")) {
      const [from, to] = [before.get(card.dataset.card), now.get(card.dataset.card)];
      if (!from) card.animate({ opacity: [0, 1] }, 300);
      else if (Math.abs(from.left - to.left) > 4) {
        card.animate({ transform: [`translate(${from.left - to.left}px, ${from.top - to.top}px)`, "none"] }, { duration: 450, easing: "ease-in-out" });
      }
    }
    before = now;
  });
}

/** The newest answer is in sight, and a place that is jumped to is one that can be seen. */
function watchAnswers() {
  const toEnd = () => {
    const list = document.querySelector("[data-answers]");
    const last = list?.querySelector("li.asked:nth-last-child(2)");
    if (list) list.scrollTop = last ? last.offsetTop - list.offsetTop : list.scrollHeight;
  };
  toEnd();
  document.addEventListener("swapped", (event) => {
    if (!event.target.querySelector("[data-answers]") && event.target.id !== "qa") return;
    if (event.target.id === "qa" && document.activeElement === document.body) document.getElementById("message").focus({ preventScroll: true });
    toEnd();
  });
}

watchUploads();
watchDescriptions();
watchMetric();
watchPeriods();
watchCards();
watchAnswers();
