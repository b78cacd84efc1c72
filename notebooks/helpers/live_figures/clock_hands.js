// Each pair of sinusoids as the hand of a clock: its sine to the right, its cosine upward.
const figure = {
  numbers({ position, other }, { d_model }) {
    const hands = [];
    let product = 0;
    for (let i = 0; i < d_model / 2; i++) {
      const rate = 10000 ** ((-2 * i) / d_model);
      const angle = rate * position;
      const otherAngle = rate * other;
      hands.push({ wavelength: (2 * Math.PI) / rate, angle, otherAngle });
      product += Math.cos(angle - otherAngle);
    }
    return { hands, product };
  },

  draw({ hands }) {
    return hands.map(({ wavelength, angle, otherAngle }, i) => {
      const features = `features ${2 * i}, ${2 * i + 1}`;
      const values = `${Math.sin(angle).toFixed(2)}, ${Math.cos(angle).toFixed(2)}`;
      const clock = drawing(
        100,
        150,
        shape("text", { x: 50, y: 12 }, features),
        shape("circle", { class: "thin", cx: 50, cy: 64, r: 43 }),
        shape("path", { class: "thin", d: "M50 21 V27 M50 101 V107 M7 64 H13 M87 64 H93" }),
        hand("orange dashed", otherAngle),
        hand("blue", angle),
        shape("text", { x: 50, y: 124 }, values.replaceAll("-", "\u2212")),
        shape("text", { class: "quiet", x: 50, y: 141 }, `wave of ${written(wavelength)}`),
      );
      clock.setAttribute("class", "small");
      return clock;
    });
  },

  say({ hands, product }, { position, other }) {
    const turns = hands[0].angle / (2 * Math.PI);
    const degrees = (hands.at(-1).angle * 180) / Math.PI;
    return (
      `Position ${position}: the first hand has turned ${written(turns)} times, the last by ` +
      `${written(degrees)} degrees. Dot product with position ${other}: ${written(product)}`
    );
  },
};

function hand(look, angle) {
  const x = 50 + 40 * Math.sin(angle);
  const y = 64 - 40 * Math.cos(angle);
  return shape("path", { class: `stroke thick ${look}`, d: `M50 64 L${x} ${y}` });
}
