// The runs that are remembered on this machine: list, compare two, delete.
import { el, fixed, num, toast } from "./shared/dom.js";
import { verdictLine } from "./shared/header.js";
import { api } from "./api.js";

export class HistoryCard {
  constructor(on) {
    this.on = on;
    this.chosen = [];
    this.body = el("tbody");
    this.says = el("p", { class: "small muted pad", role: "status" });
    this.verdict = el("div");
    this.compare = el("button", { type: "button", disabled: true, onclick: () => this.compared() }, "Compare two");
    const heads = ["", "when", "text", "model", "bits", "signature", ""].map((name, k) => el("th", { scope: "col", class: k === 4 ? "n" : "" }, name || el("span", { class: "away" }, k ? "Delete" : "Choose")));
    this.node = el("section", { class: "card history", "aria-labelledby": "history-title" },
      el("div", { class: "tablehead" }, el("h2", { id: "history-title" }, "History"), el("span", { class: "cap" }, "figures and conventions of runs on this machine, never their texts"), this.compare),
      el("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Remembered runs" }, el("table", {}, el("thead", {}, el("tr", {}, heads)), this.body)), this.says, this.verdict);
  }

  async refresh() {
    let found;
    try {
      found = await api("runs?limit=40");
    } catch (error) {
      this.says.textContent = error.message;
      return;
    }
    this.chosen = this.chosen.filter((id) => found.runs.some((run) => run.id === id));
    this.body.replaceChildren(...found.runs.map((run) => this.row(run)));
    this.says.textContent = !found.on ? "The history is off (BITMETER_HISTORY)." : found.runs.length ? "" : "Nothing yet: Keep and Full report put runs here, as bitmeter score does.";
    this.says.hidden = !this.says.textContent;
    this.offer();
  }

  row(run) {
    const box = el("input", { type: "checkbox", "aria-label": `Choose run ${run.id}, ${run.model} on ${run.text}` });
    box.checked = this.chosen.includes(run.id);
    box.disabled = !run.whole;
    box.addEventListener("change", () => {
      this.chosen = box.checked ? [...this.chosen, run.id].slice(-2) : this.chosen.filter((id) => id !== run.id);
      for (const other of this.body.querySelectorAll("input")) other.checked = this.chosen.includes(Number(other.closest("tr").dataset.run));
      this.offer();
    });
    return el("tr", { "data-run": run.id }, el("td", {}, box), el("td", {}, run.date.slice(5)), el("td", { class: "t" }, el("bdi", {}, run.text)), el("td", { class: "t" }, el("bdi", {}, run.model)),
      el("td", { class: "n" }, el("b", {}, run.bits === null ? "–" : fixed(num(run.bits), 3)), el("span", { class: "muted" }, ` /${run.per}`)), el("td", {}, el("code", { title: run.signature }, run.short)),
      el("td", {}, el("button", { type: "button", "aria-label": `✕ Delete run ${run.id}`, onclick: () => this.forget(run.id) }, "✕")));
  }

  offer() {
    this.compare.disabled = this.chosen.length !== 2;
    if (this.chosen.length !== 2) this.verdict.replaceChildren();
  }

  async forget(id) {
    await api(`runs/${id}`, { method: "DELETE" });
    toast(`Run ${id} is forgotten`);
    await this.refresh();
  }

  async compared() {
    const [a, b] = this.chosen;
    try {
      const found = await api(`runs/compared?a=${a}&b=${b}`);
      const line = verdictLine({ runs: found.runs, verdicts: found.verdicts, confidence: 0.95 });
      const names = found.runs.map((run, k) => el("span", {}, el("i", { class: `dot ${"ab"[k]}` }), ` ${"AB"[k]}: ${run.name}, ${run.shown} bits per ${run.per}`));
      this.verdict.replaceChildren(el("p", { class: "pad small names", role: "status" }, names), line);
    } catch (error) {
      this.verdict.replaceChildren(el("p", { class: "pad alert", role: "alert" }, error.message));
    }
  }
}
