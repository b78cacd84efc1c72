// The probabilities of the next character as bars on a logarithmic scale: what temperature, top-k
// and top-p make of the logits at one position of a sentence.
const LOWEST = 1e-4; // of the scale
const N_BARS = 12;

const figure = {
  numbers({ read, temperature, top_k, top_p }, { logits }) {
    const scaled = logits[read].map((logit) => logit / temperature);
    const p = softmaxOf(scaled);

    // the most probable first; the first top_k of them, with a sum of 1, are what top_p looks at
    const order = p.map((_, id) => id).sort((a, b) => p[b] - p[a]);
    const total = order.slice(0, top_k).reduce((sum, id) => sum + p[id], 0);
    const drawn = p.map(() => 0);
    let before = 0;
    for (const id of order.slice(0, top_k)) {
      if (before < top_p) drawn[id] = p[id];
      before += p[id] / total;
    }
    const kept = drawn.reduce((sum, value) => sum + value, 0);
    return { order, p, drawn: drawn.map((value) => value / kept) };
  },

  draw({ order, p, drawn }, { read }, { text, characters }) {
    const shapes = [];
    const beginning = shownAs(text.slice(0, read));
    shapes.push(shape("text", { class: "start", x: 0, y: 12 }, `${beginning}|`));

    for (let power = 0; power >= -4; power--) {
      const y = height(10 ** power);
      shapes.push(shape("path", { class: "thin", d: `M46 ${y} H320` }));
      shapes.push(shape("text", { class: "quiet end", x: 42, y: y + 4 }, String(10 ** power)));
    }

    order.slice(0, N_BARS).forEach((id, place) => {
      const x = 48 + 22.5 * place;
      const top = height(p[id]);
      const outline = { class: "thin dashed", x: x + 2.25, y: top, width: 18, height: FLOOR - top };
      shapes.push(shape("rect", outline));
      if (drawn[id] > 0) {
        const y = height(drawn[id]);
        shapes.push(shape("rect", { class: "bar", x: x + 2.25, y, width: 18, height: FLOOR - y }));
      }
      const look = drawn[id] > 0 ? {} : { class: "quiet" };
      const name = shownAs(characters[id]);
      shapes.push(shape("text", { ...look, x: x + 11.25, y: FLOOR + 16 }, name));
    });
    const below = "solid: what is drawn from; dashed: before the cut";
    shapes.push(shape("text", { class: "quiet", x: 160, y: FLOOR + 34 }, below));
    return [drawing(320, FLOOR + 40, ...shapes)];
  },

  say({ order, p, drawn }, settings, { characters }) {
    const n_kept = drawn.filter((value) => value > 0).length;
    const first = order.slice(0, Math.min(3, n_kept));
    const named = first.map((id) => `${shownAs(characters[id])} ${written(drawn[id])}`);
    let cut = 0;
    drawn.forEach((value, id) => {
      if (value === 0) cut += p[id];
    });
    return (
      `${n_kept} of ${characters.length} characters remain; cut off: ${written(cut)}. ` +
      `Drawn with: ${named.join(", ")}${n_kept > 3 ? ", ..." : ""}`
    );
  },
};

const FLOOR = 140; // where bars stand
function height(p) {
  const share = 1 - Math.log(Math.max(p, LOWEST)) / Math.log(LOWEST);
  return FLOOR - 112 * share;
}

function softmaxOf(scores) {
  const largest = Math.max(...scores);
  const powers = scores.map((score) => Math.exp(score - largest));
  const total = powers.reduce((sum, power) => sum + power, 0);
  return powers.map((power) => power / total);
}

function shownAs(text) {
  return text.replaceAll(" ", "\u2423").replaceAll("\n", "\u21b5");
}
