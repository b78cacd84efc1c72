// Stops are the lines that compute something, each with the array that it has made.
const SHOWN_KINDS = ["local", "gradient", "parameter", "returned"];

function stopsOf(data) {
  const made = data.computing.map((at) => data.steps[at].made.findLast((one) => SHOWN_KINDS.includes(one.kind)));
  const places = made.map((one) => placeAfter(data, one)).filter((place) => place.ran !== undefined);
  return places.sort((a, b) => a.now - b.now);
}

// The next stop, or with turn -1 the one before; undefined where there is none.
function nextStop(data, now, turn) {
  return turn > 0 ? data.stops.find((stop) => stop.now > now) : data.stops.findLast((stop) => stop.now < now);
}

// Where a page opens: at the place that it names, at the scores of the first attention, or at the first stop.
function openingOf(data) {
  if (data.comparison?.differences.length) return placeAfter(data, data.comparison.differences[0].made);
  if (data.start !== undefined) return data.stops.find((stop) => stop.now === data.start) ?? { now: data.start };
  const scores = firstMade(data, (made, call) => made.name === "scores" && call.direction === "forward");
  return scores ? placeAfter(data, scores) : (data.stops[0] ?? { now: 0 });
}

function firstMade(data, fits) {
  for (const step of data.steps) {
    const found = step.made.find((made) => fits(made, data.calls[step.call]));
    if (found) return found;
  }
  return undefined;
}
