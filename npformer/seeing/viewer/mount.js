function mount(host) {
  const attention = Object.fromEntries(Object.entries(DATA.weights).map(([kind, packed]) => [kind, unpack(packed)]));
  const heads = attention.cross.heads;
  const root = host.attachShadow({ mode: "open" });
  const parts = build(root, heads);
  const state = { kind: "cross", layer: attention.cross.layers - 1, shown: 0, pinned: false, on: Array(heads).fill(true) };
  const tokens = (side) => DATA.tokens[KINDS[state.kind][side]];
  const rightToLeft = (side) => DATA.directions[KINDS[state.kind][side]] === "rtl";

  function drawKind() {
    const { asks, looks } = KINDS[state.kind];
    const { layers } = attention[state.kind];
    state.layer = Math.min(state.layer, layers - 1);
    state.shown = Math.min(state.shown, tokens("queries").length - 1);
    parts.kinds.querySelector(`[value=${state.kind}]`).checked = true;
    parts.layers.replaceChildren(choices("layer", "Layer", Array.from({ length: layers }, (_, i) => [i, String(i + 1)])));
    parts.asks.textContent = asks;
    parts.looks.textContent = looks;
    parts.queries.setAttribute("aria-label", asks);
    parts.keys.setAttribute("aria-label", looks);
    for (const side of ["queries", "keys"]) parts[side].dir = rightToLeft(side) ? "rtl" : "ltr";
    parts.queries.replaceChildren(...tokens("queries").map(queryWord));
    parts.keys.replaceChildren(...tokens("keys").map((token) => keyWord(token, heads)));
    draw();
  }

  function draw() {
    parts.layers.querySelector(`[value="${state.layer}"]`).checked = true;
    [...parts.queries.children].forEach((button, index) => {
      const shown = index === state.shown;
      button.tabIndex = shown ? 0 : -1;
      button.classList.toggle("shown", shown);
      button.setAttribute("aria-pressed", shown && state.pinned);
    });
    const { row, keys } = attention[state.kind];
    const rows = state.on.map((_, head) => row(state.layer, head, state.shown));
    const together = mean(rows.filter((_, head) => state.on[head]), keys);
    [...parts.keys.children].forEach((element, key) => drawKey(element, key, rows, together[key]));
    [...parts.heads.children].forEach((line, head) => {
      line.querySelector("input").checked = state.on[head];
      line.lastChild.replaceChildren(...(state.on[head] ? looked(rows[head], 4) : ["off"]));
    });
    say(together);
    follow(parts.queries, parts.queries.children[state.shown]);
    follow(parts.keys, parts.keys.children[strongest(together, 1)[0]]);
  }

  function drawKey(element, key, rows, weight) {
    const token = tokens("keys")[key];
    const ahead = state.kind === "decoder" && key > state.shown;
    element.classList.toggle("ahead", ahead);
    element.style.setProperty("--shade", Math.sqrt(weight)); // the root, for small weights would not be seen
    element.querySelector("small").textContent = weight >= 0.095 ? Math.round(100 * weight) : "";
    element.querySelectorAll(".track").forEach((track, head) => {
      track.hidden = !state.on[head];
      track.style.opacity = Math.sqrt(rows[head][key]);
    });
    const each = rows.flatMap((row, head) => (state.on[head] ? [`head ${head + 1}: ${percent(row[key])}`] : []));
    element.setAttribute("aria-label", ahead ? `${token}, not yet read` : `${token}, ${percent(weight)}`);
    element.title = ahead ? "not yet read" : [`together: ${percent(weight)}`, ...each].join("\n");
  }

  function looked(row, count) {
    return strongest(row, count).flatMap((key, place) => {
      return [place ? " \u00b7 " : "", word(tokens("keys")[key]), `\u00a0${percent(row[key])}`];
    });
  }

  function say(together) {
    const on = state.on.filter(Boolean).length;
    const who = on === heads ? "all heads together look at " : `${on} of ${heads} heads together look at `;
    const what = on ? [who, ...looked(together, 5)] : ["no head is switched on"];
    const query = make("strong", {}, word(tokens("queries")[state.shown]));
    parts.said.replaceChildren(query, state.pinned ? " (pinned): " : ": ", ...what);
  }

  // A long sentence scrolls in its own box, never the page.
  function follow(box, element) {
    if (!element || box.scrollHeight <= box.clientHeight) return;
    const [outer, inner] = [box.getBoundingClientRect(), element.getBoundingClientRect()];
    if (inner.top < outer.top) box.scrollTop -= outer.top - inner.top + 4;
    else if (inner.bottom > outer.bottom) box.scrollTop += inner.bottom - outer.bottom + 4;
  }

  function show(index, pinned = state.pinned) {
    state.shown = Math.max(0, Math.min(index, tokens("queries").length - 1));
    state.pinned = pinned;
    draw();
  }

  function pressed(event) {
    const layer = { ArrowUp: 1, ArrowDown: -1 }[event.key];
    const forward = rightToLeft("queries") ? -1 : 1;
    const last = tokens("queries").length - 1;
    const index = { ArrowLeft: state.shown - forward, ArrowRight: state.shown + forward, Home: 0, End: last }[event.key];
    const onWord = event.target.closest(".query");
    if (event.key === "Escape" && state.pinned) show(state.shown, false);
    else if (onWord && layer) {
      state.layer = Math.max(0, Math.min(state.layer + layer, attention[state.kind].layers - 1));
      draw();
    } else if (onWord && index !== undefined) {
      show(index);
      parts.queries.children[state.shown].focus();
    } else return;
    event.preventDefault();
    event.stopPropagation();
  }

  function changed({ target }) {
    if (target.name === "kind") {
      const before = tokens("queries");
      state.kind = target.value;
      state.pinned = state.pinned && tokens("queries") === before;
      drawKind();
      return;
    }
    if (target.name === "layer") state.layer = Number(target.value);
    if (target.name === "head") state.on[Number(target.value)] = target.checked;
    draw();
  }

  function switchAll(on) {
    state.on.fill(on);
    draw();
  }

  const indexOf = (event) => Number(event.target.closest(".query")?.dataset.index ?? -1);
  parts.queries.addEventListener("pointerover", (event) => {
    if (indexOf(event) >= 0 && !state.pinned) show(indexOf(event));
  });
  parts.queries.addEventListener("click", (event) => {
    const index = indexOf(event);
    if (index < 0) return;
    show(index, !(state.pinned && index === state.shown));
    parts.queries.children[index].focus();
  });
  root.addEventListener("keydown", pressed);
  root.addEventListener("change", changed);
  parts.all.addEventListener("click", () => switchAll(true));
  parts.none.addEventListener("click", () => switchAll(false));
  drawKind();
}

// A notebook may show one output in two places.
for (const host of document.querySelectorAll(`.npformer-attention[data-viewer="${NAME}"]`)) {
  if (!host.shadowRoot) mount(host);
}
