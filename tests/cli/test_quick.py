"""The plain form of `bitmeter score`, which is run without the parser: the same as by it, and little imported."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

import bitmeter as bm
from bitmeter.cli.quick import bits_per_byte, quickly

MAIN = "from bitmeter.cli import main; main()"
#: What scoring with an n-gram model from a script must not load: each takes longer than the work itself.
HEAVY = {
    "typer", "pydantic", "rich", "scipy", "pyarrow", "zstandard", "torch", "importlib.metadata", "email",
    "numpy.random", "tempfile", "unicodedata", "bitmeter.models.causal.trained.model",
    "bitmeter.models.universal.model", "bitmeter.models.mixture.model", "bitmeter.models.ngram.estimate.fit",
    "bitmeter.text.units.tokenizers",
}  # fmt: skip


@pytest.fixture
def model(tmp_path: Path) -> str:
    bm.NGram(order=3).fit(b"to be or not to be\nthat is the question\n" * 3).save(tmp_path / "m.bmn")
    (tmp_path / "line.txt").write_bytes(b"to be or what\n")
    return str(tmp_path / "m.bmn")


def run(*words: str, code: str = MAIN) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-c", code, *words], capture_output=True, text=True, check=False)


@pytest.mark.parametrize("form", [[], ["-q"], ["--quiet"], ["--like", "kenlm"], ["-q", "--like", "lm-eval"]])
def test_the_same_as_by_the_parser(model: str, form: list[str]) -> None:
    text = str(Path(model).parent / "line.txt")
    quick = run("score", model, text, *form)
    parsed = run("score", model, text, *form, "--per", "byte")  # one word more than the quick way knows
    assert quick.returncode == parsed.returncode == 0
    assert quick.stdout == parsed.stdout
    assert quick.stderr == parsed.stderr == ""


def test_what_has_no_bits_per_byte_is_refused_either_way(model: str) -> None:
    text = str(Path(model).parent / "line.txt")
    quick, parsed = (run("score", model, text, "-q", "--like", "kenlm", *more) for more in ([], ["--per", "byte"]))
    assert quick.returncode == parsed.returncode == 1
    assert quick.stderr == parsed.stderr
    assert "has no bits per byte" in quick.stderr


def test_json_is_the_same_but_for_the_clock(model: str) -> None:
    text = str(Path(model).parent / "line.txt")
    quick, parsed = (json.loads(run("score", model, text, "--json", *more).stdout) for more in ([], ["--per", "byte"]))
    assert quick.pop("seconds") > 0
    assert parsed.pop("seconds") > 0
    assert quick == parsed


def test_what_is_not_needed_is_not_imported(model: str) -> None:
    ending = f"finally:\n    import sys\n    print(*sorted({HEAVY!r} & set(sys.modules)))"
    code = f"from bitmeter.cli import main\ntry:\n    main()\n{ending}"
    done = run("score", model, str(Path(model).parent / "line.txt"), "-q", code=code)
    number, *heavy = done.stdout.split()
    assert float(number) > 0
    assert heavy == []


def test_a_figure_alone_needs_no_numpy(model: str) -> None:
    code = f"{MAIN.replace('main()', '')}\ntry:\n    main()\nfinally:\n    import sys\n    print(*sys.modules)"
    done = run("score", model, str(Path(model).parent / "line.txt"), "-q", code=code)
    number, *modules = done.stdout.split()
    assert float(number) > 0
    assert not {"numpy", "typing", "re", "dataclasses", "json", "pathlib", "bitmeter.models.registry"} & set(modules)


TEXTS = (
    b"to be or what\n", b"to be", b" \n", b"\n\n\n", b"or\r\nnot\r\n", b"\xef\xbb\xbfto be\n", b"to \0 be\n",
    b"\xff\xfe", b"a b c d e f g\n" * 40, "das ist ja wunderschön\n".encode(), b"<s> to </s> <unk>\n",
    bytes(range(256)), b"to be " * 40_000,
)  # fmt: skip


@pytest.mark.parametrize("compact", [False, True])
@pytest.mark.parametrize("text", TEXTS)
def test_a_figure_alone_is_the_same_to_the_last_bit(model: str, text: bytes, compact: bool, tmp_path: Path) -> None:
    (tmp_path / "text").write_bytes(text)
    if compact:
        bm.NGram.load(model).compact().save(tmp_path / "small.bmn")
        model = str(tmp_path / "small.bmn")
    assert bits_per_byte(model, str(tmp_path / "text")) == bm.score(model, tmp_path / "text").per()


def test_a_figure_alone_is_not_given_where_there_is_more_to_say(model: str, tmp_path: Path) -> None:
    line = Path(model).parent / "line.txt"
    plain = bm.NGram(order=2).fit(b"to be or not to be\n")
    plain.save(tmp_path / "m.arpa")
    bm.NGram.load(tmp_path / "m.arpa").save(tmp_path / "unspelled.bmn")
    bm.NGram(order=2, smoothing="stupid-backoff").fit(b"to be or not to be\n").save(tmp_path / "scores.bmn")
    bm.NGram(order=2, units="bytes").fit(b"to be or not to be\n").save(tmp_path / "bytes.bmn")
    bm.NGram(order=2, units="characters").fit(b"to be or not to be\n").save(tmp_path / "characters.bmn")
    whole = Path(model).read_bytes()
    (tmp_path / "cut.bmn").write_bytes(whole[:-40])
    (tmp_path / "other.bmn").write_bytes(b"something else")
    for name in ("unspelled", "scores", "bytes", "characters", "cut", "other", "absent"):
        assert bits_per_byte(str(tmp_path / f"{name}.bmn"), str(line)) is None, name
    for name in ("text.jsonl", "text.gz", "text[1].txt"):
        (tmp_path / name).write_bytes(b"to be\n")
        assert bits_per_byte(model, str(tmp_path / name)) is None, name
    for data in (b"", b"to be " * 50_000):
        (tmp_path / "text").write_bytes(data)
        assert bits_per_byte(model, str(tmp_path / "text")) is None


@pytest.mark.parametrize(
    "words",
    [
        [],
        ["score"],
        ["score", "MODEL"],
        ["score", "MODEL", "TEXT", "TEXT"],
        ["score", "MODEL", "TEXT", "-q", "--json"],
        ["score", "MODEL", "TEXT", "--like"],
        ["score", "MODEL", "TEXT", "--like", "nothing"],
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


def test_a_damaged_model_is_reported_in_one_line(model: str) -> None:
    Path(model).write_bytes(b"nothing")
    done = run("score", model, str(Path(model).parent / "line.txt"))
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("error: ")
    assert len(done.stderr.splitlines()) == 1
