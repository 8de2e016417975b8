"""The plug-ins of docs/howto/plugin.md, installed as packages: what the page shows works."""

from __future__ import annotations

import itertools
import json
import math
import os
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "howto" / "plugin.md").read_text(encoding="utf-8")
TOKENIZER = ROOT / "tests" / "parity" / "tiny"
MAIN = [sys.executable, "-c", "from bitmeter.cli import main; main()"]
TEXT = b"It was the best of times, it was the worst of times, it was the age of wisdom, aaaa bbbb.\n" * 3


def code(file: str) -> str:
    found = re.search(rf"`{re.escape(file)}`:\n\n```python\n(.*?)```", PAGE, re.DOTALL)
    assert found is not None, f"the page has no {file}"
    return found[1]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder into which pip has installed the packages."""
    folder = tmp_path_factory.mktemp("plugins")
    for scheme in ("repeat", "unigram", "engine"):
        name = f"bitmeter_{scheme}"
        info = f"{name}-1.0.dist-info"
        file = folder / f"{name}-1.0-py3-none-any.whl"
        with zipfile.ZipFile(file, "w") as archive:
            archive.writestr(f"{name}.py", code(f"{name}.py"))
            archive.writestr(f"{info}/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
            archive.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
            archive.writestr(f"{info}/entry_points.txt", f"[bitmeter.models]\n{scheme} = {name}:SCHEME\n")
            archive.writestr(f"{info}/RECORD", "")
        pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-index", "--target"]
        subprocess.run([*pip, str(folder / "site"), "--disable-pip-version-check", str(file)], check=True)
    return folder / "site"


@pytest.fixture
def here(tmp_path: Path) -> Path:
    (tmp_path / "text.txt").write_bytes(TEXT)
    (tmp_path / "train.txt").write_bytes(b"it was the age of reason, it was the best of worlds.\n" * 5)
    return tmp_path


def bitmeter(site: Path, here: Path, *words: str) -> str:
    path = os.pathsep.join(filter(None, (str(site), os.environ.get("PYTHONPATH", ""))))
    found = subprocess.run(
        [*MAIN, *words], capture_output=True, text=True, errors="replace", cwd=here, check=False,
        env={**os.environ, "PYTHONPATH": path},
    )  # fmt: skip
    assert found.returncode == 0, found.stderr
    return found.stdout


@pytest.mark.parametrize("model", ["repeat:0.5", "unigram:train.txt", f"engine:{TOKENIZER}"])
def test_a_plug_in_does_what_our_own_models_do(model: str, site: Path, here: Path) -> None:
    score = json.loads(bitmeter(site, here, "score", model, "text.txt", "--json"))
    if model == "repeat:0.5":  # 6 bytes of each aaaa and bbbb repeat; the first byte costs ln 256
        repeats = sum(a == b for a, b in itertools.pairwise(TEXT))
        p, q = 0.5 / 256 + 0.5, 0.5 / 256
        expected = -(repeats * math.log(p) + (len(TEXT) - 1 - repeats) * math.log(q)) + math.log(256)
        assert score["nats"] == pytest.approx(expected, rel=1e-12)
    assert "bits/byte" in bitmeter(site, here, "compare", model, "kt", "--on", "text.txt", "--docs", "line")
    traced = bitmeter(site, here, "trace", model, "text.txt", "--alternatives", "2")
    assert "rank" in traced
    assert bitmeter(site, here, "verify", model, "text.txt").endswith(
        "\nproven: every check was possible, and none failed\n"
    )
    bitmeter(site, here, "compress", model, "text.txt", "-o", "text.bmz")
    bitmeter(site, here, "decompress", "text.bmz", "-o", "back.txt", "--model", model)
    assert (here / "back.txt").read_bytes() == TEXT
    size = (here / "text.bmz").stat().st_size
    assert abs(8 * size - score["nats"] / 0.6931471805599453) < 8 * 600  # the header, and no more
    assert bitmeter(site, here, "sample", model, "-n", "1", "--seed", "1", "--length", "20")


def test_a_causal_plug_in_has_windows_and_conventions(site: Path, here: Path) -> None:
    model = f"engine:{TOKENIZER}"
    full = json.loads(bitmeter(site, here, "score", model, "text.txt", "--json", "--ctx", "16.8"))
    assert "ctx:16.8" in json.dumps(full)
    like = bitmeter(site, here, "score", model, "text.txt", "--like", "lm-eval")
    assert "word_perplexity" in like
    # The engine sees one token back, so windows change nothing but the first token of each document.
    rolled = json.loads(bitmeter(site, here, "score", model, "text.txt", "--json", "--ctx", "32.16"))
    assert rolled["nats"] == pytest.approx(full["nats"], rel=1e-12)


def test_a_word_plug_in_is_spelled_and_compared(site: Path, here: Path) -> None:
    score = json.loads(bitmeter(site, here, "score", "unigram:train.txt", "text.txt", "--json"))
    assert "|oov:spelled|" in score["signature"]
    assert score["oov"] > 0
    # By the class alone: every word by its frequency, add one half, in the closed form.
    train = (here / "train.txt").read_bytes()
    counts = {word: 0.5 + train.split().count(word) for word in train.split()}
    total = sum(counts.values()) + 0.5 + 0.5 + len(train.splitlines())
    expected = -sum(math.log(counts.get(word, 0.5) / total) for word in TEXT.split())
    classed = json.loads(bitmeter(site, here, "score", "unigram:train.txt", "text.txt", "--json", "--oov", "class"))
    assert classed["nats"] == pytest.approx(expected, rel=1e-12)
