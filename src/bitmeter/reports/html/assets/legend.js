// The legend, which is also the threshold: how many units each step has, and from which step on units are coloured.
import { bitsText, el, whole } from "./dom.js";

export class Legend {
  constructor(name, onchange) {
    this.onchange = onchange;
    this.threshold = 0;
    this.bars = el("div", { class: "bars", "aria-hidden": "true" });
    this.swatches = el("div", { class: "swatches" });
    this.slider = el("input", { type: "range", min: 0, max: 11, step: 1, value: 0, "aria-label": `${name}: colour from step` });
    this.slider.addEventListener("input", () => this.set(Number(this.slider.value)));
    this.ticks = el("div", { class: "ticks", "aria-hidden": "true" });
    this.says = el("div", { class: "says", role: "status" });
    this.node = el("div", { class: "legend" }, el("div", { class: "scale" }, this.bars, this.swatches, this.slider, this.ticks), this.says);
  }

  /** The source has a scale, counts by step, a caption, a noun and the unit of its values. */
  show(source) {
    this.source = source;
    const { scale, counts } = source;
    const most = Math.log1p(Math.max(1, ...counts));
    this.slider.max = scale.none ? 5 : scale.steps - 1;
    this.threshold = Math.min(this.threshold, Number(this.slider.max));
    this.bars.replaceChildren(...counts.map((count) => el("i", { style: { height: `${(100 * Math.log1p(count)) / most}%` } })));
    this.swatches.replaceChildren(...counts.map((count, k) => el("button", {
      type: "button", class: `${scale.prefix}${k}`, tabindex: -1,
      "aria-label": `Step ${k}, ${this.range(k)}: ${whole(count)} ${source.noun}s. Colour from here`,
      onclick: () => this.set(this.level(k) === this.threshold ? 0 : this.level(k)),
    })));
    const marks = scale.none ? [0, 2.5, 5, 7.5, 10] : [0, 3, 6, 9, 12];
    this.ticks.replaceChildren(...marks.map((k) => {
      const value = source.write ? source.write(scale.edge(k)) : bitsText(scale.edge(k));
      return el("span", {}, k === marks.at(-1) ? `≥ ${value}` : k === 0 && scale.none ? `≤ ${value}` : value);
    }));
    this.refresh();
  }

  range(k) {
    const { scale, write } = this.source;
    const text = write ?? bitsText;
    return scale.none ? `about ${text(scale.edge(k))}` : `from ${text(scale.edge(k))}`;
  }

  level(k) {
    return this.source.scale.none ? Math.abs(k - 5) : k;
  }

  set(threshold) {
    this.threshold = Math.max(0, Math.min(Number(this.slider.max), threshold));
    this.refresh();
    this.onchange();
  }

  refresh() {
    const { scale, counts, noun, caption, write } = this.source;
    const text = write ?? bitsText;
    this.slider.value = this.threshold;
    [...this.swatches.children].forEach((button, k) => button.classList.toggle("below", this.level(k) < this.threshold));
    const all = counts.reduce((a, b) => a + b, 0);
    const from = Math.max(this.threshold, scale.none ? 1 : 0);
    const chosen = counts.reduce((sum, count, k) => sum + (this.level(k) >= from ? count : 0), 0);
    const coloured = counts.reduce((sum, count, k) => sum + (k !== scale.none ? count : 0), 0);
    const edge = scale.none ? scale.edge(5 + this.threshold) : scale.edge(this.threshold);
    const line = this.threshold
      ? [el("b", {}, whole(chosen)), ` of ${whole(all)} ${noun}s at or above ${scale.none ? "±" : ""}${text(edge)}${write ? "" : " bits"}`]
      : [el("b", {}, whole(coloured)), ` of ${whole(all)} ${noun}s coloured`];
    this.slider.setAttribute("aria-valuetext", this.threshold ? `from ${text(edge)}` : "all");
    this.says.replaceChildren(el("div", {}, caption), el("div", {}, line));
  }
}
