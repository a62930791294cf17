// Charts: the picture is there from the start; where the browser can, it becomes one that answers to the pointer.
import { make } from "./swap.js";

let bundle = null;
const begun = new WeakSet();
const drawn = new Map();
/** The colours of our charts by night, where those by day would be dark on dark. */
const NIGHT = {
  "#2458a6": "#7aa7f5", "#b9c7dd": "#56657f", "#2b7a4b": "#58b983", "#b0413e": "#e58a85", "#d9d9d9": "#5a6270", "#f3d9b1": "#8f7040",
  "#3c4048": "#c5cad3", "#1f2329": "#e8eaed",
};
const DATA = new Set(["data", "datasets", "domain"]);

function loadVega() {
  bundle ??= import("/static/vega.js").then(() => window.vegaEmbed);
  return bundle;
}

function colours() {
  const style = getComputedStyle(document.documentElement);
  const probe = document.createElement("span");
  document.body.append(probe);
  const of = (name) => { probe.style.color = `var(${name})`; return getComputedStyle(probe).color; };
  const [ink, soft, line] = [of("--ink"), of("--soft"), of("--line")];
  probe.remove();
  return { ink, soft, line, font: style.getPropertyValue("--text") };
}

/** A part of a document with the colours of the night; what is data stays as it is. */
function atNight(value) {
  if (typeof value === "string") return NIGHT[value.toLowerCase()] ?? value;
  if (Array.isArray(value)) return value.map(atNight);
  if (!value || typeof value !== "object") return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, DATA.has(name) ? one : atNight(one)]));
}

async function paint(plot, spec) {
  const embed = await loadVega();
  const { ink, soft, line, font } = colours();
  const isNight = Number(ink.match(/\d+/)?.[0]) > 127;
  const config = {
    background: "transparent", font,
    axis: { labelColor: soft, titleColor: ink, gridColor: line, domainColor: line, tickColor: line },
    legend: { labelColor: soft, titleColor: ink }, header: { labelColor: ink, titleColor: ink }, title: { color: ink }, view: { stroke: null },
  };
  // The interpreter instead of generated code: the pages allow no script that is made of text.
  return embed(plot, { ...(isNight ? atNight(spec) : spec), background: null, config: { ...spec.config, ...config } }, {
    mode: "vega-lite", ast: true, actions: false, renderer: "canvas", defaultStyle: false, tooltip: { disableDefaultStyle: true },
    logLevel: 1,
  });
}

/** A document as it fits the place of a picture. */
function fitted(spec, box) {
  // Only a single view can take the width of its place.
  const single = (spec.mark || spec.layer) && !["row", "column", "facet"].some((name) => spec.encoding?.[name]);
  // All of it, titles and axes too, is as high as the picture was: nothing below it moves.
  if (single) Object.assign(spec, { width: "container", height: Math.max(240, Math.round(box.height)), autosize: { type: "fit", contains: "padding" } });
  // Long names of bars leave the bars at least their half.
  const names = spec.encoding?.y?.axis;
  if (single && names?.labelLimit) names.labelLimit = Math.min(names.labelLimit, Math.round(box.width * .4));
  delete spec.$schema; // A document of an older version is read all the same.
  if (typeof spec.title === "object" && spec.title) delete spec.title.color;
  return { spec, single };
}

async function draw(figure) {
  const picture = figure.querySelector("img");
  const [document_] = await Promise.all([
    fetch(figure.dataset.spec).then((answer) => answer.json()),
    loadVega(),
  ]);
  const plot = make("div", "plot");
  plot.setAttribute("role", "img");
  plot.setAttribute("aria-label", picture.alt);
  const box = picture.getBoundingClientRect();
  const { spec, single } = fitted(document_, box);
  if (!single) plot.classList.add("is-grid");
  figure.insertBefore(plot, picture);
  try {
    drawn.set(plot, { spec, box, view: await paint(plot, spec) });
    picture.remove();
  } catch {
    plot.remove();
  }
}

/** Draw another document in a chart's place, or its own changed by a function, once it is seen. */
export async function repaint(figure, document_, changed = null) {
  const plot = figure.querySelector(".plot");
  const known = plot && drawn.get(plot);
  if (!known) return;
  const { spec, single } = document_ ? fitted(document_, known.box) : { spec: known.spec, single: !plot.classList.contains("is-grid") };
  plot.classList.toggle("is-grid", !single);
  known.view.finalize();
  drawn.set(plot, { spec, box: known.box, changed, view: await paint(plot, changed ? changed(spec) : spec) });
}

/** Other colours of the page are other colours of its charts. */
async function paintAgain() {
  for (const [plot, known] of drawn) {
    if (!plot.isConnected) { drawn.delete(plot); continue; }
    known.view.finalize();
    drawn.set(plot, { ...known, view: await paint(plot, known.changed ? known.changed(known.spec) : known.spec) });
  }
}

export function drawCharts(root) {
  const found = [...root.querySelectorAll("figure[data-spec]")].filter((figure) => !begun.has(figure));
  if (!found.length) return;
  for (const figure of found) begun.add(figure);
  const seen = new IntersectionObserver((entries) => {
    for (const entry of entries) {
      if (!entry.isIntersecting) continue;
      seen.unobserve(entry.target);
      draw(entry.target).catch(() => {});
    }
  });
  for (const figure of found) seen.observe(figure);
}

export function watchColours() {
  let last = Promise.resolve();
  const change = () => { last = last.then(paintAgain).catch(() => {}); };
  document.addEventListener("themed", change);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", change);
}
