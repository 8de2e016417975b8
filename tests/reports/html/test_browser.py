"""The report in a real browser: every view, in light and dark, wide and narrow; the keyboard alone; hostile text."""

from __future__ import annotations

import base64
import csv
import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import bitmeter as bm
from bitmeter.reports.series.texts import traced_text
from bitmeter.reports.series.words import word_costs, word_cuts
from bitmeter.text.corpus.sample import sample_text
from tests.reports.html.browsing import Browser, Keys, open_browser
from tests.reports.html.hostile import HOSTILE

LOOKS = [(1400, "light"), (1400, "dark"), (390, "light"), (390, "dark")]


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with open_browser() as found:
        yield found


@pytest.fixture(scope="module")
def runs() -> list[bm.Score]:
    """A model of bytes and one of words on prose with documents, sections and code."""
    sample = sample_text().encode()
    text, train = sample[60_000:64_000], sample[:60_000]
    words = bm.NGram(order=3).fit(train)
    return [bm.score(model, text, docs="blank", alternatives=5) for model in ("kt", words)]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory, runs: list[bm.Score]) -> Path:
    found = tmp_path_factory.mktemp("pages")
    bm.report(runs, found / "two.html", title="Two models", command="bitmeter report a.json b.json -o two.html")
    bm.report([*runs, bm.score("uniform", traced_text(runs[0].trace).data, docs="blank")], found / "three.html")
    bm.report(
        [bm.score(name, HOSTILE, docs="line", alternatives=3) for name in ("kt", "uniform")], found / "hostile.html"
    )
    bm.report(bm.score("kt", HOSTILE, alternatives=5), found / "tight.html", budget=0)
    bm.report(bm.Score.from_json(runs[0].to_json()), found / "bare.html")
    bm.report(bm.score("kt", b"", alternatives=2), found / "empty.html")
    bm.report(bm.score("zlib", b"text " * 40), found / "total.html")
    infinite = bm.score(bm.Distribution({"a": 0.5, "b": 0.5}), b"ab c\n" * 9, oov="none", alternatives=2)
    bm.report([infinite, bm.score("kt", b"ab c\n" * 9)], found / "infinite.html")
    return found


def click(browser: Browser, section: str, name: str) -> None:
    """Press the button of a name in a section."""
    found = browser.run(
        "const all = [...document.querySelectorAll(`#${arguments[0]} button`)];"
        "const one = all.find((button) => button.textContent === arguments[1]);"
        "if (!one || one.disabled) return false; one.click(); return true",
        section, name,
    )  # fmt: skip
    assert found, f"{section} has no button {name}"


def says(browser: Browser, section: str = "text") -> str:
    return str(browser.run("return document.querySelector(`#${arguments[0]} .says`).textContent", section))


def panel(browser: Browser, section: str = "text") -> str:
    return str(browser.run("return document.querySelector(`#${arguments[0]} .inspector`).innerText", section))


def shows(browser: Browser, wanted: str, section: str = "text") -> None:
    """Wait until the legend says something."""
    browser.until(lambda: wanted in says(browser, section), f"{section} says {wanted}, not {says(browser, section)}")


def inspects(browser: Browser, *wanted: str) -> None:
    """Wait until the inspector says all of these."""
    browser.until(lambda: all(one in panel(browser) for one in wanted), f"{wanted}; the page says {panel(browser)}")


def is_current(browser: Browser, section: str) -> None:
    current = "return document.querySelector('.bar nav a[aria-current]')?.hash"
    browser.until(lambda: browser.run(current) == f"#{section}", f"{section} is the current section")


def is_whole(browser: Browser, file: Path) -> None:
    browser.until(lambda: file.stat().st_size > 0, f"{file.name} is whole")


def pinned(browser: Browser, section: str = "text") -> int:
    return int(browser.run("return document.querySelectorAll(`#${arguments[0]} .frame.pinned`).length", section))


@pytest.mark.parametrize(("width", "theme"), LOOKS)
def test_every_view(browser: Browser, folder: Path, width: int, theme: str) -> None:
    browser.look(width, theme)
    browser.open(folder / "two.html")
    assert browser.run("return document.documentElement.dataset.theme") == theme
    seen = set()
    for model in ("kt", "ngram(order 3)"):
        click(browser, "text", model)
        for unit in ("Byte", "Token", "Word") if model == "kt" else ("Token", "Word"):
            click(browser, "text", unit)
            for metric in ("Entropy", "Surprisal − entropy", "Rank", "Surprisal"):
                click(browser, "text", metric)
                line = {
                    "Entropy": "entropy,",
                    "Surprisal − entropy": "surprisal −",
                    "Rank": "rank",
                    "Surprisal": "bits per",
                }
                shows(browser, line[metric])
                seen.add((model, unit, says(browser)))
    assert len(seen) == 4 * 5
    for unit in ("Word", "Shared"):
        click(browser, "against", unit)
        shows(browser, "bits per word" if unit == "Word" else "bits per segment", "against")
    for section in ("text", "against", "curves", "models", "documents"):
        browser.run("document.getElementById(arguments[0]).scrollIntoView({behavior: 'instant'})", section)
        is_current(browser, section)
    drawn = "return [...document.querySelectorAll('.chart svg[role=img]')].length"
    browser.until(lambda: browser.run(drawn) == 4, "four charts")
    assert browser.run("return document.documentElement.scrollWidth <= innerWidth"), "the page scrolls sideways"
    assert browser.audit() == []
    assert browser.complaints() == []


@pytest.mark.parametrize("name", ["three", "hostile", "tight", "bare", "empty", "total", "infinite"])
def test_every_page_opens_without_complaint(browser: Browser, folder: Path, name: str) -> None:
    browser.look(1400, "light")
    browser.open(folder / f"{name}.html")
    assert browser.audit() == []
    assert browser.complaints() == []


def test_the_figures_of_words_are_those_of_the_trace(browser: Browser, folder: Path, runs: list[bm.Score]) -> None:
    browser.look(1400, "light")
    browser.open(folder / "two.html")
    for model, score in zip(("kt", "ngram(order 3)"), runs, strict=True):
        text = traced_text(score.trace)
        words = word_cuts(text.data, text.ends)
        costs = word_costs(text.data, text.cuts, score.trace.bits, words).bits
        click(browser, "text", model)
        click(browser, "text", "Word")
        shows(browser, f"of {score.words:,} words")
        browser.press(Keys.ESCAPE)
        browser.run("document.querySelector('#text .text').focus()")
        browser.press(Keys.ARROW_RIGHT)
        browser.until(lambda: pinned(browser) > 0, "a word is pinned")
        for k in range(5):
            word = text.data[words[k] : words[k + 1]].decode()
            bits = f"{costs[k]:.{2 if costs[k] < 9.995 else 1}f}"
            shown = word.replace(" ", "␣").replace("\n", "⏎")
            inspects(browser, shown, f"\n{bits} bits")
            browser.press(Keys.ARROW_RIGHT)


def test_keys_go_to_the_surprising_places_and_change_the_view(
    browser: Browser, folder: Path, runs: list[bm.Score]
) -> None:
    browser.look(1400, "light")
    browser.open(folder / "two.html")
    browser.run("document.getElementById('text').scrollIntoView({behavior: 'instant'})")
    browser.run("document.getElementById('main').focus({preventScroll: true})")
    browser.press("b")
    browser.until(lambda: "bits per byte" in says(browser), "bytes")
    browser.press("n")
    browser.until(lambda: pinned(browser) > 0 and "Bytes" in panel(browser), "n pins")
    first = panel(browser)
    browser.press("n")
    browser.until(lambda: panel(browser) != first, "n goes on")
    browser.press("p")
    browser.until(lambda: panel(browser) == first, "p goes back")
    browser.press("]", "]")
    browser.until(lambda: "at or above" in says(browser), "a threshold")
    browser.press("[", "[")
    browser.until(lambda: "coloured" in says(browser), "no threshold")
    browser.press("2")
    browser.until(lambda: "entropy" in says(browser), "entropy")
    browser.press("1", "w", "m")
    browser.until(
        lambda: (
            "words" in says(browser)
            and browser.run("return document.querySelector('#text .seg [aria-pressed=true]').textContent")
            == "ngram(order 3)"
        ),
        "m",
    )
    browser.press(Keys.ESCAPE)
    browser.until(lambda: pinned(browser) == 0, "Esc releases")
    browser.press("d")
    browser.until(lambda: browser.run("return document.documentElement.dataset.theme") == "dark", "d darkens")
    browser.press("/")
    browser.until(lambda: browser.run("return document.activeElement.type") == "search", "/ searches")
    browser.press("the")
    browser.until(
        lambda: "1 of " in str(browser.run("return document.querySelector('#text .finder output').textContent")),
        "a hit",
    )
    browser.until(
        lambda: browser.run("return document.querySelectorAll('#text .frame.hit').length") >= 1, "it is framed"
    )
    browser.press(Keys.ESCAPE)
    browser.until(lambda: browser.run("return document.activeElement.type") != "search", "Esc leaves the search")
    browser.press("?")
    browser.until(lambda: browser.run("return document.getElementById('help').open"), "? helps")
    browser.run("document.getElementById('keys-off').click()")
    browser.press(Keys.ESCAPE)
    browser.until(lambda: not browser.run("return document.getElementById('help').open"), "Esc closes the help")
    theme = browser.run("return document.documentElement.dataset.theme")
    browser.run("document.getElementById('main').focus()")
    browser.press("d")
    assert browser.run("return document.documentElement.dataset.theme") == theme, "keys of one letter are off"
    browser.run("localStorage.clear()")
    assert browser.complaints() == []


def test_tab_alone_reaches_every_control(browser: Browser, folder: Path) -> None:
    browser.look(1400, "light")
    browser.open(folder / "two.html")
    wanted = browser.run(
        """
        const all = document.querySelectorAll('a[href], button, input, select, summary, [tabindex="0"]');
        const open = (one) => one.checkVisibility() && !one.closest('dialog');
        window.controls = [...all].filter((one) => !one.disabled && one.tabIndex >= 0 && open(one));
        window.reached = new Set();
        addEventListener('focusin', (event) => window.reached.add(event.target));
        return window.controls.length"""
    )
    assert wanted > 40
    for _ in range(wanted + 20):
        browser.tab()
    missed = browser.run(
        "return window.controls.filter((one) => !window.reached.has(one)).map((one) => one.outerHTML.slice(0, 120))"
    )
    assert missed == []


def test_what_opens_has_no_finding_either(browser: Browser, folder: Path) -> None:
    browser.look(1400, "dark")
    browser.open(folder / "hostile.html")
    browser.run("for (const one of document.querySelectorAll('details')) one.open = true")
    browser.run("document.querySelector('.tools button').click()")
    assert browser.audit() == []


#: Where the first coloured unit is; null while lines are laid out afresh, as scrolling makes them.
MIDDLE = (
    "const box = document.querySelector('#text .lines span')?.getClientRects()[0];"
    "return box ? [box.left + box.width / 2, box.top + box.height / 2] : null"
)


def pointed_at(browser: Browser) -> list[float] | None:
    """Point at the first coloured unit; where that is, once the panel shows it."""
    place: list[float] | None = browser.run(MIDDLE)
    if place is None:
        return None
    moved = {"type": "mouseMoved", "x": place[0], "y": place[1]}
    browser.driver.execute_cdp_cmd("Input.dispatchMouseEvent", moved)
    return place if "Bytes" in panel(browser) else None


def test_pointing_shows_a_unit_and_a_click_keeps_it(browser: Browser, folder: Path) -> None:
    browser.look(1400, "light")
    browser.open(folder / "two.html")
    browser.run("document.querySelector('#text .text').scrollIntoView({behavior: 'instant', block: 'center'})")
    x, y = browser.until(lambda: pointed_at(browser), "pointing inspects")
    mouse = {"x": x, "y": y, "button": "left", "clickCount": 1}
    for kind in ("mousePressed", "mouseReleased"):
        browser.driver.execute_cdp_cmd("Input.dispatchMouseEvent", {**mouse, "type": kind})
    browser.until(lambda: pinned(browser) > 0, "a click pins")
    kept = panel(browser)
    browser.driver.execute_cdp_cmd("Input.dispatchMouseEvent", {"type": "mouseMoved", "x": x + 200, "y": y + 90})
    assert panel(browser) == kept


def test_hostile_text_is_text(browser: Browser, folder: Path) -> None:
    browser.look(1400, "light")
    browser.open(folder / "hostile.html")
    assert "broken" not in browser.driver.title
    shown = browser.run("return [...document.querySelectorAll('#text .lines')].map((one) => one.textContent).join('')")
    assert shown.startswith("</script><script>document.title='broken'</script>\n<!-- <script> -->")
    assert "\u202e" not in shown
    assert "separators↵and↵more␀␁␇␛[31m␡▯ of control␍\n" in shown
    assert "שלום עולם" in shown
    assert "𝒜𝓑 😀" in shown
    assert "not UTF-8: ��" in shown
    assert browser.run("return document.querySelectorAll('main img, main script').length") == 0
    total = browser.run("return document.querySelector('#text .says').textContent")
    assert "words" in total
    # A character of several bytes is one unit, whose bits are the sum of its bytes'.
    click(browser, "text", "Byte")
    units = len(HOSTILE.decode("utf-8", "surrogateescape"))
    browser.until(lambda: f"of {units:,} bytes" in says(browser), f"{units} characters; the page says {says(browser)}")
    assert browser.complaints() == []


def test_tables_sort_filter_and_export_all_rows(browser: Browser, folder: Path, runs: list[bm.Score]) -> None:
    browser.look(1400, "light")
    browser.open(folder / "two.html")
    cells = "return [...document.querySelectorAll('#documents tbody tr')].map((row) => row.cells[2].textContent)"
    click(browser, "documents", "bytes")
    sizes = [int(cell.replace(",", "")) for cell in browser.run(cells)]
    assert sizes == sorted(sizes, reverse=True)
    assert browser.run("return document.querySelector('#documents th[aria-sort]').textContent").startswith("bytes")
    browser.run(
        "const box = document.querySelector('#documents input'); box.value = 'zzz-nothing';"
        "box.dispatchEvent(new Event('input'))"
    )
    assert browser.run(cells) == []
    for ending in ("CSV", "JSON"):
        click(browser, "documents", ending)
        file = browser.downloads / f"documents.{ending.lower()}"
        browser.until(file.is_file, f"{file.name} was saved")
        is_whole(browser, file)
    documents = runs[0].by_document
    assert documents is not None
    with (browser.downloads / "documents.csv").open(newline="", encoding="utf-8") as lines:
        rows = list(csv.DictReader(lines))
    assert [int(row["bytes"]) for row in rows] == documents.bytes.tolist()
    bits = np.array([float(row["A, bits"]) for row in rows])
    assert np.allclose(bits, documents.nats / np.log(2), atol=1e-3)
    assert len(json.loads((browser.downloads / "documents.json").read_text())) == len(documents)


def test_the_signature_is_copied_or_shown(browser: Browser, folder: Path) -> None:
    browser.look(1400, "light")
    browser.open(folder / "two.html")
    click(browser, "top", "BibTeX")
    done = (
        "return document.getElementById('toast').textContent || document.querySelector('dialog[open] textarea')?.value"
    )
    found = browser.until(lambda: browser.run(done), "copied, or shown to be copied")
    assert found == "Copied as BibTeX" or found.startswith("@misc{bitmeter")


def test_it_prints(browser: Browser, folder: Path) -> None:
    browser.look(1400, "dark")
    browser.open(folder / "two.html")
    found = browser.driver.execute_cdp_cmd("Page.printToPDF", {"printBackground": True})
    assert base64.b64decode(found["data"]).startswith(b"%PDF")
    assert browser.run("return document.documentElement.dataset.theme") == "dark"


def test_paper_is_light_and_coloured_and_nothing_is_cut(browser: Browser, folder: Path) -> None:
    """As on a sheet of A4: narrower than a window, which must not take the colours back."""
    browser.look(1400, "dark")
    browser.open(folder / "two.html")
    browser.run("dispatchEvent(new Event('beforeprint'))")
    browser.look(718, "dark")
    browser.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    plain = "return [...document.querySelectorAll('#text .lines')].filter((part) => !part.querySelector('span')).length"
    try:
        assert browser.run("return document.documentElement.dataset.theme") == "light"
        assert browser.run(plain) == 0
        wide = (
            "return [...document.querySelectorAll('tr, .card, svg')]"
            ".filter((one) => one.getBoundingClientRect().right > 719).map((one) => one.textContent.slice(0, 160))"
        )
        assert browser.run(wide) == []
    finally:
        browser.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})
        browser.run("dispatchEvent(new Event('afterprint'))")
    assert browser.run("return document.documentElement.dataset.theme") == "dark"


def test_what_was_left_out_is_on_the_page(browser: Browser, folder: Path) -> None:
    browser.look(1400, "light")
    browser.open(folder / "tight.html")
    assert "no alternatives" in browser.run("return document.querySelector('.left').textContent")
    assert browser.run("return document.querySelector('#text .why').textContent").startswith("Entropy and rank")
