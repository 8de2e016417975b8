"""Make docs/images/report-text.png and report-against.png: two views of a report, as Chromium shows them.

python docs/report_picture.py
"""

from __future__ import annotations

import base64
import importlib.util
import tempfile
from pathlib import Path
from typing import Any

import bitmeter as bm
from bitmeter.models.registry import primed
from bitmeter.text.corpus.sample import sample_text

HERE = Path(__file__).parent
#: The browser of the tests.
BROWSING = HERE.parent / "tests" / "reports" / "html" / "browsing.py"


def browsing() -> Any:
    spec = importlib.util.spec_from_file_location("browsing", BROWSING)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def page(folder: Path) -> Path:
    """A report on two models of a part of the language reference, which learned from what comes before it."""
    sample = sample_text().encode()
    cut = sample.index(b"\n\n", 300_000) + 2
    train, text = sample[:cut], sample[cut : sample.index(b"\n\n", cut + 9_000) + 1]
    (folder / "train.txt").write_bytes(train)
    models = [primed(bm.Universal(), folder / "train.txt"), bm.NGram(order=3).fit(train)]
    runs = [bm.score(model, text, docs="blank", alternatives=5) for model in models]
    bm.report(runs, folder / "r.html", title="The language reference of Python")
    return folder / "r.html"


def taken(browser: Any, section: str, height: int) -> bytes:
    """A section from its heading on."""
    browser.run("document.getElementById(arguments[0]).scrollIntoView({behavior: 'instant'})", section)
    browser.press("n")
    browser.until(lambda: browser.run(f"return document.querySelectorAll('#{section} .frame.pinned').length"), "a unit")
    browser.run("document.getElementById(arguments[0]).scrollIntoView({behavior: 'instant'})", section)
    wait = "requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(arguments[0], 400)))"
    browser.driver.execute_async_script(wait)
    clip = {"x": 0, "y": browser.run("return scrollY"), "width": 1180, "height": height, "scale": 0.85}
    found = browser.driver.execute_cdp_cmd("Page.captureScreenshot", {"format": "png", "clip": clip})
    return base64.b64decode(found["data"])


def main() -> None:
    """Write both pictures."""
    with tempfile.TemporaryDirectory() as folder, browsing().open_browser() as browser:
        browser.look(1180, "light", 760)
        browser.open(page(Path(folder)))
        browser.run("document.querySelectorAll('.panes').forEach((pane) => { pane.style.height = '430px'; })")
        for section in ("text", "against"):
            (HERE / "images" / f"report-{section}.png").write_bytes(taken(browser, section, 760))


if __name__ == "__main__":
    main()
