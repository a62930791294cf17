// The server may go and come back: while it is gone a line says so.
import { tell } from "./swap.js";

const AGAIN = 1500;
const PROBE = "/static/icon.svg";
let timer = 0;
let asking = false;
let leaving = false;

const answers = () => fetch(PROBE, { cache: "no-store" }).then((answer) => answer.ok, () => false);

function say(words) {
  const line = document.getElementById("connection");
  if (!line) return;
  line.textContent = words;
  line.hidden = !words;
}

async function again() {
  if (!await answers()) return;
  clearInterval(timer);
  timer = 0;
  say("");
  tell("Connected again.");
  document.dispatchEvent(new CustomEvent("found"));
}

/** Something did not come through: look whether the server is there at all, and wait for it where it is not. */
export async function suspect() {
  if (timer || asking || leaving) return;
  asking = true;
  const isThere = await answers();
  asking = false;
  if (isThere || timer || leaving) return;
  say("Connection lost. Trying again… What you wrote stays here.");
  timer = setInterval(again, AGAIN);
}

export function watchConnection() {
  addEventListener("pagehide", () => { leaving = true; });
  addEventListener("pageshow", () => { leaving = false; });
  const hold = (event) => {
    if (!timer) return;
    const link = event.type === "click" && event.target.closest?.("a[href]:not([href^='#'])");
    if (event.type === "click" && !link) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    tell("The server does not answer yet; try again when the connection is back.", true);
  };
  document.addEventListener("submit", hold, true);
  document.addEventListener("click", hold, true);
}
