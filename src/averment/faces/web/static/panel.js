// The side panel with a number's proof: opened by the number, closed by Escape, focus goes back to the number.
let opener = null;

function close(panel) {
  panel.hidden = true;
  panel.replaceChildren();
  opener?.removeAttribute("aria-current");
  // A page under way may have drawn the number anew.
  const now = opener?.isConnected ? opener : document.querySelector(`a[href="${CSS.escape(opener?.getAttribute("href") || "")}"]`);
  now?.focus();
  opener = null;
}

export function watchPanel() {
  const panel = document.getElementById("panel");
  if (!panel) return;
  panel.addEventListener("filled", (event) => {
    opener?.removeAttribute("aria-current");
    opener = event.detail;
    opener.setAttribute("aria-current", "true");
    panel.hidden = false;
    panel.scrollTop = 0;
    panel.focus();
  });
  panel.addEventListener("click", (event) => {
    if (!event.target.closest("[data-close]")) return;
    event.preventDefault();
    close(panel);
  });
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && !panel.hidden) close(panel);
  });
}
