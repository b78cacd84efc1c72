// How an entry came about: the row and the column of a matrix product and their sum in numbers, and the entry's row.
const TERMS = 4; // of a long sum that are written out
const BY_ROW = /^(Softmax|LayerNorm|LabelSmoothingLoss)/;

// The product of the step whose result has as many entries as the array, in the same order.
function productOf(data, made, array) {
  return data.steps[made.at].products.filter(([, , left, right]) => !isLeftOut(data, left) && !isLeftOut(data, right)).map(([leftText, rightText, left, right]) => {
    return { texts: [leftText, rightText], left: arrayOf(data, left), right: arrayOf(data, right) };
  }).find(({ left, right }) => right.shape.at(-1) === array.shape.at(-1) && (array.values.length * left.shape.at(-1)) / right.shape.at(-1) === left.values.length);
}

const inParentheses = (value) => (value < 0 ? `(${inWords(value)})` : inWords(value));

// terms: the factors of each product that is added.
function sumInWords(terms) {
  const written = (some) => some.map((factors) => factors.map(inParentheses).join(" · ")).join(" + ");
  const sum = terms.reduce((total, factors) => total + product(factors), 0);
  const long = terms.length > 2 * TERMS;
  const text = long ? `${written(terms.slice(0, TERMS))} + … + ${written(terms.slice(-1))} (${terms.length} terms)` : written(terms);
  return { sum, text };
}

// Two matrices with the row and the column of an entry, and the sum.
function explainProduct({ texts, left, right }, entry, [rowNames, columnNames], width) {
  const { inner, columns, rows: perMatrix } = sizesOf(left, right);
  const rows = left.shape.at(-2);
  const [place, column] = [Math.floor(entry / columns), entry % columns];
  const row = place % rows;
  const { sum, text } = sumInWords(termsOf(left, right, entry));
  const picture = (array, title, matrix, height, length, names, band) => {
    const start = matrix * height * length;
    const { canvas, draw } = heatMap({ array, start, rows: height, columns: length, names, title }, width / 2 - 12, null);
    draw(null, band);
    return make("figure", { class: "factor" }, make("figcaption", {}, title), make("div", { class: "scroll" }, canvas));
  };
  const words = `row ${row} of ${texts[0]} times column ${column} of ${texts[1]}`;
  return make("div", { class: "sum" },
    make("p", {}, `${words}: ${text} = `, make("strong", { "data-sum": sum }, inWords(sum))),
    make("div", { class: "factors" },
      picture(left, texts[0], Math.floor(place / rows), rows, inner, [rowNames], { row }),
      picture(right, texts[1], Math.floor(place / perMatrix), inner, columns, [null, columnNames], { column })));
}

// `xhat` is what LayerNorm's forward made, of the same shape: a gradient of its input has no part along it.
function explainRow(name, array, entry, xhat) {
  const columns = array.shape.at(-1) ?? 1;
  const start = entry - (entry % columns);
  const row = Array.from(array.values.slice(start, start + columns));
  const sum = row.reduce((total, value) => total + value, 0);
  const mean = sum / columns;
  const std = Math.sqrt(row.reduce((total, value) => total + (value - mean) ** 2, 0) / columns);
  const parts = { sum, mean, "standard deviation": std, "largest |x|": Math.max(...row.map(Math.abs)) };
  if (xhat) parts[`sum of ${name} · xhat`] = row.reduce((total, value, i) => total + value * xhat[start + i], 0);
  return make("p", { class: "sum" }, `row ${indexInWords(array.shape.slice(0, -1), Math.floor(entry / columns))} of ${name}: ${Object.entries(parts).map(([name, value]) => `${name} ${inWords(value)}`).join(", ")}`);
}
