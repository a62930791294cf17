// Makes the pages quicker to use; each of them works without it.
import { drawCharts } from "./charts.js";
import { watchDrop } from "./drop.js";
import { followRun } from "./live.js";
import { watchPanel } from "./panel.js";
import { watchSwaps } from "./swap.js";
import { watchTheme } from "./theme.js";

watchSwaps();
watchPanel();
watchTheme();
watchDrop();
drawCharts(document);
followRun();
document.addEventListener("swapped", (event) => drawCharts(event.target));
