"""The report of a long text in a browser: the size of the page, how soon it can be read, and how it scrolls.

    python benchmarks/pages.py [--size 1] [--size 10]
    python benchmarks/pages.py --serve

Builds a text of so many megabytes from the sources of Python, scores it by the byte under a 6-gram model, writes the
report and opens it in Chromium without a window. *Ready* is the time from the start of the navigation to two frames
after the first coloured screen; frame times are those of 200 frames, 120 pixels further each. Goals: 1 MB of text in a
page under 8 MB, ready in under 1 s, 95 % of frames within 25 ms; 10 MB ready in under 2 s. Best of several, because
machines are shared.

With --serve, the page of `bitmeter serve` instead: when something is painted first (goal: within 0.5 s of the
navigation, with an empty cache), when the text is coloured, and how long a text of 10 kB takes from a key to its new
colours (the page waits 130 ms for more keys before it asks; goal beyond that: 100 ms).
"""

from __future__ import annotations

import argparse
import importlib.util
import re
import subprocess
import sys
import sysconfig
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
from stopwatch import header

import bitmeter as bm

#: The browser of the tests.
BROWSING = Path(__file__).parents[1] / "tests" / "reports" / "html" / "browsing.py"
FRAMES = """
const done = arguments[0], view = document.querySelector('#text .text'), times = [];
document.getElementById('text').scrollIntoView({behavior: 'instant'});
let last = performance.now(), left = 200;
const frame = (now) => {
  times.push(now - last);
  last = now;
  view.scrollTop += 120;
  if (left--) requestAnimationFrame(frame); else done(times.slice(5));
};
requestAnimationFrame(frame);
"""
JUMPS = """
const done = arguments[0], view = document.querySelector('#text .text'), times = [];
let left = 20;
const jump = () => {
  const begin = performance.now();
  view.scrollTop = Math.random() * view.scrollHeight;
  requestAnimationFrame(() => requestAnimationFrame(() => {
    times.push(performance.now() - begin);
    if (left--) jump(); else done(times);
  }));
};
jump();
"""


def sources(size: int) -> bytes:
    """So many bytes of Python's own sources, the same on every machine with this version of Python."""
    parts, total = [], 0
    for path in sorted(Path(sysconfig.get_path("stdlib")).glob("*.py")) + sorted(
        Path(sysconfig.get_path("stdlib")).glob("*/*.py")
    ):
        if total >= size:
            break
        data = path.read_bytes()
        parts.append(data)
        total += len(data)
    whole = b"".join(parts)
    return (whole * (size // max(1, len(whole)) + 1))[:size]


def open_browser() -> Any:
    spec = importlib.util.spec_from_file_location("browsing", BROWSING)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.open_browser()


def ready(browser: Any, page: Path) -> float:
    """Milliseconds from the navigation to two frames after the first coloured screen."""
    browser.driver.get("about:blank")
    browser.driver.get(page.as_uri())
    browser.until(lambda: browser.run("return document.documentElement.dataset.ready"), "the first screen")
    return float(browser.run("return performance.getEntriesByName('first-screen')[0].startTime"))


def best(browser: Any, tries: int) -> Any:
    """Quantiles of frame times, of the try with the fewest long frames."""
    found = [np.quantile(browser.driver.execute_async_script(FRAMES), [0.5, 0.95, 1.0]) for _ in range(tries)]
    return min(found, key=lambda quantiles: float(quantiles[1]))


def measure(megabytes: float, tries: int, alternatives: int | None, folder: Path) -> None:
    text = sources(round(megabytes * 1_000_000))
    began = time.process_time()
    model = bm.NGram(order=6, units="bytes").fit(text[:500_000])
    trace = folder / f"{megabytes}.parquet"
    score = bm.score(model, text, alternatives=alternatives, trace=trace, force=True)
    scored = time.process_time() - began
    page = folder / f"{megabytes}.html"
    began = time.process_time()
    left = bm.report(score, page, traces=[trace] if len(text) > 1_900_000 else (), force=True)
    written = time.process_time() - began
    print(
        f"{megabytes:g} MB of text, {score.bits_per_byte:.3f} bits per byte; {scored:.0f} s of CPU to score, "
        f"{written:.1f} s to write"
    )
    print(f"  page {page.stat().st_size / 1e6:.2f} MB" + (f" (left out: {'; '.join(left)})" if left else ""))
    with open_browser() as browser:
        browser.look(1400, "light", 900)
        times = [ready(browser, page) for _ in range(tries)]
        browser.until(lambda: browser.run("return document.documentElement.dataset.ready") == "all", "all of the page")
        frames = best(browser, tries)
        jumps = np.quantile(browser.driver.execute_async_script(JUMPS), [0.5, 1.0])
        empty = folder / "empty.html"
        empty.write_text("<!doctype html><main id=text><div class=text>nothing</div></main>")
        browser.driver.get(empty.as_uri())
        idle = best(browser, tries)
    print(f"  ready {min(times):.0f} ms (of {', '.join(f'{t:.0f}' for t in times)})")
    print(f"  frames {shown(frames)} ms (median, 95 %, worst), jumps {shown(jumps)} ms (median, worst)")
    print(f"  frames of an empty page at the same time: {shown(idle)} ms: what this machine allows")


TYPED = """
const done = arguments[1], area = document.querySelector('.typed'), result = document.querySelector('.result');
area.value = arguments[0];
const begin = performance.now();
new MutationObserver((_, watch) => {
  watch.disconnect();
  requestAnimationFrame(() => done(performance.now() - begin));
}).observe(result, {childList: true});
area.dispatchEvent(new Event('input'));
"""
#: The page waits so many milliseconds for another key before it asks for the figures.
WAIT = 130


def serve(tries: int) -> None:
    """The page: its first paint, its first colours, and typing."""
    text = sources(200_000)[100_000:110_000].decode("ascii", "replace")
    command = [sys.executable, "-c", "from bitmeter.cli import main; main()", "serve", "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server, open_browser() as browser:
        try:
            assert server.stdout is not None
            address = re.search(r"http://\S+", server.stdout.readline())
            assert address is not None
            browser.driver.execute_cdp_cmd("Network.enable", {})
            browser.driver.execute_cdp_cmd("Network.setCacheDisabled", {"cacheDisabled": True})
            painted, coloured = [], []
            for _ in range(tries):
                browser.driver.get("about:blank")
                browser.driver.get(address[0])
                browser.until(lambda: browser.run("return document.documentElement.dataset.ready") == "all", "ready")
                painted.append(
                    browser.run("return performance.getEntriesByName('first-contentful-paint')[0].startTime")
                )
                coloured.append(browser.run("return performance.getEntriesByName('coloured')[0].startTime"))
            print(f"first paint {min(painted):.0f} ms (of {', '.join(f'{t:.0f}' for t in painted)})")
            print(f"text coloured {min(coloured):.0f} ms (of {', '.join(f'{t:.0f}' for t in coloured)})")
            for model in ("sample-bytes", "sample-words", "universal"):
                browser.driver.get("about:blank")
                browser.driver.get(f"{address[0]}#/?models={model}")
                browser.until(lambda: browser.run("return document.documentElement.dataset.ready") == "all", "ready")
                run = browser.driver.execute_async_script
                run(TYPED, text)
                after = [run(TYPED, text + "etaoin"[: k + 1]) - WAIT for k in range(6)]
                within = [run(TYPED, text[:5000] + "etaoin"[: k + 1] + text[5000:]) - WAIT for k in range(6)]
                print(
                    f"10 kB under {model}, to the next colours: {min(after):.0f} ms typed at the end (median "
                    f"{np.median(after):.0f}), {min(within):.0f} in the middle (median {np.median(within):.0f})"
                )
        finally:
            server.terminate()


def shown(values: Any) -> str:
    return " / ".join(f"{value:.0f}" for value in values)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--size", type=float, action="append", help="Megabytes of text; can be repeated (1 and 10)")
    parser.add_argument("--tries", type=int, default=4)
    parser.add_argument("--serve", action="store_true", help="Measure the page of bitmeter serve")
    chosen = parser.parse_args()
    print(header())
    if chosen.serve:
        serve(chosen.tries)
        return
    with tempfile.TemporaryDirectory() as folder:
        for size in chosen.size or [1, 10]:
            measure(size, chosen.tries, 5 if size <= 1 else None, Path(folder))


if __name__ == "__main__":
    main()
