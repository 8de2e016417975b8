"""Make docs/images/*.webp: the report and the page as Chromium shows them, in light and in dark colours.

python docs/screenshots.py
"""

from __future__ import annotations

import base64
import importlib.util
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import bitmeter as bm
from bitmeter.models.registry import primed
from bitmeter.text.corpus.sample import sample_text

HERE = Path(__file__).parent
#: The browser of the tests.
BROWSING = HERE.parent / "tests" / "reports" / "html" / "browsing.py"
WIDTH, HEIGHT = 1180, 760
DRAWN = "return document.querySelector('.result .verdict') && document.querySelector('.guess') !== null"


def browsing() -> Any:
    spec = importlib.util.spec_from_file_location("browsing", BROWSING)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def save(browser: Any, name: str) -> None:
    """What the window shows, as docs/images/NAME.webp."""
    clip = {"x": 0, "y": browser.run("return scrollY"), "width": WIDTH, "height": HEIGHT, "scale": 0.85}
    options = {"format": "webp", "quality": 82, "clip": clip}
    found = browser.driver.execute_cdp_cmd("Page.captureScreenshot", options)
    (HERE / "images" / f"{name}.webp").write_bytes(base64.b64decode(found["data"]))


def report(folder: Path) -> Path:
    """A report on two models of a part of the language reference, which learned from what comes before it."""
    sample = sample_text().encode()
    cut = sample.index(b"\n\n", 300_000) + 2
    train, text = sample[:cut], sample[cut : sample.index(b"\n\n", cut + 9_000) + 1]
    (folder / "train.txt").write_bytes(train)
    models = [primed(bm.Universal(), folder / "train.txt"), bm.NGram(order=3).fit(train)]
    runs = [bm.score(model, text, docs="blank", alternatives=5) for model in models]
    bm.report(runs, folder / "r.html", title="The language reference of Python")
    return folder / "r.html"


def show_section(browser: Any, section: str) -> None:
    """A section of the report from its heading on, with one unit pointed at."""
    to_top = "document.getElementById(arguments[0]).scrollIntoView({behavior: 'instant'})"
    browser.run(to_top, section)
    browser.press("n")
    browser.until(lambda: browser.run(f"return document.querySelectorAll('#{section} .frame.pinned').length"), "a unit")
    browser.run(to_top, section)
    wait = "requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(arguments[0], 400)))"
    browser.driver.execute_async_script(wait)


@contextmanager
def serving(folder: Path) -> Iterator[str]:
    """The address of a page with a history of its own."""
    command = [sys.executable, "-c", "from bitmeter.cli import main; main()", "serve", "--port", "0"]
    server = subprocess.Popen(
        command, stdout=subprocess.PIPE, text=True, env={**os.environ, "BITMETER_DATA": str(folder)}
    )
    try:
        assert server.stdout is not None
        yield server.stdout.readline().split()[-1]
    finally:
        server.terminate()
        server.wait()


def main() -> None:
    """Write the pictures."""
    with (
        tempfile.TemporaryDirectory() as folder,
        serving(Path(folder)) as address,
        browsing().open_browser() as browser,
    ):
        page = report(Path(folder))
        for theme, suffix in (("light", ""), ("dark", "-dark")):
            browser.look(WIDTH, theme, HEIGHT)
            browser.open(page)
            browser.run("document.querySelectorAll('.panes').forEach((pane) => { pane.style.height = '430px'; })")
            for section in ("text", "against"):
                show_section(browser, section)
                save(browser, f"report-{section}{suffix}")
            browser.driver.get("about:blank")
            browser.driver.get(f"{address}#/?models=sample-bytes,universal")
            browser.until(lambda: browser.run(DRAWN), "the page is drawn")
            save(browser, f"page{suffix}")


if __name__ == "__main__":
    main()
