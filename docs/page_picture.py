"""Make docs/images/page.png: the page of `bitmeter serve`, as Chromium shows it.

python docs/page_picture.py
"""

from __future__ import annotations

import base64
import importlib.util
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

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


def main() -> None:
    """Write the picture."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-c", "from bitmeter.cli import main; main()", "serve", "--port", "0"]
        server = subprocess.Popen(
            command, stdout=subprocess.PIPE, text=True, env={**os.environ, "BITMETER_DATA": folder}
        )
        try:
            assert server.stdout is not None
            address = server.stdout.readline().split()[-1]
            with browsing().open_browser() as browser:
                browser.look(1180, "light", 760)
                browser.driver.get(f"{address}#/?models=sample-bytes,universal")
                drawn = "return document.querySelector('.result .verdict') && document.querySelector('.guess') !== null"
                browser.until(lambda: browser.run(drawn), "the page is drawn")
                clip = {"x": 0, "y": 0, "width": 1180, "height": 760, "scale": 0.85}
                found = browser.driver.execute_cdp_cmd("Page.captureScreenshot", {"format": "png", "clip": clip})
        finally:
            server.terminate()
            server.wait()
    (HERE / "images" / "page.png").write_bytes(base64.b64decode(found["data"]))


if __name__ == "__main__":
    main()
