// What the page of a comparison has in addition: the summary, the loss curves, the strip, and the way from difference to
// difference.
const COMPARISON_BUTTONS = [
  ["first-difference", "first", "to the first difference (f)"], ["previous-difference", "◀ previous", "to the previous difference (p)"],
  ["next-difference", "next ▶", "to the next difference (n)"], ["largest-difference", "largest", "to the largest difference (g)"],
];
const COMPARISON_KEYS = { f: "first-difference", p: "previous-difference", n: "next-difference", g: "largest-difference" };
const COMPARISON_KEY_LIST = [
  ["f", "to the first difference"],
  ["n, p", "to the next difference, to the one before; arrays that are only handed on are skipped"],
  ["g", "to the largest difference, as a part of the largest number that goes into its function; arrays that nothing uses are skipped"],
];
const COMPARISON_ABOUT = [
  "The page shows the first recording, A, and for each array that differs also that of the second, B. In the code, lines that only A has are marked A, lines that only B has are below them and marked B.",
  "≠ 6.6 % at an array means that the largest entry of B − A is 6.6 % of the largest entry of A. “A = 0 ≠ B” stands where A is 0, exactly or up to rounding, so that there is no such part. “≈ rounding” stands where B − A is at most 2e−6 (float32; 1e−12 in float64) of the largest number that goes into the function: rounding alone can make it.",
  "Scales: in the pictures of an array A and B have one color scale, and B − A has one of its own; both are written below them. The orange of marks and boxes and the height of the strip show the size of a difference on a logarithmic scale, from 0.01 % of A to 100 % and more; what only A or only B has counts as 100 %.",
  "Frames: in the figure, a box with a dashed frame has not been reached yet: in forward by its output, in backward by its gradient. In the code, an array with a double frame is returned, one with a dashed frame is a parameter or is remembered for backward.",
];
const RESULTS = ["gradient", "parameter", "returned"]; // what is used elsewhere
const NARROW = "(max-width: 1000px)"; // where the code is below the summary
const SMALL = "(max-width: 600px), (max-height: 900px)"; // where a closed summary leaves room for the arrays

// Returns show(), goTo(number of a difference), and the moves of buttons and keys.
function mountComparison(data, parts, state, boxes, go) {
  const { comparison } = data;
  const { differences } = comparison;
  const own = differences.filter((one) => !one.isHandedOn);
  document.body.classList.add("comparing");
  Object.assign(KEYS, COMPARISON_KEYS);
  findOwnDifferences(data, boxes);
  const goTo = (number) => {
    go(differences[number]);
    if (matchMedia(NARROW).matches) parts.code.querySelector(".current, [aria-pressed=true]")?.scrollIntoView({ block: "center" });
  };
  const strip = buildStrip(data, goTo);
  const buttons = COMPARISON_BUTTONS.map(([move, face, title]) => make("button", { type: "button", "data-move": move, title, "aria-label": title }, face));
  const count = make("output", { class: "count" });
  const legend = make("span", { class: "quiet" }, "Height: how far (logarithmic, 0.01 % to 100 %); darkness: how many of the arrays there; ▼: the first.");
  const section = make("section", { class: "strip", "aria-label": "Differences along the update" }, make("span", { class: "buttons" }, ...buttons), count, legend, strip.element);
  placeSummary(comparison, parts, section);
  const figureLegend = legendOfFigure(data, boxes);
  parts.figure.prepend(figureLegend.element);

  function show() {
    strip.show(state.now);
    figureLegend.show(data.calls[data.steps[state.now].call].direction);
    const here = state.made?.difference;
    if (!here) count.textContent = `${own.length} differences`;
    else if (here.isHandedOn) count.textContent = `handed on, one of ${differences.length - own.length}`;
    else count.textContent = `difference ${own.indexOf(here) + 1} of ${own.length}`;
  }

  // The next difference that is not only handed on, or with turn -1 the one before.
  function turn(direction) {
    const shown = state.made?.difference;
    const isAfter = (one) => (shown ? one.number > shown.number : one.now > state.now);
    const isBefore = (one) => (shown ? one.number < shown.number : one.now <= state.now);
    const found = direction > 0 ? own.find(isAfter) : own.findLast(isBefore);
    if (found) goTo(found.number);
    else count.textContent = direction > 0 ? "no difference after this one" : "no difference before this one";
  }

  function goToLargest() {
    const largest = largestDifference(own);
    if (!largest) return;
    goTo(largest.number);
    if (largest.isRounding) count.textContent += ": all are as small as rounding";
  }

  const goToFirst = () => { if (own.length) goTo(own[0].number); };
  const moves = { "first-difference": goToFirst, "next-difference": () => turn(1), "previous-difference": () => turn(-1), "largest-difference": goToLargest };
  return { show, goTo, moves };
}

// The largest that is finite and more than rounding, as a part of the largest number in A or in the arguments of its
// function; where there is none, the largest that is finite, or the first. An array that nothing uses does not count.
function largestDifference(own) {
  const finite = own.filter((one) => Number.isFinite(one.size) && Number.isFinite(one.weight) && (one.isUsed || RESULTS.includes(one.made.kind)));
  const real = finite.filter((one) => !one.isRounding);
  let largest = own[0];
  for (const one of real.length ? real : finite) {
    if (!finite.includes(largest) || largest.isRounding !== one.isRounding || one.weight > largest.weight) largest = one;
  }
  return largest;
}

// The summary can be closed, which leaves more room for the code.
function placeSummary(comparison, parts, strip) {
  const bar = document.querySelector("main > nav");
  const words = parts.summary.querySelector(".curve-words");
  const curves = words ? [make("div", { class: "training" }, curvesOf(comparison), words)] : [];
  const details = make("details", { class: "about-change" }, make("summary", {}, "What differs, and what finds it"));
  details.open = !matchMedia(SMALL).matches;
  const change = make("div", { class: "changes" }, ...parts.summary.querySelectorAll(".change"));
  bar.before(change, parts.summary.querySelector(".which-update"), details);
  details.append(make("div", { class: "evidence" }, parts.summary, ...curves));
  bar.after(strip);
  document.querySelector(".about").append(...COMPARISON_ABOUT.map((text) => make("p", {}, text)));
  fillKeys(parts.keys, COMPARISON_KEY_LIST);
}
