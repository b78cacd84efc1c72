// The frame of a live figure: a title, sliders and switches, a drawing, and a line of numbers.
//
// A figure is an object of three functions. `settings` has the value of each control by its name.
//   numbers(settings, data)          computes all that is shown
//   draw(numbers, settings, data)    returns a list of drawings
//   say(numbers, settings, data)     returns the line of numbers

function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

function shape(name, attributes = {}, ...children) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

function drawing(width, height, ...shapes) {
  return shape("svg", { viewBox: `0 0 ${width} ${height}` }, ...shapes);
}

// Three digits, and a true minus.
function written(number) {
  return String(Number(number.toPrecision(3))).replaceAll("-", "\u2212");
}

function slider({ name, label, values, start }, settings, update) {
  const last = values.length - 1;
  const input = element("input", { id: name, type: "range", min: 0, max: last, step: 1 });
  const shown = element("span", { class: "value", "aria-hidden": "true" });

  function choose() {
    settings[name] = values[input.value];
    shown.textContent = written(settings[name]);
    input.setAttribute("aria-valuetext", shown.textContent);
  }

  input.value = values.indexOf(start);
  choose();
  input.addEventListener("input", () => {
    choose();
    update();
  });
  return element("div", { class: "control" }, element("label", { for: name }, label), input, shown);
}

function checkbox({ name, label, start }, settings, update) {
  const input = element("input", { id: name, type: "checkbox" });
  input.checked = start;
  settings[name] = start;
  input.addEventListener("change", () => {
    settings[name] = input.checked;
    update();
  });
  return element("div", { class: "control" }, element("label", { for: name }, label), input);
}

function mount(host) {
  const { title, description, controls, data } = CONTENT;
  const settings = {};
  const drawings = element("div", { class: "drawings", role: "img", "aria-label": description });
  const line = element("p", { class: "line", "aria-live": "polite" });

  function update() {
    const numbers = figure.numbers(settings, data);
    drawings.replaceChildren(...figure.draw(numbers, settings, data));
    line.textContent = figure.say(numbers, settings, data);
  }

  const inputs = [];
  for (const control of controls) {
    const make = control.values ? slider : checkbox;
    inputs.push(make(control, settings, update));
  }

  const frame = element("div", { class: "frame", role: "group", "aria-label": title });
  frame.append(element("p", { class: "title" }, title), ...inputs, drawings, line);
  host.attachShadow({ mode: "open" }).append(element("style", {}, STYLE), frame);
  update();
}

// A notebook may show one output in two places.
function mountEach(name) {
  for (const host of document.querySelectorAll(`.live-figure[data-figure="${name}"]`)) {
    if (!host.shadowRoot) mount(host);
  }
}
