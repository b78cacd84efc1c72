// The weights of one query as bars, and below them, if asked for, their entropy and the size of
// their gradient.
const figure = {
  numbers({ d_k, query, divided }, { sizes, scores }) {
    const raw = scores[query][sizes.indexOf(d_k)];
    const used = raw.map((score) => (divided ? score / Math.sqrt(d_k) : score));

    const largest = Math.max(...used);
    const powers = used.map((score) => Math.exp(score - largest));
    const total = powers.reduce((sum, power) => sum + power, 0);
    const weights = powers.map((power) => power / total);

    let entropy = 0;
    for (const weight of weights) {
      if (weight > 0) entropy -= weight * Math.log(weight);
    }

    // softmax's derivatives w_i (1[i = j] - w_j): the root of the sum of their squares
    let squares = 0;
    weights.forEach((one, i) => {
      weights.forEach((other, j) => {
        squares += (one * ((i === j ? 1 : 0) - other)) ** 2;
      });
    });
    return { scores: used, weights, entropy, gradient: Math.sqrt(squares) };
  },

  draw({ scores, weights, entropy, gradient }, settings, data) {
    const width = 320 / weights.length;
    const shapes = [];
    weights.forEach((weight, key) => {
      const x = width * key;
      const height = 100 * weight;
      const bar = { class: "bar", x: x + 3, y: 118 - height, width: width - 6, height };
      shapes.push(shape("rect", bar));
      shapes.push(shape("text", { x: x + width / 2, y: 114 - height }, weight.toFixed(2)));
      const score = scores[key].toFixed(Math.abs(scores[key]) < 9.95 ? 1 : 0);
      shapes.push(shape("text", { class: "quiet", x: x + width / 2, y: 132 }, written(Number(score))));
    });

    shapes.push(shape("path", { class: "thin", d: "M0 118.5 H320" }));
    shapes.push(shape("text", { class: "quiet", x: 160, y: 147 }, "bars: weights; below: scores"));
    if (!data.gradient) return [drawing(320, 152, ...shapes)];

    // gradients are at most 1/2, at two equal weights
    const gauges = [["entropy", entropy, Math.log(weights.length)], ["gradient", gradient, 0.5]];
    gauges.forEach(([name, value, most], row) => {
      const y = 160 + 22 * row;
      shapes.push(shape("text", { class: "start", x: 0, y: y + 11 }, name));
      shapes.push(shape("rect", { class: "thin", x: 60, y, width: 200, height: 14 }));
      const length = (200 * value) / most;
      shapes.push(shape("rect", { class: "bar", x: 60, y, width: length, height: 14 }));
      shapes.push(shape("text", { class: "end", x: 320, y: y + 11 }, written(value)));
    });
    return [drawing(320, 200, ...shapes)];
  },

  say({ weights, entropy, gradient }, { d_k, divided }, data) {
    const how = divided ? `divided by ${written(Math.sqrt(d_k))}` : "not divided";
    const largest = written(Math.max(...weights));
    const start = `d_k = ${d_k}, ${how}: largest weight ${largest}`;
    if (!data.gradient) return start;
    return (
      `${start}, entropy ${written(entropy)} nats ` +
      `(as of ${written(Math.exp(entropy))} equal weights), gradient ${written(gradient)}`
    );
  },
};
