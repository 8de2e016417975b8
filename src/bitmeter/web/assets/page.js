// The page: its views by the address, the theme, the keyboard.
import { el, stored, toast } from "./shared/dom.js";
import { helpBox, listenKeys, setTheme } from "./shared/chrome.js";
import { api, takeToken } from "./api.js";
import { MeasureView } from "./measure.js";

const VIEWS = [["", "Measure"], ["report", "Report"], ["lessons", "Lessons"], ["game", "Game"]];

async function begin() {
  takeToken();
  const main = document.getElementById("main"), views = [], state = { keysOff: stored("bitmeter-keys-off") === "1" };
  const preferred = matchMedia("(prefers-color-scheme: dark)");
  let theme = document.documentElement.dataset.theme;
  const change = (to) => { theme = to; setTheme(theme, views); };
  const toggle = () => { change(theme === "dark" ? "light" : "dark"); stored("bitmeter-theme", theme); };
  preferred.addEventListener("change", () => change(preferred.matches ? "dark" : "light"));
  const help = helpBox(state);
  document.body.append(help);
  const links = [...document.querySelectorAll("#bar nav a")];
  document.getElementById("keys").addEventListener("click", () => help.showModal());
  document.getElementById("colours").addEventListener("click", toggle);
  let page;
  try {
    page = await api("page");
  } catch (error) {
    main.replaceChildren(el("div", { class: "card alert", role: "alert" }, error.message));
    document.documentElement.dataset.ready = "all";
    return;
  }
  document.getElementById("foot").append(el("p", {}, `bitmeter ${page.version}. The text stays between this browser and `, el("code", {}, "bitmeter serve"), ". The interface is described by ", el("a", { href: "/api/openapi.json" }, "OpenAPI"), "."));
  const shared = { page, views, report: null };
  const measure = new MeasureView(shared);

  let turn = 0;
  async function route() {
    const now = ++turn;
    const [, path, query] = /^#\/([^?]*)\??(.*)$/.exec(location.hash) ?? [null, "", ""];
    if (location.hash && !location.hash.startsWith("#/")) return; // a place within the view, such as that of the skip link
    const [name, rest] = path.split("/");
    document.documentElement.dataset.ready = "";
    views.length = 0;
    links.forEach((link, k) => (VIEWS[k][0] === name ? link.setAttribute("aria-current", "page") : link.removeAttribute("aria-current")));
    links[VIEWS.findIndex(([own]) => own === name)]?.scrollIntoView({ inline: "nearest", block: "nearest" });
    const title = VIEWS.find(([own]) => own === name)?.[1] ?? "Measure";
    document.title = `${title} · bitmeter`;
    // Only what the first view needs is loaded with the page.
    const makers = {
      report: async () => (await import("./reporting.js")).reportView(shared),
      lessons: async () => { const { lessonView, lessonsView } = await import("./lessons.js"); return rest ? lessonView(page, rest) : lessonsView(page); },
      game: async () => (await import("./game.js")).gameView(page),
    };
    let node;
    try {
      node = await (makers[name] ?? (() => measure.opened(query)))();
    } catch (error) {
      node = el("div", { class: "card alert", role: "alert" }, error.message);
    }
    if (now !== turn) return;
    main.replaceChildren(node);
    scrollTo(0, 0);
    document.documentElement.dataset.ready = "first";
    if (node === measure.node) await measure.settled;
    if (now !== turn) return;
    performance.mark("coloured");
    document.documentElement.dataset.ready = "all";
  }
  addEventListener("hashchange", route);
  let shownIn = theme; // paper is light
  addEventListener("beforeprint", () => { shownIn = theme; change("light"); });
  addEventListener("afterprint", () => change(shownIn));
  listenKeys(state, views, toggle, help);
  addEventListener("unhandledrejection", (event) => { toast(event.reason?.message ?? "Something went wrong"); });
  await route();
}

begin();
