// The sections below the text: curves, models, documents.
import { el, fixed, num, pText, signed, whole } from "./dom.js";
import { calibrationChart, forestChart, histogramChart, positionChart, runningChart, sweepChart } from "./charts.js";
import { table } from "./tables.js";

export function curves(data) {
  const cards = [runningChart(data), ...(data.models ? [histogramChart(data), positionChart(data), positionChart(data, "windows"), calibrationChart(data)] : []), sweepChart(data)].filter(Boolean);
  if (!cards.length) return null;
  const level = Math.round(1000 * data.confidence) / 10;
  return el("section", { id: "curves", "aria-labelledby": "curves-title" }, el("h2", { id: "curves-title" }, "Curves"), el("p", { class: "lead" }, `Bands and bars are ${level} % intervals, each of its point alone.`), el("div", { class: "grid2" }, cards));
}

export function modelsSection(data) {
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

export function documentsSection(data, text, go) {
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
