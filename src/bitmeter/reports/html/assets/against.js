// Two models on one text: the difference map, and tables by pattern, literal, group and document.
import { bitsText, el, fixed, labelled, num, pText, segmented, signed, visible, whole } from "./dom.js";
import { firstUnits, indexAt, sharedCuts } from "./data.js";
import { contrasted, idle } from "./inspector.js";
import { Legend } from "./legend.js";
import { Reader, finder } from "./reader.js";
import { Y, diverging, moments } from "./scale.js";
import { drawnInterval, table } from "./tables.js";

/** The units of a model within each segment of common cuts; ends of documents belong to what is before them. */
function within(model, cuts) {
  const found = new Uint32Array(cuts.length);
  let i = 0;
  for (let k = 0; k < cuts.length; k++) {
    while (i < model.n && (model.cuts[i] < cuts[k] || (model.cuts[i] === cuts[k] && model.cuts[i + 1] === cuts[k] && k > 0))) i++;
    found[k] = i;
  }
  found[cuts.length - 1] = model.n;
  return found;
}

export class Against {
  constructor(data, text, models) {
    Object.assign(this, { data, text, models, unit: "shared" });
    this.a = models.find(({ run }) => run === 0);
    this.pairs = data.against.map((found) => ({ found, model: models.find(({ name }) => name === found.b) }));
    this.chosen = 0;
    this.legend = new Legend("Difference", () => this.reader.recolour());
    this.node = el("section", { id: "against", "aria-labelledby": "against-title" });
    this.tables = el("div");
  }

  async build() {
    const { text } = this;
    this.reader = new Reader({ text, name: "The text with differences", legend: this.legend, inspect: (i) => this.inspect(i), empty: idle });
    const units = segmented("Unit", [["shared", "Shared"], ["word", "Word"]], this.unit, (unit) => this.setUnit(unit));
    this.units = units;
    const search = finder(this.reader, "the text with differences");
    this.search = search.box;
    const key = () => [["a", this.a.name], ["b", this.b.name]].map(([letter, name]) => el("span", { class: "small" }, el("i", { class: `dot ${letter}`, style: { background: `var(--d${letter === "a" ? 10 : 0})` } }), ` ${name} better`));
    this.key = el("div", { style: { display: "flex", gap: "14px", minHeight: "32px", alignItems: "center" } });
    this.redrawKey = () => this.key.replaceChildren(...key());
    const pick = this.pairs.length > 1 ? labelled("B", el("select", { "aria-label": "Model B", onchange: (event) => this.choose(Number(event.target.value)) },
      this.pairs.map(({ found }, k) => el("option", { value: k }, found.b)))) : null;
    this.lead = el("p", { class: "lead" });
    this.node.append(el("h2", { id: "against-title" }, "Where A beats B"), this.lead,
      el("div", { class: "card reader" }, el("div", { class: "toolbar" }, pick, labelled("Colour", this.key), labelled("Unit", units.node), labelled("Search", search.node)),
        this.legend.node, this.reader.node), this.tables);
    await this.choose(0);
  }

  get b() {
    return this.pairs[this.chosen].model;
  }

  async choose(k) {
    this.chosen = k;
    await Promise.all([this.a.load(), this.b.load()]);
    this.redrawKey();
    this.compute();
    this.tables.replaceChildren(...this.makeTables());
  }

  setUnit(unit) {
    this.unit = unit;
    this.units.pick(unit);
    this.compute();
  }

  compute() {
    const { text, a, b } = this;
    let cuts, first, second;
    if (this.unit === "shared") {
      cuts = sharedCuts(a.cuts, b.cuts);
      if (text.at) cuts = cuts.filter((byte) => text.begins(byte));
      [first, second] = [within(a, cuts), within(b, cuts)];
    } else {
      cuts = text.words;
      [first, second] = [firstUnits(text, a.cuts, cuts), firstUnits(text, b.cuts, cuts)];
    }
    const n = cuts.length - 1, costA = a.sums(first), costB = b.sums(second), gaps = new Float32Array(n);
    for (let k = 0; k < n; k++) gaps[k] = costA[k] === Infinity && costB[k] === Infinity ? 0 : costB[k] - costA[k];
    const scale = diverging(moments(gaps, Y.signed[0]));
    const step = new Uint8Array(n), start = new Uint32Array(n + 1), counts = new Array(11).fill(0);
    for (let k = 0; k < n; k++) {
      counts[(step[k] = scale.step(gaps[k]))]++;
      start[k] = text.offset(cuts[k]);
    }
    start[n] = text.string.length;
    Object.assign(this, { cuts, first, second, gaps });
    const bytewise = a.entry.bytewise && b.entry.bytewise;
    const noun = this.unit === "word" ? "word" : bytewise ? "byte" : "segment";
    let cheaper = 0;
    for (let k = 0; k < n; k++) if (gaps[k] > 0) cheaper++;
    this.lead.textContent = this.unit === "word"
      ? "Blue words are cheaper under A, orange words under B."
      : `Both models have a boundary at ${whole(n + 1)} offsets; between them sums are exact under both. Blue is cheaper under A, orange under B.`;
    const write = (v) => signed(v, Math.abs(v) < 9.95 ? 1 : 0);
    this.reader.show({ n, start, step, scale, counts, noun, trim: noun !== "byte", write, caption: `bits per ${noun}, B − A · ${whole(cheaper)} cheaper under A` });
  }

  inspect(k) {
    const { a, b, text, cuts } = this;
    return Promise.all([a.loadDetails(), b.loadDetails()]).then(() =>
      contrasted(a, b, text, cuts[k], cuts[k + 1], [this.first[k], this.first[k + 1]], [this.second[k], this.second[k + 1]]));
  }

  makeTables() {
    const { found } = this.pairs[this.chosen], { data } = this, level = Math.round(1000 * data.confidence) / 10;
    const gap = found.patterns.reduce((sum, row) => sum + num(row.b) - num(row.a), 0);
    const parts = [this.bucketTable("By pattern", found.patterns, gap, `${found.patterns.length} patterns; intervals (Bonferroni) and p (Holm) hold for all at once; + is worse for B. A segment counts with its first byte that is not white space.`, "patterns", level)];
    parts.push(el("div", { class: "card tablecard two" }, [0, 1].map((way) => this.wins(way, found))));
    const rare = `words that occur six times or more: ${whole(found.tested)} were tested, and intervals and p are corrected for all of them (Bonferroni).`;
    ["A", "B"].forEach((letter, way) => {
      if (found.literals[way].length) parts.push(this.bucketTable(`Literals on which ${letter} gains most`, found.literals[way], gap, rare, `literals-${letter}`, level));
    });
    const groups = this.groupTable();
    if (groups) parts.push(groups);
    return parts;
  }

  bucketTable(name, rows, gap, caption, file, level) {
    const ends = rows.flatMap(({ low, high, difference }) => [0, num(difference), low, high]).filter((v) => Number.isFinite(v));
    // One row with little text must not press all others flat: its interval is cut.
    const most = 6 * Math.max(...rows.map(({ difference }) => (Number.isFinite(difference) ? Math.abs(difference) : 0)), 1e-9);
    const range = [Math.max(Math.min(...ends), -most), Math.min(Math.max(...ends), most)];
    const reasons = [...new Set(rows.flatMap(({ reason }) => reason.split("; ")).filter((reason) => reason && !reason.startsWith("no e-value")))];
    return table({
      name, caption, rows, file, sort: null,
      columns: [
        { title: name === "By pattern" ? "pattern" : "literal", key: "name", show: (v) => el("bdi", {}, v) },
        { title: "count", key: "count", number: true, show: whole },
        { title: "bytes", key: "bytes", number: true, show: whole },
        { title: "A, bits/byte", key: (row) => num(row.a) / row.bytes, number: true, show: (v) => fixed(v, 3) },
        { title: "B, bits/byte", key: (row) => num(row.b) / row.bytes, number: true, show: (v) => fixed(v, 3) },
        { title: "B − A", key: "difference", number: true, show: (v) => el("b", { class: num(v) > 0 ? "a" : "b" }, signed(v, 3)) },
        { title: "low", key: "low", number: true, show: (v) => signed(v, 3) },
        { title: "high", key: "high", number: true, show: (v) => signed(v, 3) },
        { title: `${level} %`, key: "difference", number: true, show: (v, row) => drawnInterval(row.low, row.high, num(v), range, num(v) > 0 ? "a" : "b") },
        { title: "p", key: "p_value", number: true, show: pText },
        { title: "share of the gap", key: (row) => (gap ? (num(row.b) - num(row.a)) / gap : null), number: true, show: (v) => (v === null || !Number.isFinite(v) ? "–" : `${(100 * v).toFixed(0).replace("-", "−")} %`) },
      ],
      notes: reasons.length ? [`– means: ${reasons[0]}${reasons.length > 1 ? ", and the like" : ""}.`] : [],
    });
  }

  /** Single words, with the boundaries of both models' tokens. */
  wins(way, found) {
    const { text, a, b } = this, letter = "AB"[way];
    const cutUp = (model, begin, end) => {
      const nodes = [];
      let from = begin;
      for (let i = indexAt(model.cuts, begin); i < model.n && model.cuts[i] < end; i++) {
        const cut = model.cuts[i];
        if (cut > begin && cut < end && text.begins(cut)) { nodes.push(text.slice(from, cut), el("span", { class: "cut" })); from = cut; }
      }
      nodes.push(visible(text.slice(from, end)));
      return nodes;
    };
    const rows = found.tops[way].map(([word, first, second]) => {
      let begin = text.words[word], end = text.words[word + 1];
      const blank = (byte) => byte === 32 || (byte >= 9 && byte <= 13);
      while (end > begin + 1 && blank(text.bytes[end - 1])) end--;
      while (begin < end - 1 && blank(text.bytes[begin])) begin++;
      const at = text.offset(begin);
      return el("li", {}, el("button", { type: "button", onclick: () => this.show(word) },
        el("span", { class: "ctx" }, el("bdi", {}, `…${text.string.slice(Math.max(0, at - 30), at).replace(/\s+/g, " ")}`)), el("span", { class: "w" }, el("bdi", {}, text.slice(begin, end).trim()))),
        el("div", { class: "how" }, el("span", { class: "ta" }, `A ${bitsText(first)}`), el("code", {}, cutUp(a, begin, end)), el("span", { class: "tb" }, `B ${bitsText(second)}`), el("code", {}, cutUp(b, begin, end))));
    });
    return el("div", {}, el("h3", { class: letter.toLowerCase() }, `${letter} wins most`),
      el("p", { class: "small muted" }, "Single words, in bits, with each model's token boundaries. One place has no interval."),
      rows.length ? el("ul", { class: "wins" }, rows) : el("p", { class: "muted" }, `There is no word on which ${letter} needs fewer bits.`));
  }

  show(word) {
    if (this.unit !== "word") this.setUnit("word");
    this.reader.pin(word);
  }

  groupTable() {
    const groups = this.data.groups;
    const rows = groups?.differences.filter(({ model }) => model === this.data.runs[this.b.run].model) ?? [];
    if (!rows.length) return null;
    const ends = rows.flatMap(({ low, high, difference }) => [0, num(difference), low, high]).filter((v) => Number.isFinite(v));
    const range = [Math.min(...ends), Math.max(...ends)];
    return table({
      name: `By ${groups.kind}`, caption: "Intervals are of each group alone; p is corrected for their number (Holm).", rows, file: "groups",
      columns: [
        { title: "group", key: "group" },
        { title: "A", key: "base", number: true, show: (v) => fixed(v, 4) },
        { title: "B", key: "figure", number: true, show: (v) => fixed(v, 4) },
        { title: "B − A", key: "difference", number: true, show: (v) => signed(v, 4) },
        { title: "low", key: "low", number: true, show: (v) => signed(v, 4) },
        { title: "high", key: "high", number: true, show: (v) => signed(v, 4) },
        { title: "interval", key: "difference", number: true, show: (v, row) => drawnInterval(row.low, row.high, num(v), range, num(v) > 0 ? "a" : "b") },
        { title: "p", key: "p_value", number: true, show: pText },
      ],
    });
  }
}
