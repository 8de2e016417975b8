// The whole report of a text, shown by the script of the HTML report itself.
import { el, saved } from "./shared/dom.js";
import { mounted } from "./shared/report.js";
import { api, apiText } from "./api.js";

const pause = (seconds) => new Promise((resolve) => setTimeout(resolve, 1000 * seconds));

/** A report as a job of the server: with progress, until it is done or cancelled. Gives null if it was cancelled. */
export async function made(body, place) {
  let job = await api("jobs", { method: "POST", body });
  const bar = el("progress", { max: 1, value: 0, "aria-label": "Progress of the report" }), says = el("span", { class: "small muted", role: "status" });
  const cancel = el("button", { type: "button", onclick: () => api(`jobs/${job.id}`, { method: "DELETE" }) }, "Cancel");
  place.replaceChildren(el("div", { class: "job" }, bar, says, cancel));
  while (job.state === "waiting" || job.state === "running") {
    bar.value = job.share;
    says.textContent = job.state === "waiting" ? "waiting for another job" : `${job.stage || "beginning"}, ${Math.round(100 * job.share)} %`;
    await pause(0.15);
    job = await api(`jobs/${job.id}`);
  }
  place.replaceChildren();
  if (job.state === "cancelled") return null;
  if (job.state === "failed") throw new Error(job.error);
  return { id: job.id, data: await api(`jobs/${job.id}/result`) };
}

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
