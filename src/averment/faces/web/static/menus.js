// Small menus: one is open at a time, Escape and a click elsewhere close it.
export function watchMenus() {
  const close = (but) => { for (const menu of document.querySelectorAll("details.menu[open]")) if (menu !== but) menu.open = false; };
  document.addEventListener("click", (event) => close(event.target.closest("details.menu")));
  document.addEventListener("keydown", (event) => {
    const menu = event.key === "Escape" && document.activeElement?.closest("details.menu[open]");
    if (menu) { menu.open = false; menu.querySelector("summary").focus(); }
  });
}
