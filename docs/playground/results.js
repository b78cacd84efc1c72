// What Python found: frames with pages, and the curves of two trainings.

import { curvesOf } from "./curves.js";
import { make, part } from "./elements.js";

// Show a page in a frame. A new frame, because the old one would stay in the browser's history.
export function showPage(id, page) {
  const old = part(id);
  const frame = make("iframe", { id, title: old.title });
  frame.srcdoc = page;
  old.replaceWith(frame);
}

export function clearEvidence() {
  part("evidence").replaceChildren();
}

export function showCurves({ losses, words }) {
  part("evidence").append(curvesOf({ losses, curves: words }), make("p", {}, words));
}

export function showCheck({ words }) {
  part("evidence").append(make("p", {}, words));
}
