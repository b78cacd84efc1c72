// The live translation of the first page: what is typed, its translation and the attention between
// the two. The page has a recorded one; the model is loaded when somebody comes near it.
import { Translator } from "./translator.js";

const SHOWN_WEIGHT = 0.2; // from which a weight is also a number
const READY = "Translated in this page, as you type.";

const form = document.querySelector(".live-translation");
const sentence = form.querySelector("#sentence");
const output = form.querySelector("output");
const status = form.querySelector(".about");
const table = form.querySelector(".weights");
let loading = null; // a promise of the translator

for (const fieldset of form.querySelectorAll("fieldset")) fieldset.disabled = false;
form.addEventListener("pointerenter", load);
form.addEventListener("focusin", load);
form.addEventListener("submit", (event) => event.preventDefault());
form.addEventListener("input", show);
form.addEventListener("click", ({ target }) => {
  if (!target.matches(".examples button")) return;
  sentence.value = target.textContent;
  show();
});

function load() {
  if (loading) return loading;
  status.textContent = "Loading the model.";
  loading = Translator.load(form.dataset.model);
  loading.then(
    () => { status.textContent = READY; },
    ({ message }) => {
      status.textContent = `The model was not loaded (${message}): this translation is recorded.`;
    },
  );
  return loading;
}

async function show() {
  const translator = await load().catch(() => null);
  if (!translator) return;
  if (!sentence.value.trim()) {
    output.replaceChildren();
    table.replaceChildren();
    return;
  }
  const { text, read, written, attention } = translator.translate(sentence.value);
  const head = form.elements.head.value;
  const heads = attention.at(-1); // of the last layer
  output.textContent = text;
  table.replaceChildren(drawn(head === "mean" ? mean(heads) : heads[head], written, read));
  status.replaceChildren(...inWords(read));
}

// Which words the model does not know.
function inWords(read) {
  const unknown = new Set(read.filter(({ isKnown }) => !isKnown).map(({ text }) => text));
  if (!unknown.size) return [READY];
  const words = [...unknown].flatMap((word) => [" ", make("mark", word)]);
  return ["Not among the words that this model knows:", ...words, ". It reads <unk>, and guesses."];
}

function drawn(weights, written, read) {
  const columns = read.map(({ text, isKnown }) => {
    return heading("col", make(isKnown ? "span" : "mark", text));
  });
  const rows = weights.map((row, i) => make("tr", heading("row", written[i]), ...row.map(cell)));
  return make("table", make("tr", make("td"), ...columns), ...rows);
}

function heading(scope, content) {
  const element = make("th", content);
  element.scope = scope;
  return element;
}

function cell(weight) {
  const element = make("td", weight >= SHOWN_WEIGHT ? weight.toFixed(1) : "");
  element.style.setProperty("--weight", weight.toFixed(3));
  return element;
}

// The mean of matrices of one shape.
function mean(matrices) {
  return matrices[0].map((row, i) => row.map((_, j) => {
    return matrices.reduce((total, matrix) => total + matrix[i][j], 0) / matrices.length;
  }));
}

function make(tag, ...children) {
  const element = document.createElement(tag);
  element.append(...children);
  return element;
}
