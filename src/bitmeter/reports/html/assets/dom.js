// Elements, numbers as text, copying and saving.

export function el(tag, attributes = {}, ...children) {
  return filled(document.createElement(tag), attributes, children);
}

export function svg(tag, attributes = {}, ...children) {
  return filled(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);
}

function filled(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (name === "style") Object.assign(node.style, value);
    else node.setAttribute(name, value === true ? "" : String(value));
  }
  node.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
  return node;
}

const WHOLE = new Intl.NumberFormat("en-US", { maximumFractionDigits: 0 });

export function whole(value) {
  return WHOLE.format(value);
}

/** A number of JSON, in which infinity is a string. */
export function num(value) {
  return value === "inf" ? Infinity : value === "-inf" ? -Infinity : value;
}

export function fixed(value, places) {
  const number = num(value);
  if (number === null || number === undefined || Number.isNaN(number)) return "–";
  if (!Number.isFinite(number)) return number > 0 ? "∞" : "−∞";
  return number.toFixed(places).replace("-", "−");
}

export function signed(value, places) {
  const text = fixed(value, places);
  return num(value) > 0 ? `+${text}` : text;
}

/** Bits with as many digits as their size deserves. */
export function bitsText(value) {
  const size = Math.abs(value);
  return fixed(value, size < 9.995 ? 2 : size < 99.95 ? 1 : 0);
}

export function pText(p) {
  if (p === null || p === undefined) return "–";
  return p < 0.001 ? "< .001" : p.toFixed(3).replace(/^0/, "");
}

/** The probability of an outcome that costs so many bits; powers of two where decimals would be long. */
export function probability(bits) {
  if (bits === Infinity) return ["0"];
  if (bits > 20) return ["2", el("sup", {}, `−${bits.toFixed(1)}`)];
  const p = 2 ** -bits;
  return [p >= 0.1 ? p.toFixed(3) : p >= 0.001 ? p.toPrecision(2) : `1 in ${whole(Math.round(1 / p))}`];
}

export function percent(p) {
  const value = 100 * p;
  return value < 0.1 ? "< 0.1 %" : `${value < 9.95 ? value.toFixed(1) : value.toFixed(0)} %`;
}

export function escaped(text) {
  return text.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);
}

/** Spaces and line ends made visible, for a unit that is shown alone. */
export function visible(text) {
  return text.replace(/ /g, "␣").replace(/\n/g, "⏎").replace(/\t/g, "⇥");
}

let fading = 0;
export function toast(message) {
  const node = document.getElementById("toast");
  node.textContent = message;
  node.classList.add("on");
  clearTimeout(fading);
  fading = setTimeout(() => node.classList.remove("on"), 2200);
}

export async function copied(text, name) {
  try {
    await navigator.clipboard.writeText(text);
    toast(`Copied as ${name}`);
  } catch {
    showText(text, name); // no clipboard for pages from disk in some browsers
  }
}

function showText(text, name) {
  const area = el("textarea", { readonly: true, "aria-label": `The figures as ${name}` });
  area.value = text;
  const box = el("dialog", { "aria-label": `Copy as ${name}` }, el("p", {}, `This browser lets no page from disk copy. Select and copy the ${name}:`),
    area, el("form", { method: "dialog" }, el("button", {}, "Close")));
  box.addEventListener("close", () => box.remove());
  document.body.append(box);
  box.showModal();
  area.select();
}

export function saved(name, text, type) {
  const address = URL.createObjectURL(new Blob([text], { type }));
  const link = el("a", { href: address, download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(address), 10000);
}

export function segmented(name, options, chosen, onchoose) {
  const buttons = options.map(([value, text, disabled, title]) =>
    el("button", { type: "button", "aria-pressed": String(value === chosen), disabled, title, "data-value": value, onclick: () => pick(value, true) }, text));
  function pick(value, by) {
    for (const button of buttons) button.setAttribute("aria-pressed", String(button.dataset.value === String(value)));
    if (by) onchoose(value);
  }
  return { node: el("div", { class: "seg", role: "group", "aria-label": name }, buttons), pick };
}

export function labelled(name, node, extra = {}) {
  return el("div", { class: "field", ...extra }, el("span", {}, name), node);
}

/** The letter of a run's colour: A is blue, B is orange, all others are grey. */
export function hue(run) {
  return run === 0 ? "a" : run === 1 ? "b" : "o";
}

export function stored(key, value) {
  try {
    if (value === undefined) return localStorage.getItem(key);
    localStorage.setItem(key, value);
  } catch {
    // pages from disk may have no storage
  }
  return null;
}
