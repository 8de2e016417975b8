// Tables that sort, filter and export all of their rows.
import { el, saved, svg, whole } from "./dom.js";

const PAGE = 100;

/**
 * columns: {title, key (of a row, or a function of it), number, show (of the value and the row), exported (and not
 * shown)}; rows: objects.
 * The value of a column is what is sorted and exported; `show` is what is seen.
 */
export function table({ name, caption, columns, rows, file, filter = rows.length > 8, sort = null, notes = [] }) {
  const value = (row, column) => (typeof column.key === "function" ? column.key(row) : row[column.key]);
  let order = rows.slice(), shownRows = PAGE, sorted = sort, query = "";
  const body = el("tbody");
  const count = el("span", { class: "small muted", role: "status" });
  const more = el("div", { class: "more" });
  const seen = columns.filter((column) => !column.exported);
  const heads = seen.map((column, k) => {
    const arrow = el("span", { class: "arrow", "aria-hidden": "true" });
    const button = el("button", { type: "button", onclick: () => resort(k) }, column.title, arrow);
    return { arrow, cell: el("th", { class: column.number ? "n" : "", scope: "col" }, button) };
  });
  function resort(k) {
    const [column, up] = sorted ?? [-1, true];
    sorted = [k, column === k ? !up : !seen[k].number];
    draw();
  }
  function chosen() {
    const wanted = query.toLowerCase();
    const some = wanted ? order.filter((row) => columns.some((column) => !column.number && String(value(row, column) ?? "").toLowerCase().includes(wanted))) : order;
    if (!sorted) return some;
    const [k, up] = sorted, column = seen[k];
    const rank = (row) => value(row, column) ?? (column.number ? -Infinity : "");
    return some.slice().sort((x, y) => {
      const a = rank(x), b = rank(y);
      return (up ? 1 : -1) * (column.number ? (a > b) - (a < b) : String(a).localeCompare(String(b)));
    });
  }
  function draw() {
    const some = chosen();
    heads.forEach(({ arrow, cell }, k) => {
      const on = sorted && sorted[0] === k;
      arrow.textContent = on ? (sorted[1] ? " ↑" : " ↓") : "";
      if (on) cell.setAttribute("aria-sort", sorted[1] ? "ascending" : "descending");
      else cell.removeAttribute("aria-sort");
    });
    body.replaceChildren(...some.slice(0, shownRows).map((row) => el("tr", {}, seen.map((column) => {
      const own = value(row, column);
      return el("td", { class: column.number ? "n" : column.wide ? "t wide" : "t" }, column.show ? column.show(own, row) : String(own ?? "–"));
    }))));
    count.textContent = some.length < rows.length || rows.length > 8 ? `${whole(some.length)} of ${whole(rows.length)} rows` : "";
    more.replaceChildren(...(some.length > shownRows ? [el("button", { type: "button", onclick: () => { shownRows += 4 * PAGE; draw(); } }, `Show more of ${whole(some.length)} rows`)] : []));
  }
  const plain = () => rows.map((row) => Object.fromEntries(columns.map((column) => [column.title, value(row, column) ?? null])));
  const quoted = (text) => (/[",\n\r]/.test(text) ? `"${text.replace(/"/g, '""')}"` : text);
  const asCsv = () => [columns.map((column) => quoted(column.title)), ...rows.map((row) => columns.map((column) => quoted(String(value(row, column) ?? ""))))].map((line) => line.join(",")).join("\r\n") + "\r\n";
  const box = filter ? el("input", { type: "search", "aria-label": `Filter ${name}`, placeholder: "Filter" }) : null;
  box?.addEventListener("input", () => { query = box.value; shownRows = PAGE; draw(); });
  draw();
  return el("div", { class: "card tablecard" },
    el("div", { class: "tablehead" }, el("div", { class: "cap" }, el("b", {}, name), caption), count, box,
      el("button", { type: "button", "aria-label": `CSV of ${name}, all rows`, onclick: () => saved(`${file}.csv`, asCsv(), "text/csv") }, "CSV"),
      el("button", { type: "button", "aria-label": `JSON of ${name}, all rows`, onclick: () => saved(`${file}.json`, JSON.stringify(plain(), null, 1), "application/json") }, "JSON")),
    el("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": name },
      el("table", {}, el("thead", {}, el("tr", {}, heads.map(({ cell }) => cell))), body)),
    more, notes.map((note) => el("p", { class: "more small muted" }, note)));
}

/** An interval drawn to a common scale, with the zero line. */
export function drawnInterval(low, high, middle, range, colour) {
  const width = 170, inside = (v) => Math.max(range[0], Math.min(range[1], v));
  const at = (v) => 6 + ((inside(v) - range[0]) / (range[1] - range[0] || 1)) * (width - 12);
  const zero = at(0);
  const known = low !== null && high !== null && low !== undefined;
  return svg("svg", { width, height: 18, "aria-hidden": "true" },
    svg("line", { x1: zero, x2: zero, y1: 1, y2: 17, class: "zero" }),
    known ? svg("line", { x1: at(low), x2: at(high), y1: 9, y2: 9, class: `c${colour}`, "stroke-width": 2.5, "stroke-linecap": "round" }) : null,
    Number.isFinite(middle) ? svg("circle", { cx: at(middle), cy: 9, r: 3.6, class: `f${colour}` }) : null);
}
