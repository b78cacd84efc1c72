// The playground: a sentence, a change in npformer, and both training steps side by side.

import { Editor } from "./editor.js";
import { make, part, showPiece } from "./elements.js";
import { Python, Stopped } from "./python.js";
import { clearEvidence, showCheck, showCurves, showPage } from "./results.js";
import { Vocabulary } from "./words.js";

const settings = JSON.parse(part("settings").textContent);
const [source, target] = settings.vocabularies.map((one) => new Vocabulary(one));
const shown = { sentence: settings.sentence, target: settings.translation };
const beside = (name) => new URL(name, import.meta.url).href;
const addresses = { pyodide: new URL(settings.pyodide, location.href).href, archive: beside("npformer.zip"), session: beside("session.py") };
const python = new Python(addresses, say);
let job = 0; // the number of the last job; an older one ends

function say(text, isError = false) {
  part("status").textContent = text;
  part("status").classList.toggle("error", isError);
}

// Run a job, in which `ask` asks Python and is refused as soon as another job began.
async function run(work) {
  job += 1;
  const own = job;
  const ask = async (...request) => {
    const found = await python.ask(...request);
    if (own !== job) throw new Stopped();
    return found;
  };
  showRunning(true);
  try {
    await python.load();
    await work(ask);
    say("Done.");
  } catch (error) {
    if (own !== job) return;
    if (!(error instanceof Stopped)) say(error.message, true);
  }
  if (own === job) showRunning(false);
}

function showRunning(isRunning) {
  document.body.classList.toggle("running", isRunning);
  part("stop").hidden = !isRunning;
}

function stop() {
  python.stop();
  job += 1;
  showRunning(false);
  say("Stopped. The next request loads Python again.");
}

// Mark the words that the model does not know.
function markUnknown(field, vocabulary) {
  const pieces = vocabulary.pieces(field.value);
  const said = part(`${field.id}-said`);
  if (!pieces.some((piece) => piece.unknown)) {
    said.replaceChildren();
    return;
  }
  const marked = pieces.map(({ text, unknown }) => (unknown ? make("mark", {}, text) : text));
  said.replaceChildren("Not known to the model, which reads <unk> there: ", make("span", { class: "marked" }, ...marked));
}

function translate(event) {
  event.preventDefault();
  const sentence = part("sentence").value.trim();
  const own = part("target").value.trim();
  if (!sentence) return say("Write a sentence first.", true);
  return run(async (ask) => {
    say("Translating ...");
    const { translation, attention } = await ask("translate", sentence, own);
    shown.sentence = sentence;
    shown.target = own || translation;
    part("translated-sentence").textContent = sentence;
    part("translation").textContent = translation;
    showPiece(part("attention"), attention);
    part("shown-sentence").textContent = sentence;
    say("Recording the training step ...");
    const { page } = await ask("step", sentence, shown.target);
    showPage("step", page);
    part("step-details").open = true;
    // which the next change is compared with
    await ask("prepare", sentence, shown.target);
  });
}

function compare(change, name) {
  return run(async (ask) => {
    say("Recording both steps ...");
    const { page } = await ask("compare", shown.sentence, shown.target, change);
    part("compared").textContent = `“${shown.sentence}” with ${name}.`;
    clearEvidence();
    showPage("comparison", page);
    part("result").scrollIntoView({ block: "start" });
    let found = {};
    while (!found.losses) {
      found = await ask("train");
      if (found.progress) say(found.progress);
    }
    showCurves(found);
    say("Comparing the gradient with a numeric derivative ...");
    showCheck(await ask("check"));
  });
}

// The site keeps its theme in the browser.
function followTheme() {
  document.body.dataset.theme = localStorage.getItem("theme") ?? "auto";
}

followTheme();
addEventListener("storage", followTheme);
new Editor(settings.code, settings.first, compare);
for (const [id, vocabulary] of [["sentence", source], ["target", target]]) {
  const field = part(id);
  field.addEventListener("input", () => markUnknown(field, vocabulary));
  markUnknown(field, vocabulary);
}
part("sentence-form").addEventListener("submit", translate);
part("stop").addEventListener("click", stop);
part("gallery").addEventListener("click", ({ target: { dataset } }) => {
  if (dataset.bug) compare(dataset.bug, `the bug “${dataset.bug}”`);
});
document.documentElement.classList.add("live");
say("Python is not loaded yet: your first request loads it from the network, 17 MB.");
