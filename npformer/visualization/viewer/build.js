const KINDS = {
  encoder: { queries: "source", keys: "source", asks: "The encoder reads", looks: "and looks at the same sentence" },
  decoder: { queries: "written", keys: "read", asks: "The decoder writes", looks: "and looks back at what it has read so far" },
  cross: { queries: "written", keys: "source", asks: "The decoder writes", looks: "and looks at the source" },
};
// Of the heads: Okabe and Ito (2008), distinct for the color-blind too, with olive in the place of a yellow too pale for
// white paper. The last three are also the colors of queries, keys and values.
const COLORS = ["#cc79a7", "#e69f00", "#56b4e9", "#999933", "#8c6bb1", "#0072b2", "#d55e00", "#009e73"];

function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

function choice(type, name, value, label) {
  return make("label", {}, make("input", { type, name, value }), make("span", { class: "face" }, label));
}

function choices(name, legend, values) {
  const faces = values.map(([value, label]) => choice("radio", name, value, label));
  return make("fieldset", { class: "choices", role: "radiogroup" }, make("legend", {}, legend), ...faces);
}

// A color a head; after the eighth they come again, dashed.
function paint(element, head) {
  element.style.setProperty("--hue", COLORS[head % COLORS.length]);
  element.classList.toggle("dashed", head >= COLORS.length);
  return element;
}

function headLine(head) {
  const box = choice("checkbox", "head", head, `head ${head}`);
  box.lastChild.prepend(make("span", { class: "swatch" }));
  return paint(make("li", { class: "head" }, box, make("span", { class: "looks" })), head);
}

// Everything but the tokens, which change with the kind of attention.
function build(root, heads, kinds) {
  const parts = {
    kinds: choices("kind", "Attention", kinds.map((kind) => [kind, kind])),
    layers: make("div", { class: "slot" }),
    all: make("button", { type: "button", class: "plain" }, "all"),
    none: make("button", { type: "button", class: "plain" }, "none"),
    titles: { queries: make("h2"), keys: make("h2") },
    queries: make("div", { class: "words", role: "toolbar" }),
    keys: make("div", { class: "words keys", role: "toolbar" }),
    said: make("p", { class: "said", "aria-live": "polite" }),
    heads: make("ul", { class: "heads", "aria-label": "What each head looks at" }),
    maps: make("div", { class: "maps", role: "group", "aria-label": "Every layer and head" }),
  };
  parts.heads.append(...Array.from({ length: heads }, (_, head) => headLine(head)));
  const switches = make("div", { class: "choices", role: "group", "aria-label": "Heads" });
  switches.append(make("span", { class: "legend" }, "Heads"), parts.all, parts.none);
  const over = "All layers, from top to bottom, and heads: words that look go down, words looked at go across.";
  const help = "Point at a word above to see where it looks, or at one below to see which words look at it. A stripe is a head, its strength the weight; the numbers are percent. A click or Enter pins the word, Escape lets it go. Arrow keys: left and right for words, up and down for layers. A small map, by click or Enter, shows its layer and head alone, and once more all heads.";
  root.append(
    make("style", {}, STYLE),
    make("section", { class: "viewer", "aria-label": "Attention viewer" },
      make("div", { class: "bar" }, ...(kinds.length > 1 ? [parts.kinds] : []), parts.layers, switches),
      parts.titles.queries, parts.queries, parts.titles.keys, parts.keys, parts.said, parts.heads,
      make("h2", {}, over), parts.maps,
      make("p", { class: "help" }, help)),
  );
  return parts;
}
