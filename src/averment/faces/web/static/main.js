// Makes the pages quicker to use; each of them works without it.
import { drawCharts, watchColours } from "./charts.js";
import { watchChat } from "./chat.js";
import { watchCompletion } from "./complete.js";
import { watchDrop } from "./drop.js";
import { followList, followRun } from "./live.js";
import { watchMenus } from "./menus.js";
import { watchPanel } from "./panel.js";
import { watchReminders } from "./reminders.js";
import { watchRoute } from "./route.js";
import { watchSwaps } from "./swap.js";
import { watchTheme } from "./theme.js";

watchSwaps();
watchPanel();
watchTheme();
watchMenus();
watchReminders();
watchRoute();
watchDrop();
watchChat();
watchCompletion();
drawCharts(document);
watchColours();
followRun();
followList();
document.addEventListener("swapped", (event) => {
  drawCharts(event.target);
  const [verdict, badge] = [event.target.querySelector("[data-badge]"), document.getElementById("badge")];
  if (!verdict || !badge) return;
  badge.textContent = verdict.dataset.badge;
  badge.className = `chip ${verdict.matches(".holds") ? "is-sealed" : "is-failed"}`;
});
