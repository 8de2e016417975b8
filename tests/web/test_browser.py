"""The page in a real browser: every view in light and dark, wide and narrow; typing, models, links, keyboard."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import pytest

import bitmeter as bm
from bitmeter.tour import Lesson, topics
from bitmeter.web.served import Models
from tests.reports.html.browsing import Browser, Keys, open_browser
from tests.web.serving import serving

LOOKS = [(1400, "light"), (1400, "dark"), (390, "light"), (390, "dark")]
#: Moves every control of a lesson's picture to both ends, and gives what of its figures is no figure.
PLAYS = """
const odd = [], widget = document.querySelector('.widget');
const look = (what) => { if (/NaN|undefined|null/.test(widget.textContent)) odd.push(what); };
const change = (node, value) => {
  node.value = value;
  node.dispatchEvent(new Event('input'));
  look(`${node.ariaLabel} ${value}`);
};
for (const node of document.querySelectorAll('.controls input[type=range]'))
  for (const value of [node.min, node.max, (Number(node.min) + Number(node.max)) / 2]) change(node, value);
for (const node of document.querySelectorAll('.controls input[type=text], .controls textarea'))
  for (const value of ['', 'a', '<b>0 1</b> "zebra"', 'to be or not to be']) change(node, value);
for (const name of [...document.querySelectorAll('.controls button')].map((node) => node.textContent))
  for (let k = 0; k < 2; k++) {
    [...document.querySelectorAll('.controls button')].find((node) => node.textContent === name)?.click();
    look(name);
  }
if (document.querySelector('.widget b b, .widget script')) odd.push('typed text became an element');
return odd;
"""
TEXT = "The cat sat on the mat, <b>and</b> the xylophone & the café sat on the cat.\n"


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with open_browser() as found:
        yield found


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setenv("BITMETER_DATA", folder)
        with serving() as found:
            yield found


def ready(browser: Browser) -> bool:
    return bool(browser.run("return document.documentElement.dataset.ready") == "all")


def visit(browser: Browser, address: str, view: str) -> None:
    browser.driver.get("about:blank")
    browser.driver.get(f"{address}/#/{view}")
    browser.until(lambda: ready(browser), f"{view} is ready")


def text_of(browser: Browser, selector: str) -> str:
    return str(browser.run("return document.querySelector(arguments[0])?.textContent ?? ''", selector))


def click(browser: Browser, name: str, within: str = "main") -> None:
    found = browser.run(
        "const all = [...document.querySelectorAll(`${arguments[0]} button`)];"
        "const one = all.find((button) => button.textContent === arguments[1]);"
        "if (!one || one.disabled) return false; one.click(); return true",
        within, name,
    )  # fmt: skip
    assert found, f"there is no button {name}"


def typed(browser: Browser, text: str) -> None:
    """Replace the text as a paste does, and wait until it is scored."""
    browser.run(
        "const area = document.querySelector('.typed'); area.value = arguments[0];"
        "document.querySelector('.result').textContent = ''; area.dispatchEvent(new Event('input'))",
        text,
    )
    browser.until(lambda: text_of(browser, ".livefigure .big"), "the figure is there")


def sound(browser: Browser, what: str, *, audited: bool = True) -> None:
    """Nothing hangs over, axe finds nothing, and the console is silent."""
    assert browser.run("return document.documentElement.scrollWidth <= innerWidth"), f"{what} scrolls sideways"
    assert not audited or browser.audit() == [], what
    assert browser.complaints() == [], what


@pytest.mark.parametrize(("width", "theme"), LOOKS)
def test_every_view(browser: Browser, address: str, width: int, theme: str) -> None:
    browser.look(width, theme)
    for view in ("", "report", "lessons", "game"):
        visit(browser, address, view)
        assert browser.run("return document.documentElement.dataset.theme") == theme
        sound(browser, view)


def opened(browser: Browser, lesson: Lesson) -> None:
    browser.run("location.hash = arguments[0]", f"#/lessons/{lesson.name}")
    title = "return document.querySelector('.lesson h1')?.textContent"
    browser.until(lambda: browser.run(title) == lesson.title and ready(browser), lesson.name)


@pytest.mark.parametrize(("width", "theme"), LOOKS)
def test_every_lesson_asks_and_can_be_played(browser: Browser, address: str, width: int, theme: str) -> None:
    browser.look(width, theme)
    visit(browser, address, "lessons")
    for lesson in topics():
        opened(browser, lesson)
        tiles = browser.run("return [...document.querySelectorAll('.tile b')].map((tile) => tile.textContent)")
        assert set(tiles) == {"?"}, f"{lesson.name} hides its values until the guess is given"
        assert browser.run("return document.querySelector('.controls fieldset').disabled")
        click(browser, "Show")
        assert "You said" in text_of(browser, ".said")
        assert "?" not in text_of(browser, ".tiles"), lesson.name
        assert "done" not in text_of(browser, ".tasks"), f"{lesson.name} has a task that is done before it is begun"
        browser.until(lambda: browser.run("return document.querySelector('.stage svg')?.childNodes.length"), "drawn")
        # Each is looked at by axe in light and in dark, and played once.
        sound(browser, lesson.name, audited=width == 1400)
        if (width, theme) == (390, "light"):
            assert browser.run(PLAYS) == [], lesson.name
            sound(browser, f"{lesson.name}, played", audited=False)


def test_every_lesson_of_the_tour_opens(browser: Browser, address: str) -> None:
    browser.look(1400, "light")
    visit(browser, address, "lessons")
    assert browser.run("return document.querySelectorAll('.lessonlist li').length") == len(topics())
    for lesson in topics():
        opened(browser, lesson)
        assert browser.run("return document.querySelectorAll('.exercise').length") == len(lesson.exercises)
    last = topics()[-1]
    visit(browser, address, "lessons")  # which remembers the lesson that was open last
    assert text_of(browser, ".resume a") == f"{last.number}. {last.title}"
    assert browser.complaints() == []


def test_an_exercise_asks_before_it_shows(browser: Browser, address: str) -> None:
    visit(browser, address, "lessons/information")
    assert "solution" not in text_of(browser, ".exercise").lower()
    click(browser, "Answer", ".exercise")
    browser.until(lambda: "guess first" in text_of(browser, ".exercise .said"), "a guess is asked for")
    for answer, says in (("five hundred", "cannot be read"), ("4", "No."), ("5 bits", "Right")):
        browser.run("document.querySelector('.exercise input').value = arguments[0]", answer)
        click(browser, "Answer", ".exercise")
        browser.until(lambda says=says: says in text_of(browser, ".exercise .said"), says)  # type: ignore[misc]
    assert "The answer: 5 bits" in text_of(browser, ".exercise .said")


def test_figures_and_colours_are_those_of_the_library(browser: Browser, address: str) -> None:
    browser.look(1400, "light")
    visit(browser, address, "?models=kt")
    typed(browser, TEXT * 4)
    own = bm.score("kt", (TEXT * 4).encode())
    shown = text_of(browser, ".livefigure .big")
    assert shown.startswith(f"{own.bits_per_byte:.3f}"[:5])
    assert f"{own.bits:,.0f} bits" in text_of(browser, ".livefigure")
    # Letters of the mirror are those of the text, with what stands at its end, and nothing of it is an element.
    browser.until(lambda: text_of(browser, ".mirror") == TEXT * 4 + "\u200b", "the mirror shows the text")
    assert browser.run("return document.querySelectorAll('.mirror b').length") == 0
    browser.until(lambda: browser.run("return document.querySelectorAll('.mirror span span').length") > 20, "colours")
    apart = "const high = (s) => document.querySelector(s).getBoundingClientRect().height;"
    assert abs(browser.run(f"{apart} return high('.mirror') - high('.typed')")) < 2, "the mirror lies under the text"
    assert browser.complaints() == []


def test_typing_is_scored_and_predictions_can_be_taken(browser: Browser, address: str) -> None:
    visit(browser, address, "?models=sample-words")
    typed(browser, "")
    area = browser.driver.find_element("css selector", ".typed")
    area.send_keys("The fun")
    browser.until(lambda: "begin with fun" in text_of(browser, ".next"), "words that begin so")
    browser.until(
        lambda: "9 · 2" in text_of(browser, ".livefigure") or "7 · 2" in text_of(browser, ".livefigure"), "scored"
    )
    browser.run("document.querySelector('.guess').click()")
    browser.until(
        lambda: browser.run("return document.querySelector('.typed').value") == "The function ", "it is taken"
    )
    assert browser.run("return document.activeElement.className") == "typed"
    browser.until(lambda: "Next, at the cursor" in text_of(browser, ".next"), "the next word")
    assert browser.complaints() == []


def test_models_are_compared_and_the_unit_that_one_lacks_is_off(browser: Browser, address: str) -> None:
    visit(browser, address, "?models=sample-bytes,sample-words")
    browser.until(lambda: "The two compare" in text_of(browser, ".result .verdict"), "the verdict")
    assert browser.run("return document.querySelectorAll('.livefigure').length") == 2
    click(browser, "sample-words", ".toolbar")
    off = "return document.querySelector('.toolbar button[data-value=byte]').disabled"
    browser.until(lambda: browser.run(off), "a model of words has no bytes")
    click(browser, "Word", ".toolbar")
    browser.until(lambda: "bits per word · one scale for all models" in text_of(browser, ".says"), "words")
    browser.run("document.getElementById('model-sample-words').click()")
    browser.until(lambda: browser.run("return document.querySelectorAll('.livefigure').length") == 1, "one model")


def test_the_headline_claims_no_more_than_the_interval_shows(browser: Browser, address: str) -> None:
    """A short text decides nothing between these two; forty lines that are alike decide it for one that learns."""
    visit(browser, address, "?models=sample-bytes,universal")
    browser.until(lambda: "No difference shown" in text_of(browser, ".result .verdict"), "no difference")
    assert "B − A" in text_of(browser, ".result .verdict")
    text = "\n".join(f"Line {k}: to be or not to be, that is the question." for k in range(40))
    visit(browser, address, "?models=universal,kt&docs=line")
    typed(browser, text)
    browser.until(lambda: "A needs" in text_of(browser, ".result .verdict"), "a difference")
    assert "less" in text_of(browser, ".result .verdict strong")


def test_a_link_holds_the_state(browser: Browser, address: str) -> None:
    visit(browser, address, "?models=kt")
    typed(browser, TEXT)
    click(browser, "Lines", ".toolbar")
    click(browser, "Copy link")
    browser.until(lambda: "text=" in browser.driver.current_url, "the address holds the text")
    link = browser.driver.current_url
    browser.driver.get("about:blank")
    browser.driver.get(link)
    browser.until(lambda: ready(browser), "the page is ready")
    assert browser.run("return document.querySelector('.typed').value") == TEXT
    assert browser.run("return document.getElementById('model-kt').checked")
    pressed = "return [...document.querySelectorAll('.toolbar [aria-pressed=true]')].map((one) => one.textContent)"
    assert "Lines" in browser.run(pressed)
    # A damaged address shows an example, and says so.
    visit(browser, address, "?models=nothing&text=%%%")
    assert text_of(browser, ".livefigure .big")


def test_report_history_and_log(browser: Browser, address: str, tmp_path: Path) -> None:
    browser.look(1400, "light")
    visit(browser, address, "?models=sample-bytes,kt")
    typed(browser, TEXT * 3)
    click(browser, "Full report")
    browser.until(lambda: browser.run("return document.querySelector('main > [data-mounted]') !== null"), "the report")
    assert browser.run("return location.hash") == "#/report"
    browser.until(lambda: "bits per" in text_of(browser, "#text .says"), "its text is coloured")
    browser.run("document.querySelector('#text .text').focus()")
    browser.press(Keys.ARROW_RIGHT)
    browser.until(lambda: "Probability" in text_of(browser, "#text .inspector"), "the unit after")
    assert browser.run("return document.documentElement.scrollWidth <= innerWidth")
    click(browser, "Save as one HTML file")
    browser.until(lambda: list(browser.downloads.glob("report*.html")), "the file is there")
    browser.run("location.hash = '#/'")
    rows = "return document.querySelectorAll('.history tbody tr').length"
    browser.until(lambda: browser.run(rows) == 2, "two runs are kept")
    browser.run("document.querySelectorAll('.history tbody input').forEach((box) => box.click())")
    click(browser, "Compare two")
    browser.until(lambda: "The two compare" in text_of(browser, ".history .verdict"), "the comparison")
    browser.run("document.querySelector('.history tbody button').click()")
    browser.until(lambda: browser.run(rows) == 1, "one is deleted")
    click(browser, "Keep")
    browser.until(lambda: browser.run(rows) == 2, "kept again")
    log = tmp_path / "answer.json"
    tokens = [{"token": "to", "logprob": -1.0}, {"token": " be", "logprob": -2.0}]
    log.write_text(json.dumps({"model": "m", "choices": [{"logprobs": {"content": tokens}}]}), encoding="utf-8")
    boxes = browser.driver.find_elements("css selector", "input[type=file]")
    boxes[1].send_keys(str(log))
    browser.until(lambda: "answer.json" in text_of(browser, "#top h1"), "the report of the log")
    browser.run("location.hash = '#/'")
    browser.until(lambda: ready(browser), "back")
    bad = tmp_path / "bad.json"
    bad.write_text("{}", encoding="utf-8")
    browser.driver.find_elements("css selector", "input[type=file]")[1].send_keys(str(bad))
    browser.until(lambda: "no log" in text_of(browser, ".alert"), "why it cannot be read")
    named = tmp_path / "latin.txt"
    named.write_bytes(b"caf\xe9")
    browser.driver.find_elements("css selector", "input[type=file]")[0].send_keys(str(named))
    browser.until(lambda: "not UTF-8" in text_of(browser, ".alert"), "why it cannot be shown")
    named.write_text("plain text of a file", encoding="utf-8")
    browser.driver.find_elements("css selector", "input[type=file]")[0].send_keys(str(named))
    browser.until(
        lambda: browser.run("return document.querySelector('.typed').value") == "plain text of a file", "file"
    )
    # What the browser itself says of the refused log is all that the console may hold.
    assert all("422" in line for line in browser.complaints())


DROPS = """
const data = new DataTransfer();
data.items.add(new File([arguments[1]], arguments[0]));
document.querySelector('.editing').dispatchEvent(new DragEvent('drop', {dataTransfer: data, bubbles: true}));
"""


def test_files_and_logs_can_be_dropped(browser: Browser, address: str) -> None:
    visit(browser, address, "?models=kt")
    browser.run(DROPS, "some.txt", "a text that was dropped")
    value = "return document.querySelector('.typed').value"
    browser.until(lambda: browser.run(value) == "a text that was dropped", "the text")
    assert browser.complaints() == []
    browser.run(DROPS, "plain.json", '{"a": 1}')
    browser.until(lambda: browser.run(value) == '{"a": 1}', "JSON that is no log is a text")
    assert all("422" in line for line in browser.complaints())
    tokens = [{"token": "to", "logprob": -1.0}, {"token": " be", "logprob": -2.0}]
    browser.run(DROPS, "answer.json", json.dumps({"model": "<b>m</b>", "choices": [{"logprobs": {"content": tokens}}]}))
    browser.until(lambda: "answer.json" in text_of(browser, "#top h1"), "the report of the log")
    assert browser.complaints() == []


def test_a_long_job_can_be_cancelled(browser: Browser, address: str) -> None:
    visit(browser, address, "?models=universal")
    browser.run(
        "const area = document.querySelector('.typed'); area.value = arguments[0];"
        "area.dispatchEvent(new Event('input'))",
        "".join(f"{k * k} is the square of {k}.\n" for k in range(20_000)),
    )
    browser.until(lambda: "are coloured as they are typed" in text_of(browser, ".alert"), "too long to be coloured")
    click(browser, "Full report")
    browser.until(lambda: text_of(browser, ".job"), "progress is shown")
    click(browser, "Cancel", ".job")
    browser.until(lambda: "cancelled" in text_of(browser, "#toast"), "it is cancelled")
    assert browser.run("return location.hash").startswith("#/?")
    assert browser.complaints() == []


def test_nothing_that_a_stranger_wrote_becomes_an_element(browser: Browser, tmp_path: Path) -> None:
    """Names of files, texts, models and logs that are HTML are shown as they are."""
    evil = "<img src=x onerror=alert(1)>"
    (tmp_path / f"{evil}.bmn").write_bytes(b"no model")
    bm.NGram(2).fit(b"to be or not to be\n").save(tmp_path / "<b>bold<.bmn")
    with serving(Models(folder=tmp_path)) as address:
        visit(browser, address, f"?models={quote('<b>bold<.bmn')},kt")
        typed(browser, f"{evil}<script>alert(2)</script> to be")
        browser.until(lambda: browser.run("return document.querySelectorAll('.livefigure').length") == 2, "scored")
        names = browser.run("return [...document.querySelectorAll('.modelrow b')].map((one) => one.textContent)")
        assert {f"{evil}.bmn", "<b>bold<.bmn"} <= set(names)
        assert browser.run(f"return document.getElementById('model-{evil}.bmn').disabled"), "it is no model"
        click(browser, "Keep")
        browser.until(lambda: "bold" in text_of(browser, ".history tbody"), "kept")
        click(browser, "Full report")
        browser.until(
            lambda: browser.run("return document.querySelector('main > [data-mounted]') !== null"), "the report"
        )
        assert browser.run("return document.querySelectorAll('main img, main script').length") == 0
        visit(browser, address, f"lessons/{quote(evil)}")
        assert "no such lesson" in text_of(browser, ".alert")
        assert browser.run("return document.querySelectorAll('main img').length") == 0
    assert all("404" in line for line in browser.complaints())


#: What Tab must reach: everything that can be used and is seen.
USABLE = """
const kinds = 'a[href], button, input, select, textarea, summary, [tabindex="0"]';
return [...document.querySelectorAll(kinds)].filter((one) => !one.disabled && one.tabIndex >= 0 && !one.dataset.seen
  && !one.closest('fieldset[disabled], dialog:not([open])') && one.checkVisibility());
"""


@pytest.mark.parametrize(
    "view", ["?models=kt,universal", "report", "lessons", "lessons/codes", "lessons/chain", "game"]
)
def test_tab_reaches_all_that_can_be_used(browser: Browser, address: str, view: str) -> None:
    browser.look(1400, "light")
    visit(browser, address, "?models=kt" if view == "report" else view)
    if view == "report":
        click(browser, "Full report")
        browser.until(
            lambda: browser.run("return document.querySelector('main > [data-mounted]') !== null"), "the report"
        )
    if view.startswith("lessons/"):
        click(browser, "Show")
    browser.run("document.activeElement.blur(); scrollTo(0, 0)")
    for _ in range(len(browser.run(USABLE)) + 5):
        browser.tab()
        browser.run("document.activeElement.dataset.seen = '1'")
    missed = browser.run(f"return (() => {{ {USABLE} }})().map((one) => one.outerHTML.slice(0, 120))")
    assert missed == []


def test_paper_is_light(browser: Browser, address: str) -> None:
    browser.look(1400, "dark")
    visit(browser, address, "lessons/codes")
    browser.run("dispatchEvent(new Event('beforeprint'))")
    assert browser.run("return document.documentElement.dataset.theme") == "light"
    browser.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    try:
        assert browser.run("return getComputedStyle(document.querySelector('.asking button')).display") == "none"
        assert browser.run("return getComputedStyle(document.querySelector('.stage')).display") != "none"
    finally:
        browser.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})
        browser.run("dispatchEvent(new Event('afterprint'))")
    assert browser.run("return document.documentElement.dataset.theme") == "dark"


def test_the_game_by_keys_alone(browser: Browser, address: str) -> None:
    browser.look(1400, "light")
    visit(browser, address, "game")
    asked = browser.run("return fetch('/api/game/1').then((answer) => answer.json()).then((game) => game.asked)")
    wrong = "z" if asked[0] != "z" else "y"
    body = browser.driver.find_element("tag name", "body")
    body.send_keys(wrong)
    assert f"Not {wrong}. Guess 2" in text_of(browser, ".status")
    for letter in asked[:12]:
        body.send_keys(Keys.SPACE if letter == " " else letter)
    assert "12 of 120" in text_of(browser, ".lines2")
    assert "92 %" in text_of(browser, ".lines2"), "eleven of twelve at once"
    sound(browser, "the game")
    browser.run(
        "const press = (key) => dispatchEvent(new KeyboardEvent('keydown', { key }));"
        "for (const letter of arguments[0].slice(12)) press(letter)",
        asked,
    )
    assert "Done. By your guesses" in text_of(browser, ".status")
    click(browser, "Start afresh")
    browser.until(lambda: "0 of 120" in text_of(browser, ".lines2"), "a new game")


def test_the_keyboard_alone_reaches_everything(browser: Browser, address: str) -> None:
    browser.look(1400, "light")
    visit(browser, address, "?models=kt")
    browser.run("document.activeElement.blur(); scrollTo(0, 0)")
    seen = set()
    for _ in range(80):
        browser.tab()
        name = browser.run(
            "const one = document.activeElement; return one === document.body ? 'end' : "
            "(one.getAttribute('aria-label') || one.textContent || one.id || one.tagName).slice(0, 40)"
        )
        seen.add(name)
        ring = browser.run("return getComputedStyle(document.activeElement).outlineStyle")
        assert name == "end" or ring != "none", f"{name} shows no focus"
    wanted = {"Skip to the content", "Measure", "Lessons", "Game", "? Keys", "Light or dark", "Open a file",
              "Example", "Word", "Lines", "The text", "Full report", "Keep", "Copy link", "model-kt"}  # fmt: skip
    assert wanted <= seen | {browser.run("return document.getElementById('model-kt') ? 'model-kt' : ''")}
    # Typed letters are letters, and no shortcuts.
    browser.driver.find_element("css selector", ".typed").send_keys("d?n")
    assert browser.run("return document.documentElement.dataset.theme") == "light"
    assert not browser.run("return document.getElementById('help').open")
    browser.run("document.activeElement.blur()")
    body = browser.driver.find_element("tag name", "body")
    body.send_keys("?")
    assert browser.run("return document.getElementById('help').open")


def test_with_a_token_the_address_carries_it(browser: Browser) -> None:
    token = "a-token-of-twenty-four-chars"
    with serving(token=token) as address:
        browser.driver.get("about:blank")
        browser.driver.get(f"{address}/")
        browser.until(lambda: "needs its token" in text_of(browser, ".alert"), "the page says what is missing")
        browser.driver.get("about:blank")
        browser.driver.get(f"{address}/#token={token}")
        browser.until(lambda: text_of(browser, ".livefigure .big"), "with the token it works")
        assert token not in browser.driver.current_url
        browser.run("sessionStorage.clear()")
    browser.complaints()
