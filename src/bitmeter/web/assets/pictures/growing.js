// Models that learn before one's eyes: counts grown from a text, and a small network whose loss falls.
import { el, fixed, svg, visible, whole } from "../shared/dom.js";
import { asking, slide, tile } from "./asking.js";
import { axes, drawing, path } from "../curve.js";
import { Grown, Network, pairEntropy, randomFrom } from "../figures.js";

const TEXT = "the cat sat on the mat. the rat sat on the hat. the cat and the rat sat on the mat and the hat. that cat, that rat, that hat! ".repeat(6);
const bytesOf = (text) => [...new TextEncoder().encode(text)];

export function grownModel() {
  const box = el("textarea", { class: "paste", "aria-label": "The text that the model reads", spellcheck: "false", maxlength: 20000, oninput: () => one.change() });
  box.value = TEXT;
  const order = slide("letters seen", { min: 0, max: 5, step: 1, value: 0, label: "how many letters before it the model sees", write: (v) => whole(v), onchange: () => one.change() });
  const cost = tile("All of the text", "bits per byte", "a"), second = tile("Its second half", "bits per byte"), seen = tile("Contexts counted", "each with counts of its own");
  const sample = el("p", { class: "sampled", "aria-label": "A sample of the model" }, "?");
  const controls = el("fieldset", { class: "plain" }, el("legend", {}, "A text of your own, and how far the model looks back"), box, order.node);
  let curves = [];
  const grow = (own) => {
    const model = new Grown(own), points = [], bytes = bytesOf(box.value);
    let half = 0;
    bytes.forEach((byte, k) => {
      const bits = model.add(byte);
      if (k >= bytes.length / 2) half += bits;
      if (k > 8) points.push([k + 1, model.bits / (k + 1)]);
    });
    return { model, points, half: half / Math.max(1, bytes.length - Math.ceil(bytes.length / 2)), bytes };
  };
  const picture = drawing(290, () => `Bits per byte as the text is read, for ${curves.length} models.`, (width, height) => {
    const long = Math.max(20, box.value.length), frame = axes(width, height, { x: [10, long], y: [0, 8], xLabel: "bytes read", yLabel: "bits per byte so far" });
    if (!one?.state.shown) return frame.parts;
    return [frame.parts, curves.map(({ points }, k) => path(points.filter((_, i) => i % Math.ceil(points.length / 400) === 0).map(([x, y]) => [frame.across(x), frame.down(y)]), k === 0 ? "co" : "ca"))];
  });
  const base = (() => { const model = new Grown(0); for (const byte of bytesOf(TEXT)) model.add(byte); return model.bits / model.read; })();
  const one = asking({
    question: "A model that counts letters, and sees none of those before, reads this text about cats and hats. How many bits per byte does it need? (A byte that is stored plainly has 8.)",
    guess: { min: 0, max: 8, step: 0.25, value: 5, unit: "bits per byte" }, truth: base, said: "Now let it look back. Grey: no letter seen; blue: as many as the slider says.",
    stage: el("div", {}, picture.node, el("p", { class: "small muted" }, "What it would write itself, from its counts:"), sample, el("div", { class: "tiles" }, cost.node, second.node, seen.node)), controls,
    tasks: [["Let it see one letter: that halves the cost.", () => order.value === 1], ["Bring the second half of the text below half a bit per byte.", () => grow(order.value).half < 0.5], ["Paste a text of your own.", () => box.value !== TEXT && box.value.length > 200]],
    redraw: () => {
      if (one?.state.shown) {
        curves = [grow(0), grow(order.value)];
        const { model, half, bytes } = curves[1], random = randomFrom(7), written = [];
        for (let k = 0; k < 160 && bytes.length; k++) {
          const byte = model.drawn(random);
          written.push(byte);
          model.follow(byte);
        }
        sample.textContent = visible(new TextDecoder().decode(Uint8Array.from(written))).replace(/␣/g, " ");
        cost.set(fixed(model.read ? model.bits / model.read : 0, 3));
        second.set(fixed(half, 3));
        seen.set(whole(model.contexts));
      }
      picture.draw();
    },
  });
  return one.node;
}

const LETTERS = " abcdefghijklmnopqrstuvwxyz";

export function pairsOf(text) {
  const plain = text.toLowerCase().replace(/[^a-z]+/g, " "), pairs = Array.from(LETTERS, () => new Array(27).fill(0));
  for (let k = 1; k < plain.length; k++) pairs[LETTERS.indexOf(plain[k - 1])][LETTERS.indexOf(plain[k])]++;
  return pairs;
}

export function smallNetwork() {
  const pairs = pairsOf(TEXT), floor = pairEntropy(pairs);
  let network = new Network(pairs, randomFrom(3)), losses = [network.loss()], running = 0;
  const loss = tile("Loss now", "bits per letter", "a"), least = tile("No network of this kind gets below", "bits: the entropy of the pairs"), steps = tile("Steps", "of gradient descent");
  const rate = slide("step size", { min: 0.5, max: 40, step: 0.5, value: 6, write: (v) => fixed(v, 1), onchange: () => one.change() });
  const go = el("button", { type: "button", class: "main", onclick: () => toggle() }, "Train"), again = el("button", { type: "button", onclick: () => { network = new Network(pairs, randomFrom(3)); losses = [network.loss()]; one.change(); } }, "Forget all");
  const controls = el("fieldset", { class: "plain" }, el("legend", {}, "27 letters in, 27 scores out"), rate.node, el("div", { class: "actions" }, go, again));
  const picture = drawing(300, () => `The loss after ${network.steps} steps is ${fixed(losses.at(-1), 3)} bits.`, (width, height) => {
    const frame = axes(width, height, { x: [0, Math.max(100, losses.length)], y: [0, 5], xLabel: "steps", yLabel: "bits per letter" });
    if (!one?.state.shown) return frame.parts;
    const every = Math.ceil(losses.length / 500);
    return [frame.parts, axesLine(frame, floor, losses.length), path(losses.filter((_, k) => k % every === 0).map((value, k) => [frame.across(k * every), frame.down(Math.min(5, value))]), "ca"), svg("circle", { cx: frame.across(losses.length - 1), cy: frame.down(Math.min(5, losses.at(-1))), r: 4, class: "fa" })];
  });
  function axesLine(frame, value, end) {
    return [path([[frame.across(0), frame.down(value)], [frame.across(Math.max(100, end)), frame.down(value)]], "zero2"), svg("text", { x: frame.across(Math.max(100, end)), y: frame.down(value) + 16, "text-anchor": "end", class: "strong" }, "entropy of the pairs")];
  }
  function frameStep() {
    if (!running || !go.isConnected) { running = 0; return; }
    for (let k = 0; k < 4; k++) { network.step(rate.value); losses.push(network.loss()); }
    one.change();
    if (losses.length >= 3000) toggle();
    else running = requestAnimationFrame(frameStep);
  }
  function toggle() {
    running = running ? 0 : requestAnimationFrame(frameStep);
    go.textContent = running ? "Pause" : "Train";
  }
  const one = asking({
    question: "A network of 27 letters that knows nothing yet makes every next letter about equally likely. What is its loss, in bits per letter?",
    guess: { min: 0, max: 8, step: 0.25, value: 2, unit: "bits" }, truth: Math.log2(27), said: "That is log₂ 27, nearly: its weights are small random numbers. Press Train.",
    stage: el("div", {}, picture.node, el("div", { class: "tiles" }, loss.node, least.node, steps.node)), controls,
    tasks: [["Train it to a loss below 2 bits.", () => losses.at(-1) < 2], ["Come within 0.05 bits of the least.", () => losses.at(-1) - floor < 0.05]],
    redraw: () => {
      picture.draw();
      if (!one?.state.shown) return;
      loss.set(fixed(losses.at(-1), 3));
      least.set(fixed(floor, 3));
      steps.set(whole(network.steps));
    },
  });
  return one.node;
}
