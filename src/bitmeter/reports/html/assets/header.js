// The head of the report: figures, verdict, signature.
import { copied, el, fixed, hue, num, pText, signed, svg, whole } from "./dom.js";

export function logo() {
  const heights = [7, 11, 18, 9, 5];
  return svg("svg", { width: 27, height: 18, viewBox: "0 0 27 18", "aria-hidden": "true" },
    heights.map((height, k) => svg("rect", { x: 5.5 * k, y: 18 - height, width: 4, height, rx: 1, style: { fill: `var(--s${k === 2 ? 10 : 5 + k % 2})` } })));
}

/** The interval of a run: its half width, or both ends where they are not equally far; null for none. */
export function spreadText(run) {
  if (!run.ends) return null;
  const [low, high] = run.ends, even = Math.abs(high + low - 2 * run.figure) < 0.1 * (high - low);
  return even ? `± ${fixed((high - low) / 2, run.places)}` : `[${fixed(low, run.places)}, ${fixed(high, run.places)}]`;
}

function figureCard(run, k, alone) {
  const spread = spreadText(run);
  const facts = [
    ["total", `${num(run.bits) === Infinity ? "∞" : whole(run.bits)} bits`],
    ["tokens", run.tokens === null ? "only a total" : `${whole(run.tokens)} ${run.unit}${run.tokens === 1 ? "" : "s"}`],
    ["perplexity per word", run.perplexity.word],
    ["perplexity per token", run.perplexity.token],
  ];
  if (run.oov) facts.push(["unknown", whole(run.oov)]);
  if (run.skipped) facts.push(["not scored", whole(run.skipped)]);
  return el("article", { class: `card figure ${k === 0 ? "first" : ""}`, "aria-label": run.name },
    el("div", { class: "who" }, el("i", { class: `dot ${hue(k)}` }), alone ? run.name : `${"AB"[k]} · ${run.name}`),
    el("div", { class: "big" }, run.shown, spread ? el("small", {}, spread) : el("small", {}, "no interval"), el("wbr"), el("small", {}, `bits per ${run.per}`)),
    el("dl", { class: "facts" }, facts.map(([name, value]) => el("div", {}, el("dt", {}, name), el("dd", {}, value)))),
    el("ul", { class: "notes" }, run.how ? el("li", {}, `Interval: ${run.how}`) : null, run.notes.map((note) => el("li", {}, note))));
}

export function verdictLine(data, k = 1) {
  const [a, b] = [data.runs[0], data.runs[k]], found = data.verdicts[k - 1];
  const letters = data.runs.length > 2 ? [a.name, b.name] : ["A", "B"];
  if (!found.agree)
    return el("div", { class: "card verdict" }, el("strong", {}, `${letters[0]} and ${letters[1]} must not be compared`), found.reasons.map((reason) => el("span", {}, reason)), el("span", { class: "no" }, "✗ no difference is given"));
  const d = num(found.difference), better = d > 0 ? letters[0] : letters[1], level = Math.round(1000 * data.confidence) / 10;
  const [won, all] = found.won ?? [];
  // What an interval that holds zero, or p after the correction, does not show is not said in the headline.
  const shown = !found.ends || ((found.ends[0] > 0 || found.ends[1] < 0) && (found.p === null || found.p <= 1 - data.confidence));
  const bounds = found.ends && (d > 0 || !shown ? found.ends : [-found.ends[1], -found.ends[0]]).map((end) => fixed(end, found.places)).join(", ");
  const line = d === 0 || !shown ? "No difference shown" : `${better} needs ${fixed(Math.abs(d), found.places)} bits per ${found.per} less${found.ends ? "" : " on this text"}`;
  return el("div", { class: "card verdict" }, el("strong", {}, line),
    shown ? null : el("span", {}, `${letters[1]} − ${letters[0]}: ${signed(d, found.places)} bits per ${found.per}`),
    bounds ? el("span", {}, `${level} % [${bounds}]`) : null,
    found.p === null ? null : el("span", {}, `p ${pText(found.p)}`),
    found.won ? el("span", {}, `${shown ? "" : `${better} `}better on ${Math.round(10 * (d > 0 ? won : all - won)) / 10} of ${whole(all)} ${found.by}s`) : found.reason ? el("span", {}, found.reason) : null,
    el("span", { class: "ok" }, "✓ The two compare"));
}

function chip({ key, value, words, must }) {
  const text = { text: ["", value, ""], docs: ["documents: ", value, ""], first: ["first unit ", value, ""], eos: ["end predicted: ", value, ""], den: ["divided by ", `${value} bytes`, ""],
    norm: ["normalised: ", value, ""], oov: ["unknown units: ", value, ""], given: ["contexts: ", value, ""], units: ["predicts ", value, ""], ctx: ["context ", value, ""],
    precision: ["", value, ""], interval: ["interval ", value, ""], like: ["convention of ", value, ""] }[key] ?? [`${key} `, value, ""];
  return el("li", { class: must ? "must" : "may", title: `${key}${words ? `: ${words}` : ""}` }, text[0], el("b", {}, text[1]), text[2]);
}

export function heading(data) {
  const day = new Date(`${data.date}T12:00:00Z`).toLocaleDateString("en-GB", { day: "numeric", month: "long", year: "numeric", timeZone: "UTC" });
  const shown = data.runs.slice(0, 2);
  const more = data.runs.length - shown.length;
  return el("section", { class: "top", id: "top", "aria-label": "Figures" },
    el("p", { class: "kicker" }, `Report · ${day} · bitmeter ${data.version}`), el("h1", {}, el("bdi", {}, data.title)),
    el("div", { class: `cards ${shown.length === 1 ? "one" : ""}` }, shown.map((run, k) => figureCard(run, k, data.runs.length === 1))),
    more > 0 ? el("p", { class: "left" }, `${more} more model${more > 1 ? "s" : ""} under Models.`) : null,
    data.runs.length > 1 ? verdictLine(data) : null,
    el("div", { class: "sig" }, el("span", { class: "marks" }, "Signature ", el("code", {}, data.runs.map((run) => run.short).join(" · "))),
      el("div", { class: "copy" }, Object.entries(data.copy).map(([name, text]) => el("button", { type: "button", onclick: () => copied(text, name) }, name === "text" ? "Copy text" : name)))),
    el("ul", { class: "chips" }, data.chips.map(chip)),
    data.left.length ? el("div", { class: "left", role: "note" }, el("b", {}, "Left out: "), data.left.join("; "), ".") : null);
}
