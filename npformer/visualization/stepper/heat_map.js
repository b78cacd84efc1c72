// A heat map of one matrix of an array, with names along its axes, and a cursor that pointer and keys move.
const FONT = "11px system-ui, sans-serif";
const STEPS = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] };

// picture: { array, start, rows, columns, names: [of rows, of columns], title }; moved(row, column) is called.
function heatMap(picture, width, moved) {
  const { rows, columns, names: [rowNames, columnNames], title } = picture;
  const canvas = make("canvas", { class: "map", role: "img", tabindex: 0, "aria-label": `${title}: ${rows} rows, ${columns} columns. Arrow keys move from entry to entry.` });
  const context = canvas.getContext("2d");
  context.font = FONT;
  const widest = (texts) => Math.min(Math.max(0, ...texts.map((text) => context.measureText(text).width)), 92);
  const left = rowNames ? widest(rowNames) + 6 : 0;
  const top = columnNames ? widest(columnNames) + 6 : 0;
  const across = Math.max(Math.min((width - left - 2) / columns, columnNames ? 24 : 20), 1.5, columnNames && columns < 40 ? 12 : 0);
  const down = Math.max(rowNames ? Math.min(across, 18) : Math.min(across, 14), rowNames && rows <= 60 ? 13 : 3, rows < 3 ? 14 : 0);
  const size = [left + across * columns + 2, top + down * rows + 2];
  const { array, start } = picture;
  array.images ??= new Map();
  if (!array.images.has(start)) array.images.set(start, imageOf(array.values, start, rows, columns, array.largest));
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
      if (row % every(down)) return;
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
    context.strokeStyle = mark;
    context.lineWidth = 1.5;
    if (band?.row !== undefined) context.strokeRect(left + 1, top + 1 + band.row * down, across * columns, down);
    if (band?.column !== undefined) context.strokeRect(left + 1 + band.column * across, top + 1, across, down * rows);
    const add_special_tokens = cursor ?? band;
    if (add_special_tokens && (size[0] > width || size[1] > 250)) canvas.dataset.place = [left + (add_special_tokens.column ?? 0) * across, top + (add_special_tokens.row ?? 0) * down];
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

// Scroll large pictures to their add_special_tokens entries.
function reveal(parent) {
  for (const canvas of parent.querySelectorAll("canvas[data-place]")) {
    const box = canvas.parentElement;
    const [x, y] = canvas.dataset.place.split(",").map(Number);
    if (x > box.scrollLeft + box.clientWidth - 8 || x < box.scrollLeft) box.scrollLeft = x - box.clientWidth / 2;
    if (y > box.scrollTop + box.clientHeight - 8 || y < box.scrollTop) box.scrollTop = y - box.clientHeight / 2;
  }
}
