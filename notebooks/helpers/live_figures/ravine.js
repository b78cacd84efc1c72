// Paths of gradient descent and of Adam down L = (x^2 + steep y^2) / 2.
const figure = {
  numbers({ descent_rate, adam_rate, beta1 }, { start, steep, n_steps, beta2, eps }) {
    const gradient = ([x, y]) => [x, steep * y];

    const descent = [start];
    for (let t = 1; t <= n_steps; t++) {
      const here = descent.at(-1);
      const g = gradient(here);
      descent.push(here.map((value, i) => value - descent_rate * g[i]));
    }

    const adam = [start];
    let m = [0, 0];
    let v = [0, 0];
    for (let t = 1; t <= n_steps; t++) {
      const here = adam.at(-1);
      const g = gradient(here);
      m = m.map((mean, i) => beta1 * mean + (1 - beta1) * g[i]);
      v = v.map((mean, i) => beta2 * mean + (1 - beta2) * g[i] ** 2);
      const mHat = m.map((mean) => mean / (1 - beta1 ** t));
      const vHat = v.map((mean) => mean / (1 - beta2 ** t));
      adam.push(here.map((value, i) => value - (adam_rate * mHat[i]) / (Math.sqrt(vHat[i]) + eps)));
    }
    const loss = ([x, y]) => (x ** 2 + steep * y ** 2) / 2;
    return { descent, adam, losses: { descent: loss(descent.at(-1)), adam: loss(adam.at(-1)) } };
  },

  draw({ descent, adam }, settings, { steep }) {
    return [
      valley("gradient descent", descent, steep, "orange"),
      valley("Adam", adam, steep, "blue"),
    ];
  },

  say({ descent, adam, losses }, { descent_rate, adam_rate, beta1 }) {
    const [lastDescent, lastAdam] = [descent.at(-1), adam.at(-1)];
    return (
      `After ${adam.length - 1} steps. Gradient descent, rate ${descent_rate}: ` +
      `${point(lastDescent)}, loss ${written(losses.descent)}. ` +
      `Adam, rate ${adam_rate}, \u03b2\u2081 ${beta1}: ${point(lastAdam)}, loss ${written(losses.adam)}`
    );
  },
};

// x from -5 to 3 and y from -1.6 to 1.6, with 40 units of the drawing for 1
const across = (x) => 40 * (x + 5);
const down = (y) => 64 - 40 * y;

function valley(name, path, steep, look) {
  const shapes = [shape("rect", { class: "thin", x: 0.5, y: 0.5, width: 319, height: 127 })];
  for (const loss of [0.2, 2, 8, 20, 50, 100]) {
    const rx = 40 * Math.sqrt(2 * loss);
    const ry = 40 * Math.sqrt((2 * loss) / steep);
    shapes.push(shape("ellipse", { class: "thin", cx: across(0), cy: down(0), rx, ry }));
  }

  const points = path.map(([x, y]) => `${across(x)},${down(y)}`);
  shapes.push(shape("polyline", { class: `stroke ${look}`, points: points.join(" ") }));
  for (const [x, y] of path) {
    shapes.push(shape("circle", { class: `dot ${look}`, cx: across(x), cy: down(y), r: 2 }));
  }
  shapes.push(shape("text", { class: "end", x: 314, y: 15 }, name));
  return drawing(320, 128, ...shapes);
}

function point([x, y]) {
  return `(${written(x)}, ${written(y)})`;
}
