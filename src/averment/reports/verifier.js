// Checks an exported report in the browser: no server, no network, nothing installed.
"use strict";
const hex = (bytes) => [...bytes].map((one) => one.toString(16).padStart(2, "0")).join("");
const bytesOf = (text) => Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
const fromHex = (text) => Uint8Array.from(text.match(/../g) || [], (pair) => parseInt(pair, 16));
const utf8 = (text) => new TextEncoder().encode(text);
const joined = (...parts) => new Uint8Array(parts.flatMap((part) => [...part]));
const sha256 = async (bytes) => new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
const same = (left, right) => hex(left) === hex(right);

/** A number as it was written. */
class Written { constructor(raw) { this.raw = raw; } }

/** JSON whose numbers keep their writing. */
function parseJson(text) {
  let at = 0;
  const token = /\s*(?:([{}[\],:])|("(?:[^"\\]|\\.)*")|(-?\d[\d.eE+-]*)|(true|false|null))/y;
  const next = () => { token.lastIndex = at; const found = token.exec(text); if (!found) throw new Error("not JSON"); at = token.lastIndex; return found; };
  function value(found) {
    if (found[2]) return JSON.parse(found[2]);
    if (found[3]) return new Written(found[3]);
    if (found[4]) return { true: true, false: false, null: null }[found[4]];
    const isList = found[1] === "[", made = isList ? [] : new Map();
    for (let part = next(); part[1] !== "]" && part[1] !== "}"; part = next()) {
      if (part[1] === ",") continue;
      if (isList) made.push(value(part));
      else { const key = JSON.parse(part[2]); next(); made.set(key, value(next())); }
    }
    return made;
  }
  return value(next());
}

/** The one JSON text of a value. */
function canonical(value) {
  if (value instanceof Written) return value.raw;
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (value instanceof Map) return `{${[...value.keys()].sort().map((key) => `${JSON.stringify(key)}:${canonical(value.get(key))}`).join(",")}}`;
  return JSON.stringify(value);
}

const digest = async (value) => hex(await sha256(utf8(canonical(value))));

/** A report cut into what was signed, the signature and the capsule. */
async function openReport(bytes) {
  const text = new TextDecoder("latin1").decode(bytes);
  const signed = /<!-- averment-signature ([A-Za-z0-9+/=]+) -->\n$/.exec(text);
  const packed = /<!-- averment-capsule ([A-Za-z0-9+/=]+) -->\n/.exec(text);
  if (!signed || !packed) throw new Error(`The file carries no ${packed ? "signature" : "capsule"}, so it cannot be checked by itself.`);
  const stream = new Blob([bytesOf(packed[1])]).stream().pipeThrough(new DecompressionStream("deflate"));
  const capsule = await new Response(stream).text();
  return { whole: bytes.subarray(0, signed.index), signature: bytesOf(signed[1]), exact: parseJson(capsule), plain: JSON.parse(capsule) };
}

function parseKey(text) {
  const found = /^([^\s+]+)\+([0-9a-f]{8})\+([A-Za-z0-9+/]+={0,2})$/.exec(text.trim());
  const data = found ? bytesOf(found[3]) : [];
  if (data.length !== 33 || data[0] !== 1) throw new Error("This is not a public key of the form name+hash+base64.");
  return { name: found[1], id: found[2], label: `${found[1]}+${found[2]}`, raw: data.subarray(1), text: text.trim() };
}

async function verifies(key, message, signature) {
  const opened = await crypto.subtle.importKey("raw", key.raw, { name: "Ed25519" }, false, ["verify"]);
  return crypto.subtle.verify({ name: "Ed25519" }, opened, signature, message);
}

/** RFC 9162: whether a path leads from a leaf to the root. */
async function included(leaf, index, size, path, root) {
  let [place, last, found] = [index, size - 1, leaf];
  if (index < 0 || index >= size) return false;
  for (const sibling of path) {
    if (last === 0) return false;
    if (place % 2 || place === last) {
      found = await sha256(joined([1], sibling, found));
      while (place && place % 2 === 0) { place = Math.floor(place / 2); last = Math.floor(last / 2); }
    } else found = await sha256(joined([1], found, sibling));
    place = Math.floor(place / 2);
    last = Math.floor(last / 2);
  }
  return last === 0 && same(found, root);
}

/** Whether the sealing entry is in the signed log. */
async function sealed(plain, key) {
  const proof = plain.inclusion, [head, tail] = proof.checkpoint.split("\n\n");
  const [origin, size, root] = head.split("\n");
  const line = tail.split("\n").map((each) => /^— (\S+) (\S+)$/.exec(each)).find((each) => each && each[1] === key.name);
  const signature = line ? bytesOf(line[2]) : new Uint8Array(68);
  const leaf = await sha256(joined([0], utf8(plain.line)));
  return origin === key.name && hex(signature.subarray(0, 4)) === key.id && await verifies(key, utf8(`${head}\n`), signature.subarray(4))
    && same(leaf, fromHex(proof.leaf)) && await included(leaf, proof.sequence_number - 1, Number(size), proof.path.map(fromHex), bytesOf(root));
}

/** What a report shows, block by block. */
function shownTexts(bytes) {
  const page = new DOMParser().parseFromString(new TextDecoder().decode(bytes), "text/html");
  const blocks = page.querySelectorAll("article :is(h1, h2, h3, p, li, caption, th, td, pre)");
  return [...blocks].map((block) => block.textContent.replace(/\s+/g, " ").trim());
}

/** Where two texts part, with a few words around it. */
function parting(shown, said) {
  let at = 0;
  while (at < shown.length && shown[at] === said[at]) at += 1;
  const around = (text) => `“${at > 40 ? "…" : ""}${text.slice(Math.max(0, at - 40), at + 40)}${text.length > at + 40 ? "…" : ""}”`;
  return `it shows ${around(shown)}, and was exported as ${around(said)}`;
}

async function checkReport(report, trusted) {
  const { plain, exact } = report, checks = [];
  const key = parseKey(plain.key), run = exact.get("run"), records = exact.get("records");
  const said = await digestOf(report.whole);
  const whole = await verifies(key, utf8(`averment report\n${said}\n`), report.signature);
  checks.push([whole, "Signature", whole ? `Unchanged since ${key.label} signed it.` : `The file is not what ${key.label} signed.`]);
  if (trusted) {
    const fits = parseKey(trusted).text === key.text;
    checks.push([fits, "Key", fits ? "It is the key you trust." : `It was signed by ${key.label}, which is not the key you trust.`]);
  } else checks.push([null, "Key", `Signed by ${key.label}. Enter the key you trust above to know whose that is.`]);
  const under = await sealed(plain, key);
  checks.push([under, "Seal", under ? `The run was sealed as entry ${plain.inclusion.sequence_number} of the signed log.` : "The run's seal is not in the signed log."]);
  for (const named of plain.plugins || []) {
    const { plugin, version, sha256 } = JSON.parse(named.line).event_data, holds = await sealed(named, key);
    checks.push([holds && null, `Plugin ${plugin}`, holds ? `Version ${version}, SHA-256 ${sha256}.` : "Its entry is not in the signed log."]);
  }
  const entry = JSON.parse(plain.line).event_data, concluded = records.get("conclusion");
  const held = [["Answer", "answer_sha256", run.get("answer") || ""], ["Plan", "planned_sha256", records.get("planned")], ["Findings", "findings_sha256", concluded ? concluded.get("findings") : []]];
  for (const [name, field, body] of held) {
    const holds = entry[field] === await digest(body);
    checks.push([holds, name, holds ? "As it was sealed." : "It differs from what was sealed."]);
  }
  checks.push(...comparison(report));
  return checks;
}

const digestOf = async (bytes) => hex(await sha256(bytes));

/** What is shown against what was exported and sealed. */
function comparison({ plain, whole }) {
  const shown = shownTexts(whole), exported = plain.texts || [];
  const place = exported.findIndex((text, at) => text !== shown[at]);
  if (place >= 0) return [[false, "What is shown", `Block ${place + 1} of the report was changed: ${parting(shown[place] || "", exported[place])}.`]];
  if (shown.length > exported.length) return [[false, "What is shown", `Something was added to the report: “${shown[exported.length].slice(0, 80)}”.`]];
  const all = shown.join(" ");
  const findings = (plain.records.conclusion || { findings: [] }).findings;
  const missing = findings.map((one) => one.text.replace(/\s+/g, " ").trim()).filter((text) => text && !all.includes(text));
  if (missing.length) return [[false, "What is shown", `A sealed sentence is not in the report: “${missing[0]}”.`]];
  const numbers = findings.reduce((sum, one) => sum + Object.values(one.slots).filter((slot) => slot.unit !== "label" && AvermentPlan.numberOf(slot.evidence.value) !== undefined).length, 0);
  return [[true, "What is shown", `Every sentence stands as it was sealed: ${findings.length} findings with ${numbers} numbers.`]];
}

async function checkSources(plain, files) {
  const sources = JSON.parse(plain.run.request.catalog).sources, checks = [];
  for (const source of sources) {
    const file = files.find((one) => one.name === source.label) || (sources.length === 1 ? files[0] : undefined);
    if (!file) {
      checks.push([null, source.label, "Not given. Choose it together with the report."]);
      continue;
    }
    const fits = source.content_sha256 === await digestOf(file.bytes);
    checks.push([fits, source.label, fits ? "The very file that the report was computed from." : "Not the file that the report was computed from."]);
    checks.push(...recomputed(plain, source, file, fits));
  }
  return checks;
}

/** The told numbers computed again, where the plan is simple. */
function recomputed(plain, source, file, fits) {
  const told = [];
  try {
    const found = AvermentPlan.compute(plain, source, new TextDecoder().decode(file.bytes));
    for (const one of found.wrong) told.push([fits ? null : false, "Numbers", fits ? `${one} Decide by averment verify.` : one]);
    if (!found.wrong.length) told.push([true, "Numbers", `${found.count} told ${found.count === 1 ? "number was" : "numbers were"} computed again in this browser from ${file.name}.`]);
  } catch (error) {
    told.push([null, "Numbers", `Not computed again here: ${error.message} averment verify does it.`]);
  }
  return told;
}

function tell(place, checks, failed) {
  const faults = checks.filter((one) => one[0] === false).length;
  const head = document.createElement("p"), list = document.createElement("ul");
  head.className = faults || failed ? "verdict fails" : "verdict holds";
  head.textContent = failed ? `✗ ${failed}` : faults ? `✗ ${faults} check${faults === 1 ? "" : "s"} failed. Do not rely on this report.` : "✓ Everything that can be checked here holds.";
  list.className = "checks";
  for (const [holds, name, detail] of checks) {
    const line = document.createElement("li"), mark = document.createElement("strong");
    line.className = holds === null ? "open" : holds ? "holds" : "fails";
    mark.textContent = `${holds === null ? "–" : holds ? "✓" : "✗"} ${name}: `;
    line.append(mark, detail);
    list.append(line);
  }
  place.replaceChildren(head, list);
}

function begin() {
  const chosen = document.getElementById("check-files"), place = document.getElementById("check-result");
  const trusted = document.getElementById("check-key");
  const check = async () => {
    const files = await Promise.all([...chosen.files].map(async (file) => ({ name: file.name, bytes: new Uint8Array(await file.arrayBuffer()) })));
    if (!files.length) return;
    try {
      const report = files.find((file) => /\.html?$/i.test(file.name));
      if (!report) throw new Error("Choose the report, a file that ends in .html.");
      const opened = await openReport(report.bytes);
      const checks = await checkReport(opened, trusted.value.trim());
      checks.push(...await checkSources(opened.plain, files.filter((file) => file !== report)));
      tell(place, checks);
    } catch (error) {
      tell(place, [], error.name === "NotSupportedError" ? "This browser cannot check Ed25519 signatures." : error.message);
    }
  };
  chosen.addEventListener("change", check);
  trusted.addEventListener("change", check);
}
