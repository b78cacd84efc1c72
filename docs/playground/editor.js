// Choose a function of npformer and change one of its lines.

import { make, part } from "./elements.js";

export class Editor {
  // `code`: file -> function -> { first, lines }; `first`: the place that is shown first; `run(change)`: runs both.
  constructor(code, first, run) {
    this.code = code;
    this.run = run;
    this.files = part("file");
    this.functions = part("function");
    this.lines = part("lines");
    const [file, name] = first.split("::");
    this.files.replaceChildren(...Object.keys(code).map((one) => make("option", {}, one)));
    this.files.value = file;
    this.files.addEventListener("change", () => this.chooseFile());
    this.functions.addEventListener("change", () => this.chooseFunction());
    this.lines.addEventListener("keydown", (event) => this.pressed(event));
    part("run").addEventListener("click", () => this.runChange());
    part("restore").addEventListener("click", () => this.chooseFunction());
    this.chooseFile(name);
  }

  chooseFile(name) {
    const names = Object.keys(this.code[this.files.value]);
    this.functions.replaceChildren(...names.map((one) => make("option", {}, one)));
    this.functions.value = name ?? names[0];
    this.chooseFunction();
  }

  chooseFunction() {
    this.edited = null;
    const { first, lines } = this.code[this.files.value][this.functions.value];
    this.lines.replaceChildren(...lines.map((text, index) => this.row(first + index, text)));
    const buttons = this.buttons();
    for (const button of buttons) button.tabIndex = -1;
    if (buttons.length) buttons[0].tabIndex = 0;
    this.tell("Choose a line.");
  }

  row(number, text) {
    const place = make("span", { class: "number", "aria-hidden": "true" }, String(number));
    if (!text.trim()) return make("li", {}, place);
    const button = make("button", { type: "button", "aria-label": `Change line ${number}: ${text.trim()}` }, text);
    const row = make("li", { "data-line": number }, place, button);
    button.addEventListener("click", () => this.edit(row, text));
    return row;
  }

  buttons() {
    return [...this.lines.querySelectorAll("button")];
  }

  // One line is changed at a time: the others are as they were.
  edit(row, text) {
    const old = this.edited;
    this.restore();
    const number = row.dataset.line;
    const indent = text.length - text.trimStart().length;
    const input = make("input", { "aria-label": `Line ${number}`, spellcheck: "false", autocapitalize: "off", autocomplete: "off" });
    input.value = text.trim();
    input.style.marginInlineStart = `${indent}ch`;
    input.style.minWidth = `${text.trim().length + 12}ch`;
    this.edited = { row, text, input };
    row.lastChild.replaceWith(input);
    row.classList.add("edited");
    input.focus();
    input.setSelectionRange(0, 0);
    this.tell(`Line ${number} of ${this.files.value}: change it, then run both.${this.undone(old)}`);
  }

  // What is said of a line that was changed before another one was chosen.
  undone(old) {
    if (!old || old.input.value.trim() === old.text.trim()) return "";
    return ` Only one line can differ: line ${old.row.dataset.line} is as it was again.`;
  }

  restore() {
    if (!this.edited) return null;
    const { row, text } = this.edited;
    const again = this.row(row.dataset.line, text);
    row.replaceWith(again);
    this.edited = null;
    return again.querySelector("button");
  }

  pressed(event) {
    const { key, target } = event;
    if (target.tagName === "INPUT") {
      if (key === "Enter") this.runChange();
      else if (key === "Escape") this.restore().focus();
      return;
    }
    const buttons = this.buttons();
    const step = { ArrowUp: -1, ArrowDown: 1 }[key];
    const next = buttons[buttons.indexOf(target) + step];
    if (!next) return;
    event.preventDefault();
    for (const button of buttons) button.tabIndex = button === next ? 0 : -1;
    next.focus();
  }

  runChange() {
    if (!this.edited) return this.tell("Choose a line first, and change it.");
    const { row, text, input } = this.edited;
    if (input.value.trim() === text.trim()) return this.tell("The line is as it was: change it first.");
    const place = `${this.files.value}:${row.dataset.line}`;
    return this.run({ [place]: input.value }, `a change in line ${row.dataset.line} of ${this.files.value}`);
  }

  tell(text) {
    part("edit-said").textContent = text;
  }
}
