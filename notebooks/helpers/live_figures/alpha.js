// Finished hypotheses on their tree, and the score of each: log P divided by the length penalty.
const ROW = 46;
const WORD = 43; // from one word to the next
const LINE_START = 196; // of the lines of scores
const LINE_END = 276;

const figure = {
  numbers({ alpha }, { lengths, log_p }) {
    const penalties = lengths.map((length) => ((5 + length) / 6) ** alpha);
    const scores = log_p.map((value, i) => value / penalties[i]);
    const best = scores.indexOf(Math.max(...scores));
    return { penalties, scores, best };
  },

  draw({ scores, best }, settings, { sentences, log_p, lowest }) {
    const height = ROW * sentences.length;
    const across = (score) => LINE_START + (LINE_END - LINE_START) * (1 - score / lowest);
    const shapes = [];

    // a line from the words before to each word, as wide as their probability
    const drawn = new Set();
    sentences.forEach((words, row) => {
      words.forEach((word, i) => {
        const name = words.slice(0, i + 1).join(" ");
        if (drawn.has(name)) return;
        drawn.add(name);
        const from = middle(words.slice(0, i), sentences);
        const to = middle(words.slice(0, i + 1), sentences);
        const p = probability(words.slice(0, i + 1), sentences, log_p);
        const x = WORD * i + 6;
        const turn = x + 12;
        const d = `M${x} ${from} L${turn} ${to} H${x + WORD}`;
        const isBest = sentences[best].slice(0, i + 1).join(" ") === name;
        const look = isBest ? "stroke blue" : "thin";
        shapes.push(shape("path", { class: look, d, "stroke-width": 1 + 10 * p }));
        shapes.push(shape("text", { class: "start", x: turn + 3, y: to - 9 }, word));
      });

      // the score of the hypothesis, on a line from the lowest to 0
      const y = ROW * (row + 0.5);
      const x = across(scores[row]);
      const look = row === best ? "blue" : "quiet";
      shapes.push(shape("path", { class: "thin", d: `M${LINE_START} ${y} H${LINE_END}` }));
      const radius = row === best ? 7 : 4;
      const color = row === best ? "dot blue" : "";
      shapes.push(shape("circle", { class: color, fill: "currentColor", cx: x, cy: y, r: radius }));
      shapes.push(shape("text", { class: `end ${look}`, x: 320, y: y + 4 }, written(scores[row])));
    });

    const x = across(scores[best]);
    shapes.push(shape("path", { class: "stroke blue dashed", d: `M${x} 0 V${height}` }));
    shapes.push(shape("text", { class: "quiet", x: LINE_START, y: height + 14 }, written(lowest)));
    shapes.push(shape("text", { class: "quiet", x: LINE_END, y: height + 14 }, "0"));
    shapes.push(shape("text", { class: "end quiet", x: 320, y: height + 14 }, "score"));
    return [drawing(320, height + 20, ...shapes)];
  },

  say({ penalties, scores, best }, { alpha }, { sentences, lengths, log_p }) {
    const words = sentences[best].join(" ");
    return (
      `alpha = ${written(alpha)}: "${words}" wins. Its ${lengths[best]} tokens have ` +
      `log P = ${written(log_p[best])}, divided by ${written(penalties[best])}: ` +
      `score ${written(scores[best])}`
    );
  },
};

// The rows whose hypotheses begin with some words.
function rowsWith(words, sentences) {
  const rows = [];
  sentences.forEach((sentence, row) => {
    if (words.every((word, i) => sentence[i] === word)) rows.push(row);
  });
  return rows;
}

// The height of some words: the mean of the rows that begin with them.
function middle(words, sentences) {
  const rows = rowsWith(words, sentences);
  const sum = rows.reduce((total, row) => total + row, 0);
  return ROW * (sum / rows.length + 0.5);
}

function probability(words, sentences, log_p) {
  return rowsWith(words, sentences).reduce((total, row) => total + Math.exp(log_p[row]), 0);
}
