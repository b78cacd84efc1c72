// What page.py packed: a JSON text and the numbers, their first bytes first.
const TYPES = [Float32Array, Float64Array, Uint8Array];
const DIRECTIONS = ["forward", "backward", "update"];

async function unpack(packed) {
  const text = atob(packed);
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
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
  return indexed(data);
}

// Steps of each call, and for every module and name the arrays that it had, in order.
function indexed(data) {
  data.stepsOf = data.calls.map(() => []);
  data.named = new Map();
  data.steps = data.steps.map(([call, line, done, made, products], at) => {
    data.stepsOf[call].push(at);
    return { call, line, done, products, made: made.map(([name, kind, number, axes]) => ({ name, kind, number, axes, at })) };
  });
  data.calls = data.calls.map(([module, code, parent, direction, first, last]) => {
    return { module, label: data.labels[module] ?? "", function: data.functions[code], parent, direction, first, last };
  });
  for (const step of data.steps) {
    for (const made of step.made) {
      const key = `${data.calls[step.call].module} ${made.name}`;
      if (!data.named.has(key)) data.named.set(key, []);
      data.named.get(key).push(made);
    }
  }
  data.cache = new Map();
  return data;
}

const product = (sizes) => sizes.reduce((total, size) => total * size, 1);

// An array in C order, with its statistics; the sums leave out what is not finite.
function arrayOf(data, number) {
  if (data.cache.has(number)) return data.cache.get(number);
  const view = data.views[number];
  const values = view.computed ? computed(data, view) : strided(data, view);
  let [largest, sum, squares, finite] = [0, 0, 0, 0];
  for (const value of values) {
    if (!Number.isFinite(value)) continue;
    largest = Math.max(largest, Math.abs(value));
    sum += value;
    finite += 1;
  }
  const mean = sum / finite;
  for (const value of values) if (Number.isFinite(value)) squares += (value - mean) ** 2;
  const array = { shape: view.shape, values, largest, mean, std: Math.sqrt(squares / finite), finite };
  data.cache.set(number, array);
  return array;
}

function strided(data, { shape, strides, place: [type, start] }) {
  const block = data.numbers[type];
  const values = new block.constructor(product(shape));
  const index = shape.map(() => 0);
  let from = start;
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

// A gradient that the recording has as computed, and the page as a product, or as an earlier one with other rows.
function computed(data, { shape, computed: [how, first, second, changed] }) {
  const left = arrayOf(data, first);
  if (how === "rows") {
    const values = left.values.slice();
    const other = arrayOf(data, changed).values;
    for (const [i, row] of second.entries()) values.set(other.subarray(i * shape[1], (i + 1) * shape[1]), row * shape[1]);
    return values;
  }
  const right = arrayOf(data, second);
  const [[rows, inner], columns] = [left.shape, right.shape[1]];
  const values = new Float64Array(rows * columns);
  for (let row = 0; row < rows; row++) {
    for (let k = 0; k < inner; k++) {
      const factor = left.values[row * inner + k];
      if (factor === 0) continue;
      for (let column = 0; column < columns; column++) values[row * columns + column] += factor * right.values[k * columns + column];
    }
  }
  return Float32Array.from(values);
}

// The pairs of numbers whose products add up to an entry of left @ right, given as its place in C order.
function termsOf(left, right, entry) {
  const [rows, inner] = left.shape.slice(-2);
  const columns = right.shape.at(-1);
  const column = entry % columns;
  const row = Math.floor(entry / columns) % rows;
  const matrix = Math.floor(entry / columns / rows);
  return Array.from({ length: inner }, (_, k) => [
    left.values[(matrix * rows + row) * inner + k],
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
