// Two periods on the chart of the metric: drawn with the pointer, or given as days; the fields are what is sent.
const DAY = 86400000;
const NAMES = ["baseline", "comparison"];
const day = (text) => Date.parse(`${text}T00:00:00Z`);
const text = (time) => new Date(time).toISOString().slice(0, 10);

export function watchPeriods() {
  const form = document.querySelector("form[data-periods]");
  const chart = form?.querySelector("[data-days]");
  if (!chart) return;
  const plot = chart.querySelector("svg");
  const [first, last] = [day(chart.dataset.first), day(chart.dataset.last)];
  const span = (last - first) / DAY + 1;
  const field = (name, end) => form.querySelector(`input[data-side="${name}"][data-end="${end}"]`);
  const drawing = () => form.querySelector("input[name=drawing]:checked").value;

  function show(name) {
    const [start, end] = ["start", "end"].map((each) => day(field(name, each).value));
    const holds = start <= end;
    let band = plot.querySelector(`[data-band="${name}"]`);
    if (!band) {
      band = document.createElementNS("http://www.w3.org/2000/svg", "rect");
      band.setAttribute("class", `band is-${name}`);
      band.dataset.band = name;
      band.setAttribute("y", 0);
      band.setAttribute("height", plot.viewBox.baseVal.height);
      plot.prepend(band);
    }
    const [from, to] = [Math.max(start, first), Math.min(end, last)];
    const wide = plot.viewBox.baseVal.width / span;
    band.setAttribute("x", holds ? ((from - first) / DAY) * wide : 0);
    band.setAttribute("width", holds && to >= from ? ((to - from) / DAY + 1) * wide : 0);
    const much = form.querySelector(`[data-length="${name}"]`);
    much.textContent = holds ? `${(end - start) / DAY + 1} days` : "Not chosen yet";
  }

  function put(name, one, other) {
    field(name, "start").value = text(Math.min(one, other));
    field(name, "end").value = text(Math.max(one, other));
    show(name);
  }

  const at = (event) => {
    const box = plot.getBoundingClientRect();
    const share = Math.min(Math.max((event.clientX - box.left) / box.width, 0), 0.999999);
    return first + Math.floor(share * span) * DAY;
  };
  let from = null;
  plot.addEventListener("pointerdown", (event) => {
    if (event.button) return;
    event.preventDefault();
    plot.setPointerCapture(event.pointerId);
    from = at(event);
    put(drawing(), from, from);
  });
  plot.addEventListener("pointermove", (event) => { if (from !== null) put(drawing(), from, at(event)); });
  const end = () => {
    if (from === null) return;
    from = null;
    // After the one comes the other.
    const next = NAMES[1 - NAMES.indexOf(drawing())];
    form.querySelector(`input[name=drawing][value=${next}]`).checked = true;
  };
  plot.addEventListener("pointerup", end);
  plot.addEventListener("pointercancel", end);
  form.addEventListener("change", (event) => { if (event.target.dataset.side) show(event.target.dataset.side); });
  form.addEventListener("click", (event) => {
    const button = event.target.closest("[data-suggested]");
    if (!button) return;
    event.preventDefault();
    const days = button.value.split(",").map(day);
    put("baseline", days[0], days[1]);
    put("comparison", days[2], days[3]);
  });
  form.querySelector("[data-pick]").hidden = false;
  form.querySelector("[data-noscript]").hidden = true;
  plot.classList.add("can-draw");
}
