// Densities, pairs and units: what an entropy is measured in, and what two quantities share.
import { el, fixed, svg } from "../shared/dom.js";
import { axes, path } from "../curve.js";
import { normalDensity, normalDivergence, normalEntropy, pairFigures } from "./values.js";
import { playing, slide, tile } from "./asking.js";

export function normalDensities() {
  const own = tile("Entropy of p", "bits, in this unit", "a"), surplus = tile("Divergence D(p‖q)", "bits, in any unit", "b"), cross = tile("Cross-entropy", "bits, in this unit");
  const change = () => one.change();
  const unit = slide("unit of x", { min: 0.25, max: 8, step: 0.25, value: 1, label: "unit in which x is measured, in metres", write: (v) => `${fixed(v, 2)} m`, onchange: change });
  const mean = slide("mean of q", { min: -3, max: 3, step: 0.25, value: 1, colour: "b", onchange: change }), sd = slide("σ of q", { min: 0.25, max: 4, step: 0.25, value: 2, colour: "b", label: "standard deviation of q", onchange: change });
  const divergence = () => normalDivergence(0, 1, mean.value, sd.value), entropy = () => normalEntropy(1 / unit.value);
  const one = playing({
    question: "A length is normal with a standard deviation of 1 m. Measured in metres, its differential entropy is 2.05 bits. How many bits is it in units of 8 m?",
    guess: { min: -3, max: 6, step: 0.25, value: 2, unit: "bits" }, truth: normalEntropy(1 / 8), said: "Less than zero: it is no number of bits to send, and changes with the unit. A divergence does not.",
    name: () => `Two normal densities in units of ${fixed(unit.value, 2)} m; q has the mean ${fixed(mean.value, 2)} and the standard deviation ${fixed(sd.value, 2)} m.`,
    tiles: [own, surplus, cross], legend: "p has mean 0 and σ = 1 m", controls: [unit.node, mean.node, sd.node],
    tasks: [["Find the unit in which the entropy of p is below zero.", () => entropy() < 0], ["Make the divergence vanish.", () => divergence() < 1e-9], ["Make the divergence larger than three bits.", () => divergence() > 3]],
    update: () => { own.set(fixed(entropy(), 3)); surplus.set(fixed(divergence(), 3)); cross.set(fixed(entropy() + divergence(), 3)); },
    draw: (width, height) => {
      const far = 6 / unit.value, most = Math.max(normalDensity(0, 0, 1), normalDensity(0, 0, sd.value)) * unit.value;
      const frame = axes(width, height, { x: [-far, far], y: [0, most * 1.15], xLabel: "x, in its unit", yLabel: "density", left: 48 });
      const curve = (m, s) => Array.from({ length: 241 }, (_, k) => { const x = -6 + k / 20; return [frame.across(x / unit.value), frame.down(normalDensity(x, m, s) * unit.value)]; });
      return [frame.parts, path(curve(0, 1), "ca"), path(curve(mean.value, sd.value), "cb"), svg("text", { x: frame.across(0), y: frame.down(normalDensity(0, 0, 1) * unit.value) - 7, class: "mid strong" }, "p"),
        svg("text", { x: frame.across(mean.value / unit.value), y: frame.down(normalDensity(0, 0, sd.value) * unit.value) - 7, class: "mid strong" }, "q")];
    },
  });
  return one.node;
}

export function twoTogether() {
  const both = tile("Both, H(X, Y)", "bits"), rest = tile("Left, H(Y|X)", "bits once the weather is known", "b"), shared = tile("Shared, I(X; Y)", "bits", "a");
  const change = () => one.change();
  const wet = slide("wet", { min: 0, max: 1, step: 0.01, value: 0.25, label: "probability of a wet day", onchange: change });
  const dryTake = slide("umbrella if dry", { min: 0, max: 1, step: 0.01, value: 0.33, onchange: change }), wetTake = slide("umbrella if wet", { min: 0, max: 1, step: 0.01, value: 1, onchange: change });
  const table = () => { const w = wet.value, d = 1 - w; return [[d * (1 - dryTake.value), d * dryTake.value], [w * (1 - wetTake.value), w * wetTake.value]]; };
  const found = () => pairFigures(table());
  const one = playing({
    question: "One day in four is wet, and then your neighbour always has an umbrella; on dry days, one time in three. So it is seen on half of the days: one bit. How much of that bit does the weather already tell?",
    guess: { min: 0, max: 1, step: 0.05, value: 0.5, unit: "bits" }, truth: pairFigures([[1 / 2, 1 / 4], [0, 1 / 4]]).shared, said: "The umbrella tells as much about the weather: what is shared has no direction.",
    height: 190, tiles: [both, rest, shared], legend: "Weather X, umbrella Y", controls: [wet.node, dryTake.node, wetTake.node],
    name: () => { const f = found(); return `Bars: the weather has ${fixed(f.x, 2)} bits, the umbrella ${fixed(f.y, 2)}, and ${fixed(f.shared, 2)} of them are shared.`; },
    tasks: [["Make the two independent: nothing is shared.", () => found().shared < 0.0005 && found().y > 0.1], ["Make the umbrella a copy of the weather.", () => found().rest < 1e-9 && found().y > 0.1], ["Bring both together to two bits, the most there can be.", () => found().both > 1.98]],
    update: () => { const f = found(); both.set(fixed(f.both, 3)); rest.set(fixed(f.rest, 3)); shared.set(fixed(f.shared, 3)); },
    draw: (width, height) => {
      const f = found(), frame = axes(width, height, { x: [0, 2], y: null, left: 12, xLabel: "bits" }), from = f.both - f.y;
      const bar = (a, b, y, kind, name) => [svg("rect", { x: frame.across(a), y, width: Math.max(0, frame.across(b) - frame.across(a)), height: 36, class: kind }), svg("text", { x: frame.across(a) + 8, y: y + 23, class: "strong" }, name)];
      return [frame.parts, bar(0, f.x, 20, "area", "weather X"), bar(from, f.both, 100, "areab", "umbrella Y"), svg("rect", { x: frame.across(from), y: 62, width: Math.max(0, frame.across(f.x) - frame.across(from)), height: 32, class: "sharedpart" })];
    },
    below: el("p", { class: "small muted" }, "The bars overlap where one tells about the other: grey, what is shared."),
  });
  return one.node;
}

const UNITS = [["bits", 2, "a"], ["nats", Math.E, "b"], ["hartleys", 10, "o"]];

export function threeRulers() {
  const tiles = UNITS.map(([name, , colour]) => tile(`In ${name}`, name, colour));
  const log = slide("perplexity", { min: 0, max: 4, step: 0.001, value: 2, label: "perplexity, from 1 to 10,000", write: (v) => String(Number((10 ** v).toPrecision(4))), onchange: () => one.change() });
  const near = (value, wanted) => Math.abs(value - wanted) < 0.0051 * wanted;
  const one = playing({
    question: "A model has a perplexity of 100. How many bits per unit is that?", guess: { min: 0, max: 20, step: 0.5, value: 10, unit: "bits" }, truth: Math.log2(100), said: "As a hundred equally likely choices: 2 hartleys, 4.61 nats, 6.64 bits. It is one length on three rulers.",
    height: 220, tiles, legend: "How hard the choice is", controls: [log.node], name: () => `One length on three rulers: ${UNITS.map(([name, base]) => `${fixed(log.value / Math.log10(base), 2)} ${name}`).join(", ")}.`,
    tasks: [["Find one nat.", () => near(10 ** log.value, Math.E)], ["Find one hartley.", () => near(10 ** log.value, 10)], ["Find the cost of a byte of noise: eight bits.", () => near(10 ** log.value, 256)]],
    update: () => UNITS.forEach(([, base], k) => tiles[k].set(fixed(log.value / Math.log10(base), 3))),
    draw: (width) => {
      const across = (hartleys) => 14 + (hartleys / 4) * (width - 28), parts = [];
      UNITS.forEach(([name, base], row) => {
        const y = 48 + row * 62, size = Math.log10(base), every = row === 0 && width < 500 ? 2 : 1;
        parts.push(svg("rect", { x: across(0), y, width: Math.max(0, across(log.value) - across(0)), height: 14, class: ["area", "areab", "atypical"][row] }), svg("line", { x1: across(0), x2: across(4), y1: y + 14, y2: y + 14, class: "axis" }), svg("text", { x: across(0), y: y - 7, class: "strong" }, name));
        for (let k = 0; k * size <= 4.001; k += every) parts.push(svg("line", { x1: across(k * size), x2: across(k * size), y1: y + 14, y2: y + 20, class: "axis" }), svg("text", { x: across(k * size), y: y + 33, class: "mid" }, String(k)));
      });
      parts.push(svg("line", { x1: across(log.value), x2: across(log.value), y1: 26, y2: 200, class: "zero2" }));
      return parts;
    },
  });
  return one.node;
}
