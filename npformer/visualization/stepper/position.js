// Where one can go from a step, and the name of a step in the page's address.
const MOVES = {
  back: (_, now) => now - 1,
  step: (_, now) => now + 1,
  over: (data, now) => {
    const { call, done } = data.steps[now];
    return done > now ? done : (data.stepsOf[call].find((at) => at > now) ?? now + 1);
  },
  out: (data, now) => data.calls[data.steps[now].call].last + 1,
  turn: (data, now) => {
    const other = data.calls[counterpartOf(data, data.steps[now].call)];
    return other?.direction === "backward" ? other.first : (other?.last ?? now);
  },
  start: () => 0,
  end: (data) => data.steps.length - 1,
};

// The call of the backward of the same layer, from backward that of forward; undefined where there is none.
function counterpartOf(data, number) {
  const { module, direction } = data.calls[number];
  const name = direction === "forward" ? "backward" : "forward";
  const found = data.calls.findLastIndex((call) => call.module === module && call.function.name === name);
  return found < 0 || direction === "update" ? undefined : found;
}

// The first step of the next box of the figure, or of the one before; where there is no figure, of the next call.
function nextBox(data, boxes, now, turn) {
  const callAt = (at) => data.calls[data.steps[at].call];
  const boxAt = (at) => (boxes.length ? boxOf(boxes, callAt(at).module) : callAt(at));
  const here = boxAt(now);
  let at = now;
  while (data.steps[at + turn] && (!boxAt(at) || boxAt(at) === here)) at += turn;
  while (turn < 0 && data.steps[at - 1] && boxAt(at - 1) === boxAt(at)) at -= 1;
  return at;
}

const wordsOf = (text) => text.toLowerCase().split(/\s+/).filter(Boolean);

// The arrays that match all words: the name of a variable, a function, a class, a module or a part of it.
function search(data, text) {
  const words = wordsOf(text);
  const found = [];
  if (!words.length) return found;
  for (const step of data.steps) {
    const { module, label, function: { name } } = data.calls[step.call];
    const place = `.${module}.${name}.${label.split("(")[0]}.`.toLowerCase();
    for (const made of step.made) {
      if (words.every((word) => word === made.name.toLowerCase() || place.includes(`.${word}.`))) found.push(made);
    }
  }
  return found;
}

// module:function:line:visit;array
function addressOf(data, now, made) {
  const { call, line } = data.steps[now];
  const { module, function: { name } } = data.calls[call];
  const visit = visitsOf(data, module, name, line).indexOf(now) + 1;
  return [module, name, line, ...(visit > 1 ? [visit] : [])].map(encodeURIComponent).join(":") + (made ? `;${encodeURIComponent(made.name)}` : "");
}

function visitsOf(data, module, name, line) {
  return data.calls.flatMap((call, number) => {
    return call.module === module && call.function.name === name ? data.stepsOf[number].filter((at) => data.steps[at].line === line) : [];
  });
}

// The step and array of an address, which may also be words to search for; null where there is none.
function placeOf(data, address) {
  const [path, array] = address.split(";").map(decodeURIComponent);
  const [module, name, line, visit = 1] = path.split(":");
  if (!name) {
    const [made] = search(data, path);
    return made ? { now: data.steps[made.at].done, made } : null;
  }
  const now = visitsOf(data, module, name, Number(line))[visit - 1];
  if (now === undefined) return null;
  return { now, made: array ? [...visible(data, now)].findLast((one) => one.name === array) : undefined };
}

// What the current function has made up to a step, in order.
function visible(data, now) {
  return data.stepsOf[data.steps[now].call].flatMap((at) => (data.steps[at].done <= now ? data.steps[at].made : []));
}
