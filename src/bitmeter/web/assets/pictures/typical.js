// Typical sets: few of all sequences, and nearly all of the probability.
import { el, fixed, svg, whole } from "../shared/dom.js";
import { asking, slide, tile } from "./asking.js";
import { axes, drawing } from "../curve.js";
import { typicalSet } from "../figures.js";

export function typicalSequences() {
  const inside = tile("Probability of the typical set", "of all sequences", "a"), size = tile("Its size", "of all 2ⁿ sequences"), rate = tile("log₂ of its size, per throw", "bits"), limit = tile("Entropy, its limit", "bits per throw");
  const p = slide("heads", { min: 0.5, max: 0.98, step: 0.02, value: 0.9, label: "probability of heads", onchange: () => one.change() });
  const n = slide("throws n", { min: 10, max: 600, step: 10, value: 100, write: (v) => whole(v), onchange: () => one.change() });
  const epsilon = slide("within ε", { min: 0.02, max: 0.3, step: 0.01, value: 0.1, label: "within so many bits of the entropy", onchange: () => one.change() });
  const controls = el("fieldset", { class: "plain" }, el("legend", {}, "The coin, and what counts as typical"), p.node, n.node, epsilon.node);
  const found = () => typicalSet(p.value, n.value, epsilon.value);
  const picture = drawing(300, () => `The probability of each number of heads in ${n.value} throws; typical ones are blue.`, (width, height) => {
    const set = found(), most = Math.max(...set.rows.map((row) => row.probability));
    const frame = axes(width, height, { x: [0, n.value], y: [0, most * 1.1], xLabel: "heads", yLabel: "probability", left: 52 });
    const wide = Math.max(1, (frame.across(1) - frame.across(0)) * 0.8);
    const bars = one?.state.shown ? set.rows.filter((row) => row.probability > most / 1000 || row.typical).map((row) => svg("rect", { x: frame.across(row.heads) - wide / 2, y: frame.down(row.probability), width: wide, height: Math.max(row.typical ? 2 : 0, frame.down(0) - frame.down(row.probability)), class: row.typical ? "typical" : "atypical" })) : [];
    return [frame.parts, bars];
  });
  const truth = typicalSet(0.9, 100, 0.1);
  const one = asking({
    question: "A coin falls heads nine times in ten. Of 100 throws, the likeliest sequence is a hundred heads. What share of the probability has the set of typical sequences, those within 0.1 bit per throw of the entropy?",
    guess: { min: 0, max: 1, step: 0.05, value: 0.5, unit: "of the probability" }, truth: truth.probability, said: "A hundred heads is not among them.",
    stage: el("div", {}, picture.node, el("div", { class: "tiles" }, inside.node, size.node, rate.node, limit.node)), controls,
    tasks: [["Throw until the typical set has more than 95 %.", () => found().probability > 0.95], ["Bring log₂ of its size per throw within 0.05 of the entropy.", () => { const set = found(); return Math.abs(set.log2Count / n.value - set.rate) < 0.05 && set.probability > 0.5; }], ["Make all sequences typical.", () => p.value === 0.5]],
    redraw: () => {
      picture.draw();
      if (!one?.state.shown) return;
      const set = found(), away = n.value - set.log2Count;
      inside.set(fixed(set.probability, 3));
      size.set(away < 0.01 ? "all" : away < 10 ? `1 in ${fixed(2 ** away, 1)}` : `1 in 2^${fixed(away, 0)}`);
      rate.set(fixed(set.log2Count / n.value, 3));
      limit.set(fixed(set.rate, 3));
    },
  });
  return one.node;
}
