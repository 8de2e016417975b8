// What is known of one unit: its cost, its prediction, and what else was expected.
import { bitsText, el, fixed, hue, percent, probability, signed, visible, whole } from "./dom.js";

export function idle() {
  return [el("p", { class: "muted" }, "Point at a unit, or press ", el("kbd", {}, "n"), " for the next surprise. A click keeps it here.")];
}

/** The unit in its context. */
export function inContext(text, from, to) {
  const start = text.offset(from);
  const before = text.string.slice(Math.max(0, start - 34), start);
  const unit = from === to ? "end of document" : visible(text.slice(from, to));
  return el("div", { class: "before" }, el("bdi", {}, (start > 34 ? "…" : "") + before), el("bdi", { class: "unit" }, unit));
}

export function facts(rows) {
  return el("dl", {}, rows.flatMap(([name, value]) => [el("dt", {}, name), el("dd", {}, value)]));
}

export function costOf(bits, name = "bits", colour = "") {
  return el("p", { class: `cost ${colour}` }, bitsText(bits), el("small", {}, ` ${name}`));
}

export function alternativesOf(model, unit, truth, heading) {
  const found = model.alternatives(unit);
  if (!found.length) return [];
  const most = Math.max(...found.map(({ bits }) => 2 ** -bits));
  return [
    el("h4", {}, heading),
    el("ol", { class: "alts" }, found.map(({ text, bits }) => {
      const same = text === truth;
      return el("li", { class: `${hue(model.run)}${same ? " true" : ""}` },
        el("code", {}, el("bdi", {}, (same ? "▸" : "") + (visible(text) || "(end)"))),
        el("span", { class: "track" }, el("i", { style: { width: `${(100 * 2 ** -bits) / Math.max(most, 0.5)}%` } })),
        el("span", { class: "value" }, percent(2 ** -bits)));
    })),
  ];
}

/** The cost of each of a model's units within a longer one. */
export function partsOf(model, text, from, to, heading) {
  const shown = Math.min(to, from + 24);
  if (to - from < 2) return [];
  const costs = [];
  for (let i = from; i < shown; i++) costs.push(Math.min(model.bits(i), 64));
  const most = Math.max(...costs, 1e-9);
  const sentence = costs.map((bits, k) => `${visible(text.slice(model.cuts[from + k], model.cuts[from + k + 1]))} ${bitsText(bits)}`).join(", ");
  return [
    el("h4", {}, heading + (shown < to ? `, the first ${shown - from} of ${to - from}` : "")),
    el("div", { class: `parts ${hue(model.run)}`, role: "img", "aria-label": `${heading}, in bits: ${sentence}` }, costs.map((bits, k) => {
      const unit = text.slice(model.cuts[from + k], model.cuts[from + k + 1]);
      return el("div", {}, el("i", { style: { height: `${(46 * bits) / most}px` } }), el("span", {}, el("bdi", {}, visible(unit) || "·")));
    })),
  ];
}

/** The whole inspector of a unit under one model, which may be a sum of several of the model's own. A word need not begin
 * and end where the model's units do: white space belongs to the word after it. */
export function inspected(model, text, from, to, noun, begin = model.cuts[from], end = model.cuts[to]) {
  let bits = 0, entropy = 0, worst = 0;
  for (let i = from; i < to; i++) {
    bits += model.bits(i);
    entropy += model.entropy(i);
    worst = Math.max(worst, model.rank(i));
  }
  const rows = [["Probability", probability(bits)]];
  const one = to - from === 1;
  if (!Number.isNaN(entropy) && model.h) {
    rows.push([one ? "Entropy before it" : "Entropy, summed", `${bitsText(entropy)} bits`]);
    rows.push(["Surprisal − entropy", bits === Infinity ? "∞" : signed(bits - entropy, Math.abs(bits - entropy) < 10 ? 2 : 1)]);
    const rough = worst > 64 ? "about " : "";
    rows.push([one ? "Rank" : "Worst rank in it", rough + whole(worst)]);
  }
  const document_ = text.documents.length > 2;
  rows.push(["Bytes", begin === end ? `at ${whole(begin)}` : `${whole(begin)}–${whole(end)}`]);
  if (document_) {
    let d = 0, high = text.documents.length - 1;
    while (d + 1 < high) {
      const middle = (d + high) >> 1;
      if (text.documents[middle] <= Math.min(begin, text.bytes.length - 1)) d = middle;
      else high = middle;
    }
    rows.push(["Document", whole(d + 1)]);
  }
  const inside = model.entry.bytewise ? "Byte by byte" : "Token by token";
  const truth = visible(text.slice(model.cuts[from], model.cuts[from + 1]));
  const known = model.alternatives(from);
  const heading = one ? "Expected here" : `Expected at its first ${model.entry.bytewise ? "byte" : model.entry.unit}`;
  return [
    inContext(text, begin, end),
    costOf(bits, to - from > 1 && noun === "word" ? "bits in all" : "bits"),
    facts(rows),
    ...partsOf(model, text, from, to, inside),
    ...(known.length ? alternativesOf(model, from, matching(known, truth), heading) : []),
  ];
}

function matching(known, truth) {
  return known.map(({ text }) => text).find((text) => visible(text) === truth) ?? null;
}

/** A unit under two models. */
export function contrasted(a, b, text, begin, end, unitsA, unitsB) {
  const sum = (model, [from, to]) => {
    let bits = 0;
    for (let i = from; i < to; i++) bits += model.bits(i);
    return bits;
  };
  const first = sum(a, unitsA), second = sum(b, unitsB);
  const apart = first === Infinity && second === Infinity ? NaN : second - first;
  return [
    inContext(text, begin, end),
    el("p", { class: `cost ${apart > 0 ? "a" : apart < 0 ? "b" : ""}` }, Number.isNaN(apart) ? "both ∞" : signed(apart, Math.abs(apart) < 10 ? 2 : 1), el("small", {}, " bits, B − A")),
    el("dl", {}, [[a, first], [b, second]].flatMap(([model, bits]) => [
      el("dt", {}, el("i", { class: `dot ${hue(model.run)}` }), ` ${model.name}`), el("dd", {}, `${fixed(bits, 2)} bits`)])),
    ...[[a, unitsA, "A"], [b, unitsB, "B"]].flatMap(([model, [from, to], letter]) => [
      ...partsOf(model, text, from, to, `${letter}, ${model.entry.bytewise ? "byte by byte" : "token by token"}`),
      ...(from < to ? alternativesOf(model, from, null, `${letter} expected${to - from > 1 ? " at the first" : ""}`) : []),
    ]),
  ];
}
