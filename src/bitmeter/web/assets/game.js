// Shannon's guessing game: the reader and three models on the same passage.
import { el, fixed, segmented, svg, whole } from "./shared/dom.js";
import { api } from "./api.js";
import { axes, drawing } from "./curve.js";
import { guessBounds, guessInterval } from "./figures.js";

const FEW = 100;
// With fewer letters there is nothing to draw again.
const reach = (guesses) => { const { low, high } = guessBounds(guesses); return guesses.length > 9 ? guessInterval(guesses) : [low, high]; };
const shownLetter = (letter) => (letter === " " ? "␣" : letter);

export async function gameView(page) {
  const node = el("div", { class: "game" });
  await play(node, page, 1);
  return node;
}

async function play(node, page, number) {
  const data = await api(`game/${number}`), { shown, asked, letters } = data;
  const mine = [];
  let tried = new Set();
  const passage = el("div", { class: "passage" }), status = el("div", { class: "status", role: "status" });
  const keys = new Map([...letters].map((letter) => [letter, el("button", { type: "button", class: letter === " " ? "wide" : "", "aria-label": letter === " " ? "␣ space" : letter, onclick: () => guess(letter) }, shownLetter(letter))]));
  const lanes = el("div", { class: "lanes", tabindex: 0, role: "region", "aria-label": "Guesses that each needed" });
  const figures = el("dl", { class: "lines2" });
  const players = () => [...(mine.length ? [{ name: "you", guesses: mine }] : []), ...data.players.map((one) => ({ ...one, guesses: one.guesses.slice(0, Math.max(1, mine.length)), bits: one.bits.slice(0, Math.max(1, mine.length)) }))];
  const chart = drawing(300, sentence, draw);
  const give = el("button", { type: "button", onclick: () => guess(asked[mine.length], true) }, "Tell me this letter");
  const pick = segmented("Passage", Array.from({ length: page.passages }, (_, k) => [k + 1, String(k + 1)]), number, (k) => play(node, page, Number(k)));

  function guess(letter, given = false) {
    if (mine.length >= asked.length) return;
    const right = asked[mine.length];
    if (given) { // as if all letters that were not tried had been guessed before
      mine.push(letters.length);
      status.textContent = `It was ${shownLetter(right)}; counted as ${letters.length} guesses.`;
      tried = new Set();
    } else if (letter === right) {
      mine.push(tried.size + 1);
      status.textContent = tried.size ? `Right, at guess ${tried.size + 1}.` : "Right at once.";
      tried = new Set();
    } else if (!tried.has(letter)) {
      tried.add(letter);
      status.textContent = `Not ${shownLetter(letter)}. Guess ${tried.size + 1}:`;
    }
    refresh();
  }

  function sentence() {
    if (!mine.length) return "No letter was guessed yet.";
    return `Bounds of the entropy in bits per letter, with their 95 % intervals: ${players().map(({ name, guesses }) => { const { low, high } = guessBounds(guesses), [from, to] = reach(guesses); return `${name} ${fixed(low, 2)} to ${fixed(high, 2)}, ${fixed(from, 2)} to ${fixed(to, 2)}`; }).join("; ")}.`;
  }

  function draw(width, height) {
    const frame = axes(width, height, { x: [0, 5], y: [0, 1], left: 10, bottom: 38, xLabel: "bits per letter" }), parts = [];
    const list = mine.length ? players() : [];
    for (let tick = 0; tick <= 5; tick++) parts.push(svg("line", { x1: frame.across(tick), x2: frame.across(tick), y1: 8, y2: height - 38, class: "gridline" }), svg("text", { x: frame.across(tick), y: height - 22, class: "mid" }, String(tick)));
    if (!mine.length) parts.push(svg("text", { x: width / 2, y: height / 2, class: "mid strong" }, "Guess the first letter."));
    list.forEach(({ name, guesses, bits }, k) => {
      const y = 34 + k * 58, { low, high } = guessBounds(guesses), you = name === "you", [from, to] = reach(guesses);
      const at = (v) => frame.across(Math.min(5, v));
      parts.push(svg("text", { x: 10, y: y - 12, class: "strong" }, name), svg("text", { x: width - 12, y: y - 12, "text-anchor": "end" }, svg("tspan", { class: "strong" }, `${fixed(low, 2)} to ${fixed(high, 2)}`), ` [${fixed(from, 2)}, ${fixed(to, 2)}]`),
        svg("line", { x1: at(from), x2: at(to), y1: y, y2: y, class: you ? "ca" : "co", "stroke-width": 2 }),
        svg("rect", { x: at(low), y: y - 5, width: Math.max(2, at(high) - at(low)), height: 10, rx: 4, class: you ? "fa" : "fo" }));
      if (bits) { const mean = bits.reduce((a, b) => a + b, 0) / bits.length, x = at(mean); parts.push(svg("path", { d: `M${x} ${y - 6}l6 6l-6 6l-6 -6z`, class: "fb", stroke: "var(--card)" })); }
    });
    return parts;
  }

  function refresh() {
    const done = mine.length >= asked.length;
    passage.replaceChildren(el("span", { class: "shown" }, `…${shown.slice(-150).replace(/^\S*\s/, "")}`), asked.slice(0, mine.length), el("span", { class: "cursor" }, done ? "" : "?"));
    for (const [letter, button] of keys) button.disabled = done || tried.has(letter);
    give.disabled = done;
    lanes.hidden = !mine.length;
    const from = Math.max(0, mine.length - 60), rows = players(), at = mine;
    const cell = (count) => { const step = count <= 1 ? 0 : Math.min(11, 1 + Math.round(2.6 * Math.log2(count))); return el("td", { class: `s${step}` }, count <= 1 ? "" : String(count)); };
    lanes.replaceChildren(el("p", { class: "small muted" }, "Guesses that each needed, letter by letter; no number: right at once."),
      el("table", {}, el("thead", {}, el("tr", {}, el("th", { scope: "col" }, "letter"), [...asked.slice(from, mine.length)].map((letter) => el("th", { scope: "col" }, shownLetter(letter))))),
        el("tbody", {}, rows.map(({ name, guesses }) => el("tr", {}, el("th", { scope: "row" }, name), guesses.slice(from, at.length).map(cell))))));
    lanes.scrollLeft = lanes.scrollWidth;
    const once = (guesses) => `${Math.round((100 * guesses.filter((one) => one === 1).length) / guesses.length)} %`;
    figures.replaceChildren(...[["letters played", `${whole(mine.length)} of ${whole(asked.length)}`], ...(mine.length ? rows.map(({ name, guesses }) => [`${name}, right at once`, once(guesses)]) : [])].flatMap(([name, value]) => [el("dt", {}, name), el("dd", {}, value)]));
    if (done) {
      const { low, high } = guessBounds(mine), [least, most] = guessInterval(mine);
      status.textContent = `Done. By your guesses, the entropy of this English lies between ${fixed(low, 2)} and ${fixed(high, 2)} bits per letter (95 %: ${fixed(least, 2)} to ${fixed(most, 2)}). Shannon found 0.6 to 1.3.`;
    }
    chart.draw();
  }

  node.replaceChildren(el("p", { class: "kicker" }, "Shannon, 1951"), el("h1", {}, "How predictable is English?"),
    el("p", { class: "lead" }, "Guess the next letter until you are right, by keys or buttons. The numbers of guesses alone bound the entropy. Three models play the same passage: kt has read nothing before, the others the first part of the same book."),
    el("div", { class: "cols" }, el("section", { class: "card", "aria-labelledby": "play-title" }, el("h2", { id: "play-title", class: "away" }, "The passage"), passage, status, el("div", { class: "keys", role: "group", "aria-label": "Letters" }, [...keys.values()]), lanes),
      el("div", { class: "side" }, el("section", { class: "card", "aria-labelledby": "chart-title" }, el("h2", { id: "chart-title" }, "Entropy of English, by player"), el("p", { class: "small muted" }, `Bits per letter. Thick: Shannon's bounds; thin, in brackets: 95 % by drawing the letters again; ◆ a model's cross-entropy. Below ${FEW} letters the bounds are too low: rare numbers of guesses are still missing.`), chart.node),
        el("section", { class: "card", "aria-label": "Figures of the game" }, figures, el("div", { class: "actions" }, give, el("button", { type: "button", onclick: () => play(node, page, number) }, "Start afresh")), el("div", { class: "field" }, el("span", {}, "Passage"), pick.node)))));
  const listen = (event) => {
    if (!node.isConnected) { removeEventListener("keydown", listen, true); return; }
    if (node.listening !== listen || event.ctrlKey || event.altKey || event.metaKey || event.target.closest?.("input, textarea, select, dialog")) return;
    const letter = event.key.length === 1 ? event.key.toLowerCase() : "";
    if (!keys.has(letter) || (letter === " " && event.target.closest?.("button, a, summary"))) return; // Space presses a button
    event.preventDefault();
    event.stopPropagation(); // here n is a letter, and not the next surprise
    guess(letter);
  };
  node.listening = listen;
  setTimeout(() => addEventListener("keydown", listen, true));
  refresh();
}
