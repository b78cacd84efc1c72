// Signs stand back: the bar with which a subword begins, heavy in most fonts, and the <unk> beside an unknown word.
function word(token) {
  const [, begins, text, unknown] = /^(\u2581(?=.))?(.*?)( <unk>)?$/s.exec(token);
  const sign = (mark) => (mark ? [make("span", { class: "sign" }, mark)] : []);
  return make("bdi", {}, ...sign(begins), text, ...sign(unknown));
}

// A word that can be pointed at. Under it stands how much it is looked at, or looks; under a key also a stripe a head.
function wordButton(side, token, index, heads) {
  const stripes = side === "keys" ? heads : 0;
  const tracks = Array.from({ length: stripes }, (_, head) => paint(make("i", { class: "track" }), head));
  const under = make("span", { class: "under", "aria-hidden": "true" }, make("small"), ...tracks);
  const name = { queries: "query", keys: "key" }[side];
  return make("button", { type: "button", class: `word ${name}`, "data-side": side, "data-index": index }, word(token), under);
}

// A word that looks at the pointed one or is looked at by it: by each head, and by those that are on together.
function light(element, token, weights, together, on, ahead) {
  const each = weights.flatMap((weight, head) => (on[head] ? [`head ${head}: ${percent(weight)}`] : []));
  element.classList.toggle("ahead", ahead);
  element.setAttribute("aria-label", ahead ? `${token}, not yet read` : `${token}, ${percent(together)}`);
  element.title = ahead ? "not yet read" : [`together: ${percent(together)}`, ...each].join("\n");
  shade(element, together);
  element.querySelectorAll(".track").forEach((track, head) => {
    track.hidden = !on[head];
    track.style.opacity = Math.sqrt(weights[head]);
  });
}

// A word on the side of the pointed one.
function dim(element) {
  element.classList.remove("ahead");
  element.removeAttribute("aria-label");
  element.removeAttribute("title");
  shade(element, 0);
  for (const track of element.querySelectorAll(".track")) track.style.opacity = 0;
}

function shade(element, weight) {
  element.style.setProperty("--shade", Math.sqrt(weight)); // the root, for small weights would not be seen
  // written by the style: the name of the button says it already
  element.querySelector("small").dataset.percent = weight >= 0.095 ? Math.round(100 * weight) : "";
}

// A long sentence scrolls in its own box, never the page.
function follow(box, element) {
  if (!element || box.scrollHeight <= box.clientHeight) return;
  const [outer, inner] = [box.getBoundingClientRect(), element.getBoundingClientRect()];
  if (inner.top < outer.top) box.scrollTop -= outer.top - inner.top + 4;
  else if (inner.bottom > outer.bottom) box.scrollTop += inner.bottom - outer.bottom + 4;
}
