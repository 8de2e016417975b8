// A prefix code made by hand, against its Kraft budget.
import { el, fixed, svg } from "../shared/dom.js";
import { asking, hatching, tile } from "./asking.js";
import { drawing } from "../curve.js";
import { clash, entropy, expectedLength, huffmanLengths, kraft } from "../figures.js";

const NAMES = ["a", "b", "c", "d"], P = [0.4, 0.35, 0.2, 0.05];

export function kraftBudget() {
  const length = tile("Expected length", "bits per symbol", "a"), budget = tile("Kraft sum", "of a budget of 1"), best = tile("Entropy · Huffman", "bits per symbol");
  const says = el("p", { role: "status", class: "small" });
  const boxes = NAMES.map((name, k) => el("input", { type: "text", value: ["00", "01", "10", "11"][k], maxlength: 8, "aria-label": `Word of ${name}`, pattern: "[01]*", autocomplete: "off", oninput: () => { boxes[k].value = boxes[k].value.replace(/[^01]/g, ""); one.change(); } }));
  const controls = el("fieldset", { class: "plain" }, el("legend", {}, "Words of 0 and 1"), el("div", { class: "codes" }, NAMES.flatMap((name, k) => [el("b", {}, name), el("span", { class: "muted" }, fixed(P[k], 2)), boxes[k], el("span")])), says);
  const words = () => boxes.map((box) => box.value);
  const sound = () => words().every((word) => word) && !clash(words());
  const picture = drawing(250, () => `Words ${words().join(", ")} take ${fixed(kraft(words()), 3)} of the budget.`, (width) => {
    if (!one?.state.shown) return svg("text", { x: width / 2, y: 120, class: "mid" }, "Your guess first.");
    // Each word takes the part of [0, 1) whose binary digits begin with it.
    const rows = 5, high = 40, parts = [];
    for (let depth = 0; depth < rows; depth++) for (let k = 0; k < 2 ** depth; k++) parts.push(svg("rect", { x: (width * k) / 2 ** depth + 1, y: depth * (high + 4), width: width / 2 ** depth - 2, height: high, rx: 4, class: "node", "stroke-opacity": 0.25 }));
    words().forEach((word, k) => {
      const depth = Math.min(word.length, rows - 1), from = word ? Number.parseInt(word, 2) / 2 ** word.length : 0, bad = clash(words())?.includes(k);
      parts.push(svg("rect", { x: width * from + 1, y: depth * (high + 4), width: Math.max(3, width * 2 ** -word.length - 2), height: (rows - depth) * (high + 4) - 4, rx: 4, class: bad ? "over" : "area" }));
      parts.push(svg("text", { x: width * (from + 2 ** -word.length / 2), y: depth * (high + 4) + 25, class: "mid bold" }, width * 2 ** -word.length > 40 ? `${NAMES[k]} ${word}` : NAMES[k]));
    });
    return [hatching(), parts];
  });
  const huffman = P.reduce((sum, share, k) => sum + share * huffmanLengths(P)[k], 0);
  const one = asking({
    question: "Four symbols with probabilities 0.4, 0.35, 0.2 and 0.05, and a word of bits for each, none the beginning of another. Two bits each make 2.00 on average. How short is the best code?",
    guess: { min: 1, max: 2.5, step: 0.05, value: 2, unit: "bits per symbol" }, truth: huffman, said: `The entropy is ${fixed(entropy(P), 3)}: words have whole numbers of bits, so a little is lost.`,
    stage: el("div", {}, picture.node, el("p", { class: "small muted" }, "All continuations, bit by bit downwards. A word takes its box and all below: the shorter the word, the larger. Hatched: two words clash."), el("div", { class: "tiles" }, length.node, budget.node, best.node)), controls,
    tasks: [["Make a code that is shorter than two bits.", () => sound() && expectedLength(P, words()) < 1.999], ["Make the best one.", () => sound() && Math.abs(expectedLength(P, words()) - huffman) < 1e-9], ["Overdraw the budget: a Kraft sum above 1.", () => kraft(words()) > 1]],
    redraw: () => {
      picture.draw();
      if (!one?.state.shown) return;
      const found = clash(words());
      length.set(fixed(expectedLength(P, words()), 2));
      budget.set(fixed(kraft(words()), 3));
      best.set(`${fixed(entropy(P), 3)} · ${fixed(huffman, 2)}`);
      says.textContent = words().some((word) => !word) ? "Every symbol needs a word." : found ? `${NAMES[found[0]]} begins ${NAMES[found[1]]}: a message could be read in two ways.` : "The code can be read without commas.";
    },
  });
  return one.node;
}
