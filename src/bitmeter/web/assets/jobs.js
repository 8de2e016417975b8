// Reports as jobs of the server, which show how far they are and can be cancelled.
import { el } from "./shared/dom.js";
import { api } from "./api.js";

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
