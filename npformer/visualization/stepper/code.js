// The source of a call with what its lines have made so far.
function madeUntil(data, call, now) {
  const byLine = new Map();
  for (const at of data.stepsOf[call]) {
    const step = data.steps[at];
    if (step.done > now) continue;
    for (const made of step.made) {
      const line = made.addedLine ?? String(step.line);
      if (!byLine.has(line)) byLine.set(line, new Map());
      byLine.get(line).set(`${made.kind} ${made.name}${made.isOfSecond ? " of B" : ""}`, made);
    }
    if (!byLine.has(String(step.line))) byLine.set(String(step.line), new Map());
  }
  return byLine;
}

// A name that may go on in the next line after each dot, and whose parts have the colors of their roles, by name.
const breakable = (name, roles = {}) => name.split(/(?<=\.)/).flatMap((part, i) => {
  const colored = make("span", { class: roles[part.replace(".", "")] ?? "" }, part);
  return i ? [make("wbr"), colored] : [colored];
});

// Whether an array holds queries, keys or values.
const roleOf = (data, made) => data.calls[data.steps[made.at].call].function.roles[made.name] ?? "";

function chip(data, made, chosen) {
  const { shape } = data.views[made.number];
  const value = shape.length ? `(${shape.join(", ")}${shape.length === 1 ? "," : ""})` : inWords(arrayOf(data, made.number).values[0]);
  const name = made.kind === "remembered" ? `remembered ${made.name}` : titleOf(made);
  const button = make("button", { type: "button", class: `chip ${made.kind}`, "aria-pressed": made === chosen, "data-at": made.at, "data-number": made.number, "data-name": made.name });
  button.append(...(shape.length && !isLeftOut(data, made.number) ? [thumbnailOf(data, made.number)] : []), make("span", { class: roleOf(data, made) }, ...breakable(name)), " ", make("small", {}, value));
  if (made.difference) button.append(markOf(made.difference));
  return button;
}

// The lines of a call; `line` is the one that runs next or has just run, 0 for none. A line is built again only when it has
// changed.
function codeOf(data, call, now, line, hasRun, chosen) {
  const { function: source } = data.calls[call];
  const byLine = madeUntil(data, call, now);
  data.lists ??= new Map();
  if (!data.lists.has(call)) data.lists.set(call, make("ol", { class: "lines" }, ...source.rows.map(() => make("li"))));
  const list = data.lists.get(call);
  for (const [i, row] of source.rows.entries()) {
    const isCurrent = row.place === line;
    const made = [...(byLine.get(row.key)?.values() ?? [])];
    const content = [isCurrent, isCurrent && hasRun, byLine.has(row.key), made.indexOf(chosen), ...made.map((one) => [one.at, one.name])].join();
    if (list.children[i].content === content) continue;
    const item = lineOf(data, source, row, made, chosen);
    item.className = isCurrent ? `current ${hasRun ? "done" : "next"}` : byLine.has(row.key) ? "ran" : "";
    if (isCurrent && row.sign !== "+") item.setAttribute("aria-current", "step");
    if (row.sign) markChange(item, row.sign);
    item.content = content;
    list.children[i].replaceWith(item);
  }
  return list;
}

function lineOf(data, source, { number, text }, made, chosen) {
  const [, code, comment] = /^(.*?)(\s*#\s.*)?$/s.exec(text);
  const row = make("li", { value: number });
  const indent = code.trim() ? "" : (/^\s*/.exec(comment ?? "")?.[0] ?? "");
  if (code.trim()) row.append(make("code", {}, code));
  if (comment) row.append(make("code", { class: "comment" }, indent + comment.trim()));
  if (made.length) row.append(make("span", { class: "chips" }, ...made.map((one) => chip(data, one, chosen))));
  for (const [place, at, words] of data.remarks ?? []) {
    if (at === number && data.functions[place] === source) row.append(make("p", { class: "remark" }, words));
  }
  return row;
}

// The calls of forward whose values a backward of the same layer uses.
function forwardsOf(data, call) {
  const { module, function: source } = data.calls[call];
  if (source.name !== "backward") return [];
  return data.calls.flatMap((other, number) => {
    const name = other.function.name;
    return other.module === module && other.direction === "forward" && number < call && !/^[_<]/.test(name) ? [number] : [];
  });
}

// A student's functions are in no layer, and their only file is the student's: they need no more than their name.
const nameOf = (data, { module, function: { name } }) => (data.boxes.length ? `${module}.${name}` : name);
const aboutCall = (data, { label, function: { file } }) => (data.boxes.length ? [label, file].filter(Boolean).join(" · ") : "");

function showCode(data, state, panel) {
  const step = data.steps[state.now];
  const call = data.calls[step.call];
  const returns = call.last === state.now;
  const title = (one, extra = "") => make("h2", {}, ...breakable(nameOf(data, one), data.roles), make("small", {}, ` ${aboutCall(data, one)}${extra}`));
  const hasRun = state.ran !== undefined;
  const { line } = hasRun ? data.steps[state.ran] : step;
  const list = codeOf(data, step.call, state.now, line, hasRun, state.made);
  const forwards = forwardsOf(data, step.call).map((forward) => [title(data.calls[forward]), codeOf(data, forward, state.now, 0, false, state.made)]);
  if (panel.querySelector(".lines") !== list) { // of another call
    const more = forwards.length ? [make("h3", {}, "Forward of the same layer, with its values")] : [];
    panel.replaceChildren(callers(data, step.call), make("h2"), list, ...more, ...forwards.flat());
  }
  panel.querySelector("h2").replaceWith(title(call, returns ? " · returns" : ""));
  const current = panel.querySelector(".current");
  const height = panel.clientHeight;
  if (current && panel.scrollHeight > height) panel.scrollTop = current.offsetTop + 90 > height ? current.offsetTop - height / 2 : 0;
}

// The calls that this one is in, as buttons that go to their lines.
function callers(data, call) {
  const chain = new Map(); // the innermost call of each module
  for (let one = call; one !== null; one = data.calls[one].parent) {
    const { module } = data.calls[one];
    if (module !== data.calls[call].module && !chain.has(module)) chain.set(module, one);
  }
  const buttons = [...chain].reverse().map(([module, one]) => {
    const at = data.stepsOf[one].findLast((step) => step < data.calls[call].first);
    const name = /[^.]+(\.\d+)?$/.exec(module)[0];
    return make("li", {}, make("button", { type: "button", class: "plain", "data-go": at, title: module }, ...breakable(name, data.roles)));
  });
  return make("ol", { class: "callers", "aria-label": "Callers" }, ...buttons);
}
