// An array that differs: A, B and B − A, with the arrays from which the difference follows.
const SIDES = ["A", "B", "B − A"];
// pictures of few rows and many columns are below each other
const MOST_ROWS_BELOW = 16;
const MOST_COLUMNS_BESIDE = 24;

// The arrays that are shown, by side. A and B have one scale; the difference has its own.
function arraysOfDifference(data, difference) {
  const { a, b } = difference;
  const [first, second] = [a, b].map((number) => (number === null ? null : { ...arrayOf(data, number), images: undefined }));
  if (!first || !second) return [first, second, null];
  const largest = Math.max(first.largest, second.largest);
  first.largest = largest;
  second.largest = largest;
  if (first.shape.join() !== second.shape.join()) return [first, second, null];
  const values = Float64Array.from(first.values, (value, place) => second.values[place] - value);
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
  panel.append(make("p", { class: "how" }, howInWords(difference, arrays)), causesOf(data, difference));
  const shown = arrays[sides[0]];
  if (shown.isLeftOut) {
    panel.append(make("p", { class: "quiet" }, leftOutInWords(shown)));
    return;
  }
  const [rows, columns] = [shown.shape.at(-2) ?? 1, shown.shape.at(-1) ?? 1];
  const isBelow = rows <= MOST_ROWS_BELOW && columns > MOST_COLUMNS_BESIDE;
  const maps = make("div", { class: `maps compared of-${isBelow ? 1 : sides.length}` });
  const entry = make("p", { class: "entry" });
  panel.append(...choiceOfText(made, shown, text), entry, maps, ...scalesInWords(arrays));
  for (const side of sides) panel.append(make("p", { class: "statistics" }, `${SIDES[side]}: ${statistics(ownStatistics(arrays[side]))}`));
  const room = panel.clientWidth - 28;
  const width = isBelow ? room : (room - 12 * (sides.length - 1)) / sides.length;
  const drawn = mapsOfDifference(data, { made, text, arrays, sides, width, maps }, point);

  function point(place) {
    state.entry = place;
    for (const { picture, map } of drawn) {
      const inside = place - picture.start;
      const here = inside >= 0 && inside < picture.rows * picture.columns;
      map.draw(here ? { row: Math.floor(inside / picture.columns), column: inside % picture.columns } : null);
    }
    const index = indexInWords(shown.shape, place);
    const words = sides.map((side) => `${SIDES[side]} ${inWords(arrays[side].values[place])}`);
    entry.replaceChildren(make("strong", {}, `${titleOf(made)}${index}: ${words.join(", ")}`), namesInWords(data, made, shown.shape, place, text));
    announce(entry.textContent);
    reveal(panel);
  }

  const first = drawn.at(-1)?.first;
  if (shown.values.length) point(state.entry ?? largestEntry(arrays[sides.at(-1)], [first]));
}

// The pictures: a row for each matrix, a column for each side.
function mapsOfDifference(data, { made, text, arrays, sides, width, maps }, point) {
  const drawn = [];
  const pictures = sides.map((side) => picturesOf(data, made, text, arrays[side]));
  for (let i = 0; i < Math.max(...pictures.map((some) => some.length)); i++) {
    for (const [column, side] of sides.entries()) {
      const picture = pictures[column][i];
      if (!picture) continue;
      const title = [SIDES[side], picture.title].filter(Boolean).join(", ");
      const map = heatMap({ ...picture, title: `${titleOf(made)}, ${title}` }, width, (row, at) => point(picture.start + row * picture.columns + at));
      drawn.push({ picture, map, first: pictures[column][0] });
      maps.append(make("figure", {}, make("figcaption", {}, title), make("div", { class: "scroll", tabindex: 0 }, map.canvas)));
    }
  }
  return drawn;
}

// With the largest entry of its own, not that of the scale.
const ownStatistics = (array) => ({ ...array, ...statisticsOf(array.values) });

function scalesInWords([first, second, apart]) {
  if (!(first ?? second).hasColors) return [];
  const own = apart ? ` B − A has a scale of its own, up to ±${inWords(apart.largest)}.` : "";
  const words = first && second ? `A and B have one scale, up to ±${inWords(first.largest)}.${own}` : `The scale is up to ±${inWords((first ?? second).largest)}.`;
  return [make("p", { class: "quiet scales" }, words)];
}

function howInWords({ a, b, size }, [first, second, apart]) {
  if (a === null) return "Only B has this array.";
  if (b === null) return "Only A has this array.";
  if (!apart) return `A has the shape (${first.shape.join(", ")}), B the shape (${second.shape.join(", ")}).`;
  if (size === Infinity) return "A is 0 everywhere, or an entry is not finite.";
  return `B differs from A by ${sizeInWords(size)} of the largest entry of A.`;
}

const leftOutInWords = ({ shape }) => `This page has no entries of it, because it is a parameter or gradient of ${product(shape)} entries, shape (${shape.join(", ")}).`;

function showLeftOut(data, made, panel) {
  const call = data.calls[data.steps[made.at].call];
  panel.append(make("h2", {}, titleOf(made)), make("p", { class: "quiet" }, [call.module, call.label].filter(Boolean).join(" · ")));
  panel.append(make("p", {}, "Equal in A and B."), make("p", { class: "quiet" }, leftOutInWords(arrayOf(data, made.number))));
}

// From which differences one follows, as buttons that go there.
function causesOf(data, { causes }) {
  if (!causes.length) return make("p", { class: "origin" }, "The difference begins here.");
  const buttons = causes.map((number) => {
    const cause = data.comparison.differences[number];
    const link = make("button", { type: "button", class: "plain", "data-difference": number }, `${titleOf(cause.made)} in ${placeInWords(data, cause.made)}`);
    return make("li", {}, link, " ", markOf(cause));
  });
  return make("div", { class: "causes" }, make("p", {}, "Follows from"), make("ul", {}, ...buttons));
}
