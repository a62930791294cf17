// A run that is under way: each event makes the page fetch its part again, so that all who watch see the same.
import { suspect } from "./connection.js";
import { askPart, putPart, tell } from "./swap.js";

const EVENTS = [
  "run_submitted", "plan_made", "clarification_asked", "call_started", "call_observed", "call_repaired", "call_skipped",
  "round_begun", "round_taken", "policy_decided", "model_stepped", "model_progressed", "model_fell_back",
  "finding_bound", "artifact_written", "run_sealed", "run_finished",
];
const PAUSE = 200;
const AGAIN = 1000;

/** A hidden window does not listen: a browser has few connections. */
export function whileSeen(begin, end) {
  document.addEventListener("visibilitychange", () => { if (document.hidden) end(); else begin(); });
}

/** A list with runs that are under way is fetched again until all of them are over. */
export function followList() {
  const list = document.querySelector("[data-poll]");
  if (!list) return;
  setTimeout(async () => {
    try {
      const part = await askPart(location.pathname + location.search);
      if (part.getElementById(list.id)) putPart(list, part);
    } catch { /* It is tried again below. */ }
    followList();
  }, 2 * AGAIN);
}

export function followRun() {
  const run = document.querySelector("[data-follow]:not(#chat)");
  if (!run) return;
  const stream = run.dataset.follow;
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
      const part = await askPart(location.pathname);
      const fresh = part.getElementById(run.id);
      if (!fresh && !part.querySelector(".problem")) { location.reload(); return; }
      if (fresh) {
        over = !("follow" in fresh.dataset);
        putPart(run, part);
        tell(over ? "The run is over." : "");
        if (over) events?.close();
      }
    } catch {
      suspect();
      wanted = true;
    }
    // What came in while the end was fetched tells nothing more.
    setTimeout(() => { busy = false; if (wanted && !over) refresh(); }, wanted ? AGAIN : PAUSE);
  }

  function follow() {
    // Another look may have told the end while this one waited.
    if (over || (events && events.readyState !== EventSource.CLOSED)) return;
    events = new EventSource(`${stream}?after=${run.dataset.after || 0}`);
    for (const name of EVENTS) events.addEventListener(name, refresh);
    // A stream that was lost is taken up again by the browser; one that was refused or is over, by us, until all is told.
    events.addEventListener("error", ({ target }) => {
      suspect();
      if (target.readyState !== EventSource.CLOSED || target !== events || over) return;
      refresh().then(() => { if (!over && !document.hidden) setTimeout(follow, AGAIN); });
    });
  }

  follow();
  whileSeen(() => { refresh(); follow(); }, () => events?.close());
}
