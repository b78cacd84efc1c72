// The losses of a small training: A blue, B red, and A from another seed gray, if there is one, which is named in words.
const CURVES = { width: 280, height: 118, left: 44, right: 20, top: 14, bottom: 20 };
const HIGHEST = 1.3; // of the losses that are drawn, as a part of the highest of A

function curvesOf({ losses, curves }) {
  const [a, b, other = []] = losses;
  const highest = Math.min(Math.max(...a, ...b), HIGHEST * Math.max(...a));
  const { width, height, left, right, top, bottom } = CURVES;
  const x = (update) => left + ((width - left - right) * update) / Math.max(a.length - 1, 1);
  const y = (loss) => height - bottom - ((height - top - bottom) * Math.min(loss, highest)) / highest;
  const svg = draw("svg", { width, height, class: "curves", role: "img", "aria-label": curves });
  const write = (text, place) => {
    const label = draw("text", place);
    label.textContent = text;
    svg.append(label);
  };
  svg.append(draw("path", { class: "axes", d: `M${left} ${top} V${height - bottom} H${width - right}` }));
  write(String(Number(highest.toPrecision(2))), { x: left - 4, y: top + 8, class: "end" });
  if (other.length) write("gray: A, another seed", { x: width - right, y: top + 4, class: "end" });
  write("0", { x: left - 4, y: height - bottom, class: "end" });
  write(`loss of ${a.length} updates`, { x: (left + width - right) / 2, y: height - 4 });
  for (const [name, some] of [["other", other], ["a", a], ["b", b]]) {
    if (!some.length) continue;
    svg.append(draw("path", { class: `curve ${name}`, d: `M${some.map((loss, update) => `${x(update).toFixed(1)} ${y(loss).toFixed(1)}`).join(" L")}` }));
  }
  for (const [name, height] of labelsOf(a, b, y)) {
    const some = name === "A" ? a : b;
    write(name, { x: x(some.length - 1) + 10, y: height, class: `label ${name.toLowerCase()}` });
  }
  if (b.length && b.length < a.length) write("B ends", { x: Math.min(x(b.length - 1) + 36, width - 30), y: y(b.at(-1)) + 4, class: "label b" });
  return svg;
}

// The labels at the ends of the curves, with how high they are: apart, so that both can be read.
function labelsOf(a, b, y) {
  const ends = [["A", a], ["B", b]].filter(([, some]) => some.length).map(([name, some]) => [name, y(some.at(-1)) + 4]);
  const isSameEnd = ends.length === 2 && a.length === b.length && Math.abs(ends[0][1] - ends[1][1]) < 13;
  if (!isSameEnd) return b.length < a.length ? ends.slice(0, 1) : ends;
  const [upper, lower] = ends[0][1] <= ends[1][1] ? ends : [ends[1], ends[0]];
  const middle = (upper[1] + lower[1]) / 2;
  return [[upper[0], middle - 6], [lower[0], middle + 7]];
}
