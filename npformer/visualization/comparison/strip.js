// A strip over the whole step: where along its lines arrays differ, and how far.
const BINS = 240;
const STRIP = { width: 1200, height: 40, band: 5 };

function buildStrip(data, goTo) {
  const { differences } = data.comparison;
  const share = (at) => at / Math.max(data.steps.length - 1, 1);
  const svg = draw("svg", { viewBox: `0 0 ${STRIP.width} ${STRIP.height}`, preserveAspectRatio: "none", role: "img", "aria-label": stripInWords(data) });
  for (const bar of barsOf(data, share)) svg.append(bar);
  for (const { direction, from, to } of partsOf(data)) {
    const [x, end] = [from, to].map((at) => share(at) * STRIP.width);
    svg.append(draw("rect", { x, width: end - x, y: STRIP.height - STRIP.band, height: STRIP.band, class: `part ${direction}` }));
  }
  const place = draw("rect", { y: 0, width: 3, height: STRIP.height, class: "place" });
  svg.append(place);
  svg.addEventListener("click", (event) => {
    const box = svg.getBoundingClientRect();
    const at = ((event.clientX - box.left) / box.width) * (data.steps.length - 1);
    const nearest = differences.reduce((best, one) => (Math.abs(one.now - at) < Math.abs(best.now - at) ? one : best), differences[0]);
    if (nearest) goTo(nearest.number);
  });
  // the last name ends where the strip ends, because its part may be narrower than the name
  const names = partsOf(data).map(({ direction, from, to }, i, { length }) => {
    const place = i === length - 1 ? "right: 0; transform: none" : `left: ${100 * share((from + to) / 2)}%`;
    return make("span", { style: place }, direction);
  });
  const begin = differences.length ? [make("span", { class: "begin", style: `left: ${100 * share(differences[0].now)}%`, "aria-hidden": "true" }, "▼")] : [];
  const element = make("div", { class: "strip-picture" }, ...begin, svg, make("div", { class: "parts", "aria-hidden": "true" }, ...names));
  return { element, show: (now) => place.setAttribute("x", share(now) * (STRIP.width - 3)) };
}

// The parts of the step: forward, backward and update, from step to step.
function partsOf(data) {
  const starts = DIRECTIONS.map((direction) => data.steps.findIndex((step) => data.calls[step.call].direction === direction));
  const parts = DIRECTIONS.map((direction, i) => ({ direction, from: starts[i] })).filter(({ from }) => from >= 0);
  return parts.map((part, i) => ({ ...part, to: parts[i + 1]?.from ?? data.steps.length - 1 }));
}

// A bar for each bin in which arrays differ: as high as the largest differs, and as dark as many do.
function barsOf(data, share) {
  const bins = Array.from({ length: BINS }, () => ({ made: 0, differ: 0, shade: 0 }));
  for (const step of data.steps) {
    const bin = bins[Math.min(Math.floor(share(step.done) * BINS), BINS - 1)];
    for (const { difference } of step.made) {
      bin.made += 1;
      if (!difference) continue;
      bin.differ += 1;
      bin.shade = Math.max(bin.shade, shadeOf(difference));
    }
  }
  const room = STRIP.height - STRIP.band - 1;
  return bins.flatMap(({ made, differ, shade }, i) => {
    if (!differ) return [];
    const height = Math.max(3, room * shade);
    const width = STRIP.width / BINS;
    return [draw("rect", { x: i * width, width, y: room - height, height, class: "bar", opacity: 0.35 + (0.65 * differ) / made })];
  });
}

function stripInWords(data) {
  const counts = partsOf(data).map(({ direction }) => {
    const isIn = (step) => data.calls[step.call].direction === direction;
    const made = data.steps.filter(isIn).flatMap((step) => step.made);
    return `${direction} ${made.filter((one) => one.difference).length} of ${made.length} arrays`;
  });
  return `Arrays that differ: ${counts.join(", ")}.`;
}
