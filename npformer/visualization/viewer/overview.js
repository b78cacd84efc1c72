// A map a layer and head in the head's color, a pixel a weight; its strength is the root, as that of the stripes.
function smallMap({ queries, keys, map }, layer, head) {
  const canvas = make("canvas", { width: keys, height: queries });
  const hue = COLORS[head % COLORS.length];
  const color = [1, 3, 5].map((place) => parseInt(hue.slice(place, place + 2), 16));
  const pixels = map(layer, head).flatMap((weight) => [...color, 255 * Math.sqrt(weight)]);
  canvas.getContext("2d").putImageData(new ImageData(Uint8ClampedArray.from(pixels), keys, queries), 0, 0);
  const name = `layer ${layer}, head ${head}`;
  const button = make("button", { type: "button", class: "map", title: name, "aria-label": name }, canvas, make("i"));
  button.tabIndex = layer || head ? -1 : 0;
  Object.assign(button.dataset, { layer, head });
  return button;
}

// A row of maps a layer, a column a head.
function fillMaps(box, attention) {
  const { layers, heads } = attention;
  const label = (text) => make("span", { class: "number", "aria-hidden": "true" }, text);
  const row = (_, layer) => [label(`layer ${layer}`), ...Array.from({ length: heads }, (_, head) => smallMap(attention, layer, head))];
  const top = [label(""), ...Array.from({ length: heads }, (_, head) => label(`head ${head}`))];
  box.style.setProperty("--layers", layers);
  box.style.setProperty("--heads", heads);
  box.replaceChildren(...top, ...Array.from({ length: layers }, row).flat());
}

// Frame the maps that are seen above, and in every map the row or column of the word that is pointed at.
function markMaps(box, { layer, on, side, at }, length) {
  box.style.setProperty("--from", `${(100 * at[side]) / length}%`);
  box.style.setProperty("--thick", `${100 / length}%`);
  box.classList.toggle("down", side === "keys");
  for (const map of box.querySelectorAll(".map")) {
    map.setAttribute("aria-current", Number(map.dataset.layer) === layer && on[map.dataset.head]);
  }
}

// Call choose(layer, head) for a click or Enter; arrow keys go from map to map.
function listenToMaps(box, choose) {
  box.addEventListener("click", (event) => {
    const map = event.target.closest(".map");
    if (map) choose(Number(map.dataset.layer), Number(map.dataset.head));
  });
  box.addEventListener("keydown", (event) => {
    const maps = [...box.querySelectorAll(".map")];
    const heads = Number(box.style.getPropertyValue("--heads"));
    const step = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -heads, ArrowDown: heads }[event.key];
    if (!step) return;
    const next = maps[maps.indexOf(event.target) + step] ?? event.target;
    maps.forEach((map) => { map.tabIndex = map === next ? 0 : -1; });
    next.focus();
    event.preventDefault();
    event.stopPropagation();
  });
}
