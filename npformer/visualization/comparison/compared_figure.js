// Figure 1 by how far the arrays differ that each box computes itself.

// For each box and direction the largest difference: in forward of its output, in backward of the gradients that its
// backward returns and those of its parameters, in the update of its parameters.
function findOwnDifferences(data, boxes) {
  for (const box of boxes) box.own = { forward: [], backward: [], update: [] };
  for (const step of data.steps) {
    const { module, direction, function: { name } } = data.calls[step.call];
    for (const made of step.made) {
      const box = boxOf(boxes, direction === "update" ? made.name : module);
      const isOutput = made.kind === "returned" && name === "forward" && module === box?.modules[0];
      const isGradient = made.kind === "gradient" || (made.kind === "returned" && name === "backward");
      if (!box || (direction === "forward" && !isOutput) || (direction === "backward" && !isGradient)) continue;
      box.own[direction].push(made);
    }
  }
  const { differences } = data.comparison;
  if (!differences.length) return;
  const first = differences[0].made;
  const box = boxOf(boxes, data.calls[data.steps[first.passedAt ?? first.at].call].module);
  if (box) box.begins = `▼ begins here ${differenceInWords(differences[0])}`;
}

function shadeBox(box, direction) {
  const own = box.own[direction];
  const differing = own.map((made) => made.difference).filter(Boolean);
  const largest = differing.reduce((best, one) => (best && shadeOf(best) >= shadeOf(one) ? best : one), null);
  const words = largest ? differenceInWords(largest) : own.length ? "= equal" : "";
  box.button.classList.toggle("shaded", Boolean(largest));
  box.button.style.setProperty("--shade", largest ? shadeOf(largest) : 0);
  const begins = box.begins ? [make("strong", { class: "begins" }, box.begins)] : [];
  box.images.replaceChildren(...begins, words);
  // what is seen first, then the layer
  const seen = [box.label, box.begins ?? "", words].filter(Boolean).join(" ");
  box.button.setAttribute("aria-label", box.button.getAttribute("aria-label").replace(box.label, seen));
}

const OWN_IN_WORDS = {
  forward: "in the output of a box",
  backward: "in the gradients that a box computes, of its input and parameters",
  update: "in the parameters of a box after the update",
};

function legendOfFigure(data, boxes) {
  const scale = make("span", { class: "scale", "aria-hidden": "true" });
  const own = make("b", { class: "own" });
  const text = make("p", {}, "Shade (logarithmic): the difference ", own, ". Dashed frame: not reached yet in this direction.");
  const ends = make("p", { class: "ends" }, make("span", {}, sizeInWords(10 ** LEAST)), scale, make("span", {}, "100 % or more"));
  const legend = make("div", { class: "legend" }, text, ends);
  const first = data.comparison.differences[0]?.made;
  if (first && !boxes.some((box) => box.begins)) {
    legend.append(make("p", {}, `The difference begins outside the boxes, in ${placeInWords(data, first)}.`));
  }
  return { element: legend, show: (direction) => { own.textContent = OWN_IN_WORDS[direction]; } };
}
