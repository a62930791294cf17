// Makes the pages quicker to use; each of them works without it.
import { watchChartTools } from "./chart-tools.js";
import { drawCharts, watchColours } from "./charts.js";
import { watchChat } from "./chat.js";
import { watchCompletion } from "./complete.js";
import { watchConnection } from "./connection.js";
import { watchDrop } from "./drop.js";
import { followList, followRun } from "./live.js";
import { watchMenus } from "./menus.js";
import { filled } from "./morph.js";
import { watchPanel } from "./panel.js";
import { watchReminders } from "./reminders.js";
import { watchSwaps } from "./swap.js";
import { watchTheme } from "./theme.js";

watchConnection();
watchSwaps();
watchPanel();
watchTheme();
watchMenus();
watchReminders();
watchDrop();
watchChat();
watchCompletion();
drawCharts(document);
watchColours();
watchChartTools();
followRun();
followList();
document.addEventListener("swapped", (event) => {
  drawCharts(event.target);
  const verdict = event.target.querySelector("[data-badge]");
  for (const badge of verdict ? document.querySelectorAll(`.evidence-${verdict.dataset.run}`) : []) {
    badge.textContent = verdict.dataset.badge;
    badge.dataset.figures = verdict.dataset.figures;
  }
});
document.addEventListener("filled", (event) => {
  if (!event.detail?.matches("[data-tab]")) return;
  for (const tab of event.detail.closest(".tabs").querySelectorAll("[data-tab]")) tab.removeAttribute("aria-current");
  event.detail.setAttribute("aria-current", "true");
  // What was opened stays open when the thread around it is drawn anew.
  filled.add(event.detail.closest(".behind"));
});
