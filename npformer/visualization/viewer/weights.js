// One byte a weight, in the order (layer, head, query, key), in steps of 1/255.
function unpack({ shape, bytes }) {
  const [layers, heads, queries, keys] = shape;
  const steps = Uint8Array.from(atob(bytes), (character) => character.charCodeAt(0));
  const map = (layer, head) => {
    const start = (layer * heads + head) * queries * keys;
    return Array.from(steps.subarray(start, start + queries * keys), (step) => step / 255);
  };
  // Where a query looks, and who looks at a key.
  const seen = {
    queries: (layer, head, query) => map(layer, head).slice(query * keys, (query + 1) * keys),
    keys: (layer, head, key) => map(layer, head).filter((_, cell) => cell % keys === key),
  };
  return { layers, heads, queries, keys, map, seen };
}

function mean(rows, length) {
  const share = 1 / Math.max(rows.length, 1);
  return Array.from({ length }, (_, key) => rows.reduce((sum, row) => sum + row[key], 0) * share);
}

// The places of the largest weights, the strongest first; none that reads as 0%.
function strongest(row, count) {
  const places = [...row.keys()].filter((place) => row[place] >= 0.005);
  return places.sort((a, b) => row[b] - row[a]).slice(0, count);
}

const percent = (weight) => `${Math.round(100 * weight)}%`;
