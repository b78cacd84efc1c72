const KINDS = {
  encoder: { queries: "source", keys: "source", asks: "The encoder reads", looks: "and looks at the same sentence" },
  decoder: { queries: "written", keys: "read", asks: "The decoder writes", looks: "and looks back at what it has read so far" },
  cross: { queries: "written", keys: "source", asks: "The decoder writes", looks: "and looks at the source" },
};
// Okabe and Ito (2008), distinct for the colour-blind too, with olive in the place of a yellow too pale for white paper.
const COLOURS = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#999933", "#8c6bb1"];

function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

// The sign of a subword that begins a word is a heavy bar in most fonts: it stands back.
function word(token) {
  const begins = token.startsWith("\u2581") && token.length > 1;
  return begins ? make("bdi", {}, make("span", { class: "begins" }, token[0]), token.slice(1)) : make("bdi", {}, token);
}

function choice(type, name, value, label) {
  return make("label", {}, make("input", { type, name, value }), make("span", { class: "face" }, label));
}

function choices(name, legend, values) {
  const faces = values.map(([value, label]) => choice("radio", name, value, label));
  return make("fieldset", { class: "choices", role: "radiogroup" }, make("legend", {}, legend), ...faces);
}

// A colour a head; after the eighth they come again, dashed.
function paint(element, head) {
  element.style.setProperty("--hue", COLOURS[head % COLOURS.length]);
  element.classList.toggle("dashed", head >= COLOURS.length);
  return element;
}

function headLine(head) {
  const box = choice("checkbox", "head", head, `head ${head + 1}`);
  box.lastChild.prepend(make("span", { class: "swatch" }));
  return paint(make("li", { class: "head" }, box, make("span", { class: "looks" })), head);
}

function queryWord(token, index) {
  return make("button", { type: "button", class: "query", "data-index": index }, word(token));
}

function keyWord(token, heads) {
  const tracks = Array.from({ length: heads }, (_, head) => paint(make("i", { class: "track" }), head));
  const under = make("span", { class: "under", "aria-hidden": "true" }, make("small"), ...tracks);
  return make("li", { class: "key" }, word(token), under);
}

// Everything but the tokens, which change with the kind of attention.
function build(root, heads) {
  const parts = {
    kinds: choices("kind", "Attention", Object.keys(KINDS).map((kind) => [kind, kind])),
    layers: make("div", { class: "slot" }),
    all: make("button", { type: "button", class: "plain" }, "all"),
    none: make("button", { type: "button", class: "plain" }, "none"),
    asks: make("h3"),
    queries: make("div", { class: "words", role: "toolbar" }),
    looks: make("h3"),
    keys: make("ul", { class: "words keys" }),
    said: make("p", { class: "said", "aria-live": "polite" }),
    heads: make("ul", { class: "heads", "aria-label": "What each head looks at" }),
  };
  parts.heads.append(...Array.from({ length: heads }, (_, head) => headLine(head)));
  const switches = make("div", { class: "choices", role: "group", "aria-label": "Heads" });
  switches.append(make("span", { class: "legend" }, "Heads"), parts.all, parts.none);
  const help = "Point at a word. A stripe is a head, its strength the weight; the numbers are percent. A click or Enter pins the word, Escape lets it go. Arrow keys: left and right for words, up and down for layers.";
  root.append(
    make("style", {}, STYLE),
    make("section", { class: "viewer", "aria-label": "Attention viewer" },
      make("div", { class: "bar" }, parts.kinds, parts.layers, switches),
      parts.asks, parts.queries, parts.looks, parts.keys, parts.said, parts.heads,
      make("p", { class: "help" }, help)),
  );
  return parts;
}
