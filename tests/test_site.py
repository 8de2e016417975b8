"""The documentation as it is built: no warnings, nothing fetched, every public name in it, search from disk."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import bitmeter
from bitmeter.tour import topics

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    target = tmp_path_factory.mktemp("site")
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(target)],
        cwd=ROOT, capture_output=True, text=True, check=False, env={**os.environ, "NO_MKDOCS_2_WARNING": "1"},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert [line for line in (done.stdout + done.stderr).splitlines() if not line.startswith("INFO ")] == []
    return target


def test_nothing_is_fetched_from_elsewhere(site: Path) -> None:
    for page in site.rglob("*.html"):
        fetched = re.findall(
            r'<(?:script|img|link|iframe)\b[^>]*?(?:src|href)="((?:https?:)?//[^"]*)"', page.read_text()
        )
        assert [address for address in fetched if "canonical" not in address] == [], page.name
    for style in [*site.rglob("*.css"), *site.rglob("*.svg")]:
        assert not re.search(r"url\(\s*[\"']?(?:https?:)?//|@import", style.read_text()), style.name


def test_search_works_from_disk(site: Path) -> None:
    # Opened from disk, a browser neither fetches the index nor starts a worker: both come as scripts.
    assert (site / "search" / "search_index.js").read_text().startswith("var __index = {")
    for name, path in (("index", "javascripts"), ("howto/score", "../javascripts")):
        assert f'<script src="{path}/iframe-worker.js"></script>' in (site / f"{name}.html").read_text()
    assert (site / "javascripts" / "iframe-worker.js").is_file()


def test_every_module_of_the_reference_has_its_line() -> None:
    listed = re.findall(r'^    "([\w.]+)": "[^"]+",$', (ROOT / "docs" / "hooks.py").read_text(), re.MULTILINE)
    assert sorted(listed) == sorted(set(bitmeter._HOMES.values())), "MODULES in docs/hooks.py"


def test_every_public_name_has_its_place(site: Path) -> None:
    everything = "".join(page.read_text() for page in (site / "reference").glob("*.html"))
    for name, home in bitmeter._HOMES.items():
        assert f'id="bitmeter.{home}.{name}"' in everything, name


def test_every_lesson_is_a_page_with_its_results(site: Path) -> None:
    for lesson in topics():
        page = (site / "tour" / f"{lesson.name}.html").read_text()
        assert "Error:" not in page or lesson.name == "impossible"
    assert "2.5" in (site / "tour" / "entropy.html").read_text()


def test_every_verb_shows_its_help(site: Path) -> None:
    page = (site / "cli.html").read_text()
    for verb in ("score", "compare", "trace", "explain", "models", "entropy", "learn"):
        assert f"Usage: bitmeter {verb}" in page
