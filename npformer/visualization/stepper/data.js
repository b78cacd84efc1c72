// What packing.py packed: a JSON text and the numbers, their first bytes first.
const TYPES = [Float32Array, Float64Array];
const DIRECTIONS = ["forward", "backward", "update"];
const ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%:()*+-;,=.?@^_`{|}~"; // base 85

// Four bytes for each five characters.
function bytesOf(text) {
  const digits = new Uint8Array(128);
  for (const [digit, letter] of [...ALPHABET].entries()) digits[letter.charCodeAt(0)] = digit;
  const groups = Math.ceil(text.length / 5);
  const bytes = new DataView(new ArrayBuffer(4 * groups));
  for (let group = 0; group < groups; group++) {
    let number = 0;
    for (let i = 5 * group; i < 5 * (group + 1); i++) number = 85 * number + (i < text.length ? digits[text.charCodeAt(i)] : 84);
    bytes.setUint32(4 * group, number);
  }
  return bytes.buffer.slice(0, Math.floor((text.length * 4) / 5));
}

async function unpack(packed) {
  const stream = new Blob([bytesOf(packed)]).stream().pipeThrough(new DecompressionStream("deflate"));
  const buffer = new Uint8Array(await new Response(stream).arrayBuffer());
  const length = new DataView(buffer.buffer).getUint32(0, true);
  const data = JSON.parse(new TextDecoder().decode(buffer.subarray(4, 4 + length)));
  let start = 4 + length;
  data.numbers = TYPES.map((Type, kind) => {
    const [count, width] = [data.sizes[kind], Type.BYTES_PER_ELEMENT];
    const sorted = new Uint8Array(count * width);
    for (let plane = 0; plane < width; plane++) {
      for (let i = 0; i < count; i++) sorted[i * width + plane] = buffer[start + plane * count + i];
    }
    start += count * width;
    return new Type(sorted.buffer);
  });
  data.views = data.views.map(([block, shape, strides]) => ({ block, shape, strides }));
  return indexed(data);
}

// A line of a function as it is shown. `key` names it among the lines of its function; it is current when line `place` is.
const rowOf = (sign, number, place, text) => ({ sign, number, place, text, key: sign === "+" ? `+${number}` : String(number) });

// Steps of each call, and for every module and name the arrays that it had, in order.
function indexed(data) {
  data.stepsOf = data.calls.map(() => []);
  data.named = new Map();
  data.steps = data.steps.map(([call, line, done, made, products], at) => {
    data.stepsOf[call].push(at);
    return { call, line, done, products, made: made.map(([name, kind, number, axes]) => ({ name, kind, number, axes, at })) };
  });
  for (const source of data.functions) source.rows = source.lines.map((text, i) => rowOf("", source.first + i, source.first + i, text));
  if (data.comparison) readComparison(data);
  data.calls = data.calls.map(([module, code, parent, direction, first, last]) => {
    return { module, label: data.labels[module] ?? "", function: data.functions[code], parent, direction, first, last };
  });
  for (const step of data.steps) {
    for (const made of step.made.filter((one) => !one.isOfSecond)) {
      const key = `${data.calls[step.call].module} ${made.name}`;
      if (!data.named.has(key)) data.named.set(key, []);
      data.named.get(key).push(made);
    }
  }
  data.cache = new Map();
  data.stops = stopsOf(data);
  data.tour = data.comparison ? [] : tourOf(data);
  return data;
}

const product = (sizes) => sizes.reduce((total, size) => total * size, 1);

// An array in C order, with its statistics; the sums leave out what is not finite.
function arrayOf(data, number) {
  if (data.cache.has(number)) return data.cache.get(number);
  const view = data.views[number];
  if (isLeftOut(data, number)) return leftOut(data, view);
  const values = strided(view, blockOf(data, view.block));
  const hasColors = !data.integers?.includes(view.block); // ids have none
  const array = { shape: view.shape, values, hasColors, ...statisticsOf(values) };
  data.cache.set(number, array);
  return array;
}

// Whether the page has the shape of an array, but not its numbers.
const isLeftOut = (data, number) => product(data.views[number].shape) > 0 && data.blocks[data.views[number].block][2] === 0;

const leftOut = (data, { shape, block }) => ({ shape, values: blockOf(data, block), isLeftOut: true, hasColors: true, ...statisticsOf([]) });

function statisticsOf(values) {
  let [largest, sum, squares, finite] = [0, 0, 0, 0];
  for (let i = 0; i < values.length; i++) { // large arrays: iterators would take ten times as long
    const size = Math.abs(values[i]);
    if (!(size < Infinity)) continue;
    if (size > largest) largest = size;
    sum += values[i];
    finite += 1;
  }
  const mean = sum / finite;
  for (let i = 0; i < values.length; i++) if (Math.abs(values[i]) < Infinity) squares += (values[i] - mean) ** 2;
  return { largest, mean, std: Math.sqrt(squares / finite), finite };
}

function strided({ shape, strides }, block) {
  const values = new block.constructor(product(shape));
  const index = shape.map(() => 0);
  let from = 0;
  for (let to = 0; to < values.length; to++) {
    values[to] = block[from];
    for (let axis = shape.length - 1; axis >= 0; axis--) {
      from += strides[axis];
      if (++index[axis] < shape[axis]) break;
      from -= strides[axis] * shape[axis];
      index[axis] = 0;
    }
  }
  return values;
}

function blockOf(data, number) {
  const [type, start, size] = data.blocks[number];
  return data.numbers[type].subarray(start, start + size);
}

// The matrices of both factors of a product: the right one may be the same for all of the left.
function sizesOf(left, right) {
  const [inner, columns] = right.shape.slice(-2);
  const matrices = product(right.shape.slice(0, -2));
  return { inner, columns, rows: left.values.length / inner / matrices };
}

// The pairs of numbers whose products add up to an entry of left @ right, given as its place in C order.
function termsOf(left, right, entry) {
  const { inner, columns, rows } = sizesOf(left, right);
  const column = entry % columns;
  const row = Math.floor(entry / columns);
  const matrix = Math.floor(row / rows);
  return Array.from({ length: inner }, (_, k) => [
    left.values[row * inner + k],
    right.values[(matrix * inner + k) * columns + column],
  ]);
}

function inWords(value) {
  if (Number.isNaN(value)) return "NaN";
  if (!Number.isFinite(value)) return value > 0 ? "∞" : "−∞";
  const size = Math.abs(value);
  const text = Number.isInteger(value) && size < 1e6 ? String(value) : size < 1e-3 || size >= 1e5 ? value.toExponential(3) : value.toPrecision(4);
  return text.replaceAll("-", "−");
}
