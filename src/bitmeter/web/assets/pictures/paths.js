// Processes: a week of weather, averages along a path and across paths, two curves to one rate, a model of a process.
import { el, fixed, segmented, svg, whole } from "../shared/dom.js";
import { axes, path } from "../curve.js";
import { chainPath, information, randomFrom, stationary, total } from "../figures.js";
import { bars, playing, slide, tile } from "./asking.js";
import { blockCurves, chainCosts, crossRate, rateOf, swinging } from "./values.js";

export function weekOfWeather() {
  let days = [0, 0, 1], seed = 1;
  const bits = tile("All days", "bits", "a"), chance = tile("Their probability", "by the chain rule"), each = tile("Per day", "bits");
  const change = () => one.change(), a = slide("sun → rain", { min: 0.02, max: 0.98, step: 0.02, value: 0.2, onchange: change }), b = slide("rain → sun", { min: 0.02, max: 0.98, step: 0.02, value: 0.4, onchange: change });
  const row = el("div", { class: "days", role: "group", "aria-label": "The days; press one to change it" });
  const costs = () => days.map((day, k) => { if (!k) return information(stationary(a.value, b.value)[day]); const leave = days[k - 1] ? b.value : a.value; return information(day === days[k - 1] ? 1 - leave : leave); });
  const set = (next) => { days = next; change(); }, sum = () => total(costs());
  const one = playing({
    question: "After sun comes rain with 0.2; after rain, sun with 0.4; in the long run two days of three are sunny. How many bits are sun, sun, rain together?",
    guess: { min: 0, max: 8, step: 0.25, value: 2, unit: "bits" }, truth: information(2 / 3) + information(0.8) + information(0.2), said: "Bits add where probabilities multiply: 0.58 + 0.32 + 2.32.",
    tiles: [bits, chance, each], legend: "The chain, and its days: press one to change it", controls: [a.node, b.node, row, el("div", { class: "actions" }, el("button", { type: "button", onclick: () => set([...days, 0].slice(0, 10)) }, "Add a day"), el("button", { type: "button", onclick: () => set(chainPath(a.value, b.value, 7, randomFrom(seed++)).states) }, "Sample a week"))],
    name: () => `The bits of ${days.length} days: ${costs().map((cost) => fixed(cost, 2)).join(", ")}.`,
    tasks: [["Sample a week.", () => days.length === 7], ["Find the likeliest week.", () => days.length === 7 && sum() < 7 * information(1 - Math.min(a.value, b.value)) + 1 && new Set(days).size === 1], ["Make a week that costs more than 12 bits.", () => days.length === 7 && sum() > 12]],
    update: () => {
      bits.set(fixed(sum(), 3));
      chance.set(sum() < 10 ? fixed(2 ** -sum(), 4) : `1 in ${whole(2 ** sum())}`);
      each.set(fixed(sum() / days.length, 3));
      // Made only once per day, so that the one that was pressed keeps the focus.
      while (row.children.length > days.length) row.lastChild.remove();
      days.forEach((day, k) => {
        const name = day ? "rain" : "sun";
        if (!row.children[k]) row.append(el("button", { type: "button", onclick: () => set(days.map((other, j) => (j === k ? 1 - other : other))) }));
        row.children[k].textContent = name;
        row.children[k].setAttribute("aria-label", `${name} on day ${k + 1}`);
      });
    },
    draw: (width, height) => bars(width, height, costs().map((value, k) => ({ name: days[k] ? "rain" : "sun", value, text: fixed(value, 2), kind: days[k] ? "area" : "areab" })), { top: 6, yLabel: "bits" }),
  });
  return one.node;
}

const STEPS = 1000, PATHS = 12, CROWD = 200;

export function twoAverages() {
  let kind = "coins", seed = 1, paths = [], crowd = [];
  const all = tile("All paths, at the end", "share of 1s among 200 paths"), least = tile("Lowest of 12 paths", "share of 1s over its time", "a"), most = tile("Highest of 12 paths", "share of 1s over its time", "b");
  const pick = segmented("Process", [["coins", "Coins"], ["chain", "Chain"]], kind, (to) => { kind = to; one.change(); });
  const second = slide("other coin", { min: 0.1, max: 0.9, step: 0.05, value: 0.5, colour: "b", label: "share of 1s of the other coin", onchange: () => one.change() });
  const drawn = (random) => {
    const own = random() < 0.5 ? 0.1 : second.value;
    return kind === "chain" ? { own: 0.1, states: chainPath(0.1, 0.3, STEPS, random).states } : { own, states: Array.from({ length: STEPS }, () => (random() < own ? 1 : 0)) };
  };
  const averages = () => paths.map(({ curve }) => curve.at(-1));
  const one = playing({
    question: "One of two coins is chosen once, with 1s at 0.1 or at 0.5, and then thrown for ever. Over all paths, 0.3 of the symbols are 1s. What share of long paths has 1s between 0.2 and 0.4 of its own time?",
    guess: { min: 0, max: 1, step: 0.05, value: 0.5, unit: "of the paths" }, truth: 0, said: "None: each path keeps to its own coin. Now try the chain, where every path sees everything.",
    tiles: [all, least, most], legend: "The process", controls: [pick.node, second.node, el("button", { type: "button", onclick: () => { seed += CROWD; one.change(); } }, "Draw other paths")],
    name: () => `Twelve time averages and the average over ${CROWD} paths, ${kind}.`,
    tasks: [["Show the chain: all paths tend to the same average.", () => kind === "chain"], ["Make the coins alike, so that paths agree.", () => kind === "coins" && second.value === 0.1], ["Bring the two groups 0.7 apart or more.", () => kind === "coins" && second.value >= 0.8]],
    update: () => {
      const drawnAll = Array.from({ length: CROWD }, (_, k) => drawn(randomFrom(seed + k)));
      crowd = Array.from({ length: STEPS }, (_, t) => drawnAll.reduce((sum, { states }) => sum + states[t], 0) / CROWD);
      paths = drawnAll.slice(0, PATHS).map(({ own, states }) => { let sum = 0; return { own, curve: states.map((state, t) => (sum += state) / (t + 1)) }; });
      all.set(fixed(crowd.slice(-50).reduce((sum, v) => sum + v, 0) / 50, 2));
      least.set(fixed(Math.min(...averages()), 2));
      most.set(fixed(Math.max(...averages()), 2));
    },
    draw: (width, height) => {
      const frame = axes(width, height, { x: [1, STEPS], y: [0, 1], xLabel: "time (logarithmic)", yLabel: "share of 1s", log: true }), times = [];
      for (let t = 1; t <= STEPS; t = Math.max(t + 1, Math.round(t * 1.04))) times.push(t);
      const line = (values, kindOf) => path(times.map((t) => [frame.across(t), frame.down(values[t - 1])]), kindOf);
      return [frame.parts, paths.map(({ own, curve }) => line(curve, own === 0.1 ? "ca" : "cb")), line(crowd, "crowd")];
    },
    below: el("p", { class: "small muted" }, "Blue and orange: time averages of twelve paths. Thick: all paths at one time."),
  });
  return one.node;
}

export function twoCurves() {
  const LONG = 14;
  let kind = "stationary";
  const average = tile("H(X₁…X₁₄)/14", "bits per symbol"), newest = tile("H(X₁₄|past)", "bits, the newest alone", "a"), rate = tile("Entropy rate", "bits per symbol");
  const change = () => one.change(), a = slide("leave state 0", { min: 0.02, max: 0.98, step: 0.02, value: 0.1, onchange: change }), b = slide("leave state 1", { min: 0.02, max: 0.98, step: 0.02, value: 0.3, onchange: change });
  const pick = segmented("Begin", [["stationary", "Stationary"], ["certain", "In state 0"], ["swinging", "Never settles"]], kind, (to) => { kind = to; change(); });
  const rows = () => blockCurves([a.value, b.value], LONG, kind === "certain");
  const one = playing({
    question: "A chain has H(X₁) = 0.811 bits, and every further symbol, given those before, 0.572. What is the average over the first 14?",
    guess: { min: 0.5, max: 0.9, step: 0.01, value: 0.7, unit: "bits" }, truth: blockCurves([0.1, 0.3], LONG, false).at(-1).average, said: "The newest symbol is at the rate at once; the average drags its first symbol along.",
    tiles: [average, newest, rate], legend: "The chain, and how it begins", controls: [pick.node, a.node, b.node],
    name: () => (kind === "swinging" ? "The share of tosses swings between one third and two thirds for ever." : "Two curves that tend to the entropy rate: the average over all symbols, and the newest alone."),
    tasks: [["Begin in state 0 for certain: both curves rise.", () => kind === "certain"], ["Make both curves flat from the start.", () => kind === "stationary" && Math.abs(a.value + b.value - 1) < 0.011], ["See a process that has no rate.", () => kind === "swinging"]],
    update: () => {
      const last = rows().at(-1), swings = kind === "swinging";
      average.set(swings ? "⅓ … ⅔" : fixed(last.average, 3));
      newest.set(swings ? "0 or 1" : fixed(last.newest, 3));
      rate.set(swings ? "none" : fixed(rateOf([a.value, b.value]), 3));
    },
    draw: (width, height) => {
      if (kind === "swinging") {
        const far = 4096, values = swinging(far), frame = axes(width, height, { x: [1, far], y: [0, 1], xLabel: "n (logarithmic)", yLabel: "bits per symbol", log: true }), points = [];
        for (let n = 1; n <= far; n = Math.max(n + 1, Math.round(n * 1.03))) points.push([frame.across(n), frame.down(values[n - 1])]);
        return [frame.parts, path(points, "co")];
      }
      const frame = axes(width, height, { x: [1, LONG], y: [0, 1], xLabel: "n", yLabel: "bits" }), line = (value, kindOf) => path(rows().map((row, k) => [frame.across(k + 1), frame.down(value(row))]), kindOf);
      const level = frame.down(rateOf([a.value, b.value]));
      return [frame.parts, svg("line", { x1: frame.across(1), x2: frame.across(LONG), y1: level, y2: level, class: "zero2" }), line((row) => row.average, "co"), line((row) => row.newest, "ca")];
    },
    below: el("p", { class: "small muted" }, "Grey: the average over all symbols so far. Blue: the newest symbol, given all before. Dashed: the rate."),
  });
  return one.node;
}

export function modelOfProcess() {
  const LONG = 2000;
  let seed = 1, curves = [];
  const cost = tile("Cost under q", "bits per symbol", "b"), own = tile("Entropy rate of p", "bits per symbol", "a"), waste = tile("Wasted", "bits per symbol");
  const change = () => one.change(), c = slide("q leaves 0", { min: 0.02, max: 0.98, step: 0.02, value: 0.2, colour: "b", onchange: change }), d = slide("q leaves 1", { min: 0.02, max: 0.98, step: 0.02, value: 0.4, colour: "b", onchange: change });
  const P = [0.1, 0.3], q = () => [c.value, d.value], surplus = () => crossRate(P, q()) - rateOf(P);
  const one = playing({
    question: "A chain leaves its states with 0.1 and 0.3 and has 0.572 bits per symbol. A model believes in 0.2 and 0.4. What does a long text of the chain cost under it, per symbol?",
    guess: { min: 0.5, max: 1, step: 0.02, value: 0.8, unit: "bits" }, truth: crossRate(P, [0.2, 0.4]), said: "One long sample is enough to see it. What is wasted is the divergence rate.",
    tiles: [cost, own, waste], legend: "The model q; the process p leaves with 0.1 and 0.3", controls: [c.node, d.node, el("button", { type: "button", onclick: () => { seed += 4; change(); } }, "Other samples")],
    name: () => `Four samples of p under q settle at ${fixed(crossRate(P, q()), 3)} bits per symbol.`,
    tasks: [["Find the model that wastes nothing.", () => surplus() < 1e-9], ["Waste more than a bit per symbol.", () => surplus() > 1], ["Find a model that pays one bit whatever comes.", () => c.value === 0.5 && d.value === 0.5]],
    update: () => { curves = Array.from({ length: 4 }, (_, k) => chainCosts(chainPath(...P, LONG, randomFrom(seed + k)).states, q())); cost.set(fixed(crossRate(P, q()), 3)); own.set(fixed(rateOf(P), 3)); waste.set(fixed(surplus(), 3)); },
    draw: (width, height) => {
      const top = Math.max(1.2, Math.ceil(crossRate(P, q()) + 0.5)), frame = axes(width, height, { x: [1, LONG], y: [0, top], xLabel: "symbols (logarithmic)", yLabel: "bits per symbol", log: true }), times = [];
      for (let t = 1; t <= LONG; t = Math.max(t + 1, Math.round(t * 1.03))) times.push(t);
      const level = (value, name, up) => [svg("line", { x1: frame.across(1), x2: frame.across(LONG), y1: frame.down(value), y2: frame.down(value), class: "zero2" }), svg("text", { x: frame.across(LONG), y: frame.down(value) + (up ? -6 : 15), "text-anchor": "end", class: "strong" }, `${name} ${fixed(value, 3)}`)];
      return [frame.parts, curves.map((curve) => path(times.map((t) => [frame.across(t), frame.down(Math.min(top, curve[t - 1]))]), "cb")), level(rateOf(P), "rate of p", false), level(crossRate(P, q()), "under q", true)];
    },
  });
  return one.node;
}

