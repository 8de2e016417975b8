// Processes: a chain of two states whose paths settle at one rate, and a mixture whose paths do not.
import { el, fixed, svg, whole } from "../shared/dom.js";
import { asking, slide, tile } from "./asking.js";
import { axes, drawing, path } from "../curve.js";
import { chainPath, entropy, entropyRate, mixturePath, randomFrom, stationary } from "../figures.js";

const LONG = 2000, PATHS = 6;

function curves(width, height, shown, limits, top, name) {
  const frame = axes(width, height, { x: [1, LONG], y: [0, top], xLabel: "symbols read (logarithmic)", yLabel: "bits per symbol", log: true });
  const lines = limits.map((rate) => svg("line", { x1: frame.across(1), x2: frame.across(LONG), y1: frame.down(rate), y2: frame.down(rate), class: "zero2" }));
  const marks = limits.map((rate) => svg("text", { x: frame.across(LONG), y: frame.down(rate) - 6, "text-anchor": "end", class: "strong" }, `${name} ${fixed(rate, 3)}`));
  const drawn = shown.map(({ curve, own }) => {
    const points = [];
    for (let k = 1; k < curve.length; k = Math.max(k + 1, Math.round(k * 1.02))) points.push([frame.across(k + 1), frame.down(Math.min(top, curve[k]))]);
    return path(points, own === undefined || own === 0.5 ? "ca" : "cb");
  });
  return [frame.parts, drawn, lines, marks];
}

export function markovChain() {
  let seed = 1, paths = [];
  const rate = tile("Entropy rate", "bits per symbol", "a"), share = tile("Share of days with rain", "in the long run"), alone = tile("Entropy of one day alone", "bits");
  const a = slide("sun → rain", { min: 0.02, max: 0.98, step: 0.02, value: 0.1, onchange: () => one.change() }), b = slide("rain → sun", { min: 0.02, max: 0.98, step: 0.02, value: 0.5, onchange: () => one.change() });
  const again = el("button", { type: "button", onclick: () => { seed += PATHS; one.change(); } }, "Sample again");
  const sample = el("p", { class: "sampled", role: "status" }, "?");
  const controls = el("fieldset", { class: "plain" }, el("legend", {}, "The chain"), a.node, b.node, again);
  const graph = drawing(150, () => `Two states: sun becomes rain with probability ${fixed(a.value, 2)}, rain becomes sun with ${fixed(b.value, 2)}.`, (width) => {
    const far = Math.max(46, Math.min(110, width / 2 - 100)), left = width / 2 - far, right = width / 2 + far, y = 78, arc = (from, to, bend, value) => [svg("path", { d: `M${from} ${y + bend / 4}Q${width / 2} ${y + bend} ${to} ${y + bend / 4}`, class: "arc", "stroke-width": 1 + 4 * value, "marker-end": "url(#tip)" }), svg("text", { x: width / 2, y: y + bend * 0.62 + (bend > 0 ? 16 : -6), class: "mid bold" }, fixed(value, 2))];
    const loop = (x, side, value) => [svg("path", { d: `M${x + 10 * side} ${y - 26}C${x + 60 * side} ${y - 80} ${x + 95 * side} ${y - 10} ${x + 30 * side} ${y + 2}`, class: "arc", "stroke-width": 1 + 4 * value, "marker-end": "url(#tip)" }), svg("text", { x: x + 76 * side, y: y - 40, class: "mid bold" }, fixed(value, 2))];
    const tip = svg("defs", {}, svg("marker", { id: "tip", viewBox: "0 0 10 10", refX: 8, refY: 5, markerWidth: 9, markerHeight: 9, markerUnits: "userSpaceOnUse", orient: "auto-start-reverse" }, svg("path", { d: "M0 0L10 5L0 10z", class: "tip" })));
    return [tip, arc(left + 28, right - 28, -64, a.value), arc(right - 28, left + 28, 74, b.value), loop(left, -1, 1 - a.value), loop(right, 1, 1 - b.value),
      [[left, "sun"], [right, "rain"]].map(([x, name]) => [svg("circle", { cx: x, cy: y, r: 28, class: "node" }), svg("text", { x, y: y + 4, class: "mid bold" }, name)])];
  });
  const picture = drawing(280, () => `${PATHS} samples of the chain: minus log2 of their probability per symbol settles at ${fixed(entropyRate(a.value, b.value), 3)} bits.`, (width, height) =>
    one?.state.shown ? curves(width, height, paths, [entropyRate(a.value, b.value)], 2, "rate") : axes(width, height, { x: [1, LONG], y: [0, 2], xLabel: "symbols read (logarithmic)", yLabel: "bits per symbol", log: true }).parts);
  const one = asking({
    question: "It rains tomorrow with probability 0.1 after a day of sun; after rain, the sun comes back with 0.5. A coin has one bit per throw. How many bits has a day, given the day before?",
    guess: { min: 0, max: 1, step: 0.05, value: 0.8, unit: "bits" }, truth: entropyRate(0.1, 0.5), said: "Every long sample settles there.",
    stage: el("div", {}, graph.node, picture.node, sample, el("div", { class: "tiles" }, rate.node, share.node, alone.node)), controls,
    tasks: [["Make days independent: then the rate is the entropy of one day alone.", () => Math.abs(a.value + b.value - 1) < 0.011], ["Bring the rate below 0.2 bits.", () => entropyRate(a.value, b.value) < 0.2], ["Make it rain more than 70 % of the days.", () => stationary(a.value, b.value)[1] > 0.7]],
    redraw: () => {
      graph.draw();
      if (one?.state.shown) {
        paths = Array.from({ length: PATHS }, (_, k) => chainPath(a.value, b.value, LONG, randomFrom(seed + k)));
        const [, rain] = stationary(a.value, b.value);
        rate.set(fixed(entropyRate(a.value, b.value), 3));
        share.set(`${fixed(100 * rain, 1)} %`);
        alone.set(fixed(entropy([rain, 1 - rain]), 3));
        sample.textContent = paths[0].states.slice(0, 120).map((state) => (state ? "●" : "·")).join("");
      }
      picture.draw();
    },
  });
  return one.node;
}

export function mixtureOfCoins() {
  let seed = 1, paths = [];
  const first = tile("Paths of the fair coin", "settle at its rate", "a"), second = tile("Paths of the other", "settle at its rate", "b"), mean = tile("Their mean", "the rate of the process; no path settles there");
  const q = slide("other coin", { min: 0.5, max: 0.98, step: 0.02, value: 0.9, colour: "b", label: "heads of the other coin", onchange: () => one.change() });
  const again = el("button", { type: "button", onclick: () => { seed += 12; one.change(); } }, "Draw 12 more paths");
  const controls = el("fieldset", { class: "plain" }, el("legend", {}, "Heads of the second coin"), q.node, again);
  const rates = () => [1, entropy([q.value, 1 - q.value])];
  const picture = drawing(320, () => `Twelve paths of a mixture: some settle at ${fixed(rates()[0], 3)}, the others at ${fixed(rates()[1], 3)} bits.`, (width, height) =>
    one?.state.shown ? curves(width, height, paths, q.value === 0.5 ? [1] : rates(), 1.6, "") : axes(width, height, { x: [1, LONG], y: [0, 1.6], xLabel: "throws (logarithmic)", yLabel: "bits per throw", log: true }).parts);
  const one = asking({
    question: "One of two coins is chosen once, and thrown for ever: a fair one, or one with heads nine times in ten. At how many different values do the averages of long paths settle?",
    guess: { min: 1, max: 5, step: 1, value: 1, unit: "values" }, truth: 2, said: "The process is stationary, but not ergodic: one path never sees the other coin.",
    stage: el("div", {}, picture.node, el("div", { class: "tiles" }, first.node, second.node, mean.node)), controls,
    tasks: [["Make the mixture ergodic: two coins that are the same.", () => q.value === 0.5], ["Bring the two limits 0.8 bits apart.", () => rates()[0] - rates()[1] > 0.8]],
    redraw: () => {
      if (one?.state.shown) {
        paths = Array.from({ length: 12 }, (_, k) => mixturePath(0.5, q.value, LONG, randomFrom(seed + k)));
        const fair = paths.filter(({ own }) => own === 0.5).length;
        first.set(`${whole(fair)} at ${fixed(1, 3)}`);
        second.set(`${whole(12 - fair)} at ${fixed(rates()[1], 3)}`);
        mean.set(fixed((rates()[0] + rates()[1]) / 2, 3));
      }
      picture.draw();
    },
  });
  return one.node;
}
