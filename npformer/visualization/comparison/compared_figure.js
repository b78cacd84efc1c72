// Figure 1 by how far the output of each box differs, or in backward its gradient.
function shadeBox(data, box, direction) {
  const made = direction === "forward" ? box.output : box.gradient;
  const words = made ? (made.difference ? differenceInWords(made.difference) : "= equal") : "";
  box.button.classList.toggle("shaded", Boolean(made?.difference));
  box.button.style.setProperty("--shade", made?.difference ? shadeOf(made.difference) : 0);
  box.images.textContent = words;
  if (words) box.button.setAttribute("aria-label", `${box.button.getAttribute("aria-label")}, ${words}`);
}

function legendOfFigure() {
  const scale = make("span", { class: "scale", "aria-hidden": "true" });
  const text = make("p", {}, "Shade: how far the output of a box differs, in backward its gradient (logarithmic).");
  const ends = make("p", { class: "ends" }, make("span", {}, sizeInWords(10 ** LEAST)), scale, make("span", {}, "100 % or more"));
  return make("div", { class: "legend" }, text, ends);
}
