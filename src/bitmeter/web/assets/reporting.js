// The whole report of a text, shown by the script of the HTML report itself.
import { el, saved } from "./shared/dom.js";
import { mounted } from "./shared/report.js";
import { apiText } from "./api.js";

export async function reportView(shared) {
  if (!shared.report) {
    return el("section", { class: "empty", "aria-labelledby": "none" }, el("h1", { id: "none" }, "No report yet"),
      el("p", {}, "Under ", el("a", { href: "#/" }, "Measure"), ", press Full report, or open the log-probabilities of another tool."));
  }
  const { id, data } = shared.report, node = el("div");
  const save = async () => saved("report.html", await apiText(`jobs/${id}/report.html`), "text/html");
  node.append(el("div", { class: "actions" }, id ? el("button", { type: "button", class: "main", onclick: save }, "Save as one HTML file") : null));
  // The report measures its place, so it must stand in the page while it is made.
  requestAnimationFrame(() => mounted(data, node, shared.views).then(() => { node.dataset.mounted = "yes"; }));
  return node;
}
