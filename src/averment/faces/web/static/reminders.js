// Shows what is due on whichever page is open, and takes it away when it is dismissed.
import { suspect } from "./connection.js";

const EVERY = 20000;

export function watchReminders() {
  const place = document.getElementById("reminders");
  if (!place) return;
  const look = async () => {
    if (document.hidden) return;
    const answer = await fetch("/reminders", { headers: { "X-Part": "1" } }).catch(() => null);
    if (!answer) suspect();
    if (!answer || !answer.ok) return;
    const text = await answer.text();
    if (text !== place.dataset.shown) {
      place.dataset.shown = text;
      place.replaceChildren(...new DOMParser().parseFromString(text, "text/html").body.childNodes);
    }
  };
  place.addEventListener("submit", async (event) => {
    event.preventDefault();
    const form = event.target;
    const body = new URLSearchParams(new FormData(form));
    const answer = await fetch(form.action, { method: "POST", body, headers: { "X-Part": "1" } }).catch(() => null);
    if (answer && answer.ok) form.remove();
  });
  look();
  setInterval(look, EVERY);
  document.addEventListener("visibilitychange", look);
}
