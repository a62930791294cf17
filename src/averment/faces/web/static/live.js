// A run that is under way: each event makes the page fetch its part again, so that all who watch see the same.
import { askPart, putPart, tell } from "./swap.js";

const EVENTS = [
  "run_submitted", "plan_made", "clarification_asked", "call_started", "call_observed", "call_repaired", "call_skipped",
  "round_begun", "round_taken", "policy_decided", "model_fell_back", "finding_bound", "artifact_written", "run_sealed",
  "run_finished",
];
const PAUSE = 200;

export function followRun() {
  const run = document.querySelector("[data-follow]");
  if (!run) return;
  const events = new EventSource(`${run.dataset.follow}?after=${run.dataset.after || 0}`);
  let wanted = false;
  let busy = false;

  async function refresh() {
    if (busy) { wanted = true; return; }
    busy = true;
    wanted = false;
    try {
      const focused = document.activeElement?.id;
      const open = [...run.querySelectorAll("details")].map((one) => one.open);
      putPart(run, await askPart(location.pathname));
      [...run.querySelectorAll("details")].forEach((one, index) => { if (index in open) one.open = open[index]; });
      if (focused) document.getElementById(focused)?.focus();
    } catch {
      tell("The server does not answer; the page will go on when it does.");
    }
    setTimeout(() => { busy = false; if (wanted) refresh(); }, PAUSE);
  }

  for (const name of EVENTS) events.addEventListener(name, refresh);
  events.addEventListener("run_finished", () => { events.close(); tell("The run is over."); });
  // A stream that is over answers with nothing; one that was lost is taken up again by the browser itself.
  events.addEventListener("error", () => { if (events.readyState === EventSource.CLOSED) refresh(); });
}
