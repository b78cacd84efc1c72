// A heat map of one matrix of an array, with names along its axes, and a cursor that pointer and keys move.
const FONT = "12px system-ui, sans-serif";
const STEPS = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] };

// The width of texts, of which a longer one is drawn narrower.
function widest(texts) {
  widest.context ??= make("canvas").getContext("2d");
  widest.context.font = FONT;
  return Math.min(Math.max(0, ...texts.map((text) => widest.context.measureText(text).width)), 92);
}

const widthOfNames = (names) => (names ? widest(names) + 6 : 0);

// picture: { array, start, rows, columns, names: [of rows, of columns], title, differing: places }; moved(row, column) is
// called. Ids are written into their cells, which have no color.
function heatMap(picture, width, moved) {
  const { rows, columns, names: [rowNames, columnNames], title, hidesRowNames } = picture;
  const canvas = make("canvas", { class: "map", role: "img", tabindex: 0, "aria-label": `${title}: ${rows} rows, ${columns} columns.${moved ? " Arrow keys move from entry to entry." : ""}` });
  const context = canvas.getContext("2d");
  // pictures beside each other, of which the first alone has names, have cells of one size
  const room = width - widthOfNames(rowNames);
  const left = hidesRowNames ? 0 : widthOfNames(rowNames);
  const top = columnNames ? widest(columnNames) + 6 : 0;
  const writes = !picture.array.hasColors && columns < 60;
  const across = Math.max(writes ? widest(numbersOf(picture).map(inWords)) + 8 : 0, Math.min((room - 2) / columns, columnNames ? 24 : 20), 1.5, columnNames && columns < 40 ? 12 : 0);
  const down = Math.max(rowNames ? Math.min(across, 18) : Math.min(across, 14), rowNames && rows <= 60 ? 13 : 3, rows < 3 ? 14 : 0);
  const size = [left + across * columns + 2, top + down * rows + 2];
  const { array, start } = picture;
  array.images ??= new Map();
  if (!array.images.has(start)) array.images.set(start, imageOf(array.values, start, rows, columns, array.hasColors ? array.largest : Infinity));
  const image = array.images.get(start);
  const scale = Math.min(devicePixelRatio, 2);
  [canvas.width, canvas.height] = size.map((length) => Math.max(1, Math.round(length * scale)));
  [canvas.style.width, canvas.style.height] = size.map((length) => `${length}px`);

  function draw(cursor, band) {
    const { ink, quiet, mark } = scaleOfScheme();
    context.setTransform(scale, 0, 0, scale, 0, 0);
    context.clearRect(0, 0, ...size);
    context.imageSmoothingEnabled = false;
    context.drawImage(image, left + 1, top + 1, across * columns, down * rows);
    context.strokeStyle = quiet;
    context.lineWidth = 0.5;
    context.strokeRect(left + 0.5, top + 0.5, across * columns + 1, down * rows + 1);
    context.font = FONT;
    context.textBaseline = "middle";
    const every = (cell) => Math.ceil(12 / cell);
    rowNames?.forEach((name, row) => {
      if (hidesRowNames || row % every(down)) return;
      context.fillStyle = cursor?.row === row ? mark : ink;
      context.textAlign = "right";
      context.fillText(name, left - 4, top + 1 + (row + 0.5) * down, left - 4);
    });
    columnNames?.forEach((name, column) => {
      if (column % every(across)) return;
      context.save();
      context.translate(left + 1 + (column + 0.5) * across, top - 4);
      context.rotate(-Math.PI / 2);
      context.fillStyle = cursor?.column === column ? mark : ink;
      context.textAlign = "left";
      context.fillText(name, 0, 0, top - 4);
      context.restore();
    });
    if (writes) writeNumbers(context, picture, (row, column) => [left + 1 + (column + 0.5) * across, top + 1 + (row + 0.5) * down], ink);
    for (const place of picture.differing ?? []) {
      const [row, column] = [Math.floor((place - start) / columns), (place - start) % columns];
      if (row >= 0 && row < rows) strike(context, left + 1 + column * across, top + 1 + row * down, across, down, ink);
    }
    context.strokeStyle = mark;
    context.lineWidth = 1.5;
    if (band?.row !== undefined) context.strokeRect(left + 1, top + 1 + band.row * down, across * columns, down);
    if (band?.column !== undefined) context.strokeRect(left + 1 + band.column * across, top + 1, across, down * rows);
    const marked = cursor ?? band;
    if (marked && (size[0] > width || size[1] > 250)) canvas.dataset.place = [left + (marked.column ?? 0) * across, top + (marked.row ?? 0) * down];
    if (cursor) context.strokeRect(left + 1 + cursor.column * across, top + 1 + cursor.row * down, across, down);
  }

  let at = null;
  const go = (row, column) => {
    at = [Math.max(0, Math.min(row, rows - 1)), Math.max(0, Math.min(column, columns - 1))];
    moved(...at);
  };
  if (rows && columns && moved) {
    canvas.addEventListener("pointermove", (event) => {
      const box = canvas.getBoundingClientRect();
      const [row, column] = [(event.clientY - box.top - top - 1) / down, (event.clientX - box.left - left - 1) / across].map(Math.floor);
      if (row >= 0 && column >= 0 && row < rows && column < columns) go(row, column);
    });
    canvas.addEventListener("focus", () => at ?? go(0, 0));
    canvas.addEventListener("keydown", (event) => {
      if (!(event.key in STEPS) || event.altKey || event.ctrlKey || event.metaKey) return;
      const [row, column] = at ?? [0, 0];
      go(row + STEPS[event.key][0], column + STEPS[event.key][1]);
      event.preventDefault();
      event.stopPropagation();
    });
  }
  return { canvas, draw };
}

const numbersOf = ({ array, start, rows, columns }) => Array.from(array.values.subarray(start, start + rows * columns));

function writeNumbers(context, picture, middleOf, ink) {
  context.fillStyle = ink;
  context.textAlign = "center";
  for (const [i, value] of numbersOf(picture).entries()) {
    context.fillText(inWords(value), ...middleOf(Math.floor(i / picture.columns), i % picture.columns));
  }
}

// Frame a cell and cross it out, so that it is seen on every color.
function strike(context, x, y, width, height, ink) {
  context.strokeStyle = ink;
  context.lineWidth = 1;
  context.strokeRect(x + 0.5, y + 0.5, width - 1, height - 1);
  context.beginPath();
  context.moveTo(x, y + height);
  context.lineTo(x + width, y);
  context.stroke();
}

// Scroll large pictures to the entries that are marked.
function reveal(parent) {
  for (const canvas of parent.querySelectorAll("canvas[data-place]")) {
    const box = canvas.parentElement;
    const [x, y] = canvas.dataset.place.split(",").map(Number);
    if (x > box.scrollLeft + box.clientWidth - 8 || x < box.scrollLeft) box.scrollLeft = x - box.clientWidth / 2;
    if (y > box.scrollTop + box.clientHeight - 8 || y < box.scrollTop) box.scrollTop = y - box.clientHeight / 2;
  }
}
