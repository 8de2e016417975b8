// Letters and words under models that are written down: what each costs, and what costs infinitely much.
import { el, fixed, whole } from "../shared/dom.js";
import { axes, path } from "../curve.js";
import { total } from "../figures.js";
import { bars, playing, slide, tile, typing } from "./asking.js";
import { blockRates, exampleLetters, letterCosts, plain, shares, tableCosts } from "./values.js";

const mean = (values) => (values.length ? total(values) / values.length : 0);
const shown = (letter) => (letter === " " ? "␣" : letter);
const FIRST = "she sells sea shells by the sea shore", SECOND = "the shells she sells are sea shells i am sure";

export function heldOut() {
  const seen = tile("The first line", "bits per letter, where the counts come from"), unseen = tile("The second line", "bits per letter, never seen", "a"), gap = tile("Gap", "bits per letter", "b");
  const change = () => one.change(), first = typing("counted", FIRST, change), second = typing("tried on", SECOND, change);
  const weight = slide("flat part", { min: 0, max: 0.9, step: 0.01, value: 0.1, label: "share of a flat distribution that is mixed in", onchange: change });
  const costs = (text) => letterCosts(plain(text), shares(plain(first.value)), weight.value, 27), cost = () => mean(costs(second.value));
  const one = playing({
    question: `A model counts the letters of "${FIRST}", and a tenth of a flat distribution is mixed in. On its own line it costs 3.10 bits per letter. And on "${SECOND}"?`,
    guess: { min: 2, max: 5, step: 0.1, value: 3.1, unit: "bits" }, truth: mean(letterCosts(SECOND, shares(FIRST), 0.1, 27)), said: "More than on the line that it was made from: that is why models are tried on other text.",
    tiles: [seen, unseen, gap], legend: "Two lines, in 26 letters and the space", controls: [first.node, second.node, weight.node], name: () => "The bits of each letter of the second line; a letter that the first never shows costs most.",
    tasks: [["Mix nothing in: a letter that was never seen costs infinitely much.", () => cost() === Infinity], ["Mix in so much that the gap is below 0.05 bits.", () => plain(second.value).length > 20 && cost() - mean(costs(first.value)) < 0.05], ["Write a second line of 20 letters or more that is cheaper than the first.", () => plain(second.value).length >= 20 && cost() < mean(costs(first.value))]],
    update: () => { const a = mean(costs(first.value)), b = cost(); seen.set(fixed(a, 3)); unseen.set(fixed(b, 3)); gap.set(fixed(b - a, 3)); },
    draw: (width, height) => bars(width, height, costs(second.value).map((value, k) => ({ name: shown(plain(second.value)[k]), value, kind: value > 7.9 ? "over" : "area" })), { top: 8, yLabel: "bits" }),
  });
  return one.node;
}

export function contextTable() {
  const alone = tile("Letters alone, p", "bits per letter"), before = tile("With the letter before, q", "bits per letter", "a");
  const change = () => one.change(), word = typing("a word", "probable", change, 24), weight = slide("flat part", { min: 0, max: 0.5, step: 0.01, value: 0, label: "share of a flat distribution that is mixed into both", onchange: change });
  const letters = () => word.value.toLowerCase().replace(/[^a-z]/g, "");
  const p = () => letterCosts(letters(), exampleLetters(), weight.value, 26), q = () => tableCosts(letters(), weight.value);
  const one = playing({
    question: "Under the letters alone, probable costs 4.25 bits per letter. A table knows what follows what: b after o, e after l, a or l after b. What does it need per letter?",
    guess: { min: 0, max: 5, step: 0.125, value: 3, unit: "bits" }, truth: mean(tableCosts("probable", 0)), said: "Five bits in all: three for the r after p, one for each choice after b.",
    tiles: [alone, before], legend: "Grey: letters alone; blue: given the letter before", controls: [word.node, weight.node], name: () => `The bits of each letter of ${letters()} without and with the letter before it.`,
    tasks: [["Find a word that is cheaper for the letters alone.", () => letters().length > 1 && mean(p()) < mean(q())], ["Find a word of six letters or more below 0.7 bits per letter.", () => letters().length > 5 && letters() !== "probable" && mean(q()) < 0.7], ["Mix something flat in, so that every word has a finite cost.", () => weight.value > 0 && letters().length > 0]],
    update: () => { alone.set(fixed(mean(p()), 3)); before.set(fixed(mean(q()), 3)); },
    draw: (width, height) => bars(width, height, [...letters()].flatMap((name, k) => [{ name: "", value: p()[k], kind: "atypical", text: fixed(p()[k], 0) }, { name, value: q()[k], text: fixed(q()[k], 0) }]), { top: 9, yLabel: "bits" }),
  });
  return one.node;
}

export function neverSayNever() {
  const cost = tile("The word", "bits per letter", "a"), zero = tile("Without smoothing", "bits per letter"), share = tile("Flat part", "of the model");
  const change = () => one.change(), word = typing("a word", "baby", change, 24), power = slide("10 to the", { min: -5, max: 0, step: 0.1, value: -1, label: "share of the flat distribution, as a power of ten", write: (v) => fixed(v, 1), onchange: change });
  const letters = () => word.value.toLowerCase().replace(/[^a-z]/g, ""), at = (exponent) => mean(letterCosts(letters(), exampleLetters(), 10 ** exponent, 26)), plainCost = () => mean(letterCosts(letters(), exampleLetters(), 0, 26));
  const least = () => Math.min(...Array.from({ length: 51 }, (_, k) => at(-5 + k / 10)));
  const one = playing({
    question: "Under our letters y is impossible, so baby costs infinitely many bits. Mix in a tenth of a flat distribution over 26 letters. How many bits per letter is it now?",
    guess: { min: 0, max: 10, step: 0.25, value: 6, unit: "bits" }, truth: mean(letterCosts("baby", exampleLetters(), 0.1, 26)), said: "The y pays for nearly all of it. The less you smooth, the more the impossible costs when it happens.",
    tiles: [cost, zero, share], legend: "A word, and how much is smoothed", controls: [word.node, power.node], name: () => `Bits per letter of ${letters()} by the share of the flat distribution; now ${fixed(at(power.value), 2)}.`,
    tasks: [["Find the share at which the word is cheapest.", () => plainCost() === Infinity && at(power.value) < least() + 0.01], ["Make baby cost more than five bits per letter.", () => letters() === "baby" && at(power.value) > 5], ["Find a word for which less smoothing is always better.", () => letters().length > 1 && plainCost() < at(-5) + 1e-4]],
    update: () => { cost.set(fixed(at(power.value), 3)); zero.set(fixed(plainCost(), 3)); share.set(`${Number((10 ** power.value).toPrecision(2))}`); },
    draw: (width, height) => {
      const frame = axes(width, height, { x: [-5, 0], y: [0, 8], xLabel: "flat part, as a power of ten", yLabel: "bits per letter" }), points = Array.from({ length: 101 }, (_, k) => -5 + k / 20);
      return [frame.parts, path(points.map((x) => [frame.across(x), frame.down(Math.min(8, at(x)))]), "ca"), path([[frame.across(power.value), frame.down(0)], [frame.across(power.value), frame.down(Math.min(8, at(power.value)))]], "zero2")];
    },
  });
  return one.node;
}

const WORDS = { the: 1 / 4, cat: 1 / 8, dog: 1 / 8, sat: 1 / 8, ran: 1 / 8, "</s>": 1 / 4 };

export function sentences() {
  const sum = tile("Log-likelihood", "bits, of all"), rate = tile("Cross-entropy", "bits per unit counted", "a"), perplexity = tile("Perplexity", "equally likely words", "a"), count = tile("Counted", "units");
  const change = () => one.change(), box = el("textarea", { class: "paste", "aria-label": "Sentences, one per line", spellcheck: "false", maxlength: 400, oninput: change });
  box.value = "the cat sat\nthe dog sat\nthe cat ran";
  const ends = el("input", { type: "checkbox", onchange: change });
  const units = () => box.value.toLowerCase().split("\n").filter((line) => line.trim()).flatMap((line) => [...line.trim().split(/\s+/), ...(ends.checked ? ["</s>"] : [])].map((name) => ({ name, value: -Math.log2(WORDS[name] ?? 0) })));
  const bits = () => total(units().map(({ value }) => value));
  const one = playing({
    question: "Three sentences of three words cost 24 bits: 2.67 per word, a perplexity of 6.35. The three ends cost two bits each. Predict and count them, too: what is the perplexity then?",
    guess: { min: 3, max: 12, step: 0.25, value: 8, unit: "" }, truth: 2 ** (30 / 12), said: "30 bits over 12 units. The same model and text, and a lower figure: say what was counted.",
    tiles: [sum, rate, perplexity, count], legend: "the, and the end </s>: 1/4 each; cat, dog, sat, ran: 1/8 each", controls: [box, el("label", { class: "check" }, ends, "predict and count the ends")], name: () => "The bits of each word.",
    tasks: [["Count the ends.", () => ends.checked], ["Write a sentence with a perplexity below 4.5.", () => units().length > 2 && bits() / units().length < Math.log2(4.5)], ["Use a word that the model does not know.", () => bits() === Infinity]],
    update: () => { const n = Math.max(1, units().length); sum.set(fixed(-bits(), 1)); rate.set(fixed(bits() / n, 3)); perplexity.set(fixed(2 ** (bits() / n), 2)); count.set(whole(units().length)); },
    draw: (width, height) => bars(width, height, units().map(({ name, value }) => ({ name: width / units().length < 44 && name === "</s>" ? "∎" : name, value, kind: value === Infinity ? "over" : name === "</s>" ? "atypical" : "area", text: fixed(value, 0) })), { top: 6, yLabel: "bits" }),
  });
  return one.node;
}

const PASSAGE = "the keeper of the lighthouse wrote down the weather every evening and he had done so for thirty years wind from the west he wrote and the sea as it always is he had come to know what the sea would do before it did it or so he said to the boy who brought the bread on most evenings he was right but on the last day of october he wrote only one word";

export function blocksOfText() {
  const long = tile("Letters read", "in small letters and spaces"), last = tile("At the longest blocks", "bits per letter, and far too low", "b"), right = tile("Blocks to trust", "seen again nine times in ten", "a");
  const box = el("textarea", { class: "paste", "aria-label": "A text of your own", spellcheck: "false", maxlength: 20000, oninput: () => one.change() });
  box.value = PASSAGE;
  let rows = [];
  const trusted = () => rows.filter(({ seen }) => seen >= 0.9).length;
  const one = playing({
    question: "Shannon let people guess the next letter of English when they had seen a hundred. What upper bound did he find, in bits per letter, for 26 letters and the space?",
    guess: { min: 0, max: 4.7, step: 0.1, value: 3, unit: "bits" }, truth: 1.3, said: "Between 0.6 and 1.3. Counting blocks cannot find that: as they grow longer, most are seen once, and the text seems certain.",
    tiles: [long, right, last], legend: "Paste a longer text, and more blocks can be trusted", controls: [box, el("p", { class: "small" }, "How many guesses do you need? ", el("a", { href: "#/game" }, "Play the guessing game"), " against three models.")],
    name: () => "Bits of one more letter by the length of blocks, which fall, and the share of blocks that were seen more than once, which falls as well.",
    tasks: [["Paste a text of your own of 2,000 letters or more.", () => plain(box.value).length >= 2000], ["Make blocks of three letters trustworthy.", () => trusted() >= 3], ["Fool it: a text whose next letter seems to cost nothing from two letters on.", () => rows.length > 2 && rows[2].rate < 0.02 && plain(box.value).length > 50]],
    update: () => { rows = blockRates(plain(box.value), 8); long.set(whole(plain(box.value).length)); right.set(`up to ${trusted()}`); last.set(fixed(rows.at(-1).rate, 2)); },
    draw: (width, height) => {
      const frame = axes(width, height, { x: [1, 8], y: [0, 5], xLabel: "letters in a block", yLabel: "bits per letter" });
      const line = (value, kind) => path(rows.map((row) => [frame.across(row.k), frame.down(value(row))]), kind);
      return [frame.parts, line((row) => row.rate, "ca"), line((row) => 5 * row.seen, "co")];
    },
    below: el("p", { class: "small muted" }, "Blue: bits of one more letter. Grey: the share of blocks seen more than once, from none at the bottom to all at the top."),
  });
  return one.node;
}
