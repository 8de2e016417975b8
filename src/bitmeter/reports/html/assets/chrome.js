// Theme, help and keyboard.
import { el, stored, svg, toast } from "./dom.js";
import { logo } from "./header.js";
import { METRICS, TextView } from "./text.js";

export function setTheme(theme, views) {
  document.documentElement.dataset.theme = theme;
  for (const view of views) view.reader?.drawMap();
}

const KEYS = [["n p", "next and previous unit above the threshold"], ["← →", "previous and next unit"], ["Enter Esc", "keep and release the unit"], ["1 2 3 4", "surprisal, entropy, surprisal − entropy, rank"],
  ["b t w", "byte, token, word"], ["m", "other model"], ["[ ]", "lower and raise the threshold"], ["/", "search"], ["d", "light or dark"], ["?", "this help"]];

export function helpBox(state) {
  const off = el("input", { type: "checkbox", id: "keys-off" });
  off.checked = state.keysOff;
  off.addEventListener("change", () => { state.keysOff = off.checked; stored("bitmeter-keys-off", off.checked ? "1" : ""); });
  return el("dialog", { id: "help", "aria-labelledby": "help-title" }, el("h2", { id: "help-title" }, "Keys"),
    el("dl", {}, KEYS.flatMap(([keys, what]) => [el("dt", {}, keys.split(" ").flatMap((key) => [el("kbd", {}, key), " "])), el("dd", {}, what)])),
    el("label", { class: "check", for: "keys-off" }, off, "Switch off keys of one letter"), el("form", { method: "dialog" }, el("button", {}, "Close")));
}

export function themeIcon() {
  return svg("svg", { width: 16, height: 16, viewBox: "0 0 16 16", "aria-hidden": "true" }, svg("circle", { cx: 8, cy: 8, r: 6, fill: "none", stroke: "currentColor", "stroke-width": 2 }), svg("path", { d: "M8 2a6 6 0 0 1 0 12z", fill: "currentColor" }));
}

export function topBar(sections, toggle, help) {
  const links = sections.map(([id, name]) => el("a", { href: `#${id}` }, name));
  return { links, node: el("div", { class: "bar-in" }, el("div", { class: "logo" }, logo(), el("b", {}, "bitmeter")), el("nav", { "aria-label": "Sections" }, links),
    el("div", { class: "tools" }, el("button", { type: "button", "aria-label": "? Keys", onclick: () => help.showModal() }, "?"), el("button", { type: "button", "aria-label": "Light or dark", onclick: toggle }, themeIcon()))) };
}

export function listenKeys(state, views, toggle, help) {
  addEventListener("keydown", (event) => {
    const target = event.target;
    if (event.ctrlKey || event.altKey || event.metaKey || target.closest?.("input, textarea, select, dialog")) return;
    const view = views.find(({ node }) => node.contains(target) || node.matches(":hover")) ?? nearest(views);
    const named = event.key.length > 1;
    if (named && target.closest?.("button, a, summary")) return;
    if (!named && state.keysOff) return;
    const reader = view?.reader;
    const text = views.find((one) => one instanceof TextView);
    const inside = reader && (reader.scroller.contains(target) || target === document.body || target.id === "main");
    const actions = {
      n: () => reader?.next(1), p: () => reader?.next(-1), m: () => text?.set({ at: (text.at + 1) % text.models.length }),
      b: () => (view instanceof TextView ? view.model.entry.bytewise ? view.set({ unit: "byte" }) : toast(`${view.model.name} does not predict bytes`) : view?.setUnit("shared")),
      t: () => (view instanceof TextView ? view.set({ unit: "token" }) : view?.setUnit("shared")), w: () => (view instanceof TextView ? view.set({ unit: "word" }) : view?.setUnit("word")),
      "[": () => view?.legend.set(view.legend.threshold - 1), "]": () => view?.legend.set(view.legend.threshold + 1), "/": () => view?.search.focus(), d: toggle, "?": () => help.showModal(),
      ...Object.fromEntries(METRICS.map(([metric], k) => [String(k + 1), () => { if (metric === "surprisal" || text?.model.detailed) text?.set({ metric }); else toast(`${text?.model.name} has no such figures`); }])),
    };
    const steps = { ArrowLeft: () => reader.move(-1), ArrowRight: () => reader.move(1), Enter: () => reader.pin(reader.current < 0 ? 0 : reader.current), Escape: () => reader.unpin() };
    const action = actions[event.key] ?? (inside ? steps[event.key] : null);
    if (!action) return;
    event.preventDefault();
    action();
  });
}

/** The view that takes most of the window. */
function nearest(views) {
  const seen = ({ node }) => {
    const box = node.getBoundingClientRect();
    return Math.min(box.bottom, innerHeight) - Math.max(box.top, 0);
  };
  return views.slice().sort((a, b) => seen(b) - seen(a))[0];
}
