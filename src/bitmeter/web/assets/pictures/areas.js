// Area is bits: as wide as a symbol is frequent, as high as its word is long.
import { el, fixed, svg } from "../shared/dom.js";
import { asking, distribution, hatching, slide, tile } from "./asking.js";
import { axes, drawing, path } from "../curve.js";
import { crossEntropy, divergence, entropy, information } from "../figures.js";

const near = (value, wanted, within = 0.01) => Math.abs(value - wanted) <= within;

export function informationArea() {
  const bits = tile("Information, −log₂ p", "bits", "a"), share = tile("Area, p × bits", "bits it adds to an entropy");
  const p = slide("p", { min: 0.01, max: 1, step: 0.01, value: 0.25, label: "probability", onchange: () => one.change() });
  const controls = el("fieldset", { class: "plain" }, el("legend", {}, "The probability of an event"), p.node);
  const picture = drawing(300, () => `A curve of minus log2 p, and a rectangle as wide as p is ${fixed(p.value, 2)}.`, (width, height) => {
    const frame = axes(width, height, { x: [0, 1], y: [0, 7], xLabel: "probability p", yLabel: "bits" });
    const curve = [];
    for (let k = 1; k <= 200; k++) if (information(k / 200) <= 7) curve.push([frame.across(k / 200), frame.down(information(k / 200))]);
    if (!one?.state.shown) return frame.parts;
    const at = p.value, high = Math.min(7, information(at));
    return [frame.parts, path(curve, "ca"), svg("rect", { x: frame.across(0), y: frame.down(high), width: frame.across(at) - frame.across(0), height: frame.down(0) - frame.down(high), class: "area" }),
      svg("circle", { cx: frame.across(at), cy: frame.down(high), r: 5, class: "fa" })];
  });
  const one = asking({
    question: "An event has probability 1/8. How many bits do you learn when it happens?", guess: { min: 0, max: 6, step: 0.5, value: 1, unit: "bits" }, truth: information(1 / 8),
    said: "Halve the probability, and it is one bit more.", stage: el("div", {}, picture.node, el("div", { class: "tiles" }, bits.node, share.node)), controls,
    tasks: [["Find the event of exactly one bit.", () => p.value === 0.5], ["Find one of more than five bits.", () => information(p.value) > 5], ["Where is the area largest? (It is at 1/e.)", () => near(p.value, 0.37)]],
    redraw: () => {
      picture.draw();
      if (!one?.state.shown) return;
      bits.set(fixed(information(p.value), 3));
      share.set(fixed(p.value * information(p.value), 3));
    },
  });
  return one.node;
}

const NAMES = ["a", "b", "c", "d"];

export function entropyArea() {
  const sum = tile("Entropy", "bits per symbol", "a"), perplexity = tile("Perplexity, 2^H", "equally likely symbols"), most = tile("At most, log₂ 4", "bits per symbol");
  const p = distribution("p", NAMES, [0.5, 0.25, 0.125, 0.125], "a", () => one.change());
  const reset = el("button", { type: "button", onclick: () => p.set([0.5, 0.25, 0.125, 0.125]) }, "Reset");
  const controls = el("fieldset", { class: "plain" }, el("legend", {}, "The distribution"), p.nodes, reset);
  const picture = drawing(300, () => `Four rectangles as wide as the probabilities ${p.values.map((v) => fixed(v, 2)).join(", ")} and as high as their bits.`, (width, height) => {
    const frame = axes(width, height, { x: [0, 1], y: [0, 6], xLabel: "probability", yLabel: "bits" });
    const known = one?.state.shown, parts = [];
    let from = 0;
    p.values.forEach((share, k) => {
      const high = known ? Math.min(6, information(share)) : 0, left = frame.across(from), right = frame.across(from + share);
      if (share > 0) parts.push(svg("rect", { x: left, y: frame.down(high), width: Math.max(0, right - left), height: frame.down(0) - frame.down(high), class: "area" }));
      if (right - left > 16) parts.push(svg("text", { x: (left + right) / 2, y: frame.down(high) - 6, class: "mid bold" }, known && right - left > 40 ? `${NAMES[k]} ${fixed(information(share), 1)}` : NAMES[k]));
      from += share;
    });
    return [frame.parts, parts];
  });
  const one = asking({
    question: "Four symbols come with probabilities a half, a quarter, an eighth and an eighth. How many bits per symbol do they need on average?",
    guess: { min: 0, max: 4, step: 0.25, value: 2, unit: "bits" }, truth: entropy([0.5, 0.25, 0.125, 0.125]), said: "It is the sum of the areas.",
    stage: el("div", {}, picture.node, el("div", { class: "tiles" }, sum.node, perplexity.node, most.node)), controls,
    tasks: [["Make the entropy as large as it can be.", () => entropy(p.values) > 1.995], ["Bring it below half a bit.", () => entropy(p.values) < 0.5], ["Find a distribution of about one bit.", () => near(entropy(p.values), 1, 0.02)]],
    redraw: () => {
      picture.draw();
      if (!one?.state.shown) return;
      sum.set(fixed(entropy(p.values), 3));
      perplexity.set(fixed(2 ** entropy(p.values), 2));
      most.set("2.000");
    },
  });
  return one.node;
}

export function surplusArea() {
  const own = tile("Entropy of p", "bits per symbol", "a"), surplus = tile("Surplus, D(p‖q)", "bits per symbol", "b"), cross = tile("Cross-entropy", "bits per symbol");
  const p = distribution("p", NAMES, [0.5, 0.25, 0.125, 0.125], "a", () => one.change()), q = distribution("q", NAMES, [0.25, 0.25, 0.25, 0.25], "b", () => one.change());
  const reset = el("button", { type: "button", onclick: () => { p.set([0.5, 0.25, 0.125, 0.125]); q.set([0.25, 0.25, 0.25, 0.25]); } }, "Reset");
  const controls = el("fieldset", { class: "plain" }, el("legend", {}, "p, the source, is how wide; q, the model, how high"), el("b", { class: "ta" }, "p, the source"), p.nodes, el("b", { class: "tb" }, "q, the model"), q.nodes, reset);
  const picture = drawing(320, () => `Areas of p under the code of q: p is ${p.values.map((v) => fixed(v, 2)).join(", ")}, q is ${q.values.map((v) => fixed(v, 2)).join(", ")}.`, (width, height) => {
    const frame = axes(width, height, { x: [0, 1], y: [0, 6], xLabel: "probability under p", yLabel: "bits" });
    const known = one?.state.shown, parts = [];
    let from = 0;
    p.values.forEach((share, k) => {
      const left = frame.across(from), right = frame.across(from + share), wide = Math.max(0, right - left);
      from += share;
      if (wide < 0.5) return;
      const need = Math.min(6, information(share)), word = Math.min(6, information(q.values[k]));
      if (known) {
        parts.push(svg("rect", { x: left, y: frame.down(Math.min(need, word)), width: wide, height: frame.down(0) - frame.down(Math.min(need, word)), class: "area" }));
        if (word > need) parts.push(svg("rect", { x: left, y: frame.down(word), width: wide, height: frame.down(need) - frame.down(word), class: "over" }));
        if (word < need) parts.push(svg("rect", { x: left, y: frame.down(need), width: wide, height: frame.down(word) - frame.down(need), class: "saved" }));
        parts.push(svg("line", { x1: left, x2: right, y1: frame.down(word), y2: frame.down(word), class: "edge" }));
      }
      if (wide > 16) parts.push(svg("text", { x: (left + right) / 2, y: frame.down(known ? Math.max(need, word) : 0) - 6, class: "mid bold" }, known && wide > 40 ? `${NAMES[k]} ${fixed(information(q.values[k]), 1)}` : NAMES[k]));
    });
    return [hatching(), frame.parts, parts];
  });
  const legend = el("p", { class: "small muted" }, "Blue: what p needs. Hatched: surplus, where q gives a longer word. Dashed: saved, where q gives a shorter one. Thick line: the length of q's word.");
  const one = asking({
    question: "The source: a half, a quarter, an eighth, an eighth. The model: all four equally likely. How many bits per symbol are wasted?",
    guess: { min: 0, max: 2, step: 0.05, value: 0.5, unit: "bits" }, truth: divergence([0.5, 0.25, 0.125, 0.125], [0.25, 0.25, 0.25, 0.25]), said: "The code spends 14 % more than p needs.",
    stage: el("div", {}, picture.node, legend, el("div", { class: "tiles" }, own.node, surplus.node, cross.node)), controls,
    tasks: [["Make the surplus vanish.", () => divergence(p.values, q.values) < 0.002], ["Make it larger than one bit.", () => divergence(p.values, q.values) > 1], ["Make it infinite: q excludes what p has.", () => crossEntropy(p.values, q.values) === Infinity]],
    redraw: () => {
      picture.draw();
      if (!one?.state.shown) return;
      own.set(fixed(entropy(p.values), 3));
      surplus.set(fixed(divergence(p.values, q.values), 3));
      cross.set(fixed(crossEntropy(p.values, q.values), 3));
    },
  });
  return one.node;
}
