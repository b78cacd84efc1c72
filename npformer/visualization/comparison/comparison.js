// What the page of a comparison has in addition: the summary, the loss curves, the strip, and the way from difference to
// difference.
const COMPARISON_BUTTONS = [
  ["first-difference", "first", "to the first difference (f)"], ["previous-difference", "◀ previous", "to the difference before (p)"],
  ["next-difference", "next ▶", "to the next difference (n)"], ["largest-difference", "largest", "to the largest difference (g)"],
];
const COMPARISON_KEYS = { f: "first-difference", p: "previous-difference", n: "next-difference", g: "largest-difference" };
const COMPARISON_ABOUT = "The page shows the first recording, A, and for each array that differs also that of B. Keys: f goes to the first difference, n and p to the next one and the one before, g to the largest. Lines that only A has are struck out; lines that only B has are under them. ≠ 6.6 % at an array means that the largest entry of B − A is 6.6 % of the largest entry of A.";

// Returns show(), goTo(number of a difference), and the moves of buttons and keys.
function mountComparison(data, parts, state, go) {
  const { comparison } = data;
  const { differences } = comparison;
  document.body.classList.add("comparing");
  Object.assign(KEYS, COMPARISON_KEYS);
  const goTo = (number) => {
    if (!differences[number]) return;
    go(differences[number]);
    // on a narrow page the code is below the summary
    if (matchMedia("(max-width: 1000px)").matches) parts.code.querySelector('.chip[aria-pressed="true"]')?.scrollIntoView({ block: "center" });
  };
  const strip = buildStrip(data, goTo);
  const buttons = COMPARISON_BUTTONS.map(([move, face, title]) => make("button", { type: "button", "data-move": move, title, "aria-label": title }, face));
  const count = make("output", { class: "count" });
  const legend = make("span", { class: "quiet" }, "Height: how far (logarithmic, up to 100 %); darkness: how many; ▼: the first.");
  const section = make("section", { class: "strip", "aria-label": "Differences along the update" }, make("span", { class: "buttons" }, ...buttons), count, legend, strip.element);
  placeSummary(comparison, parts, section);
  parts.figure.prepend(legendOfFigure());

  function place() {
    const shown = state.made?.difference;
    if (shown) return shown.number;
    return differences.findLastIndex((one) => one.now <= state.now) + 0.5;
  }

  function show() {
    strip.show(state.now);
    const here = state.made?.difference;
    count.textContent = here ? `difference ${here.number + 1} of ${differences.length}` : `${differences.length} differences`;
  }

  return {
    show,
    goTo,
    moves: {
      "first-difference": () => goTo(0),
      "next-difference": () => goTo(Math.floor(place()) + 1),
      "previous-difference": () => goTo(Math.ceil(place()) - 1),
      "largest-difference": () => goTo(largestDifference(differences)),
    },
  };
}

// The largest that is finite.
function largestDifference(differences) {
  let best = 0;
  for (const [number, { size }] of differences.entries()) {
    const before = differences[best].size;
    if (Number.isFinite(size) && (size > before || !Number.isFinite(before))) best = number;
  }
  return best;
}

// The summary can be closed, which leaves more room for the code.
function placeSummary(comparison, parts, strip) {
  const bar = document.querySelector("main > nav");
  const curves = comparison.losses ? [curvesOf(comparison)] : [];
  const details = make("details", { class: "about-change", open: "" }, make("summary", {}, "What is changed, and what differs"));
  details.append(make("div", { class: "evidence" }, parts.summary, ...curves));
  bar.before(details);
  bar.after(strip);
  document.querySelector(".about").append(make("p", {}, COMPARISON_ABOUT));
}
