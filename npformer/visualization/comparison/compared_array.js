// An array that differs: A, B and B − A, with the arrays from which the difference follows.
const SIDES = ["A", "B", "B − A"];
// pictures of few rows and many columns are below each other
const MOST_ROWS_BELOW = 16;
const MOST_COLUMNS_BESIDE = 24;

// The arrays that are shown, by side. A and B have one scale; the difference has its own.
function arraysOfDifference(data, difference) {
  const { a, b } = difference.rows ?? difference;
  const [first, second] = [a, b].map((number) => (number === null ? null : { ...arrayOf(data, number), images: undefined }));
  if (!first || !second) return [first, second, null];
  const largest = Math.max(first.largest, second.largest);
  first.largest = largest;
  second.largest = largest;
  if (first.shape.join() !== second.shape.join()) return [first, second, null];
  const values = Float64Array.from(first.values, (value, place) => (second.values[place] === value ? 0 : second.values[place] - value));
  return [first, second, { shape: first.shape, values, hasColors: first.hasColors, isLeftOut: first.isLeftOut, ...statisticsOf(values) }];
}

function showDifference(data, state, panel, announce) {
  const { made, text } = state;
  const { difference } = made;
  const arrays = arraysOfDifference(data, difference);
  const sides = [0, 1, 2].filter((side) => arrays[side]);
  const call = data.calls[data.steps[made.at].call];
  const heading = make("h2", {}, make("span", { class: roleOf(data, made) }, titleOf(made)), ` : ${sides.map((side) => SIDES[side]).join(" | ")}`);
  panel.append(heading, make("p", { class: "quiet" }, [call.module, call.label].filter(Boolean).join(" · ")));
  const begins = difference.causes.length ? [] : [make("strong", {}, ` The difference begins here${passedInWords(data, made)}.`)];
  panel.append(make("p", { class: `how${begins.length ? " origin" : ""}` }, howInWords(difference, arrays), ...begins));
  if (difference.moved) panel.append(make("p", { class: "moved" }, movedInWords(difference.moved)));
  panel.append(...causesOf(data, difference));
  const shown = arrays[sides[0]];
  const { rows } = difference;
  if (rows) panel.append(make("p", { class: "quiet" }, someRowsInWords(data, difference)));
  if (shown.isLeftOut) {
    panel.append(make("p", { class: "quiet" }, leftOutInWords(shown)));
    return;
  }
  const maps = make("div", { class: "compared" });
  const entry = make("p", { class: "entry" });
  const lines = make("div");
  panel.append(...choiceOfText(made, shown, text), entry, maps, ...scalesInWords(arrays), lines);
  for (const side of sides) panel.append(make("p", { class: "statistics" }, `${SIDES[side]}${rows ? ", these rows" : ""}: ${statistics(ownStatistics(arrays[side]))}`));
  const drawn = mapsOfDifference(data, { made, text, arrays, sides, room: panel.clientWidth - 28, maps }, point);

  function point(place) {
    state.entry = place;
    for (const { picture, map } of drawn) {
      const inside = place - picture.start;
      const here = inside >= 0 && inside < picture.rows * picture.columns;
      map.draw(here ? { row: Math.floor(inside / picture.columns), column: inside % picture.columns } : null);
    }
    const [row, column] = indexOf(shown.shape, place);
    const index = rows ? `[${rows.indices[row]}, ${column}]` : indexInWords(shown.shape, place);
    const names = rows ? (rows.tokens.length ? ` (${rows.tokens[row]})` : "") : namesInWords(data, made, shown.shape, place, text);
    const words = sides.map((side) => `${SIDES[side]} ${inWords(arrays[side].values[place])}`);
    entry.replaceChildren(make("strong", {}, `${titleOf(made)}${index}: ${words.join(", ")}`), names);
    lines.replaceChildren(...(rows ? [] : linesInNumbers(data, { made, arrays, place })));
    announce(entry.textContent);
    reveal(panel);
  }

  const last = drawn.at(-1)?.side;
  const largest = drawn.filter(({ side }) => side === last).map(({ picture }) => largestEntry(picture.array, [picture]));
  const { values } = arrays[sides.at(-1)];
  if (shown.values.length) point(state.entry ?? largest.reduce((best, place) => (Math.abs(values[place]) > Math.abs(values[best]) ? place : best)));
}

// The text of the batch in which an array differs most.
function textOfDifference(data, { difference, axes }) {
  const arrays = arraysOfDifference(data, difference).filter(Boolean);
  const array = arrays.at(-1);
  if (axes[0] !== "b" || array.shape.length < 3 || array.isLeftOut) return 0;
  return indexOf(array.shape, largestEntry(array, picturesOfAll(array)))[0];
}

const picturesOfAll = ({ values }) => [{ start: 0, rows: 1, columns: values.length }];

// Which line passes an argument with which the difference begins.
function passedInWords(data, made) {
  if (made.passedAt === undefined) return "";
  const step = data.steps[made.passedAt];
  const { module, function: { name } } = data.calls[step.call];
  return `, in what line ${step.line} of ${module}.${name} passes to ${data.calls[data.steps[made.at].call].module}`;
}

function someRowsInWords(data, { a, b, rows }) {
  const words = `Of ${data.views[a ?? b].shape[0]} rows this page has ${rows.indices.length}`;
  if (a !== null && b !== null) return `${words}: those that differ most.`;
  return arrayOf(data, rows.a ?? rows.b).largest ? `${words}: those with the largest entries.` : `All entries are 0. ${words}.`;
}

// The pictures: a row for each matrix, with a picture for each side, which are below each other where there is no room.
function mapsOfDifference(data, { made, text, arrays, sides, room, maps }, point) {
  const drawn = [];
  const pictures = sides.map((side) => picturesOf(data, made, text, arrays[side]));
  if (made.difference.rows) {
    const { indices, tokens } = made.difference.rows;
    for (const [picture] of pictures) picture.names = [indices.map((index, i) => tokens[i] ?? String(index)), null];
  }
  const { columns, rows, names: [rowNames] } = pictures[0][0] ?? { names: [] };
  const isBelow = rows <= MOST_ROWS_BELOW && columns > MOST_COLUMNS_BESIDE;
  const namesWidth = widthOfNames(rowNames);
  const space = 12 * (sides.length - 1) + namesWidth;
  const width = isBelow ? room : Math.floor((room - space) / sides.length) + namesWidth;
  for (let i = 0; i < Math.max(...pictures.map((some) => some.length)); i++) {
    const row = make("div", { class: "matrix" });
    for (const [place, side] of sides.entries()) {
      const picture = pictures[place][i];
      if (!picture) continue;
      const title = [SIDES[side], picture.title].filter(Boolean).join(", ");
      const hidesRowNames = !isBelow && place > 0;
      const map = heatMap({ ...picture, title: `${titleOf(made)}, ${title}`, hidesRowNames }, width, (at, column) => point(picture.start + at * picture.columns + column));
      drawn.push({ picture, map, side });
      row.append(make("figure", {}, make("figcaption", {}, title), make("div", { class: "scroll" }, map.canvas)));
    }
    maps.append(row);
  }
  return drawn;
}

// The line in numbers, of A and of B.
function linesInNumbers(data, { made, arrays: [first, second], place }) {
  const { difference } = made;
  const numbersInA = (one) => (one.difference ? one.difference.a : one.number);
  const numbersInB = (one) => (one.difference ? one.difference.b : one.number);
  const explained = [
    first && ["A", explainLine(data, made, first, place, textOfLine(data, made), numbersInA)],
    second && ["B", explainLine(data, made, second, place, textInB(data, difference), numbersInB)],
  ];
  return explained.filter((one) => one?.[1]).map(([side, { text, value }]) => {
    return make("p", { class: "sum" }, make("strong", { class: `of-${side.toLowerCase()}` }, `${side}: `), text, make("strong", { "data-sum": value }, inWords(value)));
  });
}

function textInB(data, { made }) {
  if (!made.addedLine) return textOfLine(data, made);
  return data.calls[data.steps[made.at].call].function.rows.find((row) => row.key === made.addedLine).text;
}

// With the largest entry of its own, not that of the scale.
const ownStatistics = (array) => ({ ...array, ...statisticsOf(array.values) });

function scalesInWords([first, second, apart]) {
  if (!(first ?? second).hasColors) return [];
  const own = apart ? ` B − A has a scale of its own, up to ±${inWords(apart.largest)}.` : "";
  const words = first && second ? `A and B have one scale, up to ±${inWords(first.largest)}.${own}` : `The scale is up to ±${inWords((first ?? second).largest)}.`;
  return [make("p", { class: "quiet scales" }, words)];
}

function howInWords({ a, b, size, apart: distance, isRounding }, [first, second, apart]) {
  if (a === null) return "Only B makes this array.";
  if (b === null) return "Only A makes this array.";
  if (!apart) return `A has the shape (${first.shape.join(", ")}), B the shape (${second.shape.join(", ")}).`;
  if (distance === Infinity) return "An entry is not finite.";
  const words = `B differs from A by up to ${inWords(distance)}`;
  if (isRounding) return `${words}, no more than rounding can make.`;
  if (size === Infinity) return `${words}, and A is 0 up to rounding.`;
  return `${words}, which is ${sizeInWords(size)}${size >= 10 ? "" : " of"} the largest entry of A.`;
}

function movedInWords(moved) {
  const [inA, inB] = moved.map((distance) => inWords(distance ?? Infinity));
  return `The update moves an entry by up to ${inA} in A and ${inB} in B.`;
}

const leftOutInWords = ({ shape }) => `This page has no entries of it, because it is a parameter or gradient of ${product(shape)} entries, shape (${shape.join(", ")}).`;

function showLeftOut(data, made, panel) {
  const call = data.calls[data.steps[made.at].call];
  panel.append(make("h2", {}, titleOf(made)), make("p", { class: "quiet" }, [call.module, call.label].filter(Boolean).join(" · ")));
  panel.append(make("p", {}, "Equal in A and B."), make("p", { class: "quiet" }, leftOutInWords(arrayOf(data, made.number))));
}

// The number of the difference where two arrays are made, from one that may only hand them on.
function whereMade(data, number) {
  const { isHandedOn, causes } = data.comparison.differences[number];
  return isHandedOn ? whereMade(data, causes[0]) : number;
}

// From which differences one follows, as buttons that go there.
function causesOf(data, difference) {
  const { causes } = difference;
  if (!causes.length) return [];
  const numbers = new Set(causes.map((number) => whereMade(data, number)));
  const buttons = [...numbers].map((number) => {
    const cause = data.comparison.differences[number];
    const link = make("button", { type: "button", class: "plain", "data-difference": number }, `${titleOf(cause.made)} in ${placeInWords(data, cause.made)}`);
    return make("li", {}, link, " ", markOf(cause));
  });
  const title = difference.isHandedOn ? "The same two arrays, handed on, as" : "Follows from";
  return [make("div", { class: "causes" }, make("p", {}, title), make("ul", {}, ...buttons))];
}
