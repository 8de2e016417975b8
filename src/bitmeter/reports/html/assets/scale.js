// From values to steps of colour: one scale for all models of a view.

export const STEPS = 12;

/** Mean and standard deviation of y over units; what is not finite has no say. */
export function moments(values, y) {
  let n = 0, sum = 0;
  for (let i = 0; i < values.length; i++) {
    const v = values[i];
    if (v < Infinity && v > -Infinity) { sum += y(v); n++; }
  }
  const mean = n ? sum / n : 0;
  let squares = 0;
  for (let i = 0; i < values.length; i++) {
    const v = values[i];
    if (v < Infinity && v > -Infinity) squares += (y(v) - mean) ** 2;
  }
  return { n, mean, sd: n ? Math.sqrt(squares / n) : 0 };
}

/** Moments of several models together. */
export function pooled(parts) {
  const n = parts.reduce((sum, part) => sum + part.n, 0);
  if (!n) return { n, mean: 0, sd: 0 };
  const mean = parts.reduce((sum, part) => sum + part.n * part.mean, 0) / n;
  const squares = parts.reduce((sum, part) => sum + part.n * (part.sd ** 2 + (part.mean - mean) ** 2), 0);
  return { n, mean, sd: Math.sqrt(squares / n) };
}

/** A sequential scale: step 0 has no colour. */
export function sequential({ mean, sd }, y, back) {
  const low = Math.max(0, mean - sd), high = Math.max(mean + 2.5 * sd, low + 1e-6);
  return {
    steps: STEPS,
    none: 0,
    prefix: "s",
    step: (v) => (Number.isNaN(v) ? 0 : v === Infinity ? STEPS - 1 : Math.min(STEPS - 1, Math.max(0, Math.floor((STEPS * (y(v) - low)) / (high - low))))),
    edge: (k) => back(low + (k * (high - low)) / STEPS),
  };
}

/** A diverging scale: step 5 has no colour, higher steps are above zero. */
export function diverging({ mean, sd }) {
  const high = Math.max(mean + 2.5 * sd, 1e-6);
  return {
    steps: 11,
    none: 5,
    prefix: "d",
    step: (v) => (Number.isNaN(v) ? 5 : 5 + Math.sign(v) * Math.round(5 * Math.min(1, Math.log2(1 + Math.abs(v)) / high) ** 1.4)),
    edge: (k) => Math.sign(k - 5) * (2 ** (high * (Math.abs(k - 5) / 5) ** (1 / 1.4)) - 1),
  };
}

export const Y = {
  bits: [(v) => Math.log2(1 + Math.max(0, v)), (y) => 2 ** y - 1],
  rank: [(v) => Math.log2(Math.max(1, v)), (y) => 2 ** y],
  signed: [(v) => Math.log2(1 + Math.abs(v)), (y) => 2 ** y - 1],
};
