// A tour: places of an update, each with what one sees there. All numbers are those of the page.
const TOUR = [
  ["embedding", embeddingStop], ["positions", positionsStop], ["scores", scoresStop], ["softmax", softmaxStop],
  ["Add & Norm", residualStop], ["masked scores", maskedStop], ["cross-attention", crossStop],
  ["logits", logitsStop], ["loss", lossStop],
  ["dlogits", dlogitsStop], ["dscores", dscoresStop], ["embedding gradient", tableStop], ["Adam", adamStop],
];

// The stops that the update has, in the order in which it comes to them: name, words(), and a place.
function tourOf(data) {
  const found = TOUR.flatMap(([name, find]) => {
    const stop = find(data);
    return stop?.made ? [{ name, words: stop.words, ...placeAfter(data, stop.made), ...(stop.largest ? { entry: largestOf(data, stop.made) } : {}) }] : [];
  });
  return found.length > 1 ? found.sort((a, b) => a.now - b.now) : [];
}

const callOf = (data, made) => data.steps[made.at].call;
const valuesOf = (data, made) => arrayOf(data, made.number).values;
const sizesOfMade = (data, made) => data.views[made.number].shape;
const lastIn = (data, call, fits) => data.stepsOf[call]?.flatMap((at) => data.steps[at].made).findLast(fits);
const localIn = (data, call, name) => lastIn(data, call, (made) => made.name === name && made.kind === "local");
const argumentIn = (data, call, name) => lastIn(data, call, (made) => made.name === name && made.kind === "argument");
const forwardOf = (data, fits) => data.calls.findIndex((call) => call.direction === "forward" && call.function.name === "forward" && fits(call));

function largestOf(data, made) {
  const values = valuesOf(data, made);
  return values.reduce((best, value, place) => (value > values[best] ? place : best), 0);
}

// The sum of each row.
function rowSums(data, made) {
  const width = sizesOfMade(data, made).at(-1);
  const sums = new Float64Array(valuesOf(data, made).length / width);
  valuesOf(data, made).forEach((value, place) => { sums[Math.floor(place / width)] += value; });
  return sums;
}

const roundingInWords = (data, made) => `by rounding, up to ${inWords(largestSize(rowSums(data, made)))} away from it`;

const largestSize = (values) => values.reduce((largest, value) => Math.max(largest, Math.abs(value)), 0);

// How much an array differs from another of the same shape, at most.
function largestChange(data, made, before) {
  const old = valuesOf(data, before);
  return largestSize(valuesOf(data, made).map((value, place) => value - old[place]));
}

function largestInWords(data, made) {
  const place = largestOf(data, made);
  return `${inWords(valuesOf(data, made)[place])}${namesInWords(data, made, sizesOfMade(data, made), place, 0)}`;
}

function embeddingStop(data) {
  const made = firstMade(data, (one, call) => one.kind === "returned" && call.direction === "forward" && /^Embedding\b/.test(call.label));
  const words = () => {
    const shape = sizesOfMade(data, made);
    return `${trainingInWords(data)}The id of each token chooses a row of the embedding matrix. ${product(shape.slice(0, -1))} tokens become ${product(shape.slice(0, -1))} vectors of ${shape.at(-1)} numbers, one per row.`;
  };
  return { made, words };
}

// What is trained, where a decoder reads the target of an encoder's source.
function trainingInWords(data) {
  if (!crossScores(data)) return "";
  const read = data.tokens.t ? `: “${data.tokens.t[0].join(" ")}”` : "";
  return `This is one training step: the decoder is given the target sentence, shifted right by one${read}. `;
}

function positionsStop(data) {
  const made = firstMade(data, (one, call) => one.kind === "returned" && call.direction === "forward" && call.module.endsWith(".positions"));
  const before = made && argumentIn(data, callOf(data, made), "x");
  const words = () => `The vector of each position is added, so that the order of the tokens counts. It changes an entry by at most ${inWords(largestChange(data, made, before))}.`;
  return { made: before && made, words };
}

const firstScores = (data) => firstMade(data, (made, call) => made.name === "scores" && made.kind === "local" && call.direction === "forward");

function scoresStop(data) {
  const first = firstScores(data);
  const made = first && localIn(data, callOf(data, first), "scores");
  const words = () => {
    const heads = sizesOfMade(data, made)[made.axes.indexOf("h")];
    const lowest = Math.min(...valuesOf(data, made));
    return `Attention compares each query (a row) with each key (a column)${heads ? `, in ${heads} heads` : ""}. The scores are from ${inWords(lowest)} to ${largestInWords(data, made)}.`;
  };
  return { made, words, largest: true };
}

function softmaxStop(data) {
  const scores = firstScores(data);
  const call = scores ? forwardOf(data, (one) => /^Softmax\b/.test(one.label) && one.parent === callOf(data, scores)) : -1;
  const returned = lastIn(data, call, (made) => made.kind === "returned");
  const made = lastIn(data, call, (one) => one.kind === "local" && one.number === returned.number) ?? returned;
  const words = () => {
    const sums = rowSums(data, made);
    return `Softmax turns each row of scores into weights that add up to ${rangeInWords(Math.min(...sums), Math.max(...sums))}. The largest weight is ${largestInWords(data, made)}.`;
  };
  return { made, words, largest: true };
}

function rangeInWords(low, high) {
  const texts = [low, high].map((value) => Number(value.toPrecision(4)));
  return texts[0] === texts[1] ? inWords(texts[0]) : `${inWords(texts[0])} to ${inWords(texts[1])}`;
}

// Around the first attention: what is added to its input, and normalized after it or, with PreNorm, before it.
function residualStop(data) {
  const scores = firstScores(data);
  let around = scores ? callOf(data, scores) : null;
  while (around !== null && !/^(Post|Pre)Norm\b/.test(data.calls[around].label)) around = data.calls[around].parent;
  if (around === null) return undefined;
  return data.calls[around].label.startsWith("Pre") ? additionStop(data, around) : normStop(data, around);
}

const MERGED = "The heads are merged, and what attention has found is added to its input";

function additionStop(data, around) {
  const made = lastIn(data, around, (one) => one.kind === "returned");
  const words = () => `${MERGED}: the residual connection. It changes an entry by at most ${inWords(largestChange(data, made, argumentIn(data, around, "x")))}.`;
  return { made, words };
}

function normStop(data, around) {
  const made = localIn(data, forwardOf(data, (call) => call.parent === around && /^LayerNorm\b/.test(call.label)), "xhat");
  const words = () => {
    const { mean, std } = statisticsOf(valuesOf(data, made).slice(0, sizesOfMade(data, made).at(-1)));
    return `${MERGED}. LayerNorm shifts and scales each row of the sum: the first has mean ${inWords(Number(mean.toFixed(4)))} and standard deviation ${inWords(Number(std.toFixed(4)))} now.`;
  };
  return { made, words };
}

// Where the decoder's first self-attention hides scores.
function maskedStop(data) {
  const scores = firstMade(data, (made, call) => made.name === "scores" && call.direction === "forward" && /Attention\(causal\)/.test(call.label));
  const call = scores ? forwardOf(data, (one) => /^Softmax\b/.test(one.label) && one.parent === callOf(data, scores)) : -1;
  const made = localIn(data, call, "x");
  const words = () => {
    const [rows, columns] = sizesOfMade(data, made).slice(-2);
    const ofOneHead = valuesOf(data, made).slice(0, rows * columns);
    const hidden = ofOneHead.filter((value) => value === -Infinity).length;
    return `Masked self-attention: a token must not see the ones after it, so their scores become ${inWords(-Infinity)} and their weights 0. In the first head ${hidden} of ${rows * columns} scores are hidden.`;
  };
  return { made, words };
}

const crossScores = (data) => firstMade(data, (made, call) => made.name === "scores" && call.direction === "forward" && call.module.includes("cross_attention"));

function crossStop(data) {
  const first = crossScores(data);
  const made = first && localIn(data, callOf(data, first), "scores");
  const words = () => {
    const [rows, columns] = sizesOfMade(data, made).slice(-2);
    return `Cross-attention: the ${rows} queries come from the target sentence in the decoder, the ${columns} keys and values from the source sentence, as the encoder returns it. The largest score is ${largestInWords(data, made)}.`;
  };
  return { made, words, largest: true };
}

// The loss: its call, and for each prediction that counts the place of its target in the logits.
function lossOf(data) {
  const call = forwardOf(data, (one) => one.module === "loss");
  const [logits, ids, weights] = [argumentIn(data, call, "logits"), localIn(data, call, "ids"), localIn(data, call, "token_weights")];
  if (!logits || !ids || !weights) return null;
  const width = sizesOfMade(data, logits).at(-1);
  const targets = () => {
    const [target, weight] = [valuesOf(data, ids), valuesOf(data, weights)];
    return Array.from(target.keys()).filter((row) => weight[row] > 0).map((row) => row * width + target[row]);
  };
  const eps = Number(/^LabelSmoothingLoss\((.*)\)$/.exec(data.calls[call].label)?.[1] ?? 0);
  return { call, logits, width, eps, targets };
}

function logitsStop(data) {
  const loss = lossOf(data);
  const made = loss && firstMade(data, (one, call) => one.kind === "returned" && call.direction === "forward" && one.number === loss.logits.number);
  const words = () => {
    const [values, targets] = [valuesOf(data, loss.logits), loss.targets()];
    const hits = targets.filter((place) => {
      const start = place - (place % loss.width);
      return values.subarray(start, start + loss.width).every((value) => value <= values[place]);
    });
    return `The model predicts with logits, ${loss.width} in each row, one for each possible answer. In ${hits.length} of ${targets.length} rows the largest is that of the target.`;
  };
  return { made, words };
}

function lossStop(data) {
  const loss = lossOf(data);
  const made = loss && localIn(data, loss.call, "losses");
  const words = () => {
    const value = valuesOf(data, localIn(data, loss.call, "value"))[0];
    const losses = loss.targets().map((place) => valuesOf(data, made)[Math.floor(place / loss.width)]);
    return `The loss, ${inWords(value)}, is the mean of ${losses.length}, one per target; the largest is ${inWords(Math.max(...losses))}. To hold all ${loss.width} answers for equally probable would give ln ${loss.width} = ${inWords(Math.log(loss.width))}.${floorInWords(loss)}`;
  };
  return { made, words };
}

// With label smoothing the target of a row is the probability 1 - eps + eps / V for the right answer, and eps / V for each other.
const rightTarget = ({ eps, width }) => 1 - eps + eps / width;

function floorInWords(loss) {
  if (!loss.eps) return "";
  const [right, other] = [rightTarget(loss), loss.eps / loss.width];
  const floor = -right * Math.log(right) - (loss.width - 1) * other * Math.log(other);
  return ` Label smoothing asks for a probability of 1 - eps + eps / V = ${inWords(right)} at the target, not 1 (eps is ${loss.eps}), so that no loss is below ${inWords(floor)}.`;
}

function dlogitsStop(data) {
  const loss = lossOf(data);
  const call = data.calls.findIndex((one) => one.module === "loss" && one.function.name === "backward");
  const made = loss && localIn(data, call, "dlogits");
  const words = () => {
    const targets = loss.targets();
    const below = targets.filter((place) => valuesOf(data, made)[place] < 0);
    const smoothed = loss.eps ? ` Label smoothing makes it above 0 where the model gives the target more than ${inWords(rightTarget(loss))}.` : "";
    return `Backward begins: the gradient of the logits is softmax minus target, so that each row adds up to 0 (${roundingInWords(data, made)}). It is below 0 at ${below.length} of ${targets.length} targets, where a larger logit would lower the loss.${smoothed}`;
  };
  return { made, words };
}

function dscoresStop(data) {
  const first = firstMade(data, (made, call) => made.name === "dscores" && made.kind === "local" && call.direction === "backward");
  const made = first && localIn(data, callOf(data, first), "dscores");
  const words = () => `The gradient has come back to the scores of the last attention. Softmax does not change when a whole row of scores is shifted, so that each row adds up to 0 (${roundingInWords(data, made)}).`;
  return { made, words };
}

function tableStop(data) {
  const made = data.steps.flatMap((step) => step.made).findLast((one) => one.kind === "gradient" && /^Embedding\b/.test(data.calls[callOf(data, one)].label));
  const words = () => {
    const [rows, width] = sizesOfMade(data, made);
    const reached = Array.from({ length: rows }, (_, row) => row).filter((row) => valuesOf(data, made).subarray(row * width, (row + 1) * width).some(Boolean));
    const rest = reached.length < rows ? ": no gradient reaches the others" : makesLogits(data, made) ? ", because it also makes the logits, of every token" : "";
    return `The end of backward: the gradient of the embedding matrix, which an optimizer subtracts in small steps. ${reached.length} of its ${rows} rows are not 0${rest}.`;
  };
  return { made, words };
}

// Whether the embedding matrix of a gradient is that of the generator too.
function makesLogits(data, gradient) {
  const generator = forwardOf(data, (call) => /^Generator\b/.test(call.label));
  const table = (call) => lastIn(data, call, (made) => made.kind === "parameter" && made.name === "table")?.number;
  return table(generator) !== undefined && table(generator) === table(callOf(data, gradient));
}

// The first parameter, at the line of the optimizer that has changed the last of its entries.
function adamStop(data) {
  const updated = data.steps.flatMap((step) => step.made).filter((one) => data.calls[callOf(data, one)].direction === "update");
  const rate = updated.find((one) => one.kind === "returned" && data.calls[callOf(data, one)].function.name === "learning_rate_at");
  const name = updated.find((one) => one.kind === "parameter")?.name;
  const made = rate && updated.findLast((one) => one.name === name);
  const words = () => {
    const nameInLayer = name.replace(/\.(\w+)$/, " $1"); // as the layer's own forward has it
    const change = inWords(largestChange(data, made, data.named.get(nameInLayer)[0]));
    return `Adam subtracts from each parameter the learning rate, ${inWords(valuesOf(data, rate)[0])}, times the running mean of its gradients, divided by the root of the running mean of their squares. It changes an entry of ${name} by at most ${change}.`;
  };
  return { made, words };
}
