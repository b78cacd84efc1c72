// Blue below zero, red above it, the paper's color at zero; what is not a number is yellow.
const DARK = matchMedia("(prefers-color-scheme: dark)");
const LIGHT_SCALE = { zero: [255, 255, 255], above: [178, 24, 43], below: [33, 102, 172], broken: [214, 180, 0], ink: "#1f2328", quiet: "#59636e", mark: "#9a6700" };
const DARK_SCALE = { zero: [22, 25, 29], above: [255, 107, 94], below: [97, 175, 255], broken: [200, 180, 40], ink: "#e6e8eb", quiet: "#9aa4af", mark: "#f2cc60" };
const scaleOfScheme = () => (DARK.matches ? DARK_SCALE : LIGHT_SCALE);

// Write the color of value / largest into four bytes; small values are lifted a little.
function paint(bytes, place, value, largest, scale) {
  const share = largest ? Math.min(Math.abs(value) / largest, 1) ** 0.7 : Math.abs(value) === Infinity ? 1 : 0;
  const end = Number.isNaN(value) ? scale.broken : value > 0 ? scale.above : scale.below;
  for (let part = 0; part < 3; part++) {
    bytes[place + part] = Number.isNaN(value) ? end[part] : scale.zero[part] + share * (end[part] - scale.zero[part]);
  }
  bytes[place + 3] = 255;
}

// An image of a matrix with one pixel per entry, or where there are more than fit, per block of entries: its largest.
function imageOf(values, start, rows, columns, largest, width = columns, height = rows) {
  const [w, h] = [Math.max(Math.min(columns, width), 1), Math.max(Math.min(rows, height), 1)];
  const best = new Float64Array(w * h);
  for (let row = 0; row < rows; row++) {
    for (let column = 0; column < columns; column++) {
      const value = values[start + row * columns + column];
      const place = Math.floor((row * h) / rows) * w + Math.floor((column * w) / columns);
      if (!(Math.abs(value) <= Math.abs(best[place]))) best[place] = value;
    }
  }
  const canvas = make("canvas", { width: w, height: h });
  const [image, scale] = [new ImageData(w, h), scaleOfScheme()];
  for (let place = 0; place < best.length; place++) paint(image.data, 4 * place, best[place], largest, scale);
  canvas.getContext("2d").putImageData(image, 0, 0);
  return canvas;
}

// A small picture of an array, drawn once: all matrices of it one below the other.
function thumbnailOf(data, number) {
  data.thumbnails ??= new Map();
  if (!data.thumbnails.has(number)) {
    const { values, shape, largest } = arrayOf(data, number);
    const columns = shape.at(-1) ?? 1;
    data.thumbnails.set(number, imageOf(values, 0, columns ? values.length / columns : 0, columns, largest, 64, 24));
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
