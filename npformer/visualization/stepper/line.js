// An entry of a line of plain arithmetic in numbers: the names in the line are replaced by the entries that go into it.
const PLAIN = /^[\w\s.()*/+-]*[\w.)]$/; // and all on one line
const WORDS = /\b(if|else|for|in|is|not|and|or|lambda)\b/;
const PART = /(row_sum|row_mean|row_max|column_sum)\((\w+)(?: \* (\w+))?\)|(?:xp|np|math)\.(exp|log|sqrt)\(|[A-Za-z_][\w.]*\(?|\d[\w.]*/g;

function textOfLine(data, made) {
  const { call, line } = data.steps[made.at];
  const { lines, first } = data.calls[call].function;
  return lines[line - first];
}

// The text up to the result and the result, or null for a line that is not so plain. numberOf(made) is the number of an array
// that the line reads, null where there is none.
function explainLine(data, made, array, entry, text = textOfLine(data, made), numberOf = (one) => one.number) {
  const numbers = new Map(visible(data, made.at).filter(({ kind }) => !["remembered", "returned"].includes(kind)).map((one) => {
    return [one.kind === "parameter" ? `self.${one.name}.data` : one.name, numberOf(one)];
  }).filter(([, number]) => number !== null));
  const arrayNamed = (name) => (numbers.has(name) ? arrayOf(data, numbers.get(name)) : undefined);
  const entryOf = (name) => {
    const one = arrayNamed(name);
    return one?.values[placeOfEntry(one.shape, array.shape, entry)];
  };
  const expression = expressionOf(text, made)
    ?.replace(/xp\.where\((\w+), (\w+), (\w+\(\w+\)|\w+)\)/, (_, mask, yes, no) => (entryOf(mask) ? yes : no));
  if (!expression || !PLAIN.test(expression) || WORDS.test(expression)) return null;

  let isPlain = /[-+*/(]/.test(expression);
  let value = array.values[entry];
  const replace = (part, how, first, second, root) => {
    if (root) return `${root}(`;
    if (/^\d/.test(part)) return part;
    if (how) {
      const terms = termsOfReduction(how, [first, second].filter(Boolean).map(arrayNamed), array.shape, entry);
      isPlain &&= Boolean(terms);
      const [text, result] = terms ? reduced(how, terms) : ["", NaN];
      if (part !== expression) return inParentheses(result);
      value = result;
      return text;
    }
    const number = entryOf(part);
    isPlain &&= number !== undefined || (!numbers.has(part) && /^(self\.)?\w+$/.test(part));
    return number === undefined ? part : inParentheses(number);
  };
  const inNumbers = expression.replace(PART, replace).replace(/ \* /g, " · ").replace(/-/g, "−");
  return isPlain ? { text: `${expression} = ${inNumbers} = `, value } : null;
}

// What a line computes for an array: the right side, with the name itself where it changes it, or what it returns.
function expressionOf(text, made) {
  const [, name, operator, right] = /^\s*(?:([\w.]+) ([-+*/]?)= |return )(.+?)(?:\s+#\s.*)?$/.exec(text) ?? [];
  if (made.kind === "returned") return name ? undefined : /^self\.remember\(([^,]+), /.exec(right)?.[1] ?? right;
  if (made.kind === "gradient") return name === `self.${made.name}` ? right : undefined; // which is added
  return name !== made.name ? undefined : operator ? `${name} ${operator} (${right})` : right;
}

// The place of the entry that broadcasting takes from an array of shape `own`, for a place in one of another shape.
function placeOfEntry(own, shape, place) {
  const index = indexOf(shape, place).slice(shape.length - own.length);
  const fits = own.every((size, axis) => size === 1 || size === shape[shape.length - own.length + axis]);
  return fits ? own.reduce((sum, size, axis) => sum * size + (size === 1 ? 0 : index[axis]), 0) : undefined;
}

// The factors of each term of a sum over a row or over a column.
function termsOfReduction(how, arrays, shape, entry) {
  const own = arrays[0]?.shape;
  if (!own?.length || arrays.some((one) => one?.shape.join() !== own.join())) return null;
  const width = own.at(-1);
  const rows = product(own) / width;
  const isColumn = how === "column_sum";
  if (isColumn ? shape.join() !== `${width}` : product(shape) / shape.at(-1) !== rows) return null;
  const [start, stride] = isColumn ? [entry, width] : [Math.floor(entry / shape.at(-1)) * width, 1];
  return Array.from({ length: isColumn ? rows : width }, (_, i) => arrays.map(({ values }) => values[start + i * stride]));
}

function reduced(how, terms) {
  const { sum, text } = sumInWords(terms);
  if (how === "row_max") return [`the largest of ${terms.length}`, Math.max(...terms.flat())];
  return how === "row_mean" ? [`(${text}) / ${terms.length}`, sum / terms.length] : [text, sum];
}
