// The chosen array next to its gradient: pictures with tokens along their axes, statistics, and the entry at the cursor.
const MOST_PICTURES = 48;

// The names of the entries along an axis, by its letter (axes.py), for one text of the batch.
function tokensAlong(data, letter, text) {
  const texts = data.tokens[letter.toLowerCase()];
  if (!texts || letter === "." || letter === "b" || letter === "h") return null;
  return letter === letter.toLowerCase() ? texts[text] : texts.flat();
}

// One matrix for each index of the leading axes; of the axis of texts the chosen one alone.
function picturesOf(data, made, text, array = arrayOf(data, made.number)) {
  const { shape } = array;
  const [rows, columns] = shape.length > 1 ? shape.slice(-2) : [1, shape[0] ?? 1];
  const leading = shape.slice(0, -2);
  const names = [-2, -1].map((axis) => (shape.length >= -axis ? tokensAlong(data, made.axes.at(axis), text) : null));
  const pictures = [];
  for (let i = 0; i < product(leading) && pictures.length < MOST_PICTURES; i++) {
    const index = leading.map((size, axis) => Math.floor(i / product(leading.slice(axis + 1))) % size);
    if (made.axes[0] === "b" && leading.length && index[0] !== text) continue;
    const places = index.flatMap((place, axis) => (made.axes[axis] === "h" ? [`head ${place}`] : made.axes[axis] === "b" ? [] : [`[${place}]`]));
    pictures.push({ array, rows, columns, names, start: i * rows * columns, title: places.join(" ") });
  }
  return pictures;
}

// The gradient of an array, or the array of a gradient, as far as the steps up to now have made it.
function partnerOf(data, made, now) {
  const call = data.calls[data.steps[made.at].call];
  const shape = data.views[made.number].shape.join();
  const fits = (other) => data.steps[other.at].done <= now && data.views[other.number].shape.join() === shape;
  const last = (module, name) => data.named.get(`${module} ${name}`)?.findLast((other) => fits(other) && other.kind !== "returned");
  const { module } = call;
  const expected = data.expected?.[made.number]; // of a student's result
  if (expected !== undefined) return { order: ["yours", "expected"], other: { ...made, name: "expected", number: expected }, second: false };
  if (call.direction === "update") {
    const [, owner, name] = /^(.*)\.(\w+)$/.exec(made.name) ?? [];
    return { order: ["before", "after"], other: last(owner, name), second: true };
  }
  if (made.kind === "gradient") return { other: last(module, made.name.slice(0, -5)), second: true };
  if (made.kind === "parameter") return { other: last(module, `${made.name}.grad`), second: false };
  const counterpart = data.calls[counterpartOf(data, data.steps[made.at].call)];
  if (call.direction === "forward") {
    if (made.kind !== "returned") return { other: last(module, `d${made.name}`), second: false };
    const arrives = call.function.name === "forward" ? data.steps[counterpart?.first]?.made : [];
    return { other: arrives?.find((one) => fits(one) && one.kind === "argument"), second: false };
  }
  if (made.kind === "argument" && call.function.name === "backward") {
    return { other: data.steps[counterpart?.last]?.made.find(fits), second: true };
  }
  return { other: made.name.startsWith("d") ? last(module, made.name.slice(1)) : undefined, second: true };
}

function statistics({ shape, values, mean, std, largest, finite, hasColors }) {
  const size = `shape (${shape.join(", ")}${shape.length === 1 ? "," : ""})`;
  if (!values.length) return `${size}, empty`;
  if (!hasColors) return `${size} · whole numbers, which have no color`;
  const broken = values.length - finite;
  const numbers = finite ? ` · mean ${inWords(mean)} · std ${inWords(std)} · largest |x| ${inWords(largest)}` : "";
  return size + numbers + (broken ? ` · ${broken} not finite` : "");
}

// A list of the texts of a batch, of which one is shown.
function choiceOfText(made, { shape }, text) {
  const texts = made.axes[0] === "b" && shape.length > 2 ? shape[0] : 1;
  if (texts < 2) return [];
  const options = Array.from({ length: texts }, (_, i) => make("option", { value: i, ...(i === text ? { selected: "" } : {}) }, `text ${i}`));
  return [make("label", {}, "Text of the batch ", make("select", { name: "text" }, ...options))];
}

function showArray(data, state, panel, announce) {
  const { made, now, text } = state;
  const partner = made ? partnerOf(data, made, now) : {};
  const { second, order } = partner;
  const other = partner.other && !isLeftOut(data, partner.other.number) ? partner.other : undefined;
  const width = panel.clientWidth - 28;
  const content = [made, other, text, width, isDark()];
  if (panel.content?.every((part, i) => part === content[i])) return;
  panel.content = content;
  panel.replaceChildren();
  if (!made) {
    panel.append(make("p", { class: "quiet" }, "No line of this function has made an array yet. Step on, or choose a box of the figure."));
    return;
  }
  if (made.difference) return showDifference(data, state, panel, announce);
  if (isLeftOut(data, made.number)) return showLeftOut(data, made, panel);
  const both = other ? (second ? [other, made] : [made, other]) : [made];
  const array = arrayOf(data, made.number);
  const call = data.calls[data.steps[made.at].call];
  panel.append(make("h2", {}, ...both.flatMap((one, i) => [i ? " | " : "", make("span", { class: roleOf(data, one) }, titleOf(one))])), make("p", { class: "quiet" }, [call.module, call.label].filter(Boolean).join(" · ")));
  panel.append(...choiceOfText(made, array, text));
  const maps = make("div", { class: `maps${other ? " pair" : ""}` });
  const entry = make("p", { class: "entry" });
  const sum = make("div");
  panel.append(...both.map((one, i) => {
    const title = other ? `${order?.[i] ?? titleOf(one)}: ` : "";
    return make("p", { class: "statistics" }, title + statistics(arrayOf(data, one.number)));
  }));
  const differing = data.differing?.[made.number];
  if (differing?.length) panel.append(make("p", { class: "differing" }, differingInWords(differing, array)));
  panel.append(maps, entry, sum);
  const shown = both.map((one) => picturesOf(data, one, text));
  const many = shown[0].length > 1;
  const share = other || (many && shown[0][0].columns * 14 < width / 2) ? width / 2 - 6 : width;
  const drawn = [];
  for (let i = 0; i < shown[0].length; i++) {
    both.forEach((one, side) => {
      const picture = shown[side][i];
      if (!picture) return;
      const title = [titleOf(one), picture.title].filter(Boolean).join(", ");
      const map = heatMap({ ...picture, title, differing }, share, (row, column) => point(picture.start + row * picture.columns + column));
      drawn.push({ picture, map });
      maps.append(make("figure", {}, ...(other || picture.title ? [make("figcaption", {}, other ? title : picture.title)] : []), make("div", { class: "scroll" }, map.canvas)));
    });
  }
  const left = product(array.shape.slice(0, -2)) > MOST_PICTURES;
  if (left) panel.append(make("p", { class: "quiet" }, `The first ${MOST_PICTURES} matrices are shown.`));
  const factors = productOf(data, made, array);
  const byRow = BY_ROW.test(call.label) && array.shape.at(-1) > 1;
  const xhat = call.function.name === "backward" && visible(data, made.at).find((one) => one.name === "xhat");
  const along = xhat && data.views[xhat.number].shape.join() === array.shape.join() ? arrayOf(data, xhat.number).values : null;

  function point(place) {
    state.entry = place;
    for (const { picture, map } of drawn) {
      const inside = place - picture.start;
      const here = inside >= 0 && inside < picture.rows * picture.columns;
      const cursor = here ? { row: Math.floor(inside / picture.columns), column: inside % picture.columns } : null;
      map.draw(cursor, here && byRow ? { row: cursor.row } : null);
    }
    const words = both.map((one) => `${titleOf(one)}${indexInWords(array.shape, place)} = ${inWords(arrayOf(data, one.number).values[place])}`);
    entry.replaceChildren(make("strong", {}, words.join("   ")), namesInWords(data, made, array.shape, place, text));
    announce(entry.textContent);
    const line = factors ? null : explainLine(data, made, array, place);
    sum.replaceChildren(...[
      factors && explainProduct(factors, place, shown[0][0].names, width),
      line && make("p", { class: "sum" }, line.text, make("strong", { "data-sum": line.value }, inWords(line.value))),
      byRow && !factors && explainRow(titleOf(made), array, place, along),
    ].filter(Boolean));
    reveal(panel);
  }

  if (array.values.length) point(state.entry ?? differing?.[0] ?? largestEntry(array, shown[0]));
}

function differingInWords(places, { shape, values }) {
  const named = places.slice(0, 4).map((place) => indexInWords(shape, place)).join(", ");
  return `${places.length} of ${values.length} entries differ, crossed out: ${named}${places.length > 4 ? ", …" : ""}`;
}

const titleOf = (made) => (made.kind === "returned" && made.name !== "returned" ? `returned ${made.name}` : made.name);

function largestEntry({ values }, [first]) {
  let best = first?.start ?? 0;
  for (let i = best; i < best + (first ? first.rows * first.columns : 0); i++) if (Math.abs(values[i]) > Math.abs(values[best])) best = i;
  return best;
}

function indexOf(shape, place) {
  return shape.map((size, axis) => Math.floor(place / product(shape.slice(axis + 1))) % size);
}

const indexInWords = (shape, place) => (shape.length ? `[${indexOf(shape, place).join(", ")}]` : "");

function namesInWords(data, made, shape, place, text) {
  const names = indexOf(shape, place).flatMap((index, axis) => {
    const tokens = tokensAlong(data, made.axes[axis] ?? ".", text);
    return tokens ? [`“${tokens[index]}”`] : made.axes[axis] === "h" ? [`head ${index}`] : [];
  });
  return names.length ? ` (${names.join(", ")})` : "";
}
