// Elements of the page.

const SVG = "http://www.w3.org/2000/svg";

export const part = (id) => document.getElementById(id);

export function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

export function draw(tag, attributes) {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  return element;
}

// Show a piece of HTML whose scripts run.
export function showPiece(element, html) {
  element.innerHTML = html;
  for (const script of element.querySelectorAll("script")) script.replaceWith(make("script", {}, script.textContent));
}
