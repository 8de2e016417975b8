// Perplexity step by step, sentences word by word, a guess that knows nothing, two models compared, a message as a number.
import { el, fixed, svg, whole } from "../shared/dom.js";
import { axes, path } from "../curve.js";
import { divergence, information, randomFrom, total } from "../figures.js";
import { bars, playing, slide, tile, typing } from "./asking.js";
import { binaryWithin, narrowing, pairedDifference, randomCost } from "./values.js";

export function geometricMean() {
  const perplexity = tile("Perplexity", "geometric mean", "a"), plainMean = tile("Arithmetic mean", "not the perplexity", "b"), bits = tile("Mean of the bits", "log₂ of the perplexity");
  const steps = [1, 2, 5, 1, 2].map((value, k) => slide(`step ${k + 1}`, { min: 0, max: 6, step: 1, value, label: `bits of step ${k + 1}`, write: (v) => `1/${2 ** v}`, onchange: () => one.change() }));
  const values = () => steps.map((step) => step.value), mean = () => total(values()) / 5, factors = () => values().map((v) => 2 ** v), arithmetic = () => total(factors()) / 5;
  const one = playing({
    question: "Five words had the probabilities ½, ¼, 1/32, ½ and ¼: as hard as choosing from 2, 4, 32, 2 and 4. What is the perplexity of the sequence?",
    guess: { min: 1, max: 12, step: 0.25, value: 8.75, unit: "" }, truth: 2 ** 2.2, said: "The geometric mean. The arithmetic mean is 8.8, nearly all of it from one step.",
    tiles: [perplexity, plainMean, bits], legend: "The probability of each word", controls: steps.map((step) => step.node), name: () => `Branches at each step: ${factors().join(", ")}; their geometric mean is ${fixed(2 ** mean(), 2)}.`,
    tasks: [["Make both means the same.", () => arithmetic() - 2 ** mean() < 1e-9], ["Reach a perplexity of exactly 8 with steps that differ.", () => mean() === 3 && new Set(values()).size > 1], ["Bring the arithmetic mean above twice the perplexity.", () => arithmetic() > 2 * 2 ** mean()]],
    update: () => { perplexity.set(fixed(2 ** mean(), 3)); plainMean.set(fixed(arithmetic(), 2)); bits.set(fixed(mean(), 2)); },
    draw: (width, height) => {
      const top = Math.max(8, ...factors()) * 1.12, frame = axes(width, height, { x: [0, 5], y: [0, top], bare: true, yLabel: "branches" });
      const level = (value, kind) => svg("line", { x1: frame.across(0), x2: frame.across(5), y1: frame.down(value), y2: frame.down(value), class: `level ${kind}` });
      return [bars(width, height, factors().map((value, k) => ({ name: String(k + 1), value, text: String(value), kind: "atypical" })), { top, yLabel: "branches" }), level(2 ** mean(), "ca"), level(arithmetic(), "cb")];
    },
    below: el("p", { class: "small muted" }, "Blue line: geometric mean, the perplexity. Orange line: arithmetic mean."),
  });
  return one.node;
}

const GRAMMAR = { "<s>": { the: 1 / 2, a: 1 / 2 }, the: { cat: 1 / 2, dog: 1 / 2 }, a: { cat: 1 / 4, dog: 3 / 4 }, cat: { sat: 1 / 2, "end": 1 / 2 }, dog: { sat: 1 / 4, "end": 3 / 4 }, sat: { "end": 1 } };

export function wordByWord() {
  let words = [];
  const finished = new Set();
  const chance = tile("Probability so far", "the product", "a"), bits = tile("Bits so far", "the sum"), steps = tile("Steps", "the end is one, too");
  const buttons = el("div", { class: "days", role: "group", "aria-label": "The next word" }), sentence = el("p", { class: "sampled", role: "status" }, "?");
  const from = (k) => words[k - 1] ?? "<s>", p = () => words.reduce((product, word, k) => product * GRAMMAR[from(k)][word], 1), over = () => words.at(-1) === "end";
  const take = (word) => { words.push(word); if (over()) finished.add(words.join(" ")); one.change(); (buttons.querySelector("button") ?? again).focus(); };
  const again = el("button", { type: "button", onclick: () => { words = []; one.change(); } }, "Begin again");
  const one = playing({
    question: "A sentence begins with the or a, half each. After the: cat or dog, half each. After cat: sat or the end, half each. After sat the end is certain. What is the probability of: the cat sat?",
    guess: { min: 0, max: 0.5, step: 0.025, value: 0.25, unit: "" }, truth: 1 / 8, said: "½ · ½ · ½ · 1: three bits. Now build sentences word by word.",
    height: 250, tiles: [chance, bits, steps], legend: "The next word", controls: [buttons, again], name: () => `All sentences as parts of a line, word by word; chosen: ${words.join(" ") || "nothing yet"}.`,
    tasks: [["Finish the likeliest sentence.", () => over() && p() === 9 / 32], ["Finish one of four bits.", () => over() && Math.abs(information(p()) - 4) < 1e-9], ["Finish three different sentences.", () => finished.size >= 3]],
    update: () => {
      chance.set(String(Number(p().toPrecision(4))));
      bits.set(fixed(information(p()), 3));
      steps.set(whole(words.length));
      sentence.textContent = words.join(" ").replace(/ end$/, ".") || "(nothing yet)";
      buttons.replaceChildren(...(over() ? [] : Object.entries(GRAMMAR[words.at(-1) ?? "<s>"]).map(([word, share]) => el("button", { type: "button", "aria-label": `${word} ${fixed(share, 2)}`, onclick: () => take(word) }, word, " ", el("span", { class: "muted" }, fixed(share, 2))))));
    },
    draw: (width) => {
      const parts = [], high = 52;
      const level = (word, depth, start, size, path, on) => {
        for (const [next, share] of Object.entries(GRAMMAR[word])) {
          const chosen = on && words[depth] === next, x = start * width, wide = size * share * width;
          parts.push(svg("rect", { x: x + 1, y: depth * (high + 6), width: Math.max(1, wide - 2), height: high, rx: 4, class: chosen ? "area" : "node thin" }));
          if (wide > 26) parts.push(svg("text", { x: x + wide / 2, y: depth * (high + 6) + 31, class: "mid bold" }, next));
          if (next !== "end") level(next, depth + 1, start, size * share, [...path, next], chosen);
          start += size * share;
        }
      };
      level("<s>", 0, 0, 1, [], true);
      return parts;
    },
    below: el("div", {}, el("p", { class: "small muted" }, "As wide as it is likely: all sentences together are the whole line."), sentence),
  });
  return one.node;
}

export function knowingNothing() {
  let samples = [];
  const floor = tile("A constant guess, ln V", "nats per word"), mean = tile("Random logits", "nats per word, five draws", "a"), rule = tile("ln V + σ²/2", "nats per word");
  const change = () => one.change(), power = slide("words V", { min: 1, max: 4, step: 0.25, value: 4, label: "size of the vocabulary", write: (v) => whole(Math.round(10 ** v)), onchange: change }), sigma = slide("σ of logits", { min: 0, max: 2.5, step: 0.1, value: 1, label: "standard deviation of the logits", onchange: change });
  const size = () => Math.round(10 ** power.value), ln = () => Math.log(size()), cost = () => samples.reduce((sum, v) => sum + v, 0) / samples.length;
  const one = playing({
    question: "A network that knows nothing gives each of 10,000 words the same probability: 9.21 nats. Another starts with random logits, normal with σ = 1. What does it cost on average?",
    guess: { min: 8, max: 12, step: 0.1, value: 9.2, unit: "nats" }, truth: Math.log(10000) + 0.5, said: "More, about by σ²/2: where it is too sure, it loses more than it gains elsewhere (Jensen).",
    tiles: [floor, mean, rule], legend: "A vocabulary, and how sure the network starts", controls: [power.node, sigma.node], name: () => `The cost of random logits by σ, above ln V = ${fixed(ln(), 2)} nats.`,
    tasks: [["Make the random guess as good as the constant one.", () => sigma.value === 0], ["Lose more than two nats by being sure of nothing.", () => cost() - ln() > 2], ["Find a vocabulary whose constant guess costs below 3 nats.", () => ln() < 3]],
    update: () => { samples = Array.from({ length: 5 }, (_, k) => randomCost(size(), sigma.value, randomFrom(11 + k))); floor.set(fixed(ln(), 2)); mean.set(fixed(cost(), 2)); rule.set(fixed(ln() + sigma.value ** 2 / 2, 2)); },
    draw: (width, height) => {
      const frame = axes(width, height, { x: [0, 2.5], y: [0, 14], xLabel: "σ of the logits", yLabel: "nats per word" }), level = frame.down(ln());
      return [frame.parts, svg("line", { x1: frame.across(0), x2: frame.across(2.5), y1: level, y2: level, class: "zero2" }), svg("text", { x: frame.across(2.5), y: level + 16, "text-anchor": "end", class: "strong" }, "constant guess"),
        path(Array.from({ length: 51 }, (_, k) => [frame.across(k / 20), frame.down(Math.min(14, ln() + (k / 20) ** 2 / 2))]), "co"), samples.map((value) => svg("circle", { cx: frame.across(sigma.value), cy: frame.down(Math.min(14, value)), r: 5, class: "fa" }))];
    },
    below: el("p", { class: "small muted" }, "Blue: five random networks. Grey: ln V + σ²/2."),
  });
  return one.node;
}

const PEOPLE = 20, SOURCE = [0.5, 0.3, 0.2], modelOf = (a) => [a, 0.6 * (1 - a), 0.4 * (1 - a)];
const measured = (q, documents, seed) => Array.from({ length: PEOPLE }, (_, k) => pairedDifference(SOURCE, q, documents, 50, randomFrom(seed + k)));
const seeing = (found) => found.filter(({ low, high }) => low > 0 || high < 0).length;

export function manyExperiments() {
  let seed = 100, found = [];
  const truth = tile("True difference", "bits per letter, q over p", "b"), see = tile("See a difference", "of 20: the interval leaves zero out", "a"), wrong = tile("Interval holds the truth", "of 20; 19 are promised");
  const change = () => one.change(), a = slide("q of a", { min: 0.3, max: 0.7, step: 0.01, value: 0.45, colour: "b", label: "probability of a under q; under p it is 0.5", onchange: change }), n = slide("documents", { min: 5, max: 200, step: 5, value: 10, write: (v) => whole(v), onchange: change });
  const gap = () => divergence(SOURCE, modelOf(a.value));
  const one = playing({
    question: "p writes a at 0.5; the model q says 0.45 and wastes 0.007 bits per letter. Twenty people each draw 10 documents of 50 letters and compare the two, paired. How many of them can show that p is better?",
    guess: { min: 0, max: 20, step: 1, value: 10, unit: "of 20" }, truth: seeing(measured(modelOf(0.45), 10, 100)), said: "The others hold zero: no difference is shown, which does not mean that there is none.",
    height: 330, tiles: [truth, see, wrong], legend: "The model, and how much text", controls: [a.node, n.node, el("button", { type: "button", onclick: () => { seed += PEOPLE; change(); } }, "Twenty others")],
    name: () => `Twenty intervals of the difference; ${seeing(found)} leave zero out.`,
    tasks: [["Give them enough documents that 15 or more see it.", () => gap() > 0.001 && seeing(found) >= 15], ["Make q as good as p: does anybody still see a difference?", () => gap() < 1e-9], ["Show a gap of more than 0.05 with ten documents.", () => gap() > 0.05 && n.value <= 10 && seeing(found) >= 15]],
    update: () => { found = measured(modelOf(a.value), n.value, seed); truth.set(fixed(gap(), 4)); see.set(whole(seeing(found))); wrong.set(whole(found.filter(({ low, high }) => low <= gap() && gap() <= high).length)); },
    draw: (width, height) => {
      const far = Math.max(0.02, ...found.map(({ low, high }) => Math.max(Math.abs(low), Math.abs(high)))) * 1.05, frame = axes(width, height, { x: [-far, far], y: null, left: 12, xLabel: "q − p, bits per letter" });
      const mark = (value, kind) => svg("line", { x1: frame.across(value), x2: frame.across(value), y1: 10, y2: height - 34, class: kind });
      return [frame.parts, mark(0, "axis"), mark(gap(), "zero2"), found.map(({ mean, low, high }, k) => {
        const y = frame.down((k + 1) / (PEOPLE + 1)), kind = low > 0 ? "a" : high < 0 ? "b" : "o";
        return [svg("line", { x1: frame.across(low), x2: frame.across(high), y1: y, y2: y, class: `c${kind}`, "stroke-width": 2 }), svg("circle", { cx: frame.across(mean), cy: y, r: 3.5, class: `f${kind}` })];
      })];
    },
    below: el("p", { class: "small muted" }, "Each line is one person's 95 % interval. Blue: p is better; orange: q is better; grey: no difference shown. Dashed: the truth."),
  });
  return one.node;
}

const SIGNS = ["a", "b", "c"];

export function oneNumber() {
  const bits = tile("Information", "bits, −log₂ of the width"), file = tile("Digits", "bits in the file", "a"), each = tile("Per letter", "bits");
  const change = () => one.change(), text = typing("message of a, b, c", "abacba", change, 16);
  const a = slide("a", { min: 0.05, max: 0.9, step: 0.05, value: 0.5, label: "probability of a; b and c share the rest", onchange: change });
  const p = () => [a.value, (1 - a.value) / 2, (1 - a.value) / 2], message = () => [...text.value.toLowerCase()].filter((sign) => SIGNS.includes(sign)).join("");
  const parts = () => narrowing(message(), SIGNS, p()), last = () => parts().at(-1) ?? { low: 0, width: 1 }, cost = () => total([...message()].map((sign) => information(p()[SIGNS.indexOf(sign)])));
  const code = () => binaryWithin(last().low, last().width), says = el("p", { class: "sampled", role: "status" }, "?");
  const one = playing({
    question: "a has probability ½, b and c have ¼ each. Arithmetic coding turns a whole message into one binary number. How many digits does abacba need?",
    guess: { min: 4, max: 16, step: 1, value: 12, unit: "bits" }, truth: binaryWithin(...Object.values(narrowing("abacba", SIGNS, [0.5, 0.25, 0.25]).at(-1))).length, said: "As many as its information: 1 + 2 + 1 + 2 + 2 + 1. Here words are exact; elsewhere it is at most two bits more.",
    height: 280, tiles: [bits, file, each], legend: "The message, and the model", controls: [text.node, a.node], name: () => `The part of the line that each beginning of ${message()} has.`,
    tasks: [["Code ten letters into ten bits.", () => message().length === 10 && code()?.length === 10], ["Choose a message or a model so that a letter costs more than two bits.", () => message().length > 3 && cost() / message().length > 2], ["Make a letter cheaper than half a bit.", () => message().length > 3 && cost() / message().length < 0.5]],
    update: () => { const digits = code(); bits.set(fixed(cost(), 2)); file.set(digits === null ? "–" : whole(digits.length)); each.set(fixed(message().length ? cost() / message().length : 0, 2)); says.textContent = digits === null ? "too long for the numbers of this page" : digits ? `0.${digits}` : "(no digit is needed)"; },
    draw: (width) => {
      // Each row is the part of the row above that was chosen, drawn at the full width again.
      const high = 32, rows = message().slice(-7), skipped = message().length - rows.length, drawn = [];
      [...rows].forEach((sign, row) => {
        let x = 0;
        SIGNS.forEach((name, k) => {
          const wide = p()[k] * width, y = row * (high + 8);
          drawn.push(svg("rect", { x: x + 1, y, width: Math.max(1, wide - 2), height: high, rx: 4, class: name === sign ? "area" : "node thin" }), svg("text", { x: x + wide / 2, y: y + 21, class: "mid bold" }, name));
          if (name === sign && row < rows.length - 1) drawn.push(svg("path", { d: `M${x + 1} ${y + high}L0 ${y + high + 8}M${x + wide - 1} ${y + high}L${width} ${y + high + 8}`, class: "arc" }));
          x += wide;
        });
      });
      if (!rows) drawn.push(svg("text", { x: width / 2, y: 120, class: "mid" }, "Type a message."));
      return [drawn, skipped ? svg("text", { x: 2, y: 276 }, `the last ${rows.length} letters; ${skipped} before them`) : null];
    },
    below: el("div", {}, el("p", { class: "small muted" }, "Every letter chooses its part of the line, which is then the whole line for the next. The digits that lead there:"), says),
  });
  return one.node;
}
