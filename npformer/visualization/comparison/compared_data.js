// What differs between the two recordings. An array of the page that differs has the entry `difference`; one that only the
// second recording has is marked, because the first, whose page this is, knows nothing of it.
function readComparison(data) {
  const { comparison } = data;
  const named = (rows) => rows && { a: rows[0], b: rows[1], indices: rows[2], tokens: rows[3] };
  comparison.differences = comparison.differences.map(([step, place, a, b, size, causes, line, apart, isRounding, isHandedOn, moved, weight, passedAt, rows], number) => {
    const made = data.steps[step].made[place];
    made.isOfSecond = a === null;
    if (line) made.addedLine = `+${line}`;
    if (passedAt !== null) made.passedAt = passedAt;
    const isReshaped = a !== null && b !== null && data.views[a].shape.join() !== data.views[b].shape.join();
    made.difference = {
      number, made, a, b, causes, moved, rows: named(rows), size: size ?? Infinity, apart: apart ?? Infinity, weight: weight ?? Infinity,
      isReshaped, isRounding: Boolean(isRounding), isHandedOn: Boolean(isHandedOn), now: data.steps[step].done,
    };
    return made.difference;
  });
  for (const cause of new Set(comparison.differences.flatMap((one) => one.causes))) comparison.differences[cause].isUsed = true;
  for (const [place, rows] of Object.entries(comparison.rows)) {
    data.functions[place].rows = rows.map((row) => rowOf(...row));
  }
}

// Sizes from 10 ** LEAST to 1 and more have shades from 0 to 1, on a logarithmic scale.
const LEAST = -4;

function shadeOf({ a, b, size, isRounding }) {
  if (a === null || b === null) return 1;
  if (isRounding) return 0;
  return Math.max(0, Math.min((Math.log10(size) - LEAST) / -LEAST, 1));
}

function sizeInWords(size) {
  if (size >= 10) return Number.isFinite(size) ? `${inWords(Math.round(size))} times` : "∞";
  const percent = 100 * size;
  return percent >= 0.001 ? `${Number(percent.toPrecision(2))} %` : `${inWords(Number(percent.toPrecision(1)))} %`;
}

// The sign of a difference, and how large it is.
function differenceInWords({ a, b, size, apart, isReshaped, isRounding }) {
  if (a === null) return "only B";
  if (b === null) return "only A";
  if (isReshaped) return "≠ shape";
  if (isRounding) return "≈ rounding";
  if (apart === Infinity) return "not finite";
  if (size === Infinity) return "A = 0 ≠ B";
  return `≠ ${sizeInWords(size)}`;
}

const markOf = (difference) => make("span", { class: "differs", style: `--shade: ${shadeOf(difference)}` }, differenceInWords(difference));

// Where an array is made, or the line that passes an argument with which the difference begins.
function placeInWords(data, made) {
  const step = data.steps[made.passedAt ?? made.at];
  const { module, function: { name } } = data.calls[step.call];
  return `${module}.${name}, line ${made.addedLine?.slice(1) ?? step.line}`;
}
