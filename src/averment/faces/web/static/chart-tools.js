// What can be done with a chart: another kind, order or scale as the server draws it, zooming, copying, downloading.
import { repaint } from "./charts.js";
import { tell } from "./swap.js";

const CONTINUOUS = new Set(["quantitative", "temporal"]);

function wanted(figure) {
  const value = (name) => figure.querySelector(`[data-chart-${name}]`)?.value || "";
  return new URLSearchParams({ kind: value("kind"), sort: value("sort"), log: Boolean(figure.querySelector("[data-chart-log]")?.checked) });
}

async function change(figure) {
  const about = wanted(figure);
  for (const link of figure.querySelectorAll("[data-chart-link]")) {
    const form = new URL(link.href).searchParams.get("form");
    link.href = `${figure.dataset.chart}?form=${form}&${about}`;
  }
  try {
    const answer = await fetch(`${figure.dataset.chart}?${about}`);
    // Another choice may have been made while this one came.
    if (!answer.ok || String(wanted(figure)) !== String(about)) return;
    const spec = await answer.json();
    await repaint(figure, spec);
    if (figure.querySelector("[data-chart-zoom][aria-pressed=true]")) await repaint(figure, null, zoomed);
    tell("The chart was drawn again.");
  } catch { tell("The chart could not be drawn.", true); }
}

/** The same chart whose continuous axes follow the wheel and the pointer. */
function zoomed(spec) {
  const axes = ["x", "y"].filter((name) => CONTINUOUS.has(spec.encoding?.[name]?.type) && !spec.encoding[name].bin);
  if (!axes.length) return spec;
  const params = [{ name: "zoom", select: { type: "interval", encodings: axes }, bind: "scales" }];
  if (spec.layer) return { ...spec, layer: spec.layer.map((one, at) => (at ? one : { ...one, params })) };
  return { ...spec, params };
}

async function copy(figure) {
  const link = figure.querySelector("[data-chart-link]");
  try {
    const picture = fetch(link.href).then((answer) => answer.blob());
    await navigator.clipboard.write([new ClipboardItem({ "image/png": picture })]);
    tell("The picture is on the clipboard.");
  } catch { tell("This browser does not let the picture be copied; download it instead.", true); }
}

export function watchChartTools() {
  document.addEventListener("change", (event) => {
    if (event.target.matches("[data-chart-kind], [data-chart-sort], [data-chart-log]")) change(event.target.closest("figure"));
  });
  document.addEventListener("click", (event) => {
    const figure = event.target.closest("figure.chart");
    if (event.target.closest("[data-chart-copy]")) copy(figure);
    const zoom = event.target.closest("[data-chart-zoom]");
    if (zoom) {
      const on = zoom.getAttribute("aria-pressed") !== "true";
      zoom.setAttribute("aria-pressed", on);
      repaint(figure, null, on ? zoomed : null);
      tell(on ? "Scroll on the chart to zoom, drag to move, double-click to see all." : "");
    }
    const text = event.target.closest("[data-copy]");
    if (text) {
      const words = text.parentElement.querySelector(text.dataset.copy).textContent;
      navigator.clipboard.writeText(words).then(() => tell("Copied."), () => tell("This browser does not let it be copied.", true));
    }
  });
}
