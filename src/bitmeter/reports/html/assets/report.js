// The report: its sections one after the other, the theme and the printer.
import { el, stored } from "./dom.js";
import { ModelData, TextData, columnOf, cutsOf, inflated } from "./data.js";
import { Against } from "./against.js";
import { heading } from "./header.js";
import { helpBox, listenKeys, setTheme, topBar } from "./chrome.js";
import { curves, documentsSection, modelsSection } from "./sections.js";
import { TextView } from "./text.js";

/** The whole report in a place of a page; its views are added to those that listen to keys. */
export async function mounted(data, main, views) {
  main.append(heading(data));
  let text = null, textView = null, against = null;
  const sections = [];
  if (data.text) {
    const [bytes, words, documents] = await Promise.all([inflated(data.text.z), columnOf(data.text.words), columnOf(data.text.documents)]);
    text = new TextData(bytes, cutsOf(words), cutsOf(documents));
    const models = data.models.map((entry) => Object.assign(new ModelData(entry, entry.run), { name: data.runs[entry.run].name }));
    textView = new TextView(data, text, models);
    textView.build();
    main.append(textView.node);
    views.push(textView);
    sections.push(["text", "Text"]);
    await textView.set({});
    if (data.against?.length) against = new Against(data, text, models);
  }
  // What lies below the first screen waits until that is drawn.
  await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
  performance.mark("first-screen");
  document.documentElement.dataset.ready = "first";
  if (against) {
    main.append(against.node);
    views.push(against);
    sections.push(["against", "A against B"]);
    await against.build();
  }
  const go = (k) => { textView.reader.pin(textView.reader.source ? firstFrom(textView.reader.source.start, text.offset(text.documents[k])) : 0); };
  for (const [id, name, node] of [["curves", "Curves", curves(data)], ["models", "Models", modelsSection(data)], ["documents", "Documents", documentsSection(data, text, go)]]) {
    if (!node) continue;
    main.append(node);
    sections.push([id, name]);
  }
  return { sections, textView, against };
}

export async function start() {
  const data = JSON.parse(document.getElementById("data").textContent);
  const main = document.getElementById("main"), views = [], state = { keysOff: stored("bitmeter-keys-off") === "1" };
  const preferred = matchMedia("(prefers-color-scheme: dark)");
  let theme = preferred.matches ? "dark" : "light";
  setTheme(theme, views);
  const change = (to) => { theme = to; setTheme(theme, views); };
  const toggle = () => change(theme === "dark" ? "light" : "dark");
  preferred.addEventListener("change", () => change(preferred.matches ? "dark" : "light"));
  const help = helpBox(state);
  document.body.append(help);
  const { sections, textView, against } = await mounted(data, main, views);
  const bar = topBar(sections, toggle, help);
  document.getElementById("bar").append(bar.node);
  document.getElementById("foot").append(el("p", {}, "Made by ", data.command ? el("code", {}, data.command) : `bitmeter ${data.version}`, ". Nothing on this page was fetched."));
  const watcher = new IntersectionObserver((entries) => {
    for (const entry of entries) entry.target.inView = entry.isIntersecting;
    const current = sections.find(([id]) => document.getElementById(id).inView);
    bar.links.forEach((link, k) => (current && sections[k][0] === current[0] ? link.setAttribute("aria-current", "true") : link.removeAttribute("aria-current")));
  }, { rootMargin: "-25% 0px -65% 0px" });
  for (const [id] of sections) watcher.observe(document.getElementById(id));
  listenKeys(state, views, toggle, help);
  let before = theme;
  addEventListener("beforeprint", () => { before = theme; change("light"); textView?.reader.printed(); against?.reader.node.classList.add("unprinted"); });
  addEventListener("afterprint", () => { change(before); textView?.reader.unprinted(); });
  document.documentElement.dataset.ready = "all";
}

function firstFrom(offsets, at) {
  let k = 0, high = offsets.length - 1;
  while (k < high) {
    const middle = (k + high) >> 1;
    if (offsets[middle] < at) k = middle + 1;
    else high = middle;
  }
  return k;
}
