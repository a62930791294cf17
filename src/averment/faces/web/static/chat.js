// A thread, live: what its events tell is drawn as it comes, and what is kept replaces it when a turn is over.
import { suspect } from "./connection.js";
import { whileSeen } from "./live.js";
import { askPart, hold, make, putPart, tell } from "./swap.js";

const AGAIN = 400;
const SAID = "averment.said";
/** How far a run is, in words. */
const STAGES = {
  run_submitted: "Reading the question…", plan_made: "Planned; computing…", call_started: "Computing…", call_repaired: "Mending a step…",
  round_begun: "Looking further…", round_taken: "Looking further…", finding_bound: "Binding every number to its cell…",
  artifact_written: "Drawing and writing…", run_sealed: "Sealing the proof…", model_stepped: "The model is working…", model_progressed: "The model is working…",
};
const NEAR = 160;
let chat = null;
let events = null;
let after = 0;
let live = null;
let drawing = null;
let wanted = false;
let unsent = null;

const page = document.documentElement;
const isAtEnd = () => scrollY + innerHeight > page.scrollHeight - NEAR;
const atEnd = () => scrollTo(0, page.scrollHeight);
/** An answer is read from its question on, not from its end. */
const atAnswer = () => [...chat.querySelectorAll(".by-user")].at(-1)?.scrollIntoView({ block: "start" });
/** Change something; who reads at the end stays there, who reads above is left there. */
function change(work) {
  const follows = isAtEnd();
  const cards = chat.querySelectorAll(".answer-card").length;
  work();
  if (!follows) return;
  if (chat.querySelectorAll(".answer-card").length > cards) atAnswer(); else atEnd();
}

function bubble(id, role) {
  const known = chat.querySelector(`[data-message="${CSS.escape(id)}"]`);
  if (known) return known;
  const line = make("li", `message by-${role}`);
  line.dataset.message = id;
  line.append(make("p", "who unseen", role === "user" ? "You" : "Assistant"), make("p", "said"));
  chat.querySelector("#messages").append(line);
  return line;
}

/** The reply that is under way: what it does, how far it is, what it says so far. */
function reply() {
  if (live?.isConnected) return live;
  live = make("li", "message by-assistant is-live");
  const stop = make("button", "quiet", "Stop");
  stop.type = "button";
  stop.dataset.stop = "";
  const line = make("div", "row");
  line.append(make("p", "busy", "Reading the question…"), stop);
  live.append(make("p", "who unseen", "Assistant"), make("div", "doing"), line, make("div", "waiting"), make("p", "said"));
  chat.querySelector("#messages").append(live);
  chat.classList.add("is-busy");
  return live;
}

function show(event) {
  switch (event.type) {
    case "RUN_STARTED": reply(); break;
    case "TEXT_MESSAGE_START":
      if (event.role === "user") {
        const own = bubble(event.messageId, "user");
        if (!own.querySelector(".said").textContent) own.dataset.fresh = "1";
        chat.querySelector("#messages").append(reply());
      } else if (live) live.dataset.reply = event.messageId;
      break;
    case "TEXT_MESSAGE_CONTENT": {
      const own = chat.querySelector(`[data-message="${CSS.escape(event.messageId)}"]`);
      if (own?.dataset.fresh) own.querySelector(".said").textContent += event.delta;
      else if (!own) reply().querySelector(".said").textContent += event.delta;
      break;
    }
    case "ACTIVITY_SNAPSHOT": {
      const { done, total, message } = event.content;
      const line = reply().querySelector(".busy");
      line.textContent = STAGES[message] || line.firstChild?.data || "Working…";
      if (total) { const bar = make("progress", "wide"); bar.max = total; bar.value = done; bar.setAttribute("aria-label", "Progress"); line.append(bar); }
      break;
    }
    case "TOOL_CALL_START": reply().querySelector(".doing").append(make("p", "tool", `⋯ ${event.toolCallName.replaceAll("_", " ")}`)); break;
    case "RUN_FINISHED": case "RUN_ERROR": live = null; refresh(); break;
  }
}

/** Draw what is kept; a page that was fetched before the news came is fetched once more. */
function refresh() {
  wanted = true;
  drawing ??= draw().finally(() => { drawing = null; });
  return drawing;
}

async function draw() {
  while (wanted) {
    wanted = false;
    try {
      const part = await askPart(chat.dataset.address);
      if (!part.getElementById("chat")) return;
      if (wanted) continue;
      // Only what the box suggests becomes that of a thread.
      chat.querySelector("#question").placeholder = part.getElementById("question").placeholder;
      // A reply that began meanwhile goes on.
      change(() => { putPart(chat, part); if (live) { chat.querySelector("#messages").append(live); chat.classList.add("is-busy"); } });
      const asked = chat.querySelector("#asked")?.textContent;
      if (asked || !document.querySelector("#said.told")) tell(asked || "");
    } catch { suspect(); }
  }
}

function follow() {
  if (document.hidden || (events && events.readyState !== EventSource.CLOSED)) return;
  events = new EventSource(`${chat.dataset.follow}?after=${after}`);
  events.addEventListener("message", (event) => {
    after = Math.max(after, Number(event.lastEventId) || 0);
    change(() => show(JSON.parse(event.data)));
  });
  // A server that restarts is asked until it answers.
  events.addEventListener("error", ({ target }) => {
    suspect();
    if (target.readyState === EventSource.CLOSED && target === events) setTimeout(follow, AGAIN);
  });
}

/** Take a message out of its form, and return how to put it back. */
function takeOut(form, body) {
  if (!form.matches(".say")) return () => {};
  document.getElementById("suggestions")?.replaceChildren();
  const [words, files, id, list] = ["#question", "input[type=file]", "[name=message_id]", "[data-drop-list]"].map((name) => form.querySelector(name));
  const [said, chosen, given] = [words.value, files.files, id.value];
  // The same words sent again after a failure are the same message.
  if (unsent?.said === said) body.set("message_id", unsent.id);
  unsent = null;
  words.value = "";
  const kept = new DataTransfer();
  for (const file of chosen) kept.items.add(file);
  files.value = "";
  list.replaceChildren();
  id.value = `${given}+`;
  return () => {
    unsent = { said, id: body.get("message_id") };
    if (!words.value) words.value = said;
    if (!files.files.length && kept.files.length) { files.files = kept.files; files.dispatchEvent(new Event("change", { bubbles: true })); }
  };
}

/** On the page of one run: open a thread about it, and say there what was written here. */
async function begin(form, submitter) {
  const body = new FormData(form, submitter);
  if (body.getAll("files").some((file) => file.size)) { form.submit(); return; }
  const about = new URLSearchParams({ form_token: body.get("form_token"), about: body.get("about") || "", dataset: body.get("dataset") || "" });
  try {
    const answer = await fetch("/chat/open", { method: "POST", body: about });
    const place = answer.headers.get("X-Location");
    if (!answer.ok || !place) { form.submit(); return; }
    sessionStorage.setItem(SAID, JSON.stringify({ place, words: body.get("message") }));
    location.assign(place);
  } catch { suspect(); tell("The server does not answer.", true); }
}

/** A dataset was chosen: complete its names while a question is typed, and suggest what it can be asked. */
async function look(select) {
  const words = select.form.querySelector("[data-ask]");
  words.dataset.complete = select.value ? `/data/${select.value}/complete` : "";
  const place = document.getElementById("suggestions");
  place?.replaceChildren();
  if (!select.value || !place) return;
  try {
    const part = await askPart(`/data/${select.value}/suggestions`);
    if (words.dataset.complete === `/data/${select.value}/complete`) place.replaceChildren(...document.adoptNode(part.getElementById("suggestions")).childNodes);
  } catch { suspect(); }
}

async function stop() {
  const body = new URLSearchParams({ form_token: chat.querySelector("[name=form_token]").value });
  try { await askPart(`${chat.dataset.address}/stop`, { method: "POST", body }); } catch { suspect(); }
}

async function send(form, submitter) {
  const body = new FormData(form, submitter);
  const give = hold(form);
  if (!give) return;
  // Whatever is asked on this page, a suggestion too, is asked in its thread.
  if (form.getAttribute("action") === "/chat") body.set("conversation_id", decodeURIComponent(chat.dataset.address.split("/").at(-1)));
  const plain = !body.getAll("files").some((file) => file.size);
  if (plain) body.delete("files");
  const putBack = takeOut(form, body);
  chat.querySelector("#problem").replaceChildren();
  tell("");
  reply();
  atEnd();
  try {
    if (!("known" in chat.dataset)) {
      const about = new URLSearchParams({ form_token: body.get("form_token"), conversation_id: body.get("conversation_id") });
      await fetch("/chat/open", { method: "POST", body: about });
      chat.dataset.known = "";
      history.replaceState(null, "", chat.dataset.address);
    }
    follow();
    const answer = await fetch(form.action, { method: "POST", body: plain ? new URLSearchParams(body) : body, headers: { "X-Part": "1", Accept: "text/html" } });
    const part = answer.status < 400 ? null : new DOMParser().parseFromString(await answer.text(), "text/html");
    give();
    live?.remove();
    live = null;
    if (part) { chat.classList.remove("is-busy"); putPart(chat.querySelector("#problem"), part); putBack(); } else await refresh();
  } catch { live?.remove(); live = null; chat.classList.remove("is-busy"); putBack(); suspect(); tell("The server does not answer.", true); } finally {
    give();
    if (document.activeElement === document.body || document.activeElement === submitter) chat.querySelector("#question").focus({ preventScroll: true });
  }
}

export function watchChat() {
  document.addEventListener("submit", (event) => {
    if (!event.target.matches("form[data-say]") || event.submitter?.matches("[data-look]")) return;
    if (chat) { event.preventDefault(); send(event.target, event.submitter); return; }
    if (event.target.matches("[data-begins]")) { event.preventDefault(); begin(event.target, event.submitter); }
  });
  document.addEventListener("keydown", (event) => {
    // Enter asks; with Shift it is a new line.
    if (event.key !== "Enter" || event.shiftKey || event.isComposing || event.defaultPrevented || !event.target.matches("[data-ask]")) return;
    event.preventDefault();
    event.target.form.requestSubmit();
  });
  document.addEventListener("change", (event) => { if (event.target.matches("[data-dataset]")) look(event.target); });
  chat = document.getElementById("chat");
  if (!chat) return;
  after = Number(chat.dataset.after) || 0;
  if ("known" in chat.dataset) { follow(); if (chat.querySelector(".answer-card")) atAnswer(); else atEnd(); }
  whileSeen(() => { if ("known" in chat.dataset) follow(); }, () => events?.close());
  document.addEventListener("found", () => { if ("known" in chat.dataset) { follow(); refresh(); } });
  chat.addEventListener("click", (event) => { if (event.target.closest("[data-stop]")) stop(); });
  const said = JSON.parse(sessionStorage.getItem(SAID) || "null");
  sessionStorage.removeItem(SAID);
  if (said?.place !== chat.dataset.address) return;
  chat.querySelector("#question").value = said.words;
  chat.querySelector("form.say").requestSubmit();
}
