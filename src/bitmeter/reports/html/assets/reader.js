// A long text in colour. Lines stand in the page as plain text, in groups of about 24 within blocks of 50 groups; those
// near the window are coloured from a queue, a few milliseconds per frame, and become plain again when they are far.
import { el, escaped, svg, toast, whole } from "./dom.js";
import { indexAt } from "./data.js";

const LINES = 24, LETTERS = 2400, BLOCK = 50, MARGIN = 500, BUDGET_MS = 6, LONGEST = 12000;

/** Where groups of lines begin, and how many each has; one ends at a blank line where there is one soon. */
export function lineGroups(string) {
  const found = [0], counts = [];
  let lines = 0, from = 0, at = 0;
  while (at < string.length) {
    let end = string.indexOf("\n", at);
    end = end < 0 ? string.length : end + 1;
    while (end - from > LONGEST) { // one endless line: cut at a space
      let cut = string.lastIndexOf(" ", from + LONGEST) + 1;
      if (cut <= from + LONGEST / 2) cut = from + LONGEST;
      found.push((from = cut));
      counts.push(lines);
      lines = 0;
    }
    lines++;
    at = end;
    const full = lines >= LINES || at - from >= LETTERS;
    if (full && (string[at] === "\n" || string[at - 2] === "\n" || lines >= 2 * LINES || at - from >= 2 * LETTERS) && at < string.length) {
      found.push((from = at));
      counts.push(lines);
      lines = 0;
    }
  }
  found.push(string.length);
  counts.push(lines);
  return { cuts: found, lines: counts };
}

/** Whether lines were broken by hand at a common width, as in books, so that narrow windows may break them elsewhere. */
export function isWrapped(string) {
  const lines = string.slice(0, 40000).split("\n").filter((line) => line);
  return lines.length > 8 && lines.filter((line) => line.length > 45 && line.length < 100 && !/^\s/.test(line)).length > 0.55 * lines.length;
}

export function isCode(string) {
  const lines = string.slice(0, 40000).split("\n").filter((line) => line.trim());
  return lines.length > 5 && lines.filter((line) => /^(\s{2,}|\t)\S|[{};]\s*$|^\s*(#|\/\/)/.test(line)).length > 0.35 * lines.length;
}

/**
 * A part of the text as HTML, from one letter to another, as it is shown: neighbours of equal step share a span, and
 * units below the least step have none.
 */
export function coloured(shown, origin, close, source, least) {
  const { start, step, n, scale, trim } = source, { none, prefix } = scale;
  const parts = [];
  let run = none, from = origin;
  const flush = (to, next) => {
    if (to > from) {
      const part = escaped(shown.slice(from - origin, to - origin));
      parts.push(run === none ? part : `<span class="${prefix}${run}">${part}</span>`);
    }
    from = Math.max(from, to);
    run = next;
  };
  for (let i = indexAt(start, origin); i < n && start[i] < close; i++) {
    let colour = step[i];
    if ((none ? Math.abs(colour - none) : colour) < least) colour = none;
    let begin = Math.max(start[i], origin), end = Math.min(start[i + 1], close);
    if (trim && colour !== none && colour !== run) {
      const first = begin;
      while (begin < end && shown.charCodeAt(begin - origin) <= 32) begin++;
      if (begin > first && begin < end && run !== none) flush(first, none);
    }
    if (colour !== run) flush(begin, colour);
    if (trim && colour !== none) {
      while (end > begin && shown.charCodeAt(end - 1 - origin) <= 32) end--;
      if (end < Math.min(start[i + 1], close)) flush(end, none);
    }
  }
  flush(close, none);
  return parts.join("");
}

/** About how many lines of so many signs a text takes; a hundred for any that takes more. */
function linesOf(text, signs) {
  if (text.length > 100 * signs) return 100;
  return text.split("\n").reduce((sum, line) => sum + Math.max(1, Math.ceil(line.length / signs)), 0);
}

export class Reader {
  /**
   * text: TextData; name: of the region; legend: a Legend; inspect: from the index of a unit to nodes; empty: nodes
   * when there is no unit.
   */
  constructor({ text, name, legend, inspect, empty }) {
    Object.assign(this, { text, legend, inspect, empty, source: null, hovered: -1, pinned: -1 });
    this.string = text.string;
    this.queue = [];
    this.near = new Set();
    this.stamp = 0;
    this.sheet = el("div", { class: "sheet" });
    this.scroller = el("div", { class: "text", tabindex: 0, role: "region", "aria-label": name }, this.sheet);
    this.canvas = el("canvas", { width: 34, height: 400 });
    this.window = el("i");
    this.minimap = el("div", { class: "minimap", "aria-hidden": "true" }, this.canvas, this.window);
    this.panel = el("aside", { class: "inspector", "aria-live": "polite", tabindex: 0, role: "region", "aria-label": `${name}: the unit` }, empty());
    this.node = el("div", { class: "panes" }, this.scroller, this.minimap, this.panel);
    // A short text needs no tall pane; how many lines it takes is estimated for a wide and for a narrow one.
    for (const [name, signs] of [["--wide", 80], ["--narrow", 36]]) this.node.style.setProperty(name, `${90 + 32 * linesOf(this.string, signs)}px`);
    this.narrow = matchMedia("(max-width: 820px)");
    this.wrapped = isWrapped(this.string);
    this.build();
    this.listen();
  }

  build() {
    this.groups = [];
    const { cuts, lines } = lineGroups(this.string);
    this.observer = new IntersectionObserver((entries) => {
      for (const { target, isIntersecting } of entries) {
        const group = this.groups[target.place];
        if (isIntersecting) this.near.add(group);
        else this.near.delete(group);
        this.enqueue(group);
      }
    }, { root: this.scroller, rootMargin: `${MARGIN}px 0px` });
    const letters = this.reflows ? 34 : 72;
    let block = null, height = 0;
    for (let k = 0; k + 1 < cuts.length; k++) {
      if (k % BLOCK === 0) {
        if (block) block.style.containIntrinsicSize = `auto ${height}px`;
        block = el("div", { class: "blk" });
        height = 0;
        this.sheet.append(block);
      }
      const node = document.createElement("div");
      node.className = "lines";
      node.place = k;
      const group = { from: cuts[k], to: cuts[k + 1], node, coloured: 0 };
      const shown = this.shown(group.from, group.to);
      node.append(shown);
      // Lines as they will be broken, about.
      const rows = Math.max(this.reflows ? 0 : lines[k], Math.ceil(shown.length / letters));
      node.style.containIntrinsicSize = `auto ${32 * rows}px`;
      height += 32 * rows;
      block.append(node);
      this.groups.push(group);
      this.observer.observe(node);
    }
    if (block) block.style.containIntrinsicSize = `auto ${height}px`;
  }

  get reflows() {
    return this.narrow.matches && this.wrapped;
  }

  /** The text as it is shown: on a narrow window, line ends within a paragraph are spaces, one character for one. */
  shown(from, to) {
    const part = this.string.slice(from, to);
    return this.reflows ? part.replace(/(?<=[^\n])\n(?=[^\n\s])/g, " ") : part;
  }

  listen() {
    let asked = 0, last = null;
    this.scroller.addEventListener("pointermove", (event) => {
      last = event;
      if (event.pointerType === "touch" || asked) return;
      asked = requestAnimationFrame(() => {
        asked = 0;
        if (this.pinned < 0) this.hover(this.unitAt(last.clientX, last.clientY));
      });
    });
    this.scroller.addEventListener("pointerleave", () => { if (this.pinned < 0) this.hover(-1); });
    this.scroller.addEventListener("click", (event) => {
      const unit = this.unitAt(event.clientX, event.clientY);
      if (unit < 0) return;
      if (unit === this.pinned) this.unpin();
      else this.pin(unit, false);
    });
    this.scroller.addEventListener("scroll", () => this.drawWindow(), { passive: true });
    this.minimap.addEventListener("click", (event) => {
      const box = this.minimap.getBoundingClientRect();
      const share = (event.clientY - box.top) / box.height;
      this.scroller.scrollTop = share * this.scroller.scrollHeight - this.scroller.clientHeight / 2;
    });
    this.narrow.addEventListener("change", () => {
      if (this.printing) return; // a sheet of paper is narrow, too: the text stays as it was coloured for it
      for (const group of this.groups) { group.coloured = 0; this.plain(group); }
      this.recolour();
    });
    new ResizeObserver(() => { this.drawMap(); this.redraw(); }).observe(this.scroller);
  }

  /** A source has n, start (where units begin in the text), step (of colour), scale, noun and trim. */
  show(source) {
    const middle = this.current >= 0 && this.source ? this.source.start[this.current] : -1;
    const wasPinned = this.pinned >= 0;
    this.source = source;
    this.hovered = this.pinned = -1;
    this.clearFrames();
    this.panel.replaceChildren(...this.empty());
    this.legend.show(source);
    this.recolour();
    this.drawMap();
    if (wasPinned && middle >= 0) this.pin(indexAt(source.start, middle), false);
  }

  get current() {
    return this.pinned >= 0 ? this.pinned : this.hovered;
  }

  // ---- colour ------------------------------------------------------------------------------------------------------

  recolour() {
    this.stamp++;
    for (const group of this.near) this.enqueue(group);
  }

  enqueue(group) {
    this.queue.push(group);
    if (!this.working) this.working = requestAnimationFrame(() => this.work());
  }

  work() {
    this.working = 0;
    if (!this.source || this.printing) return;
    const until = performance.now() + BUDGET_MS;
    while (this.queue.length && performance.now() < until) {
      const group = this.queue.shift();
      if (this.near.has(group)) {
        if (group.coloured !== this.stamp) this.colour(group);
      } else if (group.coloured) this.plain(group);
    }
    if (this.queue.length) this.working = requestAnimationFrame(() => this.work());
    else this.settled?.();
  }

  plain(group) {
    group.coloured = 0;
    group.node.textContent = this.shown(group.from, group.to);
  }

  colour(group) {
    group.node.innerHTML = coloured(this.shown(group.from, group.to), group.from, group.to, this.source, this.legend.threshold);
    group.coloured = this.stamp;
  }

  // ---- one unit ----------------------------------------------------------------------------------------------------

  groupAt(offset) {
    let low = 0, high = this.groups.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.groups[middle].from <= offset) low = middle;
      else high = middle - 1;
    }
    return this.groups[low];
  }

  unitAt(x, y) {
    if (!this.source?.n) return -1;
    const caret = document.caretPositionFromPoint?.(x, y);
    const range = caret ? null : document.caretRangeFromPoint?.(x, y);
    const node = caret?.offsetNode ?? range?.startContainer, offset = caret?.offset ?? range?.startOffset;
    const holder = (node?.nodeType === 3 ? node.parentElement : node)?.closest?.(".lines");
    if (!holder || !this.sheet.contains(holder) || node.nodeType !== 3) return -1;
    const before = document.createRange();
    before.setStart(holder, 0);
    before.setEnd(node, offset);
    const at = before.toString().length, group = this.groups[holder.place];
    for (const place of [at, at - 1]) { // a caret stands between two letters: take that under the pointer
      for (const box of this.boxes(group, place, place + 1))
        if (x >= box.left - 1 && x <= box.right + 1 && y >= box.top - 5 && y <= box.bottom + 5) return indexAt(this.source.start, group.from + place);
    }
    return -1;
  }

  /** Where letters of a group lie on the screen. */
  boxes(group, from, to) {
    if (from < 0 || to <= from) return [];
    const range = document.createRange(), walk = document.createTreeWalker(group.node, NodeFilter.SHOW_TEXT);
    let done = 0, begun = false;
    for (let node = walk.nextNode(); node; node = walk.nextNode()) {
      const size = node.data.length;
      if (!begun && from < done + size) { range.setStart(node, from - done); begun = true; }
      if (begun && to <= done + size) { range.setEnd(node, to - done); return [...range.getClientRects()].filter((box) => box.width > 0.5); }
      done += size;
    }
    return [];
  }

  /** The letters of a unit, without white space after it. */
  letters(i) {
    const { start } = this.source;
    let from = start[i], to = start[i + 1];
    while (to > from + 1 && this.string.charCodeAt(to - 1) <= 32) to--;
    while (from < to - 1 && this.string.charCodeAt(from) <= 32) from++;
    return [from, to];
  }

  clearFrames(kind = ".frame") {
    for (const frame of this.sheet.querySelectorAll(kind)) frame.remove();
  }

  draw(from, to, name) {
    const group = this.groupAt(from), origin = this.sheet.getBoundingClientRect();
    const boxes = this.boxes(group, from - group.from, Math.min(to, group.to) - group.from);
    const lines = [];
    for (const box of boxes) {
      const last = lines.at(-1);
      if (last && Math.abs(last.top - box.top) < 6) {
        last.left = Math.min(last.left, box.left);
        last.right = Math.max(last.right, box.right);
      } else lines.push({ left: box.left, right: box.right, top: box.top, bottom: box.bottom });
    }
    for (const line of lines) this.sheet.append(el("div", { class: `frame ${name}`, style: {
      left: `${line.left - origin.left - 2}px`, top: `${line.top - origin.top - 2}px`,
      width: `${line.right - line.left + 4}px`, height: `${line.bottom - line.top + 4}px` } }));
    return lines[0] ?? null;
  }

  redraw() {
    if (!this.source) return null;
    this.clearFrames(".frame:not(.hit)");
    if (this.current < 0) return null;
    return this.draw(...this.letters(this.current), this.pinned >= 0 ? "pinned" : "");
  }

  hover(unit) {
    if (unit === this.hovered) return;
    this.hovered = unit;
    this.redraw();
    this.tell();
  }

  async tell() {
    const unit = this.current;
    const nodes = unit < 0 ? this.empty() : await this.inspect(unit);
    if (unit === this.current) this.panel.replaceChildren(...nodes);
  }

  pin(unit, move = true) {
    if (!this.source.n) return;
    this.pinned = Math.max(0, Math.min(this.source.n - 1, unit));
    if (move) this.reveal(this.source.start[this.pinned]);
    this.redraw();
    this.tell();
  }

  unpin() {
    this.hovered = -1;
    this.pinned = -1;
    this.redraw();
    this.tell();
  }

  /** Scroll so that a letter is in the middle third; heights are estimates until lines are laid out, so look again. */
  reveal(offset, tries = 4) {
    const group = this.groupAt(offset);
    const view = this.scroller.getBoundingClientRect();
    if (view.bottom < 80 || view.top > innerHeight - 80) this.scroller.closest(".reader").scrollIntoView({ block: "start", behavior: "instant" });
    this.near.add(group);
    if (group.coloured !== this.stamp) this.colour(group);
    const place = offset - group.from;
    const box = this.boxes(group, place, place + 1)[0] ?? group.node.getBoundingClientRect();
    const now = this.scroller.getBoundingClientRect();
    const seen = box.top > now.top + now.height * 0.15 && box.bottom < now.top + now.height * 0.8;
    if (!seen) this.scroller.scrollTop += box.top - (now.top + now.height * 0.4);
    if (tries > 0) requestAnimationFrame(() => { this.reveal(offset, tries - 1); this.redraw(); });
  }

  // ---- going about -------------------------------------------------------------------------------------------------

  move(by) {
    this.pin(this.current < 0 ? indexAt(this.source.start, this.firstSeen()) : this.current + by);
  }

  firstSeen() {
    const view = this.scroller.getBoundingClientRect();
    for (const group of [...this.near].sort((a, b) => a.from - b.from)) if (group.node.getBoundingClientRect().bottom > view.top + 20) return group.from;
    return 0;
  }

  /** The next or previous unit at or above the threshold. */
  next(direction) {
    const { step, n, scale } = this.source;
    const least = Math.max(this.legend.threshold, scale.none ? (this.legend.threshold || 4) : (this.legend.threshold || 10));
    const far = (k) => (scale.none ? Math.abs(step[k] - scale.none) : step[k]);
    const begin = this.current >= 0 ? this.current + direction : indexAt(this.source.start, this.firstSeen());
    for (let turn = 0, k = begin; turn <= n; turn++, k += direction) {
      if (k >= n) k = 0;
      if (k < 0) k = n - 1;
      if (far(k) >= least) { this.pin(k); return; }
    }
    toast("No unit is above the threshold");
  }

  find(query) {
    this.hits = [];
    this.hit = -1;
    this.clearFrames(".hit");
    if (!query) return 0;
    const pattern = new RegExp(query.replace(/[.*+?^${}()|[\]\\]/g, "\\$&").replace(/\s+/g, "\\s+"), "gi");
    for (const found of this.string.matchAll(pattern)) {
      this.hits.push([found.index, found.index + found[0].length]);
      if (this.hits.length >= 10000) break;
    }
    return this.hits.length;
  }

  turnTo(direction) {
    if (!this.hits?.length) return 0;
    this.hit = this.hit < 0 && direction > 0 ? 0 : (this.hit + direction + this.hits.length) % this.hits.length;
    const [from, to] = this.hits[this.hit];
    this.reveal(from);
    let tries = 5;
    const frame = () => {
      this.clearFrames(".hit");
      this.draw(from, to, "hit");
      if (--tries) requestAnimationFrame(frame);
    };
    frame();
    return this.hit + 1;
  }

  // ---- the whole text ----------------------------------------------------------------------------------------------

  drawMap() {
    const { source } = this;
    const height = this.minimap.clientHeight;
    if (!source || !height) return;
    this.canvas.height = height;
    const rows = Math.max(1, height >> 1), sums = new Float64Array(rows), counts = new Uint32Array(rows);
    const stride = Math.max(1, Math.floor(source.n / 400000)), length = Math.max(1, this.string.length);
    for (let i = 0; i < source.n; i += stride) {
      const row = Math.min(rows - 1, Math.floor((source.start[i] / length) * rows));
      sums[row] += source.step[i];
      counts[row]++;
    }
    const { none, prefix, steps } = source.scale, means = [];
    for (let k = 0; k < rows; k++) means.push(counts[k] ? sums[k] / counts[k] - none : null);
    const sorted = means.filter((mean) => mean !== null).map((mean) => (none ? Math.abs(mean) : mean)).sort((a, b) => a - b);
    const low = none ? 0 : sorted[Math.floor(0.02 * sorted.length)] ?? 0, high = sorted[Math.floor(0.98 * (sorted.length - 1))] ?? 1;
    const style = getComputedStyle(document.documentElement), brush = this.canvas.getContext("2d");
    const colours = Array.from({ length: steps }, (_, k) => style.getPropertyValue(`--${prefix}${k}`));
    brush.clearRect(0, 0, 34, height);
    means.forEach((mean, k) => {
      if (mean === null) return;
      const share = Math.max(0, Math.min(1, ((none ? Math.abs(mean) : mean) - low) / Math.max(1e-9, high - low)));
      brush.fillStyle = colours[none ? none + Math.sign(mean) * Math.round(none * share) : Math.min(steps - 1, Math.floor(share * steps))];
      brush.fillRect(0, 2 * k, 34, 2);
    });
    this.drawWindow();
  }

  drawWindow() {
    const { scrollTop, scrollHeight, clientHeight } = this.scroller;
    const height = this.minimap.clientHeight;
    this.window.style.top = `${(scrollTop / scrollHeight) * height}px`;
    this.window.style.height = `${Math.min(height, (clientHeight / scrollHeight) * height)}px`;
  }

  /** Before printing: all of a text that is not too long is coloured. */
  printed(most = 300000) {
    this.printing = true;
    for (const group of this.groups) {
      if (group.from > most) group.node.classList.add("unprinted");
      else if (group.coloured !== this.stamp) this.colour(group);
    }
    if (this.string.length > most && !this.cutNote) {
      this.cutNote = el("p", { class: "muted small" }, `Printed: the first ${whole(most)} of ${whole(this.string.length)} characters.`);
      this.node.before(this.cutNote);
    }
  }

  /** After printing: what is far from the window is plain text again. */
  unprinted() {
    this.printing = false;
    for (const group of this.groups) if (group.coloured && !this.near.has(group)) this.enqueue(group);
  }
}

/** A search box for a reader. */
export function finder(reader, name) {
  const says = el("output", { role: "status" });
  const box = el("input", { type: "search", "aria-label": `Search ${name}`, autocomplete: "off", spellcheck: "false" });
  const go = (direction) => {
    const at = reader.turnTo(direction);
    if (reader.hits?.length) says.textContent = `${whole(at)} of ${whole(reader.hits.length)}${reader.hits.length >= 10000 ? "+" : ""}`;
  };
  let waiting = 0;
  const search = () => {
    clearTimeout(waiting);
    if (box.value === box.done) return false;
    box.done = box.value;
    const count = reader.find(box.value);
    says.textContent = box.value ? (count ? "" : "not found") : "";
    if (count) go(1);
    return true;
  };
  box.addEventListener("input", () => { clearTimeout(waiting); waiting = setTimeout(search, 160); });
  box.addEventListener("keydown", (event) => {
    if (event.key === "Enter") { if (!search()) go(event.shiftKey ? -1 : 1); event.preventDefault(); }
    if (event.key === "Escape") { box.value = ""; search(); box.blur(); }
  });
  const icon = (d) => svg("svg", { width: 10, height: 10, viewBox: "0 0 10 10", "aria-hidden": "true" }, svg("path", { d, fill: "none", stroke: "currentColor", "stroke-width": 1.6 }));
  return { box, node: el("div", { class: "finder" }, box,
    el("button", { type: "button", "aria-label": "Previous hit", onclick: () => go(-1) }, icon("M1 7l4-4 4 4")),
    el("button", { type: "button", "aria-label": "Next hit", onclick: () => go(1) }, icon("M1 3l4 4 4-4")), says) };
}
