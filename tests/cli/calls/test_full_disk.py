"""A disk that is full: one line that says so, and no file half written. A limit on the size of files stands for it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import bitmeter as bm

LIMITED = """
import resource, signal, sys
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (2000, 2000))
from bitmeter.cli import main
main(sys.argv[1:])
"""


def run(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", LIMITED, *words], capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False
    )


@pytest.fixture(scope="module")
def here(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("disk")
    # Random bytes, which no model makes smaller.
    (folder / "text").write_bytes(os.urandom(20_000))
    bm.compress("uniform", folder / "text", folder / "text.bmz")
    bm.NGram(order=2).fit(b"to be or not to be\n").save(folder / "model.bmn")
    return folder


@pytest.mark.parametrize(
    "words",
    [
        ["compress", "uniform", "text", "-o", "OUT"],
        ["compress", "model.bmn", "text", "-o", "OUT"],
        ["decompress", "text.bmz", "-o", "OUT"],
        ["trace", "uniform", "text", "-o", "OUT"],
        ["score", "uniform", "text", "--trace", "OUT"],
        ["score", "uniform", "text", "--docs", "line", "-o", "OUT"],
        ["train", "text", "-o", "OUT.bmn"],
        ["train", "text", "-o", "OUT.arpa"],
        ["train", "text", "-o", "OUT.arpa.gz"],
        ["convert", "model.bmn", "OUT.bmn"],
    ],
    ids=" ".join,
)
def test_a_full_disk_is_one_line(words: list[str], here: Path) -> None:
    before = sorted(os.listdir(here))
    places = [str(here / word) if word in before or word.startswith("OUT") else word for word in words]
    done = run(*places)
    out = next(place for place in places if "OUT" in place)
    assert done.stderr == f"error: {out} cannot be written: File too large\n"
    assert done.returncode == 1
    assert sorted(os.listdir(here)) == before


def test_a_full_disk_behind_standard_output_is_one_line(here: Path) -> None:
    for words in (["trace", "uniform", "text", "--all"], ["sample", "model.bmn", "-n", "1000"]):
        places = [str(here / word) if (here / word).exists() else word for word in words]
        with (here / "said").open("w") as said:
            done = subprocess.run(
                [sys.executable, "-c", LIMITED, *places], stdout=said, stderr=subprocess.PIPE, text=True, check=False
            )
        assert done.stderr == "error: the output cannot be written: File too large\n"
        assert done.returncode == 1
