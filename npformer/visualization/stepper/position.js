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

// The step at which the next box of the figure begins, or the one before, in the order in which the figure is passed
// forward and backward; where there is no figure, the next call.
function nextBox(data, boxes, now, turn) {
  const starts = boxes.length ? boxes.flatMap((box) => [box.forward, box.backward]) : data.calls.map((call) => call.first);
  const update = data.steps.findIndex((step) => data.calls[step.call].direction === "update");
  const ends = [0, update < 0 ? data.steps.length - 1 : update];
  const places = [...starts, ...ends].filter((at) => at !== undefined).sort((a, b) => a - b);
  return (turn > 0 ? places.find((at) => at > now) : places.findLast((at) => at < now)) ?? now;
}

const wordsOf = (text) => text.toLowerCase().split(/\s+/).filter(Boolean);

// The arrays that match all words: the name of a variable, a function, a class, a module or a part of it. In a comparison
// those that differ are first.
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
  return [...found.filter((made) => made.difference), ...found.filter((made) => !made.difference)];
}

// module:function:line:visit;array, where an array that the line itself makes says that the line has just run.
function addressOf(data, { now, ran, made, picked }) {
  const isOfLine = ran !== undefined && made?.at === ran;
  const at = isOfLine ? ran : picked?.passedAt === now ? picked.at : now;
  const array = isOfLine ? made : picked;
  const { call, line } = data.steps[at];
  const { module, function: { name } } = data.calls[call];
  const visit = visitsOf(data, module, name, line).indexOf(at) + 1;
  return [module, name, line, ...(visit > 1 ? [visit] : [])].map(encodeURIComponent).join(":") + (array ? `;${encodeURIComponent(array.name)}` : "");
}

function visitsOf(data, module, name, line) {
  return data.calls.flatMap((call, number) => {
    return call.module === module && call.function.name === name ? data.stepsOf[number].filter((at) => data.steps[at].line === line) : [];
  });
}

// The place of an address, which may also be words to search for; null where there is none.
function placeOf(data, address) {
  const [path, array] = address.split(";").map(decodeURIComponent);
  const [module, name, line, visit = 1] = path.split(":");
  if (!name) {
    const [made] = search(data, path);
    return made ? placeAfter(data, made) : null;
  }
  const now = visitsOf(data, module, name, Number(line))[visit - 1];
  if (now === undefined) return null;
  const own = data.steps[now].made.find((one) => one.name === array && one.kind !== "argument");
  if (own) return placeAfter(data, own);
  const made = array ? visible(data, now).findLast((one) => one.name === array) : undefined;
  return made?.passedAt === undefined ? { now, made } : placeAfter(data, made);
}

// A place: the step that runs next, the array that is shown, and the step of the line that has just run and made it.
function placeAfter(data, made) {
  if (made.passedAt !== undefined) return { now: made.passedAt, made }; // the line of the caller that passes it
  const { done } = data.steps[made.at];
  return done < data.steps.length ? { now: done, made, ran: made.at } : { now: made.at, made };
}

// What the current function has made up to a step, in order.
function visible(data, now) {
  return data.stepsOf[data.steps[now].call].flatMap((at) => (data.steps[at].done <= now ? data.steps[at].made : [])).filter((made) => !made.isOfSecond);
}
