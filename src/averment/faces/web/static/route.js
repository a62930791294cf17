// The ask box says who would answer, while the question is being written.
const PAUSE = 350;
const TABLES = /\.(csv|tsv|jsonl?|parquet|xlsx)$/i;

export function watchRoute() {
  const form = document.querySelector("form[data-route]");
  if (!form) return;
  const [words, agent, said] = [form.querySelector("#question"), form.querySelector("#agent"), form.querySelector("#routed")];
  const first = said.cloneNode(true).childNodes;
  let timer = 0;
  let asked = 0;

  async function look() {
    const question = words.value.trim();
    const number = ++asked;
    if (!question || agent.value !== "auto") { said.replaceChildren(...[...first].map((node) => node.cloneNode(true))); return; }
    const names = [...form.querySelector("input[type=file]").files].map((file) => file.name);
    const about = new URLSearchParams({ question, tables: names.some((name) => TABLES.test(name)), documents: names.some((name) => !TABLES.test(name)) });
    try {
      const answer = await fetch(`${form.dataset.route}?${about}`, { headers: { "X-Part": "1", Accept: "text/html" }, credentials: "same-origin" });
      if (!answer.ok || number !== asked) return;
      const part = new DOMParser().parseFromString(await answer.text(), "text/html");
      // The words may have changed, or been given to somebody, while this answer came.
      if (number !== asked || words.value.trim() !== question || agent.value !== "auto") return;
      said.replaceChildren(...[...part.body.childNodes].map((node) => document.adoptNode(node)));
    } catch { /* It is only a hint; asking still works. */ }
  }

  const soon = () => { clearTimeout(timer); timer = setTimeout(look, PAUSE); };
  words.addEventListener("input", soon);
  agent.addEventListener("change", soon);
  form.addEventListener("chosen", soon);
  // Whoever was quicker than this script has written already; a browser that goes back fills the field by itself.
  if (words.value.trim()) soon();
}
