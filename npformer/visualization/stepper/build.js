// The parts of the page, and the keys and buttons that move in it.
const BUTTONS = [
  ["start", "|◀", "to the start (Home)"], ["back", "◀", "one line back (left arrow)"], ["step", "▶", "one line on (right arrow)"],
  ["over", "over", "over the calls in this line (down arrow)"], ["out", "out", "out of this function (up arrow)"],
  ["layer-back", "◀◀", "to the layer before (Page Up)"], ["layer", "▶▶", "to the next layer (Page Down)"], ["end", "▶|", "to the end (End)"],
  ["turn", "⇄ backward", "from a layer's forward to its backward, and back (b)"],
];
const KEYS = { ArrowRight: "step", ArrowLeft: "back", ArrowDown: "over", ArrowUp: "out", PageDown: "layer", PageUp: "layer-back", Home: "start", End: "end", b: "turn", s: "skip", " ": "tour" };
const KEY_LIST = [
  ["→, ←", "one line on, one line back"],
  ["↓", "over the calls in this line"],
  ["↑", "out of this function"],
  ["Page Down, Page Up", "to the next layer, to the layer before"],
  ["b", "from a layer's forward to its backward, and back"],
  ["Home, End", "to the start, to the end"],
  ["s", "switches checks and calls on and off"],
  ["arrows in a picture", "from entry to entry"],
  ["?", "this list"],
];
const TOUR_KEY_LIST = [["Space", "to the next stop of the tour"]];
const LINES_ABOUT = "A filled yellow line has just run, and what it has made is at its end; a line with a yellow frame runs next.";
const BOXES_ABOUT = " The pictures in a box of the figure are its output and, in backward, next to it the gradient of that output.";
const COLORS_ABOUT = " Red is above zero, blue below, yellow not a number; each array has a scale of its own.";
const KEYS_ABOUT = " The key ? lists the keys.";
const HINT = "→: the next line that computes something.";
const TOUR_IS_OVER = "The tour is over. Next: → and ← go from line to line, and a click on a box or a name of an array in the search goes there. The tour can begin again.";

function build(data) {
  const parts = {
    direction: make("strong", { class: "direction" }),
    slider: make("input", { type: "range", min: 0, "aria-label": "Step" }),
    count: make("output"),
    skip: make("input", { type: "checkbox", name: "skip" }),
    search: make("input", { type: "search", name: "search", placeholder: "decoder.layers.1 dscores", "aria-label": "Search for a module, function or variable; Enter goes there", autocomplete: "off" }),
    hits: make("output", { class: "quiet" }),
    summary: document.querySelector(".summary"),
    tour: make("section", { class: "tour", "aria-label": "Tour" }),
    figure: make("section", { class: "panel figure-panel", "aria-label": "Figure 1" }),
    code: make("section", { class: "panel code-panel", "aria-label": "Code", tabindex: 0 }),
    array: make("section", { class: "panel array-panel", "aria-label": "Array", tabindex: 0 }),
    live: make("p", { class: "live", "aria-live": "polite" }),
    keys: keysOf(data),
  };
  const main = make("main", { class: "app" }, document.querySelector(".fallback > h1"), barOf(parts), parts.tour, parts.figure, parts.code, parts.array, aboutOf(data), parts.live, parts.keys);
  parts.skip.checked = data.stops.length > 0;
  document.body.replaceChildren(main);
  buildTour(data, parts.tour);
  return parts;
}

function barOf(parts) {
  const buttons = BUTTONS.map(([move, face, title]) => make("button", { type: "button", "data-move": move, title, "aria-label": title }, face));
  parts.turn = buttons.find((button) => button.dataset.move === "turn");
  const keys = make("button", { type: "button", "data-move": "keys", title: "the list of keys (?)", "aria-label": "the list of keys (?)" }, "?");
  const form = make("form", { role: "search" }, parts.search, parts.hits);
  const skip = make("label", { class: "skip", title: "right and left go to lines that compute something (s)" }, parts.skip, "skip checks and calls");
  return make("nav", { "aria-label": "Steps" }, make("span", { class: "buttons" }, ...buttons, keys), skip, parts.direction, parts.slider, parts.count, form, ...document.querySelectorAll(".fallback > .of-site"));
}

function aboutOf(data) {
  const notes = document.querySelectorAll(".fallback > p:not(.only-without-scripts, .of-site)");
  const about = LINES_ABOUT + (data.comparison ? "" : BOXES_ABOUT) + COLORS_ABOUT + KEYS_ABOUT;
  return make("details", { class: "about" }, make("summary", {}, "About this page"), ...notes, make("p", {}, about));
}

// The list of keys, over the page.
function keysOf(data) {
  const close = make("form", { method: "dialog" }, make("button", {}, "Close (Esc)"));
  const dialog = make("dialog", { class: "keys", "aria-label": "Keys" }, make("h2", {}, "Keys"), make("dl", {}), close);
  fillKeys(dialog, [...(data.tour.length ? TOUR_KEY_LIST : []), ...KEY_LIST]);
  return dialog;
}

function fillKeys(dialog, keys) {
  const rows = keys.map(([key, words]) => make("div", {}, make("dt", {}, key), make("dd", {}, words)));
  dialog.querySelector("dl").prepend(...rows);
}

function buildTour(data, section) {
  if (!data.tour.length) {
    section.hidden = true;
    return;
  }
  const next = make("button", { type: "button", class: "next", "data-move": "tour", title: "to the next stop of the tour (Space)" }, "Tour", make("span", { class: "of-keyboard" }, ": Space"));
  const chapters = data.tour.map((stop, i) => make("li", {}, make("button", { type: "button", class: "plain", "data-tour": i }, stop.name)));
  section.replaceChildren(next, make("ol", { class: "chapters" }, ...chapters), make("p", { class: "words" }));
}

// The number of the stop of the tour where one is, or -1.
const tourAt = (data, { now, made }) => data.tour.findIndex((stop) => stop.now === now && stop.made === made);

function showTour(data, state, section) {
  if (!data.tour.length) return;
  const here = tourAt(data, state);
  for (const [i, button] of section.querySelectorAll(".chapters button").entries()) {
    button.setAttribute("aria-current", i === here ? "step" : "false");
  }
  section.querySelector(".words").textContent = wordsOfTour(data, state, here);
}

function wordsOfTour(data, { tourIsOver }, here) {
  if (tourIsOver) return TOUR_IS_OVER;
  return here < 0 ? `The tour has ${data.tour.length} stops. ${HINT}` : data.tour[here].words();
}
