// Blue below zero, red above it, the paper's color at zero; what is not a number is yellow.
const LIGHT_SCALE = { zero: [255, 255, 255], above: [178, 24, 43], below: [33, 102, 172], broken: [214, 180, 0], ink: "#1f2328", quiet: "#59636e", mark: "#9a6700" };
const DARK_SCALE = { zero: [22, 25, 29], above: [255, 107, 94], below: [97, 175, 255], broken: [200, 180, 40], ink: "#e6e8eb", quiet: "#9aa4af", mark: "#f2cc60" };
const scaleOfScheme = () => (isDark() ? DARK_SCALE : LIGHT_SCALE);

const LEVELS = 1024; // of a color

// The colors from -largest to largest, and of what is not a number, as pixels; small values are lifted a little.
function paletteOf(scale) {
  scale.palette ??= new Uint32Array(new Uint8Array(Array.from({ length: 2 * LEVELS + 2 }, (_, place) => {
    if (place > 2 * LEVELS) return [...scale.broken, 255];
    const share = (Math.abs(place - LEVELS) / LEVELS) ** 0.7;
    const end = place > LEVELS ? scale.above : scale.below;
    return [...scale.zero.map((part, i) => part + share * (end[i] - part)), 255];
  }).flat()).buffer);
  return scale.palette;
}

// An image of a matrix with one pixel per entry, or where there are more than fit, per block of entries: its largest,
// or NaN where there is one.
function imageOf(values, start, rows, columns, largest, width = columns, height = rows) {
  const [w, h] = [Math.max(Math.min(columns, width), 1), Math.max(Math.min(rows, height), 1)];
  const best = new Float64Array(w * h);
  const across = Uint32Array.from({ length: columns }, (_, column) => (column * w) / columns);
  for (let row = 0; row < rows; row++) {
    const [from, to] = [start + row * columns, Math.floor((row * h) / rows) * w];
    for (let column = 0; column < columns; column++) {
      const value = values[from + column];
      const place = to + across[column];
      if (Number.isNaN(best[place])) continue; // it stays visible
      if (!(Math.abs(value) <= Math.abs(best[place]))) best[place] = value; // also true when value is NaN
    }
  }
  const canvas = make("canvas", { width: w, height: h });
  const image = new ImageData(w, h);
  const [pixels, palette] = [new Uint32Array(image.data.buffer), paletteOf(scaleOfScheme())];
  for (let place = 0; place < best.length; place++) {
    const share = Math.max(-1, Math.min(best[place] / (largest || 1), 1)); // infinite ones are at the ends
    pixels[place] = palette[Number.isNaN(share) ? 2 * LEVELS + 1 : Math.round(LEVELS * (1 + share))];
  }
  canvas.getContext("2d").putImageData(image, 0, 0);
  return canvas;
}

// A small picture of an array, drawn once: all matrices of it one below the other.
function thumbnailOf(data, number) {
  data.thumbnails ??= new Map();
  if (!data.thumbnails.has(number)) {
    const { values, shape, largest, hasColors } = arrayOf(data, number);
    const columns = shape.at(-1) ?? 1;
    data.thumbnails.set(number, imageOf(values, 0, columns ? values.length / columns : 0, columns, hasColors ? largest : Infinity, 64, 24));
  }
  const image = data.thumbnails.get(number);
  const canvas = make("canvas", { width: image.width, height: image.height, "aria-hidden": "true" });
  canvas.getContext("2d").drawImage(image, 0, 0);
  canvas.style.width = `${Math.max(8, Math.min(64, 3 * image.width))}px`;
  canvas.style.height = `${Math.max(6, Math.min(18, 3 * image.height))}px`;
  return canvas;
}

function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}
