// Figure 1 with all layers: a button per box, and arrows in an SVG under them.
const BOX = { width: 116, height: 46, gap: 15, left: 22, apart: 158 };

// Where each box is, from the bottom of its stack up, and when the data passed it: steps, or undefined.
function boxesOf(data) {
  const level = [0, 0];
  const boxes = data.boxes.map((box, number) => {
    const before = data.boxes.findLastIndex((other, i) => i < number && other.stack === box.stack);
    const below = before < 0 ? null : before;
    const starts = box.layer && box.layer !== data.boxes[below]?.layer;
    const ends = !box.layer && below !== null && data.boxes[below].layer;
    level[box.stack] += below === null ? 0 : BOX.height + BOX.gap + (starts || ends ? 10 : 0);
    return { ...box, number, below, x: BOX.left + box.stack * BOX.apart, up: level[box.stack] };
  });
  const height = Math.max(...level) + BOX.height + 24;
  for (const box of boxes) box.y = height - 12 - BOX.height - box.up;
  for (const call of data.calls) {
    const box = boxes.find((one) => one.modules[0] === call.module);
    if (!box) continue;
    if (call.function.name === "forward" && call.direction === "forward" && !box.output) {
      box.forward = box.residual ? additionIn(data, call) : call.first;
      box.passed = call.last;
      box.output = data.steps[call.last].made[0];
    } else if (call.function.name === "backward" && !box.gradient) {
      box.backward = call.first;
      box.gradient = data.steps[call.first].made[0];
    }
  }
  return { boxes, height, width: BOX.left + BOX.width + 26 + (boxes.some((box) => box.stack) ? BOX.apart : 0) };
}

// The step of Add & Norm after its sub-layer, which has a box of its own.
function additionIn(data, call) {
  const steps = data.stepsOf[data.calls.indexOf(call)];
  return steps.find((at) => data.steps[at].line === data.steps[call.last].line) ?? call.first;
}

// The box of a module: of those that it is in, the innermost.
function boxOf(boxes, module) {
  const fit = (box) => Math.max(...box.modules.map((name) => (name === module || module.startsWith(`${name}.`) ? name.length : 0)));
  return boxes.reduce((best, box) => (fit(box) > (best ? fit(best) : 0) ? box : best), null);
}

const SVG = "http://www.w3.org/2000/svg";
function draw(tag, attributes) {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  return element;
}

// An arrow into a box, which `passed` of the box highlights, and `back` turns round.
function arrow(points, box) {
  return draw("path", { d: `M${points.map((point) => point.join(" ")).join(" L")}`, class: "arrow", "data-box": box.number });
}

function buildFigure(data, panel) {
  const { boxes, height, width } = boxesOf(data);
  const svg = draw("svg", { width, height, "aria-hidden": "true" });
  svg.innerHTML = '<defs><marker id="head" viewBox="0 0 8 8" refX="7" refY="4" markerUnits="userSpaceOnUse" markerWidth="9" markerHeight="9" orient="auto-start-reverse"><path d="M0 0 8 4 0 8z"/></marker></defs>';
  const layers = [...new Set(boxes.map((box) => box.layer).filter(Boolean))];
  for (const layer of layers) {
    const inside = boxes.filter((box) => box.layer === layer);
    const [top, bottom] = [Math.min(...inside.map((box) => box.y)) - 9, Math.max(...inside.map((box) => box.y)) + BOX.height + 9];
    svg.append(draw("rect", { x: inside[0].x - 10, y: top, width: BOX.width + 26, height: bottom - top, rx: 8, class: "layer" }));
    const place = [inside[0].x - 11.5, top + 48];
    const name = draw("text", { x: place[0], y: place[1], transform: `rotate(-90 ${place.join(" ")})` });
    name.textContent = layer.replace(".layers.", " layer ");
    svg.append(name);
  }
  const memory = boxes.findLast((box) => !box.stack);
  for (const box of boxes) {
    const middle = box.x + BOX.width / 2;
    if (box.below !== null) svg.append(arrow([[middle, boxes[box.below].y], [middle, box.y + BOX.height]], box));
    if (box.residual) {
      const [inner, start] = [boxes[box.below], boxes[box.below].y + BOX.height + BOX.gap / 2];
      const from = box.label === "Add" && inner.below !== null ? boxes[inner.below].y + BOX.height + BOX.gap / 2 : start;
      const right = box.x + BOX.width + 9;
      svg.append(arrow([[middle, from], [right, from], [right, box.y + BOX.height / 2], [box.x + BOX.width, box.y + BOX.height / 2]], box));
    }
    if (box.memory && box.stack) {
      const [out, line] = [memory.y + BOX.height / 2, memory.x + BOX.width + 18];
      svg.append(arrow([[memory.x + BOX.width, out], [line, out], [line, box.y + BOX.height / 2], [box.x, box.y + BOX.height / 2]], box));
    }
  }
  const figure = make("div", { class: "figure", style: `width: ${width}px; height: ${height}px` }, svg);
  for (const box of boxes) {
    box.button = make("button", { type: "button", class: `box ${box.color}`, "data-box": box.number });
    box.button.style.cssText = `left: ${box.x}px; top: ${box.y}px; width: ${BOX.width}px; height: ${BOX.height}px`;
    box.images = make("span", { class: "images" });
    box.button.append(make("span", {}, box.label), box.images);
    figure.append(box.button);
  }
  panel.replaceChildren(figure);
  panel.scrollTop = height; // data begins at the bottom
  return { boxes, figure };
}

function showFigure(data, { boxes, figure }, state, panel) {
  const { module, direction } = data.calls[data.steps[state.now].call];
  const current = boxOf(boxes, module);
  for (const box of boxes) {
    const passed = box.output && box.passed <= state.now;
    const back = box.gradient && box.backward <= state.now;
    const pictures = `${Boolean(passed)} ${Boolean(back)} ${isDark()}`;
    if (!data.comparison && box.pictures !== pictures) {
      box.images.replaceChildren(...[passed && box.output, back && box.gradient].filter(Boolean).map((made) => thumbnailOf(data, made.number)));
      box.pictures = pictures;
    }
    box.button.classList.toggle("passed", Boolean(passed));
    box.button.classList.toggle("back", Boolean(back));
    box.button.setAttribute("aria-current", box === current);
    box.button.disabled = box.forward === undefined && box.backward === undefined;
    box.button.setAttribute("aria-label", `${box.label}, ${box.modules[0]}${back ? ", backward has passed" : passed ? ", passed" : ""}`);
    if (data.comparison) shadeBox(box, direction);
  }
  for (const line of figure.querySelectorAll(".arrow")) {
    const box = boxes[line.dataset.box];
    line.classList.toggle("passed", box === current ? true : box.button.classList.contains("passed"));
    line.classList.toggle("back", box.button.classList.contains("back"));
  }
  figure.dataset.direction = direction;
  if (!current) return;
  // what is above the figure stays in view, over its top
  const [top, bottom] = [current.y - 30, figure.offsetTop + current.y + BOX.height + 30];
  if (top < panel.scrollTop) panel.scrollTop = top;
  else if (bottom > panel.scrollTop + panel.clientHeight) panel.scrollTop = bottom - panel.clientHeight;
}
