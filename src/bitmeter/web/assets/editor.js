// A text that is edited and in colour: the letters are those of a textarea, the colours those of its mirror behind it.
import { el } from "./shared/dom.js";
import { coloured, lineGroups } from "./shared/reader.js";

export class Editor {
  /** legend: a Legend of the report; onedit: called when the text changes; oncaret: when the cursor moves. */
  constructor({ legend, onedit, oncaret }) {
    Object.assign(this, { legend, source: null, string: "", parts: [] });
    this.mirror = el("div", { class: "mirror", "aria-hidden": "true" });
    this.area = el("textarea", { class: "typed", "aria-label": "The text", spellcheck: "false", autocapitalize: "off", autocomplete: "off" });
    this.node = el("div", { class: "editor", role: "region", "aria-label": "The text in colour" }, el("div", { class: "stack" }, this.mirror, this.area));
    this.area.addEventListener("input", () => { this.follow(); onedit(); });
    for (const event of ["keyup", "click", "focus"]) this.area.addEventListener(event, oncaret);
    legend.onchange = () => this.paint();
  }

  get value() {
    return this.area.value;
  }

  set value(text) {
    this.area.value = text;
    this.follow();
  }

  get caret() {
    return this.area.selectionStart;
  }

  /** Put text at the cursor, as if it were typed. */
  insert(text) {
    this.area.focus();
    this.area.setRangeText(text, this.area.selectionStart, this.area.selectionEnd, "end");
    this.area.dispatchEvent(new Event("input"));
  }

  /** Until the new figures are there, the colours move with the text: those before and after the edit stay. */
  follow() {
    const next = this.value, { source, string: last } = this;
    if (source && next !== last) {
      let head = 0, tail = 0;
      const most = Math.min(next.length, last.length);
      while (head < most && next.charCodeAt(head) === last.charCodeAt(head)) head++;
      while (tail < most - head && next.charCodeAt(next.length - 1 - tail) === last.charCodeAt(last.length - 1 - tail)) tail++;
      const start = [], step = [], shift = next.length - last.length;
      for (let i = 0; i < source.n; i++) if (source.start[i] < head) { start.push(source.start[i]); step.push(source.step[i]); }
      start.push(head);
      step.push(source.scale.none ?? 0);
      for (let i = 0; i < source.n; i++) if (source.start[i] >= last.length - tail) { start.push(source.start[i] + shift); step.push(source.step[i]); }
      const n = start.length;
      start.push(next.length);
      this.source = { ...source, n, start, step };
    }
    this.string = next;
    this.paint();
  }

  /** A source as the reader of the report has it; one of another text is left. */
  show(source, string) {
    if (string.length !== this.value.length) return false;
    this.source = source;
    this.string = this.value;
    this.legend.show(source);
    this.paint();
    return true;
  }

  /** Only parts whose colours or letters changed are made again. */
  paint() {
    const { cuts } = lineGroups(this.string), count = Math.max(0, cuts.length - 1);
    for (let k = 0; k < count; k++) {
      const shown = this.string.slice(cuts[k], cuts[k + 1]);
      const html = this.source ? coloured(shown, cuts[k], cuts[k + 1], this.source, this.legend.threshold) : null;
      const part = this.parts[k] ?? (this.parts[k] = { node: this.mirror.appendChild(el("span", { class: "lines" })), html: null, shown: null });
      if (part.html === html && part.shown === shown) continue;
      if (html === null) part.node.textContent = shown;
      else part.node.innerHTML = html;
      Object.assign(part, { html, shown });
    }
    for (const part of this.parts.splice(count)) part.node.remove();
    // A line end at the end of the text has a line after it, as in the textarea.
    if (!this.last) this.last = document.createTextNode("\u200b");
    this.mirror.append(this.last);
  }
}
