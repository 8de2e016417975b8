// The tour: each lesson with its picture to play with, its text, and exercises that ask before they show.
import { el } from "./shared/dom.js";
import { api } from "./api.js";
import { inline, prose, session } from "./prose.js";
import { WIDGETS } from "./pictures/widgets.js";

const PLACE = "bitmeter-lesson";

/** The lesson that was open last in this browser, if any; a window without storage remembers none. */
function lastLesson(page) {
  try { return page.lessons.find(({ name }) => name === localStorage.getItem(PLACE)); } catch { return undefined; }
}

function rememberLesson(name) {
  try { localStorage.setItem(PLACE, name); } catch { /* a window without storage */ }
}

export function lessonsView(page) {
  const last = lastLesson(page);
  const item = ({ number, name, title }) => el("li", {}, el("a", { class: "card", href: `#/lessons/${name}` }, el("span", { class: "n" }, String(number)), title));
  return el("div", { class: "lessonlist" }, el("h1", {}, "From information to perplexity"),
    el("p", { class: "lead" }, `${page.lessons.length} lessons. Each asks for a guess, then shows a picture to play with, the text, and exercises. In the terminal: `, el("code", {}, "bitmeter learn"), "."),
    last ? el("p", { class: "resume" }, "You were at ", el("a", { href: `#/lessons/${last.name}` }, `${last.number}. ${last.title}`)) : null,
    el("ol", {}, page.lessons.map(item)));
}

function exercise(lesson, { question, hint }, k) {
  const box = el("input", { type: "text", "aria-label": `Your answer to exercise ${k + 1}`, maxlength: 200, autocomplete: "off" });
  const says = el("div", { class: "said", role: "status" });
  const answer = async (event) => {
    event.preventDefault();
    if (!box.value.trim()) { says.replaceChildren("Give your guess first; then the solution is shown."); return; }
    try {
      const found = await api(`lessons/${lesson.name}/exercises/${k + 1}`, { method: "POST", body: { answer: box.value } });
      const more = found.solution ? [el("p", {}, "The answer: ", el("b", {}, found.answer), ". ", inline(found.solution))] : [];
      says.replaceChildren(el("p", { class: found.kind }, found.message), ...more);
    } catch (error) {
      says.replaceChildren(el("p", { class: "alert" }, error.message));
    }
  };
  return el("div", { class: "card exercise" }, el("p", {}, el("b", {}, `${k + 1}. `), inline(question)), el("form", { onsubmit: answer }, box, el("button", {}, "Answer")),
    el("details", {}, el("summary", {}, "Hint"), el("p", {}, inline(hint))), says);
}

export async function lessonView(page, name) {
  const lesson = await api(`lessons/${encodeURIComponent(name)}`);
  const blocks = lesson.blocks.flatMap((block) => block.kind === "prose" ? prose(block.text) : block.kind === "formula" ? [el("div", { class: "formula" }, block.text)] : [session(block.statements)]);
  const near = [page.lessons[lesson.number - 2], page.lessons[lesson.number]];
  const link = (other, sign) => (other ? el("a", { href: `#/lessons/${other.name}` }, sign < 0 ? `← ${other.title}` : `${other.title} →`) : el("span"));
  rememberLesson(lesson.name);
  document.title = `${lesson.title} · bitmeter`;
  return el("article", { class: "lesson" }, el("p", { class: "kicker" }, `Lesson ${lesson.number} of ${page.lessons.length} · `, el("a", { href: "#/lessons" }, "all lessons")), el("h1", {}, lesson.title),
    WIDGETS[name] ? WIDGETS[name]() : null, el("div", { class: "prose" }, blocks),
    lesson.exercises.length ? el("h2", {}, "Exercises") : null, lesson.exercises.map((one, k) => exercise(lesson, one, k)),
    el("nav", { class: "lessonnav", "aria-label": "Lessons before and after" }, link(near[0], -1), link(near[1], 1)));
}
