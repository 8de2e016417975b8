"""The plain form of `bitmeter score`, which is run without the parser: the same as by it, and little imported."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

import bitmeter as bm
from bitmeter.cli.quick import quickly

MAIN = "from bitmeter.cli import main; main()"
#: What scoring with an n-gram model from a script must not load: each takes longer than the work itself.
HEAVY = {
    "typer", "pydantic", "rich", "scipy", "pyarrow", "zstandard", "torch", "importlib.metadata", "email",
    "numpy.random", "tempfile", "unicodedata", "bitmeter.models.neural", "bitmeter.models.universal",
    "bitmeter.models.mixture", "bitmeter.models.ngram_fit", "bitmeter.text.tokenizers",
}  # fmt: skip


@pytest.fixture
def model(tmp_path: Path) -> str:
    bm.NGram(order=3).fit(b"to be or not to be\nthat is the question\n" * 3).save(tmp_path / "m.bmn")
    (tmp_path / "line.txt").write_bytes(b"to be or what\n")
    return str(tmp_path / "m.bmn")


def run(*words: str, code: str = MAIN) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-c", code, *words], capture_output=True, text=True, check=False)


@pytest.mark.parametrize("form", [[], ["-q"], ["--quiet"], ["--like", "kenlm"], ["-q", "--like", "srilm"]])
def test_the_same_as_by_the_parser(model: str, form: list[str]) -> None:
    text = str(Path(model).parent / "line.txt")
    quick = run("score", model, text, *form)
    parsed = run("score", model, text, *form, "--per", "byte")  # one word more than the quick way knows
    assert quick.returncode == parsed.returncode == 0
    assert quick.stdout == parsed.stdout
    assert quick.stderr == parsed.stderr == ""


def test_json_is_the_same_but_for_the_clock(model: str) -> None:
    text = str(Path(model).parent / "line.txt")
    quick, parsed = (json.loads(run("score", model, text, "--json", *more).stdout) for more in ([], ["--per", "byte"]))
    assert quick.pop("seconds") > 0
    assert parsed.pop("seconds") > 0
    assert quick == parsed


def test_what_is_not_needed_is_not_imported(model: str) -> None:
    told = f"finally:\n    import sys\n    print(*sorted({HEAVY!r} & set(sys.modules)))"
    code = f"from bitmeter.cli import main\ntry:\n    main()\n{told}"
    done = run("score", model, str(Path(model).parent / "line.txt"), "-q", code=code)
    number, *heavy = done.stdout.split()
    assert float(number) > 0
    assert heavy == []


@pytest.mark.parametrize(
    "words",
    [
        [],
        ["score"],
        ["score", "MODEL"],
        ["score", "MODEL", "TEXT", "TEXT"],
        ["score", "MODEL", "TEXT", "-q", "--json"],
        ["score", "MODEL", "TEXT", "--like"],
        ["score", "MODEL", "TEXT", "--like", "nobody"],
        ["score", "MODEL", "nothing.txt"],
        ["score", "uniform", "TEXT"],
        ["score", "MODEL", "TEXT", "--unknown"],
        ["trace", "MODEL", "TEXT"],
    ],
)
def test_everything_else_is_left_to_the_parser(
    model: str, words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    names = {"MODEL": model, "TEXT": str(Path(model).parent / "line.txt")}
    assert not quickly([names.get(word, word) for word in words])
    assert capsys.readouterr().out == ""


def test_a_damaged_model_is_told_in_one_line(model: str) -> None:
    Path(model).write_bytes(b"nothing")
    done = run("score", model, str(Path(model).parent / "line.txt"))
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("error: ")
    assert len(done.stderr.splitlines()) == 1
