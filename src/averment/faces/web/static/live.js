// A run that is under way: each event makes the page fetch its part again, so that all who watch see the same.
import { askPart, putPart, tell } from "./swap.js";

const EVENTS = [
  "run_submitted", "plan_made", "clarification_asked", "call_started", "call_observed", "call_repaired", "call_skipped",
  "round_begun", "round_taken", "policy_decided", "model_fell_back", "finding_bound", "artifact_written", "run_sealed",
  "run_finished",
];
const PAUSE = 200;
const AGAIN = 1000;

/** A list with runs that are under way is fetched again until all of them are over. */
export function followList() {
  const list = document.querySelector("[data-poll]");
  if (!list) return;
  setTimeout(async () => {
    try {
      const part = await askPart(location.pathname + location.search);
      const fresh = part.getElementById(list.id);
      const over = fresh && !("poll" in fresh.dataset);
      if (over) delete list.dataset.poll;
      if (fresh && (over || !list.contains(document.activeElement))) putPart(list, part);
    } catch { /* It is tried again below. */ }
    followList();
  }, 2 * AGAIN);
}

export function followRun() {
  const run = document.querySelector("[data-follow]:not(#chat)");
  if (!run) return;
  let events = null;
  let wanted = false;
  let busy = false;
  let over = false;

  async function refresh() {
    if (over) return;
    if (busy) { wanted = true; return; }
    busy = true;
    wanted = false;
    try {
      const focused = document.activeElement?.id;
      const open = [...run.querySelectorAll("details")].map((one) => one.open);
      const part = await askPart(location.pathname);
      const fresh = part.getElementById(run.id);
      if (!fresh && !part.querySelector(".problem")) { location.reload(); return; }
      if (fresh) {
        over = !("follow" in fresh.dataset);
        putPart(run, part);
        if (over) { delete run.dataset.follow; events.close(); tell("The run is over."); }
        else [...run.querySelectorAll("details")].forEach((one, index) => { if (index in open) one.open = open[index]; });
        if (focused) document.getElementById(focused)?.focus();
      }
    } catch {
      tell("The server does not answer; the page goes on when it does.");
      wanted = true;
    }
    // What came in while the end was fetched tells nothing more; fetching it again would take a question being typed away.
    setTimeout(() => { busy = false; if (wanted && !over) refresh(); }, wanted ? AGAIN : PAUSE);
  }

  function follow() {
    // Another look may have told the end while this one waited.
    if (over) return;
    events = new EventSource(`${run.dataset.follow}?after=${run.dataset.after || 0}`);
    for (const name of EVENTS) events.addEventListener(name, refresh);
    // A stream that was lost is taken up again by the browser; one that was refused or is over, by us, until all is told.
    events.addEventListener("error", () => {
      if (events.readyState !== EventSource.CLOSED || over) return;
      refresh().then(() => { if (!over) setTimeout(follow, AGAIN); });
    });
  }

  follow();
}
