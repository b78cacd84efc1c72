// The graph of L = (max(0, w x + c) - t)^2, and the steps of backward from L to the inputs.

// the names that get their gradient in each step
const STEPS = [[], ["L"], ["e"], ["y", "t"], ["b"], ["a", "c"], ["w", "x"]];

const BOXES = { times: 65, plus: 125, relu: 185, minus: 245, square: 305 };

// the arrow of each name; those of results go straight down
const ARROWS = {
  w: [[80, 33], [122, 52]],
  x: [[200, 33], [158, 52]],
  a: [[140, 78], [140, 113]],
  c: [[228, 107], [170, 121]],
  b: [[140, 138], [140, 173]],
  y: [[140, 198], [140, 233]],
  t: [[228, 227], [170, 241]],
  e: [[140, 258], [140, 293]],
  L: [[140, 318], [140, 353]],
};
const INPUTS = { w: [80, 12], x: [200, 12], c: [262, 90], t: [262, 210] };

const figure = {
  numbers({ w, c }, { x, t }) {
    const a = w * x;
    const b = a + c;
    const y = Math.max(0, b);
    const e = y - t;
    const L = e ** 2;

    const dL = 1;
    const de = 2 * e * dL;
    const dy = de;
    const dt = -de;
    const db = b > 0 ? dy : 0;
    const da = db;
    const dc = db;
    const dw = x * da;
    const dx = w * da;
    return {
      values: { w, c, x, t, a, b, y, e, L },
      gradients: { w: dw, c: dc, x: dx, t: dt, a: da, b: db, y: dy, e: de, L: dL },
    };
  },

  draw({ values, gradients }, { step }) {
    const now = STEPS[step];
    const reached = STEPS.slice(0, step + 1).flat();

    const shapes = [];
    for (const [name, [start, end]] of Object.entries(ARROWS)) {
      if (!reached.includes(name)) shapes.push(arrow(start, end, ""));
      else if (now.includes(name)) shapes.push(arrow(end, start, "purple thick"));
      else shapes.push(arrow(end, start, "purple"));
    }

    for (const [operation, y] of Object.entries(BOXES)) {
      shapes.push(shape("rect", { class: "stroke", x: 110, y: y - 12, width: 60, height: 24, rx: 5 }));
      shapes.push(shape("text", { x: 140, y: y + 4 }, operation));
    }

    for (const [name, value] of Object.entries(values)) {
      const gradient = reached.includes(name) ? `d${name} = ${written(gradients[name])}` : "";
      shapes.push(...labels(name, `${name} = ${written(value)}`, gradient));
    }
    return [drawing(300, 358, ...shapes)];
  },

  say({ values, gradients }, { step }) {
    const { w, x, b, e, L } = values;
    const g = gradients;
    const lines = [
      `Forward only: L = ${written(L)}. Move the step, and the gradient goes back.`,
      "dL = 1: the slope of L with respect to itself.",
      `de = 2 e dL = 2 · ${factor(e)} · 1 = ${written(g.e)}`,
      `dy = de = ${written(g.y)} and dt = −de = ${written(g.t)}`,
      b > 0 ? `db = dy = ${written(g.b)}, because b is above 0` : "db = 0, because b is not above 0",
      `da = db = ${written(g.a)} and dc = db = ${written(g.c)}`,
      `dw = x da = ${factor(x)} · ${factor(g.a)} = ${written(g.w)} and ` +
        `dx = w da = ${factor(w)} · ${factor(g.a)} = ${written(g.x)}`,
    ];
    return lines[step];
  },
};

function labels(name, value, gradient) {
  if (name in INPUTS) {
    const [x, y] = INPUTS[name];
    return [
      shape("text", { class: "blue", x, y }, value),
      shape("text", { class: "purple", x, y: y + 14 }, gradient),
    ];
  }
  const y = ARROWS[name][0][1] + 21;
  return [
    shape("text", { class: "blue end", x: 131, y }, value),
    shape("text", { class: "purple start", x: 149, y }, gradient),
  ];
}

function arrow([x0, y0], [x1, y1], look) {
  const length = Math.hypot(x1 - x0, y1 - y0);
  const along = [(x1 - x0) / length, (y1 - y0) / length];
  const [u, v] = along.map((part) => 7 * part);
  const head = `${x1 - u - v / 2} ${y1 - v + u / 2} L${x1} ${y1} L${x1 - u + v / 2} ${y1 - v - u / 2}`;
  return shape("path", { class: `stroke ${look}`, d: `M${x0} ${y0} L${x1} ${y1} M${head}` });
}

function factor(number) {
  return number < 0 ? `(${written(number)})` : written(number);
}
