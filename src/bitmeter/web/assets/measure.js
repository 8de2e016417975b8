// Measure: a text in colour as it is typed, what it costs under one or more models, and what is expected next.
import { copied, el, fixed, hue, labelled, num, percent, segmented, toast, visible, whole } from "./shared/dom.js";
import { ModelData, TextData, columnOf, cutsOf, indexAt, inflated } from "./shared/data.js";
import { spreadText, verdictLine } from "./shared/header.js";
import { TextView } from "./shared/text.js";
import { api } from "./api.js";
import { runningCurve } from "./curve.js";
import { Editor } from "./editor.js";
import { HistoryCard } from "./history.js";
import { made } from "./jobs.js";
import { addressOf, stateOf } from "./share.js";

const WAIT_MS = 130, SLOW_MS = 300;
//: Longer texts are not coloured as they are typed.
const LIVE = 60000;
const DOCS = [["file", "One"], ["line", "Lines"], ["blank", "Paragraphs"]];

export class MeasureView {
  constructor(shared) {
    Object.assign(this, { shared, page: shared.page, models: ["sample-bytes"], docs: "file", unit: "byte", name: "text", at: 0, waiting: 0, busy: false, again: false });
    if (!this.page.models.some(({ id }) => id === this.models[0])) this.models = [this.page.models[0].id];
    const typed = this.page.models.filter(({ origin }) => origin === "typed").map(({ id }) => id);
    if (typed.length) this.models = typed.slice(0, 2);
    this.history = new HistoryCard(this.page.history);
  }

  /** The view, with what its address says; the second time, as it was left. */
  async opened(query) {
    const given = query ? await stateOf(query) : {};
    const fresh = !this.node;
    if (fresh) this.build();
    const known = (given.models ?? []).filter((id) => this.page.models.some((model) => model.id === id));
    if (given.models && known.length < given.models.length) toast("This server lacks a model of the address");
    if (known.length) this.models = known;
    if (given.problem) toast(given.problem);
    Object.assign(this, { docs: given.docs ?? this.docs, unit: given.unit ?? this.unit });
    if (given.text !== undefined) this.editor.value = given.text;
    this.pickDocs.pick(this.docs);
    this.refreshModels();
    // The page is drawn before its text and the first figure are there.
    const text = fresh && given.text === undefined ? this.example(this.page.examples[0].name) : this.score();
    this.settled = Promise.all([text, this.history.refresh()]);
    return this.node;
  }

  build() {
    // The views of the report know how values become colours; only their reader is another one.
    this.view = new TextView(null, null, []);
    this.editor = new Editor({ legend: this.view.legend, onedit: () => this.later(), oncaret: () => this.ask() });
    this.view.reader = this.editor;
    this.pickUnit = segmented("Unit", [["byte", "Byte"], ["token", "Token"], ["word", "Word"]], this.unit, (unit) => { this.unit = unit; this.paint(); });
    this.pickDocs = segmented("Documents", DOCS, this.docs, (docs) => { this.docs = docs; this.score(); });
    this.pickModel = el("div", { class: "contents" });
    const file = el("input", { type: "file", class: "away", tabindex: -1, "aria-label": "A text file" });
    file.addEventListener("change", () => { if (file.files[0]) this.opening(file.files[0]); file.value = ""; });
    const log = el("input", { type: "file", class: "away", tabindex: -1, "aria-label": "A log of another tool", accept: ".json,.jsonl" });
    log.addEventListener("change", () => { if (log.files[0]) this.importing(log.files[0]); log.value = ""; });
    const pick = el("select", { "aria-label": "Example" }, el("option", { value: "" }, "Examples …"), this.page.examples.map(({ name, title }) => el("option", { value: name }, title)));
    pick.addEventListener("change", () => { if (pick.value) this.example(pick.value); pick.value = ""; });
    this.alert = el("p", { class: "alert pad", role: "alert", hidden: true });
    this.next = el("div", { class: "next", role: "group", "aria-label": "Next, at the cursor" });
    this.result = el("div", { class: "result" });
    this.job = el("div");
    this.list = el("div", { class: "modellist" });
    const editing = el("section", { class: "card editing", "aria-labelledby": "measure-title" },
      el("h1", { id: "measure-title", class: "away" }, "Measure a text"),
      el("div", { class: "toolbar" },
        el("div", { class: "buttons" }, el("button", { type: "button", onclick: () => file.click() }, "Open a file"), el("button", { type: "button", onclick: () => log.click() }, "Log-probabilities of another tool"), pick, file, log),
        this.pickModel, labelled("Unit", this.pickUnit.node), labelled("Documents", this.pickDocs.node)),
      this.view.legend.node, this.editor.node, this.alert, this.next);
    const side = el("div", { class: "side" }, el("section", { class: "card resultcard", "aria-labelledby": "result-title" }, el("h2", { id: "result-title", class: "away" }, "Result"), this.result,
      el("div", { class: "actions" }, el("button", { type: "button", class: "main", onclick: () => this.report() }, "Full report"), el("button", { type: "button", onclick: () => this.keep() }, "Keep"), el("button", { type: "button", onclick: () => this.share() }, "Copy link")), this.job),
    el("section", { class: "card pad", "aria-labelledby": "models-title" }, el("h2", { id: "models-title" }, "Models"), this.list));
    this.node = el("div", { class: "measure" }, editing, side, this.history.node);
    for (const event of ["dragover", "drop"]) editing.addEventListener(event, (given) => {
      if (![...given.dataTransfer.types].includes("Files")) return;
      given.preventDefault();
      if (event === "drop" && given.dataTransfer.files[0]) this.received(given.dataTransfer.files[0]);
    });
  }

  // ---- what is measured ----------------------------------------------------------------------------------------------

  async example(name, score = true) {
    const found = await api(`examples/${name}`);
    this.name = found.title;
    this.editor.value = found.text;
    if (score) await this.score();
  }

  /** A file that was dropped: a log of another tool, if it is one, else a text. */
  async received(file) {
    if (!/\.jsonl?$/i.test(file.name) || file.size > this.page.limits.body) return this.opening(file);
    return (await this.importing(file, false)) ? undefined : this.opening(file);
  }

  async opening(file) {
    if (file.size > this.page.limits.text) return this.fail(`${file.name} has ${whole(file.size)} bytes, and the page takes ${whole(this.page.limits.text)}. Type: bitmeter score MODEL ${file.name}`);
    let text;
    try {
      text = new TextDecoder("utf-8", { fatal: true }).decode(await file.arrayBuffer());
    } catch {
      return this.fail(`${file.name} is not UTF-8 text, so it cannot be shown here. Type: bitmeter score MODEL ${file.name}`);
    }
    this.name = file.name;
    this.editor.value = text;
    return this.score();
  }

  /** Whether a file was a log of another tool; if it was not, the page may say why. */
  async importing(file, aloud = true) {
    if (file.size > this.page.limits.body) return this.fail(`${file.name} has ${whole(file.size)} bytes, and the page takes logs of ${whole(this.page.limits.body)}. Type: bitmeter runs import ${file.name}`);
    try {
      const data = await api(`log?name=${encodeURIComponent(file.name)}&remember=true`, { method: "POST", content: await file.arrayBuffer() });
      this.shared.report = { id: null, data };
      location.hash = "#/report";
      return true;
    } catch (error) {
      if (aloud || error.status !== 422) this.fail(error.message);
      return error.status !== 422;
    }
  }

  fail(message) {
    this.alert.textContent = message ?? "";
    this.alert.hidden = !message;
  }

  get body() {
    return { models: this.models, text: this.editor.value, name: this.name, docs: this.docs };
  }

  later() {
    clearTimeout(this.waiting);
    this.waiting = setTimeout(() => this.score(), WAIT_MS);
  }

  /** One request at a time; what was typed meanwhile is scored after it. */
  async score() {
    clearTimeout(this.waiting);
    if (this.busy) { this.again = true; return; }
    if (this.editor.value.length > LIVE) {
      this.fail(`The text has ${whole(this.editor.value.length)} characters, and up to ${whole(LIVE)} are coloured as they are typed. Full report measures all of it.`);
      this.result.replaceChildren(el("p", { class: "muted" }, "Press Full report to measure it."));
      return;
    }
    this.busy = true;
    const slow = setTimeout(() => this.node.classList.add("scoring"), SLOW_MS);
    try {
      do {
        this.again = false;
        const begun = performance.now(), sent = this.editor.value, data = await api("live", { method: "POST", body: this.body });
        data.took = performance.now() - begun;
        await this.take(data, sent);
        this.fail(null);
      } while (this.again);
    } catch (error) {
      this.fail(error.message);
    } finally {
      this.busy = false;
      clearTimeout(slow);
      this.node.classList.remove("scoring");
    }
    this.ask();
  }

  async take(data, sent) {
    this.data = data;
    this.drawResult();
    this.text = null;
    if (data.text) {
      const [bytes, words, documents] = await Promise.all([inflated(data.text.z), columnOf(data.text.words), columnOf(data.text.documents)]);
      const text = new TextData(bytes, cutsOf(words), cutsOf(documents));
      const models = data.models.map((entry) => Object.assign(new ModelData(entry, entry.run), { name: data.runs[entry.run].name }));
      await Promise.all(models.map((model) => model.load()));
      if (this.editor.value !== sent) return; // the next answer is on its way
      this.text = text;
      Object.assign(this.view, { data, text, models, metric: "surprisal", cache: new Map() });
    } else Object.assign(this.view, { data, models: [] });
    await this.paint();
  }

  async paint() {
    const { view } = this, { models } = view;
    this.at = Math.min(this.at, Math.max(0, models.length - 1));
    const names = models.map((model, k) => [k, model.name]);
    this.pickModel.replaceChildren(...(models.length > 1 ? [labelled("Colours of", segmented("Colours of", names, this.at, (k) => { this.at = Number(k); this.paint(); }).node)] : []));
    if (!models.length) return;
    view.at = this.at;
    const bytewise = view.model.entry.bytewise;
    view.unit = this.unit === "byte" && !bytewise ? "token" : this.unit;
    this.pickUnit.pick(view.unit);
    for (const button of this.pickUnit.node.children) {
      const off = button.dataset.value === "byte" && !bytewise;
      button.disabled = off;
      if (off) button.title = `${view.model.name} predicts ${view.model.entry.unit}s, and how the bits of one divide among its bytes is not known`;
      else button.removeAttribute("title");
    }
    const source = await view.source();
    this.editor.show(source, view.text.string);
    this.source = source;
  }

  // ---- what is shown -------------------------------------------------------------------------------------------------

  drawResult() {
    const { data } = this, cards = data.runs.map((run, k) => {
      const margin = spreadText(run) ?? "no interval";
      const rows = [["total", `${num(run.bits) === Infinity ? "∞" : whole(run.bits)} bits`], ["bytes · words", `${whole(run.bytes)} · ${whole(run.words)}`], ...(run.unit === "byte" ? [] : [[`${run.unit}s`, run.tokens === null ? "only a total" : whole(run.tokens)]]),
        ["perplexity per word", run.perplexity.word], ["perplexity per token", run.perplexity.token]];
      return el("article", { class: `livefigure ${k ? "" : "first"}`, "aria-label": run.name },
        el("div", { class: "who" }, el("i", { class: `dot ${hue(k)}` }), data.runs.length > 1 ? `${"ABCDEF"[k]} · ${run.name}` : run.name),
        el("div", { class: "big" }, run.shown, el("small", {}, margin)), el("div", { class: "small muted" }, `bits per ${run.per}`),
        k && data.runs.length > 2 ? null : el("dl", { class: "lines2" }, rows.map(([name, value]) => [el("dt", {}, name), el("dd", {}, value)])),
        run.notes.length ? el("ul", { class: "notes" }, run.notes.map((note) => el("li", {}, note))) : null);
    });
    const curve = runningCurve(data.runs);
    this.result.replaceChildren(...cards, ...(data.runs.length > 1 ? data.verdicts.map((_, k) => verdictLine(data, k + 1)) : []),
      ...(curve ? [el("h3", {}, "Running, bits per byte"), curve] : []), el("p", { class: "small muted took" }, `scored in ${whole(Math.max(1, Math.round(data.took)))} ms`));
  }

  refreshModels() {
    const row = (model) => {
      const k = this.models.indexOf(model.id), box = el("input", { type: "checkbox", id: `model-${model.id}`, disabled: Boolean(model.fault) });
      box.checked = k >= 0;
      box.addEventListener("change", () => {
        const rest = this.models.filter((id) => id !== model.id);
        if (!box.checked && !rest.length) { box.checked = true; toast("One model must remain"); return; }
        this.models = box.checked ? [...rest, model.id].slice(-this.page.limits.models) : rest;
        this.refreshModels();
        document.getElementById(`model-${model.id}`)?.focus();
        this.score();
      });
      return el("div", { class: "modelrow" }, box, el("label", { for: `model-${model.id}` }, el("b", {}, model.id), el("span", { class: "small muted" }, model.fault ? `unreadable: ${model.fault}` : model.summary)),
        k >= 0 && this.models.length > 1 ? el("span", { class: `badge ${hue(k)}` }, "ABCDEF"[k]) : el("span", { class: "small muted" }, model.origin));
    };
    this.list.replaceChildren(...this.page.models.map(row));
  }

  /** What is expected at the cursor, and what the unit before it cost. */
  async ask() {
    const model = this.models[Math.min(this.at, this.models.length - 1)], before = this.editor.value.slice(0, this.editor.caret), key = `${model}/${before}`;
    if (key === this.asked || before.length > LIVE) return;
    this.asked = key;
    const turn = (this.turn = (this.turn ?? 0) + 1);
    let nodes;
    try {
      const found = await api("predict", { method: "POST", body: { model, text: before.slice(-20000), most: 7 } });
      if (turn !== this.turn) return;
      const heading = found.within ? `Words that begin with ${found.within}` : "Next, at the cursor";
      const buttons = found.units.map(({ shown, insert, p }) => el("button", { type: "button", class: "guess", disabled: insert === null, "aria-label": `${shown} ${percent(p)}`, onclick: () => this.editor.insert(insert + (this.ofWords(model) ? " " : "")) },
        el("i", { class: "fill", style: { width: `${100 * p}%` } }), el("code", {}, visible(shown)), el("span", {}, percent(p))));
      nodes = [el("span", { class: "small muted" }, heading), ...buttons, found.entropy === null ? el("span", { class: "small muted" }, "no word of the model begins so") : el("span", { class: "small muted" }, `entropy ${fixed(found.entropy, 2)} bits`)];
    } catch (error) {
      if (turn !== this.turn) return;
      nodes = [el("span", { class: "small muted" }, error.message)];
    }
    this.next.replaceChildren(...nodes, ...this.here());
  }

  ofWords(id) {
    return this.data?.runs.find(({ name }) => name === id)?.unit === "word";
  }

  here() {
    const { source, view } = this, at = this.editor.caret;
    if (!source?.n || !at || view.text?.string.length !== this.editor.value.length) return [];
    const k = indexAt(source.start, at - 1), bits = view.values(view.model, view.unit, "surprisal")[k];
    const unit = visible(view.text.string.slice(source.start[k], source.start[k + 1]));
    return [el("span", { class: "small here" }, "before it: ", el("code", {}, unit.length > 24 ? `${unit.slice(0, 23)}…` : unit), ` ${fixed(bits, 2)} bits`)];
  }

  // ---- what can be done ----------------------------------------------------------------------------------------------

  async report() {
    if (this.making) return;
    this.making = true;
    try {
      const found = await made(this.body, this.job);
      if (found) { this.shared.report = found; location.hash = "#/report"; } else toast("The report was cancelled");
    } catch (error) {
      this.job.replaceChildren(el("p", { class: "alert", role: "alert" }, error.message));
    } finally {
      this.making = false;
    }
  }

  async keep() {
    try {
      for (const model of this.models) await api("score", { method: "POST", body: { model, text: this.editor.value, name: this.name, docs: this.docs, remember: true } });
      toast(this.page.history ? "Kept in the history" : "The history is off (BITMETER_HISTORY)");
      await this.history.refresh();
    } catch (error) {
      this.fail(error.message);
    }
  }

  async share() {
    const address = await addressOf({ text: this.editor.value, models: this.models, docs: this.docs, unit: this.unit });
    if (!address) { toast("The text is too long for an address; save a report instead"); return; }
    history.replaceState(null, "", address);
    await copied(address, "a link");
  }
}
