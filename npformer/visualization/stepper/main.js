// The page: the parts, what is shown of a step, and what keys and buttons do.
const BUTTONS = [
  ["start", "|◀", "to the start (Home)"], ["back", "◀", "one line back (left arrow)"], ["step", "▶", "one line on (right arrow)"],
  ["over", "over", "over the calls in this line (down arrow)"], ["out", "out", "out of this function (up arrow)"],
  ["layer-back", "◀◀", "to the layer before (Page Up)"], ["layer", "▶▶", "to the next layer (Page Down)"], ["end", "▶|", "to the end (End)"],
  ["turn", "⇄ backward", "from a layer's forward to its backward, and back (b)"],
];
const KEYS = { ArrowRight: "step", ArrowLeft: "back", ArrowDown: "over", ArrowUp: "out", PageDown: "layer", PageUp: "layer-back", Home: "start", End: "end", b: "turn" };

function build() {
  const parts = {
    direction: make("strong", { class: "direction" }),
    slider: make("input", { type: "range", min: 0, "aria-label": "Step" }),
    count: make("output"),
    search: make("input", { type: "search", name: "search", placeholder: "decoder.layers.1 dscores", "aria-label": "Search for a module, function or variable; Enter goes there", autocomplete: "off" }),
    hits: make("output", { class: "quiet" }),
    figure: make("section", { class: "panel figure-panel", "aria-label": "Figure 1" }),
    code: make("section", { class: "panel code-panel", "aria-label": "Code" }),
    array: make("section", { class: "panel array-panel", "aria-label": "Array" }),
    live: make("p", { class: "live", "aria-live": "polite" }),
  };
  const buttons = BUTTONS.map(([move, face, title]) => make("button", { type: "button", "data-move": move, title, "aria-label": title }, face));
  parts.turn = buttons.find((button) => button.dataset.move === "turn");
  const form = make("form", { role: "search" }, parts.search, parts.hits);
  const bar = make("nav", { "aria-label": "Steps" }, make("span", { class: "buttons" }, ...buttons), parts.direction, parts.slider, parts.count, form);
  const about = make("details", { class: "about" }, make("summary", {}, "About this page"), ...document.querySelectorAll(".fallback > h1, .fallback > p"));
  about.querySelector("p:last-of-type").textContent = "The yellow line is the one that runs next: what it makes is at its end after the next step. The pictures in a box of the figure are its output and, in backward, next to it the gradient of that output. Arrow keys: right and left by lines, down over a call, up out of a function. Page Up and Page Down by layers, b from a layer's forward to its backward and back, Home and End. In a picture of an array arrow keys go from entry to entry. Red is above zero, blue below, yellow not a number; each array has a scale of its own.";
  document.body.replaceChildren(make("main", { class: "app" }, bar, parts.figure, parts.code, parts.array, about, parts.live));
  return parts;
}

function mount(data) {
  const parts = build();
  const figure = buildFigure(data, parts.figure);
  if (!figure.boxes.length) { // functions that are in no layer
    document.body.classList.add("no-figure");
    parts.search.placeholder = "name of an array";
  }
  const state = { now: 0, made: undefined, entry: null, text: 0 };
  let [found, hit, naming] = [[], 0, 0];
  parts.slider.max = data.steps.length - 1;
  const turns = DIRECTIONS.slice(1).map((direction) => data.steps.findIndex((step) => data.calls[step.call].direction === direction));
  const [backward, update] = turns.map((at) => `${(100 * (at < 0 ? data.steps.length : at)) / data.steps.length}%`);
  parts.slider.style.setProperty("--backward-at", backward);
  parts.slider.style.setProperty("--update-at", update);
  const announce = (text) => { parts.live.textContent = text; };

  function show() {
    const step = data.steps[state.now];
    const { direction, module, function: { name, lines, first } } = data.calls[step.call];
    parts.slider.value = state.now;
    parts.slider.setAttribute("aria-valuetext", `step ${state.now + 1} of ${data.steps.length}, ${direction}`);
    parts.count.textContent = `${state.now + 1} / ${data.steps.length}`;
    parts.direction.textContent = direction;
    parts.direction.dataset.direction = direction;
    parts.turn.textContent = `⇄ ${direction === "forward" ? "backward" : "forward"}`;
    parts.turn.disabled = counterpartOf(data, step.call) === undefined;
    showArray(data, state, parts.array, announce);
    showFigure(data, figure, state, parts.figure);
    showCode(data, state, parts.code);
    announce(`${direction}, ${module} ${name}, line ${step.line}: ${lines[step.line - first]?.trim() ?? ""}`);
    clearTimeout(naming);
    naming = setTimeout(nameAddress, 150); // browsers refuse many changes in a row
  }

  function nameAddress() {
    try {
      history.replaceState(null, "", `#${addressOf(data, state.now, state.picked)}`);
    } catch { /* a page inside a notebook may have no address */ }
  }

  function go(now, made) {
    state.now = Math.max(0, Math.min(now, data.steps.length - 1));
    state.picked = made;
    const [there, before] = [visible(data, state.now), state.made];
    state.made = made ?? there.findLast((one) => one.kind !== "parameter") ?? there.at(-1);
    if (state.made !== before) state.entry = null;
    show();
  }

  function move(name) {
    if (name.startsWith("layer")) return go(nextBox(data, figure.boxes, state.now, name === "layer" ? 1 : -1));
    return go(MOVES[name](data, state.now));
  }

  function clicked({ target }) {
    const button = target.closest("button");
    if (!button) return;
    const { move: name, go: at, box, number } = button.dataset;
    if (name) move(name);
    else if (at) go(Number(at));
    else if (box) {
      const { forward, backward } = figure.boxes[box];
      go((data.calls[data.steps[state.now].call].direction === "backward" ? backward : forward) ?? forward ?? backward);
    } else if (number) {
      const made = data.steps[button.dataset.at].made.find((one) => one.name === button.dataset.name && one.number === Number(number));
      Object.assign(state, { made, picked: made, entry: null });
      const focused = `[data-at="${button.dataset.at}"][data-number="${number}"][data-name="${CSS.escape(made.name)}"]`;
      show();
      parts.code.querySelector(focused)?.focus({ preventScroll: true });
    }
  }

  function pressed(event) {
    const typing = event.target.matches("input, select, summary");
    if (typing || !(event.key in KEYS) || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
    move(KEYS[event.key]);
    event.preventDefault();
  }

  function typed() {
    found = [];
    const { length } = search(data, parts.search.value);
    parts.hits.textContent = length ? `${length} found, Enter goes there` : "";
    parts.hits.classList.remove("failed");
  }

  function searched(event) {
    event.preventDefault();
    hit = found.length ? (hit + 1) % found.length : 0;
    found = search(data, parts.search.value);
    const unknown = wordsOf(parts.search.value).filter((word) => !search(data, word).length);
    const failure = unknown.length ? `nothing found: no ${unknown.join(", no ")}` : "nothing found with all these words";
    parts.hits.textContent = found.length ? `${hit + 1} of ${found.length}` : failure;
    parts.hits.classList.toggle("failed", !found.length);
    if (found.length) go(data.steps[found[hit].at].done, found[hit]);
  }

  document.addEventListener("click", clicked);
  document.addEventListener("keydown", pressed);
  parts.search.addEventListener("input", typed);
  parts.search.form.addEventListener("submit", searched);
  parts.slider.addEventListener("input", () => go(Number(parts.slider.value)));
  parts.array.addEventListener("change", ({ target }) => { Object.assign(state, { text: Number(target.value), entry: null }); show(); });
  DARK.addEventListener("change", () => {
    data.thumbnails = data.lists = undefined;
    for (const array of data.cache.values()) array.images = undefined;
    show();
  });
  addEventListener("resize", show);
  const follow = (address) => {
    const place = placeOf(data, address.split("#")[1] ?? "");
    if (place) go(place.now, place.made);
    return place;
  };
  addEventListener("hashchange", (event) => follow(event.newURL));
  if (!follow(location.href)) go(data.start ?? 0);
}

unpack(PACKED).then(mount);
