// Draws a part again and keeps every element that did not change, with what was typed.

/** Places that were filled on request: what is drawn around them leaves them as they are. */
export const filled = new WeakSet();
/** Forms whose answer is on its way. */
export const sent = new WeakSet();

const OWN = new Set(["open", "aria-busy", "aria-current"]);

/** What names a node among its neighbours, where something does. */
function keyOf(node) {
  if (node.nodeType !== Node.ELEMENT_NODE) return "";
  const name = node.id || node.dataset.message || node.dataset.spec || node.getAttribute("aria-labelledby");
  return name ? `${node.nodeName} ${name}` : "";
}

function copyAttributes(old, fresh) {
  // Which tab is open is said by the server until somebody opens another, and then the whole is left as it is.
  const isOwn = (name) => OWN.has(name) && !("tab" in old.dataset);
  for (const { name, value } of fresh.attributes) {
    if (!isOwn(name) && old.getAttribute(name) !== value) old.setAttribute(name, value);
  }
  for (const { name } of [...old.attributes]) if (!isOwn(name) && !fresh.hasAttribute(name)) old.removeAttribute(name);
}

/** Whether scripts and not the server say what stands in an element. */
function isKept(old, fresh) {
  return filled.has(old) || sent.has(old) || old.hasAttribute("data-drop-list") || (old.dataset.spec && old.dataset.spec === fresh.dataset.spec);
}

function fit(old, fresh) {
  if (old.nodeType !== Node.ELEMENT_NODE) { if (old.data !== fresh.data) old.data = fresh.data; return; }
  if (!isKept(old, fresh) && !old.isEqualNode(fresh)) morph(old, fresh);
}

/** What an element is found by again: its name, or else all it holds. */
function traitOf(node) {
  return node.nodeType === Node.ELEMENT_NODE ? keyOf(node) || node.outerHTML : "";
}

/** Make an element what another one is, piece by piece. */
export function morph(old, fresh) {
  copyAttributes(old, fresh);
  const nodes = [...fresh.childNodes];
  const coming = new Set(nodes.map(traitOf));
  const traits = new Map([...old.children].map((one) => [one, traitOf(one)]));
  const known = new Map();
  for (const [one, trait] of traits) known.set(trait, [...(known.get(trait) || []), one]);
  const stays = (one) => traits.has(one) && coming.has(traits.get(one));
  /** The neighbour from here on that may become a node which is not there yet: of its kind, and not wanted as it is. */
  const findAlike = (from, node) => {
    if (node.nodeType !== Node.ELEMENT_NODE) return from?.nodeType === node.nodeType ? from : null;
    if (keyOf(node)) return null;
    for (let one = from; one; one = one.nextSibling) if (one.nodeName === node.nodeName && !keyOf(one) && !stays(one)) return one;
    return null;
  };
  let at = old.firstChild;
  for (const node of nodes) {
    const twin = known.get(traitOf(node))?.shift() || findAlike(at, node);
    if (!twin) { old.insertBefore(document.adoptNode(node), at); continue; }
    // What stands before it and comes no more goes first: an element that is moved would lose its focus.
    while (at && at !== twin && !stays(at)) { const next = at.nextSibling; at.remove(); at = next; }
    if (at === twin) at = at.nextSibling; else old.insertBefore(twin, at);
    fit(twin, node);
  }
  while (at) { const next = at.nextSibling; at.remove(); at = next; }
}
