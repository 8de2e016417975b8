// Charts as SVG, drawn at the width of their place, each with its figures in a table.
import { el, fixed, hue, num, pText, signed, svg, whole } from "./dom.js";

/** Round numbers within a range, about as many as wanted. */
export function roundTicks(low, high, wanted) {
  const rough = (high - low) / Math.max(1, wanted);
  if (!(rough > 0)) return [low];
  const scale = 10 ** Math.floor(Math.log10(rough));
  const step = scale * [1, 2, 2.5, 5, 10].find((factor) => factor * scale >= rough * (1 - 1e-9));
  const found = [];
  for (let k = Math.ceil(low / step - 1e-9); k * step <= high + 1e-9 * step; k++) found.push(Number((k * step).toPrecision(12)));
  return found;
}

function logTicks(low, high, wanted) {
  const found = [];
  for (let power = Math.floor(Math.log2(low)); 2 ** power <= high * 1.0001; power++) if (2 ** power >= low * 0.9999) found.push(2 ** power);
  const every = Math.ceil(found.length / Math.max(1, wanted));
  return found.filter((_, k) => k % every === 0);
}

/** A frame with axes: `at` maps values to the picture. */
function frame(width, height, x, y, left = 46) {
  const right = width - 14, top = 14, bottom = height - 40;
  const across = (v) => left + ((x.log ? Math.log2(v / x.low) / Math.log2(x.high / x.low) : (v - x.low) / (x.high - x.low)) || 0) * (right - left);
  const down = (v) => bottom - ((v - y.low) / (y.high - y.low || 1)) * (bottom - top);
  const parts = [];
  for (const tick of y.ticks ?? roundTicks(y.low, y.high, 4)) {
    parts.push(svg("line", { x1: left, x2: right, y1: down(tick), y2: down(tick), class: "gridline" }));
    parts.push(svg("text", { x: left - 8, y: down(tick) + 4, "text-anchor": "end" }, y.write ? y.write(tick) : String(tick)));
  }
  for (const tick of x.ticks ?? (x.log ? logTicks(x.low, x.high, width / 90) : roundTicks(x.low, x.high, width / 90)))
    parts.push(svg("text", { x: Math.min(Math.max(across(tick), left + 4), right - 4), y: bottom + 17, "text-anchor": "middle" }, x.write ? x.write(tick) : whole(tick)));
  parts.push(svg("line", { x1: left, x2: right, y1: bottom, y2: bottom, class: "axis" }));
  parts.push(svg("text", { x: right, y: bottom + 34, "text-anchor": "end" }, x.label));
  return { parts, across, down, left, right, top, bottom };
}

function mark(run, x, y, r = 4) { // A and B differ also by their markers
  if (run === 1) return svg("rect", { x: x - r + 0.5, y: y - r + 0.5, width: 2 * r - 1, height: 2 * r - 1, class: "fb" });
  if (run > 1) return svg("path", { d: `M${x} ${y - r - 0.5}l${r + 0.5} ${r + 0.5}l-${r + 0.5} ${r + 0.5}l-${r + 0.5} -${r + 0.5}z`, class: "fo" });
  return svg("circle", { cx: x, cy: y, r, class: "fa" });
}

const DASHES = [null, null, "6 3", "2 3", "8 3 2 3", "1 4"];

/** A card that draws itself again when its width changes. */
function card({ title, caption, sentence, columns, rows, draw }) {
  const holder = el("div");
  const node = el("div", { class: "card chart" }, el("h3", {}, title), el("p", { class: "cap" }, caption), holder,
    el("details", {}, el("summary", {}, "Figures"), el("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": `Figures: ${title}` },
      el("table", {}, el("thead", {}, el("tr", {}, columns.map((name) => el("th", { scope: "col" }, name)))),
        el("tbody", {}, rows.map((row) => el("tr", {}, row.map((cell) => el("td", {}, cell)))))))));
  let last = 0;
  new ResizeObserver(() => {
    const width = Math.floor(holder.clientWidth);
    if (!width || width === last) return;
    last = width;
    holder.replaceChildren(svg("svg", { role: "img", "aria-label": sentence, height: 250, viewBox: `0 0 ${width} 250` }, draw(width, 250)));
  }).observe(holder);
  return node;
}

function namesAt(ends, nudge = 15) {
  const sorted = ends.slice().sort((a, b) => a.y - b.y);
  for (let k = 1; k < sorted.length; k++) sorted[k].y = Math.max(sorted[k].y, sorted[k - 1].y + nudge);
  return sorted.map(({ x, y, text, run, anchor = "end" }) => svg("text", { x, y, "text-anchor": anchor, class: `f${hue(run)} strong` }, text));
}

export function runningChart(data) {
  const curves = data.runs.map((run, k) => ({ run: k, name: run.name, shown: run.shown, ...run.running })).filter(({ read }) => read?.length > 1 && read.every(Number.isFinite));
  if (!curves.length) return null;
  const per = data.runs[0].per;
  const ends = curves.flatMap(({ read, figure, low, high, line_read: fine, line_figure: line }) => [
    ...read.flatMap((at, k) => (at < read.at(-1) / 32 ? [] : [figure[k], Math.max(low[k] ?? figure[k], figure[k] / 2), Math.min(high[k] ?? figure[k], 2 * figure[k])])),
    ...fine.flatMap((at, k) => (at < fine.at(-1) / 32 ? [] : [line[k]]))].filter((v) => Number.isFinite(v)));
  const pad = 0.06 * (Math.max(...ends) - Math.min(...ends) || 1);
  const y = { low: Math.max(0, Math.min(...ends) - pad), high: Math.max(...ends) + pad };
  const x = { low: Math.min(...curves.map(({ read, line_read: fine }) => Math.min(read[0], fine[0] ?? Infinity))), high: Math.max(...curves.map(({ read }) => read.at(-1))), log: true, label: `${per}s read (log)` };
  return card({
    title: "Running cross-entropy",
    caption: `Bits per ${per} over the text so far. It settles towards the model's cross-entropy rate if the text is stationary.`,
    sentence: `Running cross-entropy. ${curves.map(({ name, shown }) => `${name} ends at ${shown} bits per ${per}`).join("; ")}.`,
    columns: ["model", `${per}s`, `bits per ${per}`, "low", "high"],
    rows: curves.flatMap(({ name, read, figure, low, high }) => read.map((at, k) => [name, whole(at), fixed(figure[k], 4), fixed(low[k], 4), fixed(high[k], 4)])),
    draw(width, height) {
      const f = frame(width, height, x, y);
      const inside = (v) => Math.max(y.low, Math.min(y.high, v));
      const labels = [];
      for (const { run, name, shown, read, figure, low, high, line_read: fine, line_figure: line } of curves) {
        const known = read.map((_, k) => k).filter((k) => low[k] !== null);
        if (known.length > 1 && run < 2) {
          const up = known.map((k) => `${f.across(read[k])},${f.down(inside(high[k]))}`), back = known.slice().reverse().map((k) => `${f.across(read[k])},${f.down(inside(low[k]))}`);
          f.parts.push(svg("polygon", { points: [...up, ...back].join(" "), class: `f${hue(run)}`, opacity: 0.15 }));
        }
        f.parts.push(svg("polyline", { points: (fine.length ? fine : read).map((at, k) => `${f.across(at)},${f.down(inside(fine.length ? line[k] : figure[k]))}`).join(" "), fill: "none", class: `c${hue(run)}`, "stroke-width": 2, "stroke-dasharray": DASHES[run] ?? null }));
        labels.push({ x: f.right - 2, y: f.down(figure.at(-1)) - 9, text: `${name} ${shown}`, run });
      }
      return [...f.parts, ...namesAt(labels)];
    },
  });
}

export function histogramChart(data) {
  const { edges, counts, means, infinite } = data.histogram;
  const width_ = edges[1] - edges[0], top = Math.max(...counts.flat(), 1);
  const runs = data.models.map(({ run }) => run);
  const x = { low: 0, high: edges.at(-1), label: "bits per word" };
  x.ticks = roundTicks(0, x.high, 6);
  x.write = (v) => (Math.abs(v - x.high) < 1e-9 ? `≥ ${v}` : String(v));
  const endless = infinite.some((n) => n) ? ` Infinite: ${infinite.map((n, k) => `${whole(n)} under ${data.runs[runs[k]].name}`).join(", ")}.` : "";
  return card({
    title: "Surprisal per word",
    caption: `How many words cost how much. The mean times the number of words is the total.${endless}`,
    sentence: `Histogram of bits per word. ${runs.map((run, k) => `${data.runs[run].name}: mean ${means[k].toFixed(1)}`).join("; ")}.`,
    columns: ["bits from", ...runs.map((run) => data.runs[run].name)],
    rows: edges.slice(0, -1).map((edge, k) => [edge.toPrecision(4), ...counts.map((row) => whole(row[k]))]),
    draw(width, height) {
      const f = frame(width, height, x, { low: 0, high: top * 1.05, write: whole }, 56);
      const labels = [];
      counts.forEach((row, m) => {
        const run = runs[m];
        let path = `M${f.across(0)} ${f.bottom}`;
        row.forEach((count, k) => { path += `V${f.down(count)}H${f.across(edges[k] + width_)}`; });
        path += `V${f.bottom}Z`;
        f.parts.push(svg("path", { d: path, class: `f${hue(run)}`, opacity: run < 2 ? 0.15 : 0 }));
        f.parts.push(svg("path", { d: path, fill: "none", class: `c${hue(run)}`, "stroke-width": 1.6, "stroke-dasharray": DASHES[run] ?? null }));
        const mean = f.across(Math.min(means[m], x.high));
        f.parts.push(svg("line", { x1: mean, x2: mean, y1: f.top, y2: f.bottom, class: `c${hue(run)}`, "stroke-dasharray": "3 3" }));
        labels.push({ x: f.right, y: f.top + 10 + 15 * m, text: `${data.runs[run].name}, mean ${means[m].toFixed(1)}`, run });
      });
      return [...f.parts, ...namesAt(labels)];
    },
  });
}

const PLACES = {
  positions: { title: "Surprisal by position in the document", unit: "byte", label: "bytes from the start of the document (log)", caption: "Bits per byte by distance from the start of the document. A fall would show that what came before helps." },
  windows: { title: "Surprisal by position in the window", unit: "token", label: "tokens of context in the window (log)", caption: "Bits per byte by how many tokens of its window a token has before it. Where it is level, a longer window would help little." },
};

/** By position in the document, or (of models that have one) in the window. */
export function positionChart(data, which = "positions") {
  const runs = data.models.map(({ run }) => run), { title, unit, label, caption } = PLACES[which];
  const curves = (data[which] ?? []).map((bins, m) => ({ run: runs[m], bins: bins.filter(({ figure }) => Number.isFinite(figure)) })).filter(({ bins }) => bins.length > 1);
  if (!curves.length) return null;
  const values = curves.flatMap(({ bins }) => bins.flatMap(({ figure, low, high }) => [figure, low, high])).filter((v) => Number.isFinite(v));
  const figures = curves.flatMap(({ bins }) => bins.map(({ figure }) => figure));
  const spread = Math.max(...figures) - Math.min(...figures) || 1;
  // An interval of a bin with little in it would press all others flat: it is cut at the frame.
  const y = { low: Math.max(0, Math.min(...values), Math.min(...figures) - spread), high: Math.min(Math.max(...values), Math.max(...figures) + spread) };
  const x = { low: 1, high: Math.max(...curves.flatMap(({ bins }) => bins.map(({ end }) => end))), log: true, label };
  const place = ({ begin, end }) => Math.sqrt(Math.max(1, begin) * end);
  return card({
    title, caption,
    sentence: `${title}, in bits per byte. ${curves.map(({ run, bins }) => `${data.runs[run].name}: ${fixed(bins[0].figure, 2)} at the start, ${fixed(bins.at(-1).figure, 2)} at the end`).join("; ")}.`,
    columns: ["model", `from ${unit}`, `before ${unit}`, "bytes", "bits per byte", "low", "high"],
    rows: curves.flatMap(({ run, bins }) => bins.map((bin) => [data.runs[run].name, whole(bin.begin), whole(bin.end), whole(bin.bytes), fixed(bin.figure, 3), fixed(bin.low, 3), fixed(bin.high, 3)])),
    draw(width, height) {
      const f = frame(width, height, x, y);
      const labels = [];
      const inside = (v) => Math.max(y.low, Math.min(y.high, v));
      curves.forEach(({ run, bins }, m) => {
        const shift = (m - (curves.length - 1) / 2) * 5;
        const at = (bin) => f.across(place(bin)) + shift;
        f.parts.push(svg("polyline", { points: bins.map((bin) => `${at(bin)},${f.down(inside(bin.figure))}`).join(" "), fill: "none", class: `c${hue(run)}`, opacity: 0.7, "stroke-dasharray": DASHES[run] ?? null }));
        for (const bin of bins) {
          if (bin.low !== null) f.parts.push(svg("line", { x1: at(bin), x2: at(bin), y1: f.down(inside(bin.low)), y2: f.down(inside(bin.high)), class: `c${hue(run)}`, "stroke-width": 2 }));
          f.parts.push(mark(run, at(bin), f.down(inside(bin.figure)), 3.5));
        }
        labels.push({ x: f.right, y: f.top + 2 + 15 * m, text: data.runs[run].name, run });
      });
      return [...f.parts, ...namesAt(labels)];
    },
  });
}

export function calibrationChart(data) {
  const runs = data.models.map(({ run }) => run);
  const curves = data.calibration.map((found, m) => ({ run: runs[m], ...found })).filter(({ bins }) => bins?.length);
  if (!curves.length) return null;
  const share = (v) => `${Math.round(100 * v)} %`;
  const error = ({ error: value, margin }) => `${value.toFixed(3)}${margin === null ? "" : ` ± ${margin.toFixed(3)}`}`;
  return card({
    title: "Calibration of the first guess",
    caption: ["How often the most likely unit came, by its probability. Expected calibration error: ", curves.flatMap((curve, k) => [k ? ", " : "", el("b", {}, error(curve)), ` ${data.runs[curve.run].name}`]), "."],
    sentence: `Calibration. ${curves.map((curve) => `${data.runs[curve.run].name}: expected calibration error ${error(curve)}`).join("; ")}.`,
    columns: ["model", "probability", "right", "low", "high", "predictions"],
    rows: curves.flatMap(({ run, bins }) => bins.map((bin) => [data.runs[run].name, fixed(bin.probability, 4), fixed(bin.right, 4), fixed(bin.low, 4), fixed(bin.high, 4), whole(bin.count)])),
    draw(width, height) {
      const ticks = [0, 0.25, 0.5, 0.75, 1];
      const f = frame(width, height, { low: 0, high: 1, ticks, write: share, label: "probability of the first guess" }, { low: 0, high: 1, ticks, write: share }, 50);
      f.parts.push(svg("line", { x1: f.across(0), y1: f.down(0), x2: f.across(1), y2: f.down(1), class: "zero" }));
      f.parts.push(svg("text", { x: f.right - 6, y: f.down(0.06), "text-anchor": "end" }, "below the line: too sure"));
      curves.forEach(({ run, bins }, m) => {
        const shift = (m - (curves.length - 1) / 2) * 3;
        for (const bin of bins) {
          const x = f.across(bin.probability) + shift;
          if (bin.low !== null) f.parts.push(svg("line", { x1: x, x2: x, y1: f.down(Math.max(0, bin.low)), y2: f.down(Math.min(1, bin.high)), class: `c${hue(run)}`, "stroke-width": 2 }));
          f.parts.push(mark(run, x, f.down(bin.right)));
        }
      });
      return [...f.parts, ...namesAt(curves.map(({ run }, m) => ({ x: f.left + 8, y: f.top + 10 + 15 * m, text: data.runs[run].name, run, anchor: "start" })))];
    },
  });
}

/** All models with their intervals, and their differences from the first. */
export function forestChart(data) {
  const rows = data.runs.map((run, k) => ({ k, ...run, value: num(run.figure), verdict: k ? data.verdicts[k - 1] : null }));
  const per = data.runs[0].per;
  const finite = rows.filter(({ value, per: own }) => Number.isFinite(value) && own === per);
  if (!finite.length) return null;
  const ends = finite.flatMap(({ value, ends: own }) => [value, ...(own ?? [])]);
  const apart = rows.filter(({ verdict }) => verdict?.agree && Number.isFinite(num(verdict.difference)));
  const differences = [0, ...apart.flatMap(({ verdict }) => [verdict.difference, ...(verdict.ends ?? [])])];
  const widen = (values) => {
    const low = Math.min(...values), high = Math.max(...values), pad = 0.08 * (high - low || Math.abs(high) || 1);
    return [low - pad, high + pad];
  };
  const holder = el("div");
  const node = el("div", { class: "card forest" }, holder);
  const line = ({ verdict }) => `${signed(verdict.difference, verdict.places)}${verdict.ends ? ` [${signed(verdict.ends[0], verdict.places)}, ${signed(verdict.ends[1], verdict.places)}]` : ""}${verdict.p === null ? "" : ` p ${pText(verdict.p)}`}`;
  const sentence = `Models. ${rows.map((row) => `${row.name}: ${row.shown} bits per ${row.per}${row.verdict?.agree ? `, difference ${line(row)}` : ""}`).join("; ")}.`;
  let last = 0;
  new ResizeObserver(() => {
    const width = Math.floor(holder.clientWidth);
    if (!width || width === last) return;
    last = width;
    const wide = width > 720, step = wide ? 44 : 64, height = 34 + step * rows.length + 26;
    const names = wide ? Math.min(240, width * 0.2) : 0;
    const half = wide ? names + (width - names) * 0.46 : width;
    const [low, high] = widen(ends), [least, most] = widen(differences);
    const at = (v) => names + 14 + ((v - low) / (high - low)) * (half - names - 84);
    const room = 210;
    const of = (v) => half + 24 + ((v - least) / (most - least || 1)) * Math.max(40, width - half - 48 - room);
    const parts = [svg("text", { x: names + 10, y: 14, class: "strong" }, `bits per ${per}`)];
    if (wide && apart.length) parts.push(svg("text", { x: half + 10, y: 14, class: "strong" }, "difference from A"));
    for (const tick of roundTicks(low, high, 5)) {
      parts.push(svg("line", { x1: at(tick), x2: at(tick), y1: 24, y2: height - 24, class: "gridline" }));
      parts.push(svg("text", { x: at(tick), y: height - 6, "text-anchor": "middle" }, String(tick)));
    }
    if (wide && apart.length) {
      parts.push(svg("line", { x1: of(0), x2: of(0), y1: 24, y2: height - 24, class: "zero" }));
      parts.push(svg("text", { x: of(0), y: height - 6, "text-anchor": "middle" }, "0"));
    }
    rows.forEach((row, k) => {
      const y = 34 + step * k + step / 2 + (wide ? 0 : 8);
      parts.push(svg("line", { x1: 0, x2: width, y1: 30 + step * k, y2: 30 + step * k, class: "gridline" }));
      const cut = row.name.length > (wide ? names / 8 : width / 9) ? `${row.name.slice(0, Math.floor((wide ? names : width) / 8) - 1)}…` : row.name;
      parts.push(svg("text", { x: 0, y: wide ? y + 4 : y - 16, class: "strong" }, cut));
      if (row.per !== per) parts.push(svg("text", { x: names + 14, y: y + 4 }, `${row.shown} bits per ${row.per}: another unit`));
      else if (!Number.isFinite(row.value)) parts.push(svg("text", { x: names + 14, y: y + 4 }, row.value === null ? "–" : "∞"));
      else {
        if (row.ends) parts.push(svg("line", { x1: at(row.ends[0]), x2: at(row.ends[1]), y1: y, y2: y, class: `c${hue(row.k)}`, "stroke-width": 3, "stroke-linecap": "round" }));
        parts.push(mark(row.k, at(row.value), y, 5));
        parts.push(svg("text", { x: at(row.ends?.[1] ?? row.value) + 10, y: y + 4, class: "strong" }, row.shown));
      }
      if (!wide) {
        if (row.verdict?.agree) parts.push(svg("text", { x: 0, y: y + 18 }, line(row)));
        return;
      }
      if (k === 0) { if (rows.length > 1) parts.push(svg("text", { x: of(0) + 8, y: y + 4 }, "baseline")); return; }
      if (!row.verdict.agree) { parts.push(svg("text", { x: half + 24, y: y + 4 }, "must not be compared")); return; }
      const d = num(row.verdict.difference);
      if (!Number.isFinite(d)) { parts.push(svg("text", { x: of(0) + 8, y: y + 4 }, d > 0 ? "+∞" : "−∞")); return; }
      if (row.verdict.ends) parts.push(svg("line", { x1: of(row.verdict.ends[0]), x2: of(row.verdict.ends[1]), y1: y, y2: y, class: `c${hue(row.k)}`, "stroke-width": 3, "stroke-linecap": "round" }));
      parts.push(mark(row.k, of(d), y, 5));
      parts.push(svg("text", { x: Math.min(of(row.verdict.ends?.[1] ?? d) + 10, width - room + 4), y: y + 4 }, line(row)));
    });
    holder.replaceChildren(svg("svg", { role: "img", "aria-label": sentence, height, viewBox: `0 0 ${width} ${height}` }, parts));
  }).observe(holder);
  return node;
}

export function sweepChart(data) {
  const rows = (data.sweep ?? []).filter(({ size, figure }) => size && Number.isFinite(figure));
  if (!rows.length) return null;
  const sizes = rows.map(({ size }) => size), ends = rows.flatMap(({ figure, ends: own }) => [figure, ...(own ?? [])]);
  const text = (size) => (size >= 1e9 ? `${(size / 1e9).toPrecision(3)} GB` : size >= 1e6 ? `${(size / 1e6).toPrecision(3)} MB` : `${(size / 1e3).toPrecision(3)} kB`);
  const pad = 0.1 * (Math.max(...ends) - Math.min(...ends) || 1);
  return card({
    title: "Size against bits", caption: "Each model by the bytes of its files. The line joins those than which none is both smaller and better.",
    sentence: `Size against bits. ${rows.map(({ name, size, figure }) => `${name}: ${text(size)}, ${fixed(figure, 3)}`).join("; ")}.`,
    columns: ["model", "bytes", "bits", "low", "high", "Pareto front"],
    rows: rows.map(({ name, size, figure, ends: own, best }) => [name, whole(size), fixed(figure, 4), fixed(own?.[0], 4), fixed(own?.[1], 4), best ? "yes" : ""]),
    draw(width, height) {
      const f = frame(width, height, { low: Math.min(...sizes) / 1.5, high: Math.max(...sizes) * 1.5, log: true, label: "size on disk (log)", write: text }, { low: Math.min(...ends) - pad, high: Math.max(...ends) + pad });
      const front = rows.filter(({ best }) => best).sort((a, b) => a.size - b.size);
      f.parts.push(svg("polyline", { points: front.map(({ size, figure }) => `${f.across(size)},${f.down(figure)}`).join(" "), fill: "none", class: "co", "stroke-dasharray": "4 3" }));
      for (const row of rows) {
        const x = f.across(row.size);
        if (row.ends) f.parts.push(svg("line", { x1: x, x2: x, y1: f.down(row.ends[0]), y2: f.down(row.ends[1]), class: "co", "stroke-width": 2 }));
        f.parts.push(svg("circle", { cx: x, cy: f.down(row.figure), r: 4.5, class: row.best ? "fa" : "fo" }));
        f.parts.push(svg("text", { x: x + 8, y: f.down(row.figure) - 7 }, row.name));
      }
      return f.parts;
    },
  });
}
