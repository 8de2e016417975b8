// The Markdown of the lessons, of which they use little: paragraphs, lists, bold, italic, code.
import { el } from "./shared/dom.js";

const INLINE = /\*\*(.+?)\*\*|\*(.+?)\*|`(.+?)`/s;

/** A line as nodes; nothing in it is HTML. */
export function inline(text) {
  const found = INLINE.exec(text);
  if (!found) return [text];
  const [whole, bold, italic, code] = found;
  const node = bold !== undefined ? el("b", {}, inline(bold)) : italic !== undefined ? el("em", {}, inline(italic)) : el("code", {}, code);
  return [text.slice(0, found.index), node, ...inline(text.slice(found.index + whole.length))];
}

export function prose(text) {
  return text.split(/\n\s*\n/).filter((part) => part.trim()).map((part) => {
    if (!/^- /.test(part)) return el("p", {}, inline(part.replace(/\n/g, " ")));
    return el("ul", {}, part.split(/\n(?=- )/).map((item) => el("li", {}, inline(item.slice(2).replace(/\n\s*/g, " ")))));
  });
}

export function session(statements) {
  return el("pre", { tabindex: 0, role: "region", "aria-label": "Python" }, statements.flatMap(({ source, output }) => [
    source.trimEnd().split("\n").flatMap((line, k) => [el("span", { class: "prompt" }, k ? "... " : ">>> "), `${line}\n`]),
    output ? el("span", { class: "out" }, output) : null,
  ]));
}
