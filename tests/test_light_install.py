"""`pip install bitmeter` brings neither scipy nor pyarrow: the main jobs work without, the others say what to type."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

TEXT = "to be or not to be, that is the question.\n" * 30

#: Hides the packages as if they were not installed, then runs the command line.
WITHOUT = """
import sys

class Hidden:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in ("scipy", "pyarrow"):
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, Hidden())
from bitmeter.cli import main
sys.argv[0] = "bitmeter"
main()
"""


def run(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", WITHOUT, *words], cwd=folder, capture_output=True, text=True, timeout=120, check=False
    )


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "text.txt").write_text(TEXT, encoding="utf-8")
    return tmp_path


JOBS = [
    "score kt text.txt -o run.json",
    "compare kt universal --on text.txt",
    "trace kt text.txt",
    "entropy text.txt",
    "demo",
    "train text.txt --order 3 -o model.bmn",
    "compress kt text.txt -o text.bmz",
    "verify kt",
    "code text.txt",
    "models",
]


@pytest.mark.parametrize("job", JOBS, ids=lambda job: job.split()[0])
def test_the_main_jobs_need_neither(folder: Path, job: str) -> None:
    done = run(folder, *job.split())
    assert done.returncode == 0, done.stderr


def test_zstandard_reads_zst(folder: Path) -> None:
    import zstandard

    (folder / "text.zst").write_bytes(zstandard.ZstdCompressor().compress(TEXT.encode()))
    plain, packed = (run(folder, "score", "kt", name, "-q").stdout for name in ("text.txt", "text.zst"))
    assert plain == packed != ""


@pytest.mark.parametrize(
    ("job", "extra"),
    [("score kt text.txt --trace rows.parquet", "parquet"), ("score kt rows.parquet", "parquet")],
)
def test_what_needs_one_says_what_to_type(folder: Path, job: str, extra: str) -> None:
    if "--trace" not in job:
        (folder / "rows.parquet").write_bytes(b"PAR1")
    done = run(folder, *job.split())
    assert done.returncode == 1
    assert f"pip install '.[{extra}]'" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_markov_chain_names_its_extra() -> None:
    code = WITHOUT.split("from bitmeter.cli")[0] + (
        "import bitmeter as bm\nfrom bitmeter.errors import MissingPackageError\n"
        "try:\n    bm.Markov([[.9, .1], [.5, .5]]).entropy_rate\n"
        "except MissingPackageError as error:\n    print(error)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120, check=True)
    assert "pip install '.[theory]'" in done.stdout
