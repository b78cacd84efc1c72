// What is wider than its place scrolls, and is then reached by the keyboard.
const SCROLLING = "pre, .table-wrapper, .math-wrapper, .output.text_html";

const observer = new ResizeObserver((entries) => {
  for (const { target } of entries) {
    if (target.scrollWidth > target.clientWidth) target.tabIndex = 0;
    else target.removeAttribute("tabindex");
  }
});

document.addEventListener("DOMContentLoaded", () => {
  for (const box of document.querySelectorAll(SCROLLING)) observer.observe(box);
});
