// The text as a model met it: which model, unit and value are shown, and where units begin.
import { el, labelled, segmented, signed, whole } from "./dom.js";
import { firstUnits } from "./data.js";
import { idle, inspected } from "./inspector.js";
import { Legend } from "./legend.js";
import { Reader, finder, isCode } from "./reader.js";
import { Y, diverging, moments, pooled, sequential } from "./scale.js";

export const METRICS = [["surprisal", "Surprisal"], ["entropy", "Entropy"], ["excess", "Surprisal − entropy"], ["rank", "Rank"]];

/** The text as one model met it. */
export class TextView {
  constructor(data, text, models) {
    Object.assign(this, { data, text, models, at: 0, metric: "surprisal", unit: "word" });
    this.cache = new Map();
    this.legend = new Legend("Surprisal", () => this.reader.recolour());
    this.node = el("section", { id: "text", "aria-labelledby": "text-title" });
  }

  get model() {
    return this.models[this.at];
  }

  build() {
    const { text, models } = this;
    this.reader = new Reader({ text, name: "The text", legend: this.legend, inspect: (i) => this.inspect(i), empty: idle });
    this.pickModel = segmented("Model", models.map((model, k) => [k, model.name]), 0, (k) => this.set({ at: Number(k) }));
    this.pickMetric = segmented("Colour", METRICS.map(([key, name]) => [key, name, false, key === "excess" ? "More surprising than expected" : null]), this.metric, (metric) => this.set({ metric }));
    this.pickUnit = segmented("Unit", [["byte", "Byte"], ["token", "Token"], ["word", "Word"]], this.unit, (unit) => this.set({ unit }));
    const code = isCode(text.string);
    this.reader.scroller.classList.toggle("mono", code);
    this.pickType = segmented("Type", [["book", "Book"], ["mono", "Mono"]], code ? "mono" : "book", (type) => {
      this.reader.scroller.classList.toggle("mono", type === "mono");
      this.reader.redraw();
    });
    const search = finder(this.reader, "the text");
    this.search = search.box;
    this.why = el("p", { class: "why" });
    this.node.append(el("h2", { id: "text-title" }, "The text, as the model met it"),
      el("p", { class: "lead" }, "The stronger the colour, the more bits the unit cost. Point at a unit, or press ", el("kbd", {}, "n"), " for the next surprise."),
      el("div", { class: "card reader" }, el("div", { class: "toolbar" }, models.length > 1 ? labelled("Model", this.pickModel.node) : null, labelled("Colour", this.pickMetric.node),
        labelled("Unit", this.pickUnit.node), labelled("Type", this.pickType.node), labelled("Search", search.node), this.why),
      this.legend.node, this.reader.node));
  }

  async set(change) {
    Object.assign(this, change);
    if (this.unit === "byte" && !this.model.entry.bytewise) this.unit = "token";
    if (this.metric !== "surprisal" && !this.model.detailed) this.metric = "surprisal";
    this.refreshControls();
    const turn = (this.turn = (this.turn ?? 0) + 1), source = await this.source();
    if (turn === this.turn) this.reader.show(source); // else another view was chosen meanwhile
  }

  refreshControls() {
    const { model } = this;
    this.pickModel.pick(this.at);
    this.pickMetric.pick(this.metric);
    this.pickUnit.pick(this.unit);
    const reasons = [];
    for (const button of this.pickUnit.node.children) {
      const off = button.dataset.value === "byte" && !model.entry.bytewise;
      button.disabled = off;
      if (off) reasons.push(`Byte: ${model.name} predicts ${model.entry.unit}s, and how the bits of one divide among its bytes is not known.`);
    }
    for (const button of this.pickMetric.node.children) button.disabled = button.dataset.value !== "surprisal" && !model.detailed;
    if (!model.detailed) reasons.push(`Entropy and rank: ${model.name} was not asked for its predictions (--alternatives), or does not expose them.`);
    if (model.entry.few && this.metric !== "surprisal") reasons.push("Entropy and rank are known for the most surprising units alone; others stay uncoloured.");
    if (this.unit === "word" && model.entry.across) reasons.push(`${whole(model.entry.across)} ${model.entry.unit}s of ${model.name} reach into a second word, and count with the first.`);
    this.why.textContent = reasons.join(" ");
    this.why.hidden = !reasons.length;
  }

  /** The first of a model's units in each shown unit; a character that is split over units is one. */
  grouping(model, unit) {
    const key = `${unit}/${model.run}`;
    if (!this.cache.has(key)) {
      const { text } = this;
      let first;
      if (unit === "word") first = firstUnits(text, model.cuts, text.words);
      else {
        first = new Uint32Array(model.n + 1);
        let n = 0;
        for (let i = 0; i < model.n; i++) if (!text.at || text.begins(model.cuts[i]) || i === 0) first[n++] = i;
        first[n] = model.n;
        first = n === model.n ? first : first.slice(0, n + 1);
      }
      this.cache.set(key, first);
    }
    return this.cache.get(key);
  }

  values(model, unit, metric) {
    const key = `${unit}/${metric}/${model.run}`;
    if (!this.cache.has(key)) {
      const first = this.grouping(model, unit), n = first.length - 1, found = new Float32Array(n);
      const one = n === model.n;
      if (metric === "surprisal") {
        this.cache.set(key, model.sums(first));
        return this.cache.get(key);
      }
      for (let w = 0; w < n; w++) {
        let bits = 0, entropy = 0, worst = 0;
        const end = one ? w + 1 : first[w + 1];
        for (let i = one ? w : first[w]; i < end; i++) {
          if (metric === "excess") bits += model.bits(i);
          if (metric === "entropy" || metric === "excess") entropy += model.entropy(i);
          if (metric === "rank") worst = Math.max(worst, model.rank(i));
        }
        found[w] = metric === "entropy" ? entropy : metric === "excess" ? bits - entropy : worst;
      }
      this.cache.set(key, found);
    }
    return this.cache.get(key);
  }

  async source() {
    const { model, unit, metric, text, models } = this;
    await model.load();
    if (metric !== "surprisal") await model.loadDetails();
    // One scale for all models that have this unit.
    const alike = models.filter((other) => unit === "word" || (unit === "byte" ? other.entry.bytewise : other.entry.unit === model.entry.unit));
    const together = alike.filter((other) => metric === "surprisal" || other.detailed);
    for (const other of together) {
      await other.load();
      if (metric !== "surprisal") await other.loadDetails();
    }
    const [y, back] = metric === "rank" ? Y.rank : metric === "excess" ? Y.signed : Y.bits;
    const key = `scale/${unit}/${metric}/${together.map(({ run }) => run)}`;
    if (!this.cache.has(key)) this.cache.set(key, pooled(together.map((other) => moments(this.values(other, unit, metric), y))));
    const moment = this.cache.get(key);
    const scale = metric === "excess" ? turned(diverging(moment)) : sequential(moment, y, back);
    const values = this.values(model, unit, metric), first = this.grouping(model, unit), n = values.length;
    const step = new Uint8Array(n), start = new Uint32Array(n + 1), counts = new Array(scale.steps).fill(0);
    for (let i = 0; i < n; i++) {
      counts[(step[i] = scale.step(values[i]))]++;
      start[i] = text.offset(unit === "word" ? text.words[i] : model.cuts[first[i]]);
    }
    start[n] = text.string.length;
    const noun = unit === "token" ? model.entry.unit : unit;
    const whose = together.length > 1 ? "one scale for all models" : "scale of this view";
    const what = { surprisal: `bits per ${noun}`, entropy: `entropy, bits per ${noun}`, excess: `surprisal − entropy, bits per ${noun}`, rank: unit === "word" ? "worst rank in a word" : "rank" }[metric];
    const write = metric === "rank" ? (v) => whole(Math.round(v)) : metric === "excess" ? (v) => signed(v, Math.abs(v) < 9.95 ? 1 : 0) : null;
    return { n, start, step, scale, counts, noun, write, trim: unit !== "byte", caption: `${what} · ${whose}` };
  }

  async inspect(k) {
    const { model, text, unit } = this;
    await model.loadDetails();
    const first = this.grouping(model, unit);
    const own = unit === "word" ? [text.words[k], text.words[k + 1]] : [];
    return inspected(model, text, first[k], first[k + 1], unit, ...own);
  }
}

/** More surprising than expected is warm, less is cool; A and B are not meant. */
function turned(scale) {
  return { ...scale, prefix: "x" };
}
