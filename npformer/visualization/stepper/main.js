// What is shown of a step, and what keys and buttons do.
function mount(data) {
  const parts = build(data);
  const figure = buildFigure(data, parts.figure);
  if (!figure.boxes.length) { // functions that are in no layer
    document.body.classList.add("no-figure");
    parts.search.placeholder = "name of an array";
  }
  // the step that runs next, the one whose line has just run, the array that is shown, its entry, and the text of the batch
  const state = { now: 0, ran: undefined, made: undefined, entry: null, text: 0, tourIsOver: false };
  let tourPlace = -1;
  let isShown = false;
  let [found, hit, naming] = [[], 0, 0];
  parts.slider.max = data.steps.length - 1;
  const turns = DIRECTIONS.slice(1).map((direction) => data.steps.findIndex((step) => data.calls[step.call].direction === direction));
  const [backward, update] = turns.map((at) => `${(100 * (at < 0 ? data.steps.length : at)) / data.steps.length}%`);
  parts.slider.style.setProperty("--backward-at", backward);
  parts.slider.style.setProperty("--update-at", update);
  const announce = (text) => { parts.live.textContent = text; };
  const comparison = data.comparison && mountComparison(data, parts, state, figure.boxes, (difference) => go(placeAfter(data, difference.made)));

  function show() {
    const step = data.steps[state.ran ?? state.now];
    const { direction, module, function: { name, lines, first } } = data.calls[step.call];
    parts.slider.value = state.now;
    parts.slider.setAttribute("aria-valuetext", `step ${state.now + 1} of ${data.steps.length}, ${direction}`);
    parts.count.textContent = `${state.now + 1} / ${data.steps.length}`;
    parts.direction.textContent = direction;
    parts.direction.dataset.direction = direction;
    parts.turn.textContent = `⇄ ${direction === "forward" ? "backward" : "forward"}`;
    parts.turn.disabled = counterpartOf(data, step.call) === undefined;
    showArray(data, state, parts.array, announce);
    comparison?.show(); // first, because the height of its legend moves the figure
    showFigure(data, figure, state, parts.figure);
    showCode(data, state, parts.code);
    showTour(data, state, parts.tour);
    const told = tourAt(data, state) < 0 ? "" : `${parts.tour.querySelector(".words").textContent} `;
    announce(`${told}${direction}, ${module} ${name}, line ${step.line}: ${lines[step.line - first]?.trim() ?? ""}`);
    clearTimeout(naming);
    naming = setTimeout(nameAddress, 150); // browsers refuse many changes in a row
  }

  function nameAddress() {
    try {
      history.replaceState(null, "", `#${addressOf(data, state)}`);
    } catch { /* a page inside a notebook may have no address */ }
  }

  // place: the step that runs next, and what placeAfter (position.js) says of the line that has just run.
  function go({ now, made, ran, entry = null }) {
    state.tourIsOver = false;
    state.now = Math.max(0, Math.min(now, data.steps.length - 1));
    state.ran = ran;
    state.picked = made;
    const [there, before] = [visible(data, state.now), state.made];
    state.made = made ?? there.findLast((one) => one.kind !== "parameter") ?? there.at(-1);
    if (entry !== null || state.made !== before) state.entry = entry;
    if (made?.difference) state.text = textOfDifference(data, made);
    show();
  }

  function goInTour(place) {
    tourPlace = place;
    Object.assign(state, { text: 0 });
    go(data.tour[tourPlace]);
  }

  // To the next stop; after the last one the tour is over, and then it begins again.
  function nextInTour() {
    if (tourPlace < data.tour.length - 1) goInTour(tourPlace + 1);
    else {
      tourPlace = -1;
      state.tourIsOver = true;
      show();
    }
  }

  function move(name) {
    const turn = { step: 1, back: -1 }[name];
    if (comparison?.moves[name]) comparison.moves[name]();
    else if (name === "keys") parts.keys.showModal();
    else if (name === "skip") parts.skip.checked = data.stops.length > 0 && !parts.skip.checked;
    else if (name === "tour") data.tour.length && nextInTour();
    else if (name.startsWith("layer")) go({ now: nextBox(data, figure.boxes, state.now, name === "layer" ? 1 : -1) });
    else if (turn && parts.skip.checked) go(nextStop(data, state.now, turn) ?? state);
    else go({ now: MOVES[name](data, state.now) });
  }

  function clicked({ target, detail }) {
    const button = target.closest("button");
    if (!button) return;
    if (detail) button.blur(); // so that Space goes on with the tour
    const { move: name, go: at, box, number, tour, difference } = button.dataset;
    if (name) move(name);
    else if (difference) comparison.goTo(Number(difference));
    else if (tour) goInTour(Number(tour));
    else if (at) go({ now: Number(at) });
    else if (box) {
      const { forward, backward } = figure.boxes[box];
      go({ now: (data.calls[data.steps[state.now].call].direction === "backward" ? backward : forward) ?? forward ?? backward });
      toCode();
    } else if (number) {
      const made = data.steps[button.dataset.at].made.find((one) => one.name === button.dataset.name && one.number === Number(number));
      Object.assign(state, { made, picked: made, entry: null });
      const focused = `[data-at="${button.dataset.at}"][data-number="${number}"][data-name="${CSS.escape(made.name)}"]`;
      show();
      parts.code.querySelector(focused)?.focus({ preventScroll: true });
    }
  }

  function pressed(event) {
    if (event.key === "Escape" && event.target === parts.search) parts.search.blur();
    if (parts.keys.open || event.altKey || event.ctrlKey || event.metaKey || isKeyOf(event.target, event.key)) return;
    if (event.key === "?") move("keys");
    else if (event.key in KEYS && !event.shiftKey) move(KEYS[event.key]);
    else return;
    event.preventDefault();
  }

  function typed() {
    found = [];
    const { length } = search(data, parts.search.value);
    parts.hits.textContent = length ? `${length} found, Enter goes there` : "";
    if (length && data.comparison) {
      const differ = search(data, parts.search.value).filter((made) => made.difference).length;
      parts.hits.textContent = differ ? `${length} found, first ${differ} that differ; Enter goes there` : `${length} found, none of them differs`;
    }
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
    if (!found.length) return;
    go(placeAfter(data, found[hit]));
    if (data.comparison) parts.code.focus({ preventScroll: true }); // so that n and p go on from there
    toCode();
  }

  // On a phone the code is far below the search and above the figure.
  function toCode() {
    if (matchMedia("(max-width: 700px)").matches) parts.code.querySelector(".current")?.scrollIntoView({ block: "center" });
  }

  document.addEventListener("click", clicked);
  document.addEventListener("keydown", pressed);
  parts.search.addEventListener("input", typed);
  parts.search.form.addEventListener("submit", searched);
  parts.slider.addEventListener("input", () => go({ now: Number(parts.slider.value) }));
  parts.array.addEventListener("change", ({ target }) => { Object.assign(state, { text: Number(target.value), entry: null }); show(); });
  followTheme([document.documentElement], () => {
    data.thumbnails = data.lists = undefined;
    for (const array of data.cache.values()) array.images = undefined;
    if (isShown) show();
  });
  addEventListener("resize", show);
  const follow = (address) => {
    const place = placeOf(data, address.split("#")[1] ?? "");
    if (place) go(place);
    return place;
  };
  addEventListener("hashchange", (event) => follow(event.newURL));
  if (!follow(location.href)) go(openingOf(data));
  isShown = true;
}

// Whether an element needs a key itself.
function isKeyOf(element, key) {
  if (element.matches("input[type=search]")) return true;
  if (element.matches("select, input[type=range]")) return key.length > 1 || key === " "; // arrows and other named keys
  const isChosen = element.getAttribute("aria-current") === "step"; // Space goes on with the tour
  return key === " " && element.matches("button, input, summary") && !isChosen;
}

unpack(PACKED).then(mount);
