// Charts: the picture is there from the start; where the browser can, it becomes one that answers to the pointer.
let bundle = null;

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

async function draw(figure) {
  const picture = figure.querySelector("img");
  const [embed, spec] = await Promise.all([
    loadVega(),
    fetch(figure.dataset.spec, { credentials: "same-origin" }).then((answer) => answer.json()),
  ]);
  const { ink, soft, line, font } = colours();
  const config = {
    background: "transparent", font,
    axis: { labelColor: soft, titleColor: ink, gridColor: line, domainColor: line, tickColor: line },
    legend: { labelColor: soft, titleColor: ink }, header: { labelColor: ink, titleColor: ink }, title: { color: ink }, view: { stroke: null },
  };
  const plot = document.createElement("div");
  plot.className = "plot";
  plot.setAttribute("role", "img");
  plot.setAttribute("aria-label", picture.alt);
  const box = picture.getBoundingClientRect();
  // Only a single view can take the width of its place.
  const single = (spec.mark || spec.layer) && !["row", "column", "facet"].some((name) => spec.encoding?.[name]);
  const size = single ? { width: "container", height: Math.max(240, Math.round(box.height) - 70) } : {};
  delete spec.$schema; // A document of an older version is read all the same.
  if (typeof spec.title === "object" && spec.title) delete spec.title.color;
  if (!single) plot.classList.add("is-grid");
  figure.insertBefore(plot, picture);
  try {
    // The interpreter instead of generated code: the pages allow no script that is made of text.
    await embed(plot, { ...spec, ...size, background: null, config: { ...spec.config, ...config } }, {
      mode: "vega-lite", ast: true, actions: false, renderer: "canvas", defaultStyle: false, tooltip: { disableDefaultStyle: true },
      logLevel: 1,
    });
    picture.remove();
  } catch {
    plot.remove();
  }
}

export function drawCharts(root) {
  const found = root.querySelectorAll("figure[data-spec]");
  if (!found.length) return;
  const seen = new IntersectionObserver((entries) => {
    for (const entry of entries) {
      if (!entry.isIntersecting) continue;
      seen.unobserve(entry.target);
      draw(entry.target).catch(() => {});
    }
  });
  for (const figure of found) seen.observe(figure);
}
