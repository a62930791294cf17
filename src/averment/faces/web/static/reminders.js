// Shows what is due on whichever page is open, and takes it away when it is dismissed.
import { suspect } from "./connection.js";
import { askPart } from "./swap.js";

const EVERY = 20000;

export function watchReminders() {
  const place = document.getElementById("reminders");
  if (!place) return;
  const look = async () => {
    if (document.hidden) return;
    try {
      const part = await askPart("/reminders");
      const text = part.body.innerHTML;
      if (text === place.dataset.shown || part.querySelector(".problem")) return;
      place.dataset.shown = text;
      place.replaceChildren(...part.body.childNodes);
    } catch { suspect(); }
  };
  place.addEventListener("submit", async (event) => {
    event.preventDefault();
    const form = event.target;
    const part = await askPart(form.action, { method: "POST", body: new URLSearchParams(new FormData(form)) }).catch(suspect);
    if (part && !part.querySelector(".problem")) form.remove();
  });
  look();
  setInterval(look, EVERY);
  document.addEventListener("visibilitychange", look);
}
