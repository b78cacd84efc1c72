// The probability of each right word without the heads that are off, and the translation.
const WORD_END = 60;
const BAR_START = 66;
const BAR_LENGTH = 110; // of a probability of 1
const ROW_HEIGHT = 20;

const figure = {
  numbers(settings, { cases }) {
    const off = [];
    let number = 0; // of the case: head h is off where bit h is 1
    for (let head = 0; 2 ** head < cases.length; head += 1) {
      if (settings[`head_${head}`]) continue;
      off.push(head);
      number += 2 ** head;
    }

    const { right } = cases[number];
    const lost = right.map((p, place) => cases[0].right[place] - p);
    const most = lost.indexOf(Math.max(...lost));
    return { off, ...cases[number], most };
  },

  draw({ right, best, best_p }, settings, { words, cases }) {
    const shapes = [];
    words.forEach((word, place) => {
      const y = ROW_HEIGHT * place;
      const allHeads = BAR_LENGTH * cases[0].right[place];
      const width = BAR_LENGTH * right[place];
      shapes.push(shape("text", { class: "end", x: WORD_END, y: y + 14 }, word));
      shapes.push(shape("rect", { class: "bar", x: BAR_START, y: y + 3, width, height: 14 }));
      shapes.push(shape("rect", { class: "thin", x: BAR_START, y: y + 3, width: allHeads, height: 14 }));
      shapes.push(shape("text", { class: "end", x: 208, y: y + 14 }, right[place].toFixed(2)));
      if (best[place] === word) return;
      const other = `${best[place]} ${best_p[place].toFixed(2)}`;
      shapes.push(shape("text", { class: "start orange", x: 218, y: y + 14 }, other));
    });

    const y = ROW_HEIGHT * words.length + 14;
    shapes.push(shape("text", { class: "quiet", x: 121, y }, "outline: with all heads"));
    shapes.push(shape("text", { class: "start quiet", x: 218, y }, "more probable"));
    return [drawing(320, y + 6, ...shapes)];
  },

  say({ off, right, translation, most }, settings, { words, cases }) {
    if (off.length === 0) return `All heads are on: "${translation}"`;
    const before = cases[0].right[most].toFixed(2);
    return (
      `Without ${off.length === 1 ? "head" : "heads"} ${off.join(", ")}: "${translation}" ` +
      `${words[most]} loses most: from ${before} to ${right[most].toFixed(2)}.`
    );
  },
};
