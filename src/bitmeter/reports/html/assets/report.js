// The report: its sections, its views of the text, the keyboard and the theme.
import { el, fixed, labelled, num, pText, segmented, signed, stored, svg, toast, whole } from "./dom.js";
import { ModelData, TextData, columnOf, cutsOf, firstUnits, inflated } from "./data.js";
import { Against } from "./against.js";
import { calibrationChart, forestChart, histogramChart, positionChart, runningChart, sweepChart } from "./charts.js";
import { heading, logo } from "./header.js";
import { idle, inspected } from "./inspector.js";
import { Legend } from "./legend.js";
import { Reader, finder, isCode } from "./reader.js";
import { Y, diverging, moments, pooled, sequential } from "./scale.js";
import { table } from "./tables.js";

const METRICS = [["surprisal", "Surprisal"], ["entropy", "Entropy"], ["excess", "Surprisal − entropy"], ["rank", "Rank"]];

/** The text as one model met it. */
class TextView {
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
    return inspected(model, text, first[k], Math.max(first[k] + (first[k + 1] > first[k] ? 0 : 0), first[k + 1]), unit);
  }
}

/** More surprising than expected is warm, less is cool; A and B are not meant. */
function turned(scale) {
  return { ...scale, prefix: "x" };
}

function curves(data) {
  const cards = [runningChart(data), ...(data.models ? [histogramChart(data), positionChart(data), calibrationChart(data)] : []), sweepChart(data)].filter(Boolean);
  if (!cards.length) return null;
  const level = Math.round(1000 * data.confidence) / 10;
  return el("section", { id: "curves", "aria-labelledby": "curves-title" }, el("h2", { id: "curves-title" }, "Curves"), el("p", { class: "lead" }, `Bands and bars are ${level} % intervals, each of its point alone.`), el("div", { class: "grid2" }, cards));
}

function modelsSection(data) {
  const rows = data.runs.map((run, k) => ({ ...run, k, verdict: k ? data.verdicts[k - 1] : null }));
  const compared = rows.length > 1 ? `Lower is better. Right: the paired difference from the first model${rows.length > 2 ? `, corrected for ${rows.length - 1} comparisons (Holm)` : ""}.` : "The figure with its interval, and all that it was counted over.";
  const list = table({
    name: "All figures", caption: "Total bits and counts beside every perplexity.", rows, file: "models",
    columns: [
      { title: "model", key: "name" }, { title: "figure", key: (row) => num(row.figure), number: true, show: (v, row) => `${row.shown}` }, { title: "per", key: "per" },
      { title: "low", key: (row) => row.ends?.[0], number: true, show: (v, row) => fixed(v, row.places) }, { title: "high", key: (row) => row.ends?.[1], number: true, show: (v, row) => fixed(v, row.places) },
      { title: "total bits", key: (row) => num(row.bits), number: true, show: (v) => (v === Infinity ? "∞" : whole(v)) }, { title: "tokens", key: "tokens", number: true, show: (v) => (v === null ? "–" : whole(v)) },
      { title: "ppl/word", key: (row) => row.perplexity.word, number: true }, { title: "ppl/token", key: (row) => row.perplexity.token, number: true },
      { title: "Δ", key: (row) => (row.verdict?.agree ? num(row.verdict.difference) : null), number: true, show: (v, row) => (row.k === 0 ? "baseline" : v === null ? "–" : signed(v, row.verdict.places)) },
      { title: "p", key: (row) => row.verdict?.p ?? null, number: true, show: pText }, { title: "signature", key: "short", show: (v, row) => el("code", { title: row.signature }, v) },
    ],
  });
  const groups = data.groups && !data.groups.differences.length ? table({
    name: `By ${data.groups.kind}`, caption: "The interval of each group is its own.", rows: data.groups.rows, file: "groups",
    columns: [{ title: "group", key: "group" }, { title: "model", key: (row) => data.runs[row.run].name }, { title: "bits", key: (row) => num(row.figure), number: true, show: (v) => fixed(v, 4) },
      { title: "low", key: (row) => row.ends?.[0], number: true, show: (v) => fixed(v, 4) }, { title: "high", key: (row) => row.ends?.[1], number: true, show: (v) => fixed(v, 4) },
      { title: "bytes", key: "bytes", number: true, show: whole }, { title: "documents", key: "documents", number: true, show: whole }],
  }) : null;
  return el("section", { id: "models", "aria-labelledby": "models-title" }, el("h2", { id: "models-title" }, "Models"), el("p", { class: "lead" }, compared), forestChart(data), list, groups);
}

function documentsSection(data, text, go) {
  const found = data.documents;
  if (!found) return null;
  const names = data.runs.map((run) => run.name);
  const rows = found.bytes.map((bytes, k) => ({
    k, bytes, opening: text ? text.string.slice(text.offset(text.documents[k]), text.offset(text.documents[k]) + 90).split("\n").find((line) => line.trim()) ?? "" : "",
    figures: found.bits.map((bits) => (bits && bytes ? num(bits[k]) / bytes : null)), bits: found.bits.map((bits) => (bits ? num(bits[k]) : null)),
  }));
  const shown = names.slice(0, 6), short = (name, m) => (names.length === 2 ? "AB"[m] : name);
  const columns = [
    { title: "document", key: (row) => row.k + 1, number: true, show: (v, row) => (text ? el("button", { type: "button", class: "small", "aria-label": `Show document ${v} in the text`, onclick: () => go(row.k) }, whole(v)) : whole(v)) },
    ...(text ? [{ title: "opening", key: "opening", wide: true, show: (v) => el("bdi", {}, v.length > 70 ? `${v.slice(0, 69)}…` : v) }] : []), { title: "bytes", key: "bytes", number: true, show: whole },
    ...shown.map((name, m) => ({ title: `${short(name, m)}, bits/byte`, key: (row) => row.figures[m], number: true, show: (v) => fixed(v, 3) })),
    ...shown.map((name, m) => ({ title: `${short(name, m)}, bits`, key: (row) => row.bits[m], number: true, exported: true })),
  ];
  if (names.length > 1) columns.push({ title: "B − A", key: (row) => (row.figures[1] === null ? null : row.figures[1] - row.figures[0]), number: true, show: (v) => el("b", { class: v > 0 ? "a" : "b" }, signed(v, 3)) });
  return el("section", { id: "documents", "aria-labelledby": "documents-title" }, el("h2", { id: "documents-title" }, "Documents"),
    el("p", { class: "lead" }, "What each document cost. One document is one observation, so it has no interval of its own."),
    table({ name: "All documents", caption: found.all > rows.length ? `the first ${whole(rows.length)} of ${whole(found.all)}` : "", rows, columns, file: "documents", filter: true }));
}

// ---- theme, help, keyboard -------------------------------------------------------------------------------------------

function setTheme(theme, views) {
  document.documentElement.dataset.theme = theme;
  for (const view of views) view.reader?.drawMap();
}

const KEYS = [["n p", "next and previous unit above the threshold"], ["← →", "previous and next unit"], ["Enter Esc", "keep and release the unit"], ["1 2 3 4", "surprisal, entropy, surprisal − entropy, rank"],
  ["b t w", "byte, token, word"], ["m", "other model"], ["[ ]", "lower and raise the threshold"], ["/", "search"], ["d", "light or dark"], ["?", "this help"]];

function helpBox(state) {
  const off = el("input", { type: "checkbox", id: "keys-off" });
  off.checked = state.keysOff;
  off.addEventListener("change", () => { state.keysOff = off.checked; stored("bitmeter-keys-off", off.checked ? "1" : ""); });
  return el("dialog", { id: "help", "aria-labelledby": "help-title" }, el("h2", { id: "help-title" }, "Keys"),
    el("dl", {}, KEYS.flatMap(([keys, what]) => [el("dt", {}, keys.split(" ").flatMap((key) => [el("kbd", {}, key), " "])), el("dd", {}, what)])),
    el("label", { class: "check", for: "keys-off" }, off, "Switch off keys of one letter"), el("form", { method: "dialog" }, el("button", {}, "Close")));
}

function topBar(sections, toggle, help) {
  const links = sections.map(([id, name]) => el("a", { href: `#${id}` }, name));
  const half = svg("svg", { width: 16, height: 16, viewBox: "0 0 16 16", "aria-hidden": "true" }, svg("circle", { cx: 8, cy: 8, r: 6, fill: "none", stroke: "currentColor", "stroke-width": 2 }), svg("path", { d: "M8 2a6 6 0 0 1 0 12z", fill: "currentColor" }));
  return { links, node: el("div", { class: "bar-in" }, el("div", { class: "logo" }, logo(), el("b", {}, "bitmeter")), el("nav", { "aria-label": "Sections" }, links),
    el("div", { class: "tools" }, el("button", { type: "button", "aria-label": "? Keys", onclick: () => help.showModal() }, "?"), el("button", { type: "button", "aria-label": "Light or dark", onclick: toggle }, half))) };
}

function listenKeys(state, views, toggle, help) {
  addEventListener("keydown", (event) => {
    const target = event.target;
    if (event.ctrlKey || event.altKey || event.metaKey || target.closest?.("input, textarea, select, dialog")) return;
    const view = views.find(({ node }) => node.contains(target) || node.matches(":hover")) ?? nearest(views);
    const named = event.key.length > 1;
    if (named && target.closest?.("button, a, summary")) return;
    if (!named && state.keysOff) return;
    const reader = view?.reader;
    const text = views.find((one) => one instanceof TextView);
    const inside = reader && (reader.scroller.contains(target) || target === document.body || target.id === "main");
    const actions = {
      n: () => reader?.next(1), p: () => reader?.next(-1), m: () => text?.set({ at: (text.at + 1) % text.models.length }),
      b: () => (view instanceof TextView ? view.model.entry.bytewise ? view.set({ unit: "byte" }) : toast(`${view.model.name} does not predict bytes`) : view?.setUnit("shared")),
      t: () => (view instanceof TextView ? view.set({ unit: "token" }) : view?.setUnit("shared")), w: () => (view instanceof TextView ? view.set({ unit: "word" }) : view?.setUnit("word")),
      "[": () => view?.legend.set(view.legend.threshold - 1), "]": () => view?.legend.set(view.legend.threshold + 1), "/": () => view?.search.focus(), d: toggle, "?": () => help.showModal(),
      ...Object.fromEntries(METRICS.map(([metric], k) => [String(k + 1), () => { if (metric === "surprisal" || text?.model.detailed) text?.set({ metric }); else toast(`${text?.model.name} has no such figures`); }])),
    };
    const steps = { ArrowLeft: () => reader.move(-1), ArrowRight: () => reader.move(1), Enter: () => reader.pin(reader.current < 0 ? 0 : reader.current), Escape: () => reader.unpin() };
    const action = actions[event.key] ?? (inside ? steps[event.key] : null);
    if (!action) return;
    event.preventDefault();
    action();
  });
}

/** The view that takes most of the window. */
function nearest(views) {
  const seen = ({ node }) => {
    const box = node.getBoundingClientRect();
    return Math.min(box.bottom, innerHeight) - Math.max(box.top, 0);
  };
  return views.slice().sort((a, b) => seen(b) - seen(a))[0];
}

// ---- start -----------------------------------------------------------------------------------------------------------

export async function start() {
  const data = JSON.parse(document.getElementById("data").textContent);
  const main = document.getElementById("main"), views = [], state = { keysOff: stored("bitmeter-keys-off") === "1" };
  const preferred = matchMedia("(prefers-color-scheme: dark)");
  let theme = preferred.matches ? "dark" : "light";
  setTheme(theme, views);
  const change = (to) => { theme = to; setTheme(theme, views); };
  const toggle = () => change(theme === "dark" ? "light" : "dark");
  preferred.addEventListener("change", () => change(preferred.matches ? "dark" : "light"));
  const help = helpBox(state);
  document.body.append(help);
  main.append(heading(data));
  let text = null, textView = null, against = null;
  const sections = [];
  if (data.text) {
    const [bytes, words, documents] = await Promise.all([inflated(data.text.z), columnOf(data.text.words), columnOf(data.text.documents)]);
    text = new TextData(bytes, cutsOf(words), cutsOf(documents));
    const models = data.models.map((entry) => Object.assign(new ModelData(entry, entry.run), { name: data.runs[entry.run].name }));
    textView = new TextView(data, text, models);
    textView.build();
    main.append(textView.node);
    views.push(textView);
    sections.push(["text", "Text"]);
    await textView.set({});
    if (data.against?.length) against = new Against(data, text, models);
  }
  // What lies below the first screen waits until that is drawn.
  await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
  performance.mark("first-screen");
  document.documentElement.dataset.ready = "first";
  if (against) {
    main.append(against.node);
    views.push(against);
    sections.push(["against", "A against B"]);
    await against.build();
  }
  const go = (k) => { textView.reader.pin(textView.reader.source ? firstFrom(textView.reader.source.start, text.offset(text.documents[k])) : 0); };
  for (const [id, name, node] of [["curves", "Curves", curves(data)], ["models", "Models", modelsSection(data)], ["documents", "Documents", documentsSection(data, text, go)]]) {
    if (!node) continue;
    main.append(node);
    sections.push([id, name]);
  }
  const bar = topBar(sections, toggle, help);
  document.getElementById("bar").append(bar.node);
  document.getElementById("foot").append(el("p", {}, "Made by ", data.command ? el("code", {}, data.command) : `bitmeter ${data.version}`, ". Nothing on this page was fetched."));
  const watcher = new IntersectionObserver((entries) => {
    for (const entry of entries) entry.target.inView = entry.isIntersecting;
    const current = sections.find(([id]) => document.getElementById(id).inView);
    bar.links.forEach((link, k) => (current && sections[k][0] === current[0] ? link.setAttribute("aria-current", "true") : link.removeAttribute("aria-current")));
  }, { rootMargin: "-25% 0px -65% 0px" });
  for (const [id] of sections) watcher.observe(document.getElementById(id));
  listenKeys(state, views, toggle, help);
  let before = theme;
  addEventListener("beforeprint", () => { before = theme; change("light"); textView?.reader.printed(); against?.reader.node.classList.add("unprinted"); });
  addEventListener("afterprint", () => change(before));
  document.documentElement.dataset.ready = "all";
}

function firstFrom(offsets, at) {
  let k = 0, high = offsets.length - 1;
  while (k < high) {
    const middle = (k + high) >> 1;
    if (offsets[middle] < at) k = middle + 1;
    else high = middle;
  }
  return k;
}
