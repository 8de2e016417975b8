// The quantities of the lessons; the tests compare each with the function of bitmeter that computes the same.

const log2 = (p) => Math.log2(p);

/** A sum that does not lose small terms (Neumaier). */
export function total(values) {
  let sum = 0, lost = 0;
  for (const value of values) {
    const next = sum + value;
    lost += Math.abs(sum) >= Math.abs(value) ? sum - next + value : value - next + sum;
    sum = next;
  }
  return Number.isFinite(sum) ? sum + lost : sum;
}

export function information(p) {
  return p === 0 ? Infinity : -log2(p) + 0;
}

export function entropy(p) {
  return total(p.map((one) => (one > 0 ? -one * log2(one) : 0))) + 0;
}

/** What symbols of p cost under a code made for q; infinite where q excludes what p has. */
export function crossEntropy(p, q) {
  return total(p.map((one, k) => (one > 0 ? one * information(q[k]) : 0)));
}

export function divergence(p, q) {
  return crossEntropy(p, q) - entropy(p);
}

export function normalised(values) {
  const sum = total(values);
  return values.map((value) => (sum > 0 ? value / sum : 1 / values.length));
}

// ---- a chain of two states -----------------------------------------------------------------------------------------

/** The chain leaves its first state with probability a, its second with b. */
export function stationary(a, b) {
  return a + b === 0 ? [1, 0] : [b / (a + b), a / (a + b)];
}

export function entropyRate(a, b) {
  const [first, second] = stationary(a, b);
  return first * entropy([a, 1 - a]) + second * entropy([b, 1 - b]);
}

/** Numbers between 0 and 1 from a seed, the same on every machine (mulberry32). */
export function randomFrom(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

/** A sample of the chain, and −1/n log2 of its probability after each step. */
export function chainPath(a, b, n, random) {
  const [first] = stationary(a, b), states = [], curve = [];
  let state = random() < first ? 0 : 1, bits = information(state ? 1 - first : first);
  states.push(state);
  curve.push(bits);
  for (let k = 1; k < n; k++) {
    const leave = state ? b : a, moves = random() < leave;
    bits += information(moves ? leave : 1 - leave);
    state = moves ? 1 - state : state;
    states.push(state);
    curve.push(bits / (k + 1));
  }
  return { states, curve };
}

/** One of two coins is chosen once, and then thrown: −1/n log2 of the probability of the throws so far. */
export function mixturePath(p, q, n, random) {
  const own = random() < 0.5 ? p : q, curve = [];
  let logP = 0, logQ = 0;
  for (let k = 0; k < n; k++) {
    const heads = random() < own;
    logP += log2(heads ? p : 1 - p);
    logQ += log2(heads ? q : 1 - q);
    const most = Math.max(logP, logQ);
    curve.push(-(most + log2(2 ** (logP - most) + 2 ** (logQ - most)) - 1) / (k + 1));
  }
  return { curve, own };
}

// ---- typical sets --------------------------------------------------------------------------------------------------

const FACTORIALS = [0];
export function log2Choose(n, k) {
  for (let i = FACTORIALS.length; i <= n; i++) FACTORIALS.push(FACTORIALS[i - 1] + log2(i));
  return FACTORIALS[n] - FACTORIALS[k] - FACTORIALS[n - k];
}

/** Sequences of n throws of a coin, by how many heads they have: which are typical within epsilon bits per throw. */
export function typicalSet(p, n, epsilon) {
  const rate = entropy([p, 1 - p]), rows = [];
  for (let k = 0; k <= n; k++) {
    const each = k * information(p) + (n - k) * information(1 - p), count = log2Choose(n, k);
    rows.push({ heads: k, each: each / n, log2Count: count, probability: 2 ** (count - each), typical: Math.abs(each / n - rate) <= epsilon + 1e-12 });
  }
  const inside = rows.filter((row) => row.typical), most = Math.max(...inside.map((row) => row.log2Count));
  return {
    rate, rows, probability: total(inside.map((row) => row.probability)),
    log2Count: inside.length ? most + log2(total(inside.map((row) => 2 ** (row.log2Count - most)))) : -Infinity,
  };
}

// ---- prefix codes --------------------------------------------------------------------------------------------------

export function kraft(words) {
  return total(words.map((word) => 2 ** -word.length));
}

/** Two words of which one begins with the other; null if there are none. */
export function clash(words) {
  for (let i = 0; i < words.length; i++)
    for (let j = 0; j < words.length; j++) if (i !== j && words[j].startsWith(words[i])) return [i, j];
  return null;
}

export function expectedLength(p, words) {
  return total(p.map((one, k) => one * words[k].length));
}

/** The lengths of Huffman's words. */
export function huffmanLengths(p) {
  const lengths = p.map(() => 0);
  let heap = p.map((one, k) => ({ p: one, of: [k] }));
  while (heap.length > 1) {
    heap.sort((a, b) => a.p - b.p);
    const [a, b, ...rest] = heap;
    for (const k of [...a.of, ...b.of]) lengths[k]++;
    heap = [...rest, { p: a.p + b.p, of: [...a.of, ...b.of] }];
  }
  return lengths;
}

// ---- a model grown from a text -------------------------------------------------------------------------------------

/**
 * Counts of bytes after contexts of up to so many bytes. A byte is predicted before it is added: from its count after the
 * longest context, with as much weight for the next shorter one as there are different bytes after it (Witten and Bell).
 */
export class Grown {
  constructor(order) {
    this.order = order;
    this.tables = Array.from({ length: order + 1 }, () => new Map());
    this.bits = 0;
    this.read = 0;
    this.recent = [];
  }

  /** How many contexts were counted. */
  get contexts() {
    return this.tables.reduce((sum, table) => sum + table.size, 0);
  }

  key(length) {
    return this.recent.slice(this.recent.length - length).join();
  }

  probability(byte) {
    let p = 1 / 256;
    for (let length = 0; length <= this.recent.length; length++) {
      const found = this.tables[length].get(this.key(length));
      if (found) p = ((found.of.get(byte) ?? 0) + found.of.size * p) / (found.all + found.of.size);
    }
    return p;
  }

  add(byte) {
    const cost = -log2(this.probability(byte));
    for (let length = 0; length <= this.recent.length; length++) {
      const key = this.key(length), table = this.tables[length];
      if (!table.has(key)) table.set(key, { all: 0, of: new Map() });
      const found = table.get(key);
      found.all++;
      found.of.set(byte, (found.of.get(byte) ?? 0) + 1);
    }
    this.bits += cost;
    this.read++;
    this.follow(byte);
    return cost;
  }

  /** Go on after a byte without counting it. */
  follow(byte) {
    if (this.order) this.recent = [...this.recent, byte].slice(-this.order);
  }

  /** A byte by the counts after the longest context that was seen. */
  drawn(random) {
    for (let length = this.recent.length; length >= 0; length--) {
      const found = this.tables[length].get(this.key(length));
      if (!found) continue;
      let left = random() * found.all;
      for (const [byte, count] of found.of) if ((left -= count) < 0) return byte;
    }
    return 32;
  }
}

/** The entropy of a letter given the one before it, from the counts of pairs. */
export function pairEntropy(pairs) {
  const sums = pairs.map((row) => total(row)), all = total(sums);
  return total(pairs.map((row, k) => (sums[k] ? (sums[k] / all) * entropy(row.map((count) => count / sums[k])) : 0)));
}

// ---- a small network -----------------------------------------------------------------------------------------------

/** One layer from a letter to scores of the next, trained by gradient descent on the counts of pairs. */
export class Network {
  constructor(pairs, random) {
    this.pairs = pairs;
    this.all = total(pairs.flat());
    this.weights = pairs.map((row) => row.map(() => (random() - 0.5) * 0.2));
    this.steps = 0;
  }

  softmax(row) {
    const most = Math.max(...row), powers = row.map((value) => Math.exp(value - most)), sum = total(powers);
    return powers.map((power) => power / sum);
  }

  /** Bits per letter. */
  loss() {
    return total(this.pairs.map((row, k) => {
      const q = this.softmax(this.weights[k]);
      return total(row.map((count, j) => (count ? (count / this.all) * information(q[j]) : 0)));
    }));
  }

  /** The derivative of the loss by each weight. */
  gradient() {
    return this.pairs.map((row, k) => {
      const q = this.softmax(this.weights[k]), sum = total(row);
      return row.map((count, j) => (sum * q[j] - count) / this.all / Math.LN2);
    });
  }

  step(rate) {
    const slope = this.gradient();
    this.weights = this.weights.map((row, k) => row.map((value, j) => value - rate * slope[k][j]));
    this.steps++;
  }
}

// ---- the guessing game ---------------------------------------------------------------------------------------------

/** Shannon's bounds from at which guess each letter was right. */
export function guessBounds(guesses) {
  const shares = new Array(Math.max(...guesses) + 1).fill(0);
  for (const number of guesses) shares[number - 1] += 1 / guesses.length;
  shares.sort((a, b) => b - a);
  return {
    low: total(shares.slice(0, -1).map((share, k) => (k + 1) * (share - shares[k + 1]) * log2(k + 1))),
    high: entropy(shares),
  };
}

/** A 95 % interval of what lies between the bounds, by drawing the letters again: from the low end to the high one. */
export function guessInterval(guesses, times = 400) {
  const random = randomFrom(guesses.length), lows = [], highs = [];
  for (let k = 0; k < times; k++) {
    const bounds = guessBounds(guesses.map(() => guesses[Math.floor(random() * guesses.length)]));
    lows.push(bounds.low);
    highs.push(bounds.high);
  }
  lows.sort((a, b) => a - b);
  highs.sort((a, b) => a - b);
  return [lows[Math.floor(0.025 * times)], highs[Math.ceil(0.975 * times) - 1]];
}
