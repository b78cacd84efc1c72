// One byte a weight, in the order (layer, head, query, key), in steps of 1/255.
function unpack({ shape, bytes }) {
  const [layers, heads, queries, keys] = shape;
  const steps = Uint8Array.from(atob(bytes), (character) => character.charCodeAt(0));
  const row = (layer, head, query) => {
    const start = ((layer * heads + head) * queries + query) * keys;
    return Array.from(steps.subarray(start, start + keys), (step) => step / 255);
  };
  return { layers, heads, keys, row };
}

function mean(rows, length) {
  const share = 1 / Math.max(rows.length, 1);
  return Array.from({ length }, (_, key) => rows.reduce((sum, row) => sum + row[key], 0) * share);
}

// The keys of the largest weights, the strongest first; none that reads as 0 %.
function strongest(row, count) {
  const keys = [...row.keys()].filter((key) => row[key] >= 0.005);
  return keys.sort((a, b) => row[b] - row[a]).slice(0, count);
}

const percent = (weight) => `${Math.round(100 * weight)}\u00a0%`;
