// Light, dark or as the system has it, without loading the page again.
const NEXT = { auto: "dark", dark: "light", light: "auto" };

export function watchTheme() {
  const button = document.querySelector("[data-theme-button]");
  button?.form.addEventListener("submit", (event) => {
    event.preventDefault();
    const body = new URLSearchParams(new FormData(button.form, button));
    const theme = button.value;
    document.documentElement.dataset.theme = theme;
    document.dispatchEvent(new CustomEvent("themed"));
    button.value = NEXT[theme];
    button.querySelector("[data-theme-name]").textContent = theme;
    button.setAttribute("aria-label", `Theme: ${theme}. Change to ${NEXT[theme]}`);
    fetch(button.form.action, { method: "POST", body, redirect: "manual" });
  });
}
