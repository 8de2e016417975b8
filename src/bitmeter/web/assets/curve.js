// Small pictures of our own: axes, lines and bars as SVG, drawn at the width of their place.
import { el, fixed, svg } from "./shared/dom.js";
import { roundTicks } from "./shared/charts.js";

/** A place that draws itself again when its width changes, or when asked. */
export function drawing(height, name, draw) {
  const holder = el("div", { class: "drawing" });
  const again = () => {
    const width = Math.floor(holder.clientWidth);
    if (width) holder.replaceChildren(svg("svg", { role: "img", "aria-label": name(), height, viewBox: `0 0 ${width} ${height}` }, draw(width, height)));
  };
  let last = 0;
  new ResizeObserver(() => { if (holder.clientWidth !== last) { last = holder.clientWidth; again(); } }).observe(holder);
  return { node: holder, draw: again };
}

/** Axes for values: lines across at round numbers, and where a value lies. Without y, only the lower one. */
export function axes(width, height, { x, y, left = 42, right = 12, bottom = 34, xLabel = "", yLabel = "", log = false, bare = false, top = yLabel ? 26 : 12 }) {
  const scaleX = log ? Math.log : (v) => v;
  const across = (v) => left + ((scaleX(v) - scaleX(x[0])) / (scaleX(x[1]) - scaleX(x[0]) || 1)) * (width - left - right);
  const [low, high] = y ?? [0, 1];
  const down = (v) => height - bottom - ((v - low) / (high - low || 1)) * (height - top - bottom);
  const parts = [];
  for (const tick of y ? roundTicks(low, high, 4) : []) {
    parts.push(svg("line", { x1: left, x2: width - right, y1: down(tick), y2: down(tick), class: "gridline" }));
    parts.push(svg("text", { x: left - 7, y: down(tick) + 4, "text-anchor": "end" }, String(tick)));
  }
  const ticks = bare ? [] : log ? powers(x) : roundTicks(x[0], x[1], Math.max(2, width / 110));
  for (const tick of ticks) parts.push(svg("text", { x: Math.min(across(tick), width - right - 6), y: height - bottom + 16, "text-anchor": "middle" }, String(tick)));
  parts.push(svg("line", { x1: left, x2: width - right, y1: down(low), y2: down(low), class: "axis" }));
  if (xLabel) parts.push(svg("text", { x: width - right, y: height - 3, "text-anchor": "end" }, xLabel));
  if (yLabel) parts.push(svg("text", { x: 2, y: top - 14 }, yLabel));
  return { parts, across, down };
}

function powers([low, high]) {
  const found = [];
  for (let tick = 10 ** Math.ceil(Math.log10(low) - 1e-9); tick <= high * 1.0001; tick *= 10) found.push(tick);
  return found;
}

export function path(points, kind) {
  if (!points.length) return null;
  return svg("path", { d: points.map(([x, y], k) => `${k ? "L" : "M"}${x.toFixed(1)} ${y.toFixed(1)}`).join(""), class: kind, fill: "none", "stroke-width": 2 });
}

/** The figure so far of one or more runs, each {read, figure}. */
export function runningCurve(runs) {
  const seen = runs.map(({ line: [read, figure] }) => read.map((at, k) => [at, figure[k]]).filter(([at, v]) => at > 0 && Number.isFinite(v)));
  const long = seen.map((points) => points.filter(([at]) => at >= points.at(-1)[0] / 40));
  if (!long.some((points) => points.length > 2)) return null;
  const values = long.flat().map(([, v]) => v), low = Math.min(...values), high = Math.max(...values), pad = 0.08 * (high - low || 1);
  const ends = long.map((points, k) => `${"ABCDEF"[k]} ends at ${fixed(points.at(-1)?.[1], 2)}`).join(", ");
  return drawing(150, () => `Running cross-entropy in bits per byte: ${ends}.`, (width, height) => {
    const frame = axes(width, height, { x: [0, Math.max(...long.flat().map(([at]) => at))], y: [Math.max(0, low - pad), high + pad], xLabel: "bytes read" });
    return [frame.parts, long.map((points, k) => path(points.map(([at, v]) => [frame.across(at), frame.down(v)]), k === 0 ? "ca" : k === 1 ? "cb" : "co"))];
  }).node;
}
