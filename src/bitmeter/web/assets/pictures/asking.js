// A picture that asks for a guess before it shows: values are "?" and controls are off until the guess is given.
import { el, fixed, svg } from "../shared/dom.js";
import { axes, drawing } from "../curve.js";

/**
 * question: a sentence; guess: {min, max, step, value, unit}; truth: the right value; said: what to add when it is
 * shown; stage: a node; controls: a node; tasks: [sentence, () => whether it is done]; redraw: called when shown.
 * Gives the node and a function to call after each change.
 */
export function asking({ question, guess, truth, said = "", stage, controls, tasks = [], redraw }) {
  const places = (String(guess.step).split(".")[1] ?? "").length;
  const slider = el("input", { type: "range", min: guess.min, max: guess.max, step: guess.step, value: guess.value, "aria-label": "Your guess" });
  const shown = el("output", { class: "value" }, fixed(Number(slider.value), places));
  slider.addEventListener("input", () => { shown.textContent = fixed(Number(slider.value), places); });
  const says = el("p", { class: "said", role: "status" }), list = el("ul", { class: "tasks" });
  const state = { shown: false };
  const lines = tasks.map(([text, done]) => ({ done, node: el("li", {}, el("span", { "aria-hidden": "true" }, "○"), text), was: false }));
  const change = () => {
    redraw();
    if (!state.shown) return;
    for (const line of lines) {
      if (line.was || !line.done()) continue;
      line.was = true;
      line.node.classList.add("done");
      line.node.firstChild.textContent = "✓";
      line.node.append(el("span", { class: "away" }, "done"));
    }
  };
  const show = el("button", { type: "button", class: "main", onclick: () => {
    state.shown = true;
    slider.disabled = show.disabled = true;
    controls.disabled = false;
    const far = Math.abs(Number(slider.value) - truth) <= guess.step / 2 + 1e-9;
    says.replaceChildren("You said ", el("b", {}, fixed(Number(slider.value), places)), ", it is ", el("b", {}, `${fixed(truth, places === 0 && Number.isInteger(truth) ? 0 : Math.max(places, 2))} ${guess.unit}`.trim()), far ? ". Exactly so. " : ". ", said);
    list.replaceChildren(...lines.map((line) => line.node));
    list.hidden = false;
    change();
  } }, "Show");
  list.hidden = true;
  controls.disabled = true;
  const node = el("div", { class: "widget" }, el("div", { class: "card stage" }, stage),
    el("div", { class: "right" }, el("div", { class: "card asking" }, el("p", { class: "question" }, question), el("label", {}, el("span", { class: "guessrow" }, "Your guess", shown), slider), show, says, list),
      el("div", { class: "card controls" }, controls)));
  return { node, change, state };
}

/** A value of a picture: "?" until the guess was given. */
export function tile(name, unit, colour = "") {
  const value = el("b", { class: colour }, "?");
  return { node: el("div", { class: "tile" }, el("span", {}, name), value, el("span", {}, unit)), set: (text) => { value.textContent = text; } };
}

/** A slider with its name and value. */
export function slide(name, { min, max, step, value, colour = "a", label = name, write = (v) => fixed(v, 2), onchange }) {
  const input = el("input", { type: "range", min, max, step, value, "aria-label": label }), says = el("output", {}, write(Number(value)));
  const set = (next) => { input.value = next; says.textContent = write(Number(input.value)); };
  input.addEventListener("input", () => { says.textContent = write(Number(input.value)); onchange(); });
  return { node: el("div", { class: `slide ${colour}` }, el("span", { "aria-hidden": "true" }, name), input, says), get value() { return Number(input.value); }, set, says };
}

/** Sliders for a distribution: the others keep their proportions. */
export function distribution(letter, names, values, colour, onchange) {
  let p = values.slice();
  const slides = names.map((name, k) => slide(name, { min: 0, max: 1, step: 0.005, value: p[k], colour, label: `${letter} of ${name}`, write: (v) => v.toFixed(3), onchange: () => {
    const own = slides[k].value, rest = 1 - p[k];
    p = p.map((one, j) => (j === k ? own : rest > 1e-9 ? (one * (1 - own)) / rest : (1 - own) / (p.length - 1)));
    slides.forEach((one, j) => { if (j !== k) one.set(p[j]); });
    onchange();
  } }));
  return { nodes: slides.map((one) => one.node), get values() { return p; }, set(next) { p = next.slice(); slides.forEach((one, j) => one.set(p[j])); onchange(); } };
}

/**
 * A picture of one drawing with tiles under it. draw gives its parts for a width and a height once the guess was given,
 * before (if any) until then; update is called before it is drawn.
 */
export function playing({ height = 300, name, draw, before = (width, high) => svg("text", { x: width / 2, y: high / 2, class: "mid" }, "Your guess first."), below = [], tiles = [], legend, controls, update = () => {}, ...rest }) {
  const picture = drawing(height, () => (one.state.shown ? name() : "Empty until the guess is given."), (width, high) => (one.state.shown ? draw(width, high) : before(width, high)));
  const one = asking({
    ...rest, stage: el("div", {}, picture.node, below, tiles.length ? el("div", { class: "tiles" }, tiles.map((tile) => tile.node)) : null),
    controls: el("fieldset", { class: "plain" }, el("legend", {}, legend), controls),
    redraw: () => { if (one.state.shown) update(); picture.draw(); },
  });
  return one;
}

/** A line of text that the reader may change. */
export function typing(name, value, onchange, most = 60) {
  const box = el("input", { type: "text", value, maxlength: most, autocomplete: "off", autocapitalize: "off", spellcheck: "false", oninput: onchange });
  return { node: el("label", { class: "typing" }, el("span", {}, name), box), get value() { return box.value; }, set(text) { box.value = text; } };
}

/** What is drawn as `over` is hatched. */
export function hatching() {
  return svg("defs", {}, svg("pattern", { id: "hatch", width: 7, height: 7, patternUnits: "userSpaceOnUse", patternTransform: "rotate(45)" }, svg("line", { x1: 0, x2: 0, y1: 0, y2: 7, class: "hatch" })));
}

/** Bars side by side, each with a name under it: [{name, value, kind, text}]; values beyond the top are cut off there. */
export function bars(width, height, entries, { top, yLabel }) {
  const frame = axes(width, height, { x: [0, Math.max(1, entries.length)], y: [0, top], yLabel, bare: true }), parts = [];
  const step = frame.across(1) - frame.across(0);
  entries.forEach(({ name, value, kind = "area", text }, k) => {
    const high = Math.min(top, value), left = frame.across(k) + step * 0.1, middle = frame.across(k) + step / 2;
    parts.push(svg("rect", { x: left, y: frame.down(high), width: step * 0.8, height: frame.down(0) - frame.down(high), class: kind }));
    if (step > 9) parts.push(svg("text", { x: middle, y: height - 17, class: "mid bold" }, name));
    if (text && step > 22) parts.push(svg("text", { x: middle, y: frame.down(high) - 5, class: "mid" }, text));
  });
  return [hatching(), frame.parts, parts];
}
