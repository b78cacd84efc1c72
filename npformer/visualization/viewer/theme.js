// The colors of a page: what ?theme=dark or ?theme=light asks for, else data-theme of the page or of one around it, else
// what the system asks for. Pages around it are read only where they are of the same origin.
const THEMES = ["dark", "light"];
const SYSTEM = matchMedia("(prefers-color-scheme: dark)");

function documentsAround() {
  const found = [document];
  try {
    for (let view = window; view !== view.parent; view = view.parent) found.push(view.parent.document);
  } catch { /* of another origin */ }
  return found;
}

const themedElements = () => documentsAround().flatMap((one) => [one.body, one.documentElement]).filter(Boolean);

// "dark" or "light", or null where the system decides.
function askedTheme() {
  const asked = [new URLSearchParams(location.search).get("theme"), ...themedElements().map((element) => element.dataset.theme)];
  return asked.find((theme) => THEMES.includes(theme)) ?? null;
}

const isDark = () => (askedTheme() ?? (SYSTEM.matches ? "dark" : "light")) === "dark";

// Give elements the colors that are asked for, now and after each change, which `changed` is told.
function followTheme(elements, changed = () => {}) {
  const apply = () => {
    for (const element of elements) element.style.colorScheme = askedTheme() ?? "";
    changed();
  };
  const observer = new MutationObserver(apply);
  for (const element of themedElements()) observer.observe(element, { attributes: true, attributeFilter: ["data-theme"] });
  SYSTEM.addEventListener("change", apply);
  apply();
}
