"""A real browser for tests: Chromium, without a window, driven by Selenium."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.resources import files
from pathlib import Path
from typing import Any

from selenium import webdriver
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import WebDriverWait

__all__ = ["Browser", "Keys", "open_browser"]

_ARGUMENTS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-dev-shm-usage",
    "--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-default-apps",
    "--hide-scrollbars", "--window-size=1400,1000",
)  # fmt: skip
#: Seconds: only a page that hangs takes so long.
_PATIENCE = 120


class Browser:
    """One page at a time, with all that its console said."""

    def __init__(self, driver: webdriver.Chrome, downloads: Path) -> None:
        self.driver, self.downloads = driver, downloads

    def run(self, script: str, *arguments: Any) -> Any:
        """The value of a script."""
        return self.driver.execute_script(script, *arguments)

    def until(self, condition: Callable[[], Any], what: str) -> Any:
        """Wait until a condition holds."""
        return WebDriverWait(self.driver, _PATIENCE, poll_frequency=0.05).until(lambda _: condition(), what)

    def look(self, width: int, theme: str, height: int = 1000) -> None:
        """The size of the window and the colours that the system prefers."""
        size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
        features = [
            {"name": "prefers-color-scheme", "value": theme},
            {"name": "prefers-reduced-motion", "value": "reduce"},
        ]
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})

    def open(self, page: Path) -> None:
        """Open a file, and wait until the page says that all of it is there."""
        self.driver.get("about:blank")
        self.driver.get(page.as_uri())
        self.until(lambda: self.run("return document.documentElement.dataset.ready") == "all", f"{page.name} is ready")

    def press(self, *keys: str) -> None:
        """Press keys on whatever has the focus."""
        for key in keys:
            self.driver.switch_to.active_element.send_keys(key)

    def tab(self) -> None:
        """Press Tab."""
        key = {"key": "Tab", "code": "Tab", "windowsVirtualKeyCode": 9}
        for kind in ("rawKeyDown", "keyUp"):
            self.driver.execute_cdp_cmd("Input.dispatchKeyEvent", {"type": kind, **key})

    def complaints(self) -> list[str]:
        """What the console said since the last call."""
        return [str(entry["message"]) for entry in self.driver.get_log("browser")]

    def audit(self) -> list[str]:
        """Serious findings of axe-core, each with the first element."""
        self.run(files("axe_core_python").joinpath("axe.min.js").read_text(encoding="utf-8"))
        found = self.driver.execute_async_script(
            "const done = arguments[0], failed = (e) => done({violations: [{impact: 'critical', id: String(e), nodes: "
            "[{html: '', failureSummary: ''}]}]}); axe.run(document, {resultTypes: ['violations']}).then(done, failed)"
        )
        return [
            f"{one['id']}: {one['nodes'][0]['html'][:200]} {one['nodes'][0]['failureSummary'][:300]}"
            for one in found["violations"]
            if one["impact"] in ("serious", "critical")
        ]


@contextmanager
def open_browser() -> Iterator[Browser]:
    """Chromium with a profile of its own, which is removed."""
    chromium = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    driver = shutil.which("chromedriver")
    if chromium is None or driver is None:
        message = (
            "these tests need Chromium and its driver: type `make browser`, or install chromium and chromium-driver"
        )
        raise FileNotFoundError(message)
    with tempfile.TemporaryDirectory(prefix="bitmeter-browser-", ignore_cleanup_errors=True) as folder:
        options = Options()
        options.binary_location = chromium
        for argument in (*_ARGUMENTS, f"--user-data-dir={folder}/profile"):
            options.add_argument(argument)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        downloads = Path(folder) / "downloads"
        downloads.mkdir()
        found = webdriver.Chrome(options=options, service=Service(driver))
        try:
            found.set_page_load_timeout(_PATIENCE)
            found.set_script_timeout(_PATIENCE)
            allow = {"behavior": "allow", "downloadPath": str(downloads)}
            found.execute_cdp_cmd("Browser.setDownloadBehavior", allow)
            yield Browser(found, downloads)
        finally:
            found.quit()
