// The quantities of the other lessons; the tests compare each with the function of bitmeter that computes the same.
import { entropy, entropyRate, information, stationary, total } from "../figures.js";

const log2 = Math.log2;

// ---- densities and pairs -------------------------------------------------------------------------------------------

/** The differential entropy of a normal density, in bits. */
export function normalEntropy(sd) {
  return 0.5 * log2(2 * Math.PI * Math.E * sd * sd);
}

/** D(p‖q) of two normal densities, in bits. */
export function normalDivergence(mean, sd, mean2, sd2) {
  return log2(sd2 / sd) + ((sd * sd + (mean - mean2) ** 2) / (2 * sd2 * sd2) - 0.5) / Math.LN2;
}

export function normalDensity(x, mean, sd) {
  return Math.exp(-0.5 * ((x - mean) / sd) ** 2) / (sd * Math.sqrt(2 * Math.PI));
}

/** Entropies of a table of probabilities, rows X and columns Y. */
export function pairFigures(table) {
  const x = entropy(table.map(total)), y = entropy(table[0].map((_, j) => total(table.map((row) => row[j])))), both = entropy(table.flat());
  return { x, y, both, rest: Math.max(0, both - x), shared: Math.max(0, x + y - both) };
}

// ---- letters and words ---------------------------------------------------------------------------------------------

export const LETTERS = "abcdefghijklmnopqrstuvwxyz ";

/** A text in small letters and spaces. */
export function plain(text) {
  return text.toLowerCase().replace(/[^a-z]+/g, " ").trim();
}

/** The share of each letter in a text. */
export function shares(text) {
  const found = new Map([...LETTERS].map((letter) => [letter, 0]));
  for (const letter of text) found.set(letter, (found.get(letter) ?? 0) + 1 / text.length);
  return found;
}

/** What each letter of a text costs under a distribution of which a share is flat over so many letters. */
export function letterCosts(text, model, weight, size) {
  return [...text].map((letter) => information((1 - weight) * (model.get(letter) ?? 0) + weight / size));
}

/** The running example of the lessons: a at 1/4, b at 1/2, c to r at 1/64, the others never. */
export function exampleLetters() {
  return new Map([...LETTERS.trim()].map((letter) => [letter, letter === "a" ? 1 / 4 : letter === "b" ? 1 / 2 : letter <= "r" ? 1 / 64 : 0]));
}

const EIGHTH = Object.fromEntries([..."abelopr", "other"].map((name) => [name, 1 / 8]));
const ROWS = { a: { b: 1 }, b: { a: 1 / 2, l: 1 / 2 }, e: { other: 1 }, l: { e: 1 }, o: { b: 1 }, p: EIGHTH, r: { o: 1 }, other: { p: 1 } };

/** What each letter costs given the one before it, under the table of the lesson on context; each row may be made flatter. */
export function tableCosts(word, weight) {
  let row = ROWS.other;
  return [...word].map((letter) => {
    const name = letter in row || !("other" in row) ? letter : "other", bits = information((1 - weight) * (row[name] ?? 0) + weight / 26);
    row = ROWS[letter] ?? ROWS.other;
    return bits;
  });
}

/** The entropy of one more letter after k − 1 of them, from the counts of blocks, and the share of blocks seen more than once. */
export function blockRates(text, longest) {
  let last = 0;
  return Array.from({ length: longest }, (_, i) => {
    const k = i + 1, counts = new Map(), all = text.length - i;
    if (all < 1) return { k, rate: 0, seen: 0 };
    for (let at = 0; at < all; at++) counts.set(text.slice(at, at + k), (counts.get(text.slice(at, at + k)) ?? 0) + 1);
    const found = entropy([...counts.values()].map((count) => count / all)), rate = found - last;
    last = found;
    return { k, rate, seen: 1 - [...counts.values()].filter((count) => count === 1).length / all };
  });
}

// ---- chains --------------------------------------------------------------------------------------------------------

/** What a chain costs per step under another; each leaves its states with the two probabilities. */
export function crossRate([a, b], [c, d]) {
  const [first, second] = stationary(a, b), one = (p, q) => (p > 0 ? p * information(q) : 0);
  return first * (one(a, c) + one(1 - a, 1 - c)) + second * (one(b, d) + one(1 - b, 1 - d));
}

/** The cost of a sample so far, per symbol, under a chain that begins in its own stationary distribution. */
export function chainCosts(states, [c, d]) {
  const begin = stationary(c, d);
  let bits = information(begin[states[0]]);
  return states.map((state, k) => {
    if (k) {
      const leave = states[k - 1] ? d : c;
      bits += information(state === states[k - 1] ? 1 - leave : leave);
    }
    return bits / (k + 1);
  });
}

/** H(X₁…Xₙ)/n and H(Xₙ|past) for n = 1, 2, …; the chain begins in its stationary distribution, or in the first state. */
export function blockCurves([a, b], longest, certain) {
  let [first, second] = certain ? [1, 0] : stationary(a, b), sum = 0;
  return Array.from({ length: longest }, (_, k) => {
    const newest = k === 0 ? entropy([first, second]) : first * entropy([a, 1 - a]) + second * entropy([b, 1 - b]);
    if (k) [first, second] = [first * (1 - a) + second * b, first * a + second * (1 - b)];
    sum += newest;
    return { average: sum / (k + 1), newest };
  });
}

export const rateOf = ([a, b]) => entropyRate(a, b);

/** The share of tosses among the first n steps of 1 toss, 2 rests, 4 tosses, 8 rests, … */
export function swinging(n) {
  let tosses = 0;
  return Array.from({ length: n }, (_, k) => {
    if (Math.floor(log2(k + 1)) % 2 === 0) tosses++;
    return tosses / (k + 1);
  });
}

// ---- experiments ---------------------------------------------------------------------------------------------------

/** A pair of independent draws from the standard normal distribution (Box and Muller). */
function normalPair(random) {
  const radius = Math.sqrt(-2 * Math.log(1 - random())), angle = 2 * Math.PI * random();
  return [radius * Math.cos(angle), radius * Math.sin(angle)];
}

/** The mean cost in nats, over all words, of a softmax of random logits. */
export function randomCost(size, sigma, random) {
  const logits = [];
  while (logits.length < size) logits.push(...normalPair(random).map((value) => sigma * value));
  logits.length = size;
  const most = Math.max(...logits);
  return most + Math.log(total(logits.map((value) => Math.exp(value - most)))) - total(logits) / size;
}

/** The 97.5 % quantile of Student's distribution, by the expansion of Cornish and Fisher. */
export function studentQuantile(freedom) {
  const z = 1.959963984540054, z3 = z ** 3, z5 = z ** 5, z7 = z ** 7;
  return z + (z3 + z) / (4 * freedom) + (5 * z5 + 16 * z3 + 3 * z) / (96 * freedom ** 2) + (3 * z7 + 19 * z5 + 17 * z3 - 15 * z) / (384 * freedom ** 3);
}

/** Documents of p: by how many bits per letter q costs more, with its 95 % interval over documents. */
export function pairedDifference(p, q, documents, size, random) {
  const gaps = p.map((share, k) => information(q[k]) - information(share));
  const means = Array.from({ length: documents }, () => {
    let sum = 0;
    for (let k = 0; k < size; k++) {
      let left = random(), at = 0;
      while (at < p.length - 1 && (left -= p[at]) >= 0) at++;
      sum += gaps[at];
    }
    return sum / size;
  });
  const mean = total(means) / documents, variance = total(means.map((one) => (one - mean) ** 2)) / (documents - 1);
  const half = studentQuantile(documents - 1) * Math.sqrt(variance / documents);
  return { mean, low: mean - half, high: mean + half };
}

// ---- arithmetic coding ---------------------------------------------------------------------------------------------

/** The part of [0, 1) that each beginning of a message has. */
export function narrowing(message, names, p) {
  let low = 0, width = 1;
  return [...message].map((letter) => {
    const at = names.indexOf(letter);
    low += width * total(p.slice(0, at));
    width *= p[at];
    return { low, width };
  });
}

/** The fewest binary digits all of whose continuations lie within a part of [0, 1). */
export function binaryWithin(low, width) {
  for (let digits = Math.max(0, Math.floor(-log2(width))); digits < 52; digits++) {
    const step = 2 ** -digits, first = Math.ceil(low / step - 1e-9);
    if ((first + 1) * step <= low + width + 1e-15) return digits ? first.toString(2).padStart(digits, "0") : "";
  }
  return null;
}
