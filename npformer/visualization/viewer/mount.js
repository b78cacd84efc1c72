const SIDES = ["queries", "keys"];

function mount(host) {
  const attention = Object.fromEntries(Object.entries(DATA.weights).map(([kind, packed]) => [kind, unpack(packed)]));
  const kinds = Object.keys(attention);
  const first = kinds.includes("cross") ? "cross" : kinds[0];
  const { heads, layers: deepest } = attention[first];
  const root = host.attachShadow({ mode: "open" });
  const parts = build(root, heads, kinds);
  const state = {
    kind: first, layer: deepest - 1, on: Array(heads).fill(true),
    side: "queries", at: { queries: 0, keys: 0 }, pinned: false, // the word that is pointed at
  };
  const tokens = (side) => DATA.tokens[KINDS[state.kind][side]];
  const facing = () => SIDES.find((side) => side !== state.side);

  function drawKind() {
    const { asks, looks } = KINDS[state.kind];
    const { layers } = attention[state.kind];
    state.layer = Math.min(state.layer, layers - 1);
    parts.kinds.querySelector(`[value=${state.kind}]`).checked = true;
    parts.layers.replaceChildren(choices("layer", "Layer", Array.from({ length: layers }, (_, i) => [i, String(i)])));
    for (const [side, title] of [["queries", asks], ["keys", looks]]) {
      state.at[side] = Math.min(state.at[side], tokens(side).length - 1);
      parts.titles[side].replaceChildren(title, " ", make("strong", { class: `title ${side}` }, `(${side})`));
      parts[side].setAttribute("aria-label", title);
      parts[side].replaceChildren(...tokens(side).map((token, index) => wordButton(side, token, index, heads)));
    }
    fillMaps(parts.maps, attention[state.kind]);
    draw();
  }

  function draw() {
    const { kind, layer, side, at, on, pinned } = state;
    const lit = facing();
    parts.layers.querySelector(`[value="${layer}"]`).checked = true;
    const rows = on.map((_, head) => attention[kind].seen[side](layer, head, at[side]));
    const together = mean(rows.filter((_, head) => on[head]), tokens(lit).length);
    for (const one of SIDES) {
      tokens(one).forEach((token, index) => {
        const element = parts[one].children[index];
        const shown = one === side && index === at[side];
        element.tabIndex = index === at[one] ? 0 : -1;
        element.classList.toggle("shown", shown);
        element.setAttribute("aria-pressed", shown && pinned);
        if (one === side) return dim(element);
        const ahead = kind === "decoder" && (one === "keys" ? index > at.queries : at.keys > index);
        light(element, token, rows.map((row) => row[index]), together[index], on, ahead);
      });
    }
    [...parts.heads.children].forEach((line, head) => {
      line.querySelector("input").checked = on[head];
      line.lastChild.replaceChildren(...(on[head] ? looked(rows[head], 4) : ["off"]));
    });
    say(together);
    markMaps(parts.maps, state, tokens(side).length);
    follow(parts[side], parts[side].children[at[side]]);
    follow(parts[lit], parts[lit].children[strongest(together, 1)[0]]);
  }

  function looked(row, count) {
    return strongest(row, count).flatMap((index, place) => {
      return [place ? " \u00b7 " : "", word(tokens(facing())[index]), `\u00a0${percent(row[index])}`];
    });
  }

  function say(together) {
    const on = state.on.filter(Boolean).length;
    const some = on === heads ? "all heads together look" : `${on} of ${heads} heads together look`;
    const who = on === 1 ? `head ${state.on.indexOf(true)} looks` : some;
    const what = on ? [`${who} ${state.side === "queries" ? "at" : "at it from"} `, ...looked(together, 5)] : ["no head is switched on"];
    const pointed = make("strong", {}, word(tokens(state.side)[state.at[state.side]]));
    parts.said.replaceChildren(pointed, state.pinned ? " (pinned): " : ": ", ...what);
  }

  function show(side, index, pinned = state.pinned) {
    state.side = side;
    state.at[side] = Math.max(0, Math.min(index, tokens(side).length - 1));
    state.pinned = pinned;
    draw();
  }

  function pressed(event) {
    const { side } = event.target.closest(".word")?.dataset ?? {};
    const layer = { ArrowUp: 1, ArrowDown: -1 }[event.key];
    const steps = { ArrowLeft: -1, ArrowRight: 1, Home: -Infinity, End: Infinity };
    if (event.key === "Escape" && state.pinned) show(state.side, state.at[state.side], false);
    else if (side && layer) {
      state.layer = Math.max(0, Math.min(state.layer + layer, attention[state.kind].layers - 1));
      draw();
    } else if (side && event.key in steps) {
      show(side, state.at[side] + steps[event.key]);
      parts[side].children[state.at[side]].focus();
    } else return;
    event.preventDefault();
    event.stopPropagation();
  }

  function changed({ target }) {
    if (target.name === "kind") {
      const before = tokens(state.side);
      state.kind = target.value;
      if (tokens(state.side) !== before) Object.assign(state, { side: "queries", pinned: false });
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

  function pointed(event) {
    const found = event.target.closest(".word");
    if (found && !state.pinned) show(found.dataset.side, Number(found.dataset.index));
  }

  function clicked(event) {
    const found = event.target.closest(".word");
    if (!found) return;
    const [side, index] = [found.dataset.side, Number(found.dataset.index)];
    show(side, index, !(state.pinned && side === state.side && index === state.at[side]));
    found.focus();
  }

  for (const side of SIDES) {
    parts[side].addEventListener("pointerover", pointed);
    parts[side].addEventListener("focusin", pointed);
    parts[side].addEventListener("click", clicked);
  }
  root.addEventListener("keydown", pressed);
  root.addEventListener("change", changed);
  parts.all.addEventListener("click", () => switchAll(true));
  parts.none.addEventListener("click", () => switchAll(false));
  listenToMaps(parts.maps, (layer, head) => {
    const alone = layer === state.layer && state.on.every((on, one) => on === (one === head));
    state.layer = layer;
    state.on = state.on.map((_, one) => alone || one === head);
    draw();
  });
  drawKind();
  // a page of its own follows too, and not only the viewer in it
  const page = host.closest(".attention-page") ? [document.documentElement] : [];
  followTheme([root.querySelector(".viewer"), ...page]);
}

// A notebook may show one output in two places.
for (const host of document.querySelectorAll(`.npformer-attention[data-viewer="${NAME}"]`)) {
  if (!host.shadowRoot) mount(host);
}
