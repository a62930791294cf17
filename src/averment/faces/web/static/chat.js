// A conversation, live: what its events tell is drawn as it comes, and what is kept replaces it when a turn is over.
import { askPart, putPart, tell } from "./swap.js";

const AGAIN = 400;
let chat = null;
let events = null;
let after = 0;
let live = null;
let busy = false;

function make(name, className, words = "") {
  const node = document.createElement(name);
  if (className) node.className = className;
  node.textContent = words;
  return node;
}

const atEnd = () => window.scrollTo(0, document.documentElement.scrollHeight);

function bubble(id, role) {
  const known = chat.querySelector(`[data-message="${CSS.escape(id)}"]`);
  if (known) return known;
  const line = make("li", `message by-${role}`);
  line.dataset.message = id;
  line.append(make("p", "who", role === "user" ? "You" : "Assistant"), make("p", "said"));
  chat.querySelector("#messages").append(line);
  chat.querySelector(".talk > .empty")?.remove();
  atEnd();
  return line;
}

/** The reply that is under way: what it does, how far it is, what it says so far. */
function reply() {
  if (live?.isConnected) return live;
  live = make("li", "message by-assistant is-live");
  live.append(make("p", "who", "Assistant"), make("div", "doing"), make("p", "busy", "Thinking…"), make("p", "said"));
  chat.querySelector("#messages").append(live);
  atEnd();
  return live;
}

function show(event) {
  switch (event.type) {
    case "RUN_STARTED": reply(); break;
    case "TEXT_MESSAGE_START":
      if (event.role === "user") { bubble(event.messageId, "user").dataset.fresh = "1"; reply(); chat.querySelector("#messages").append(live); } else live && (reply().dataset.reply = event.messageId);
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
      line.textContent = message || "Working…";
      if (total) { const bar = make("progress", "wide"); bar.max = total; bar.value = done; bar.setAttribute("aria-label", "Progress"); line.append(bar); }
      break;
    }
    case "TOOL_CALL_START": reply().querySelector(".doing").append(make("p", "tool", `⋯ ${event.toolCallName.replaceAll("_", " ")}`)); break;
    case "RUN_FINISHED": case "RUN_ERROR": refresh(); break;
  }
}

async function refresh() {
  if (busy) return;
  busy = true;
  try {
    const [words, focused] = [chat.querySelector("#message")?.value || "", document.activeElement?.id];
    const part = await askPart(chat.dataset.address);
    if (!part.getElementById("chat")) return;
    putPart(chat, part);
    chat.dataset.known = "";
    live = null;
    const input = chat.querySelector("#message");
    input.value = words;
    (document.getElementById(focused) || input).focus({ preventScroll: true });
    atEnd();
    tell(chat.querySelector("#asked")?.textContent || "");
  } catch { tell("The server does not answer; the page will go on when it does."); } finally { busy = false; }
}

function follow() {
  if (events && events.readyState !== EventSource.CLOSED) return;
  events = new EventSource(`${chat.dataset.follow}?after=${after}`);
  events.addEventListener("message", (event) => {
    after = Math.max(after, Number(event.lastEventId) || 0);
    show(JSON.parse(event.data));
  });
  // Where the server was started anew, it is asked again until it answers.
  events.addEventListener("error", () => { if (events.readyState === EventSource.CLOSED) setTimeout(follow, AGAIN); });
}

async function send(form, submitter) {
  const body = new FormData(form, submitter);
  const plain = !body.getAll("files").some((file) => file.size);
  const buttons = form.querySelectorAll("button");
  for (const button of buttons) button.disabled = true;
  body.delete(plain ? "files" : "");
  if (form.matches(".say")) { form.querySelector("#message").value = ""; form.querySelector("input[type=file]").value = ""; form.querySelector("[data-drop-list]").replaceChildren(); }
  chat.querySelector("#problem").replaceChildren();
  reply();
  try {
    if (!("known" in chat.dataset)) {
      const about = new URLSearchParams({ form_token: body.get("form_token"), conversation_id: body.get("conversation_id") });
      await fetch("/chat/open", { method: "POST", body: about, credentials: "same-origin" });
      chat.dataset.known = "";
      history.replaceState(null, "", chat.dataset.address);
    }
    follow();
    const answer = await fetch(form.action, { method: "POST", body: plain ? new URLSearchParams(body) : body, headers: { "X-Part": "1", Accept: "text/html" }, credentials: "same-origin" });
    if (answer.status < 400) { await refresh(); return; }
    live?.remove();
    putPart(chat.querySelector("#problem"), new DOMParser().parseFromString(await answer.text(), "text/html"));
    if (form.matches(".say")) form.querySelector("#message").value = body.get("message");
  } catch { live?.remove(); tell("The server does not answer."); } finally { for (const button of buttons) button.disabled = false; }
}

export function watchChat() {
  chat = document.getElementById("chat");
  if (!chat) return;
  after = Number(chat.dataset.after) || 0;
  if ("known" in chat.dataset) { follow(); atEnd(); }
  document.addEventListener("submit", (event) => {
    if (!event.target.matches("#chat form[data-say]")) return;
    event.preventDefault();
    send(event.target, event.submitter);
  });
}
