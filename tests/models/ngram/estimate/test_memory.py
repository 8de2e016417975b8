"""Estimation within a memory allowance: the same model to the bit, clear errors, nothing left behind."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bitmeter as bm
from bitmeter import errors
from bitmeter._util.progress import Step
from bitmeter.models.ngram.estimate.fit import Settings, estimate
from bitmeter.models.ngram.estimate.memory import LEAST_MEMORY, SHARE, Allowance, amount, free_memory
from bitmeter.models.ngram.estimate.smoothing import Smoothing
from tests.models.made_up import made_up_text

words = st.sampled_from(["a", "b", "c", "dd", "e" * 40])
sentences = st.lists(st.lists(words, max_size=9).map(" ".join), min_size=1, max_size=25)


def fitted(
    text: bytes, order: int, *, smoothing: str = "modified-kneser-ney", prune: tuple[int, ...] = (), threads: int = 1,
    most_keys: int = 0,
) -> bytes:  # fmt: skip
    """The fingerprint of a model, sorted in runs of so many n-grams (0: all at once) on the disk."""
    chosen = Settings(
        order, Smoothing.of(smoothing), prune, unk_word=False, threads=threads, allowance=Allowance.of("64M", None),
        most_keys=most_keys,
    )  # fmt: skip
    model = estimate(text, chosen, docs=None, heldout=None, field=None, progress=None)
    return model.fingerprint().to_bytes(8, "big") + model.metadata


@settings(deadline=None, max_examples=60)
@given(sentences, st.integers(1, 6), st.integers(1, 40), st.sampled_from([1, 2]))
def test_runs_on_disk_give_the_same_model(lines: list[str], order: int, most_keys: int, threads: int) -> None:
    text = ("\n".join(lines) + "\n").encode()
    assert fitted(text, order, threads=threads, most_keys=most_keys) == fitted(text, order)


@pytest.mark.parametrize(
    ("smoothing", "prune"),
    [
        ("modified-kneser-ney", (0, 0, 1)),
        ("katz", ()),
        ("witten-bell", ()),
        ("jelinek-mercer", ()),
        ("absolute", (0, 1)),
    ],
)
def test_every_smoothing_on_disk(smoothing: str, prune: tuple[int, ...]) -> None:
    text = made_up_text(600, 60).encode()
    prune += (prune[-1],) * (3 - len(prune)) if prune else ()
    plain = fitted(text, 3, smoothing=smoothing, prune=prune)
    assert fitted(text, 3, smoothing=smoothing, prune=prune, threads=2, most_keys=300) == plain


def test_many_runs_of_a_longer_text() -> None:
    text = made_up_text(4000, 300).encode()
    assert fitted(text, 5, most_keys=37, threads=2) == fitted(text, 5, threads=2)
    # One sentence of all words, longer than any run; and one n-gram alone, which every run has.
    assert fitted(text.replace(b"\n", b" "), 4, most_keys=1000) == fitted(text.replace(b"\n", b" "), 4)
    assert fitted(b"a " * 5000, 6, most_keys=100) == fitted(b"a " * 5000, 6)


def test_words_are_numbered_alike_by_any_number_of_threads(tmp_path: Path) -> None:
    text = made_up_text(60_000, 5000).encode()
    path = tmp_path / "text"
    path.write_bytes(text)
    assert len({bm.NGram(order=2, threads=n).fit(path).fingerprint for n in (1, 2, 3)}) == 1


def test_an_allowance_is_read_as_people_write_it() -> None:
    sizes = {
        "64M": 64 << 20,
        "1.5G": 3 << 29,
        "2gb": 2 << 30,
        "100 MiB": 100 << 20,
        "70000K": 70000 << 10,
        "1T": 1 << 40,
    }
    for text, size in sizes.items():
        assert Allowance.of(text, None).memory == size
    assert Allowance.of(1 << 30, None).memory == 1 << 30
    assert Allowance.of("50%", None).memory == pytest.approx(0.5 * free_memory(), rel=0.2)
    assert Allowance.of(None, None).memory == pytest.approx(SHARE * free_memory(), rel=0.2)
    assert amount(1536) == "1.5 KB"
    assert amount(3 << 30) == "3 GB"


@pytest.mark.parametrize(
    "memory", ["", "4", "much", "-1G", "0%", "101%", "1X", 5, LEAST_MEMORY - 1, -1, 2.5, "nan", True]
)
def test_other_allowances_are_errors(memory: object) -> None:
    with pytest.raises((errors.InputError, errors.InputTypeError), match="memory"):
        bm.NGram(order=2).fit(b"a b\n", memory=memory)  # type: ignore[arg-type]


def test_the_folder_of_temporary_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(errors.InputError, match="is not a folder"):
        bm.NGram(order=2).fit(b"a b\n", temp=tmp_path / "absent")
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    assert Allowance.of("1G", "/").folder == "/"
    bm.NGram(order=2).fit(b"a b\n", memory="1G", temp=tmp_path)


def test_a_vocabulary_that_is_too_large_says_what_to_type(tmp_path: Path) -> None:
    # 1.3 million words of 40 bytes: with their table more than 64 MB.
    path = tmp_path / "words.txt"
    with path.open("w") as file:
        for i in range(0, 1_300_000, 10):
            file.write(" ".join(f"{i + j:040d}" for j in range(10)) + "\n")
    with pytest.raises(errors.InputError, match=r"vocabulary of [\d,]+ words.*say memory='(\d+)M'"):
        bm.NGram(order=2).fit(path, memory="64M")


def test_a_full_disk_is_an_error_that_tells_what_to_do() -> None:
    # A limit on the size of files stands for a disk that is full.
    program = (
        "import resource, signal, bitmeter as bm\n"
        "from bitmeter.models.ngram.estimate.fit import Settings, estimate\n"
        "from bitmeter.models.ngram.estimate.memory import Allowance\n"
        "from bitmeter.models.ngram.estimate.smoothing import Smoothing\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))\n"
        "smoothing, allowance = Smoothing.of('modified-kneser-ney'), Allowance.of('64M', None)\n"
        "settings = Settings(3, smoothing, (), unk_word=False, threads=1, allowance=allowance, most_keys=1000)\n"
        "try: estimate(b'a b c d e f\\n' * 5000, settings, docs=None, heldout=None, field=None, progress=None)\n"
        "except bm.errors.InputError as error: print(error)\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert "cannot be written" in done.stdout, done.stderr
    assert "--temp" in done.stdout


def test_memory_stays_within_the_allowance(tmp_path: Path) -> None:
    path = tmp_path / "text"
    path.write_bytes(made_up_text(250_000, 60_000).encode())
    program = (
        "import sys, bitmeter as bm\n"
        "def peak(): return int(next(l for l in open('/proc/self/status') if 'VmHWM' in l).split()[1]) << 10\n"
        "bm.NGram(order=2).fit(b'a b')\n"  # what is loaded on the way is not the model's
        "before = peak()\n"
        "model = bm.NGram(order=5).fit(sys.argv[1], memory=sys.argv[2])\n"
        "print(peak() - before, model.fingerprint)\n"
    )

    def run(memory: str) -> tuple[int, str]:
        done = subprocess.run(
            [sys.executable, "-c", program, str(path), memory], capture_output=True, text=True, check=True
        )
        used, fingerprint = done.stdout.split()
        return int(used), fingerprint

    free, limited = run("8G"), run("64M")
    assert limited[1] == free[1]
    assert free[0] > 100 << 20
    assert limited[0] < 72 << 20


def test_progress_moves_and_an_exception_in_it_stops_the_work() -> None:
    reported: list[Step] = []
    bm.NGram(order=4).fit(made_up_text(20_000, 500).encode(), progress=reported.append)
    stages = list(dict.fromkeys(step.stage for step in reported))
    expected = ["reading", "sorting", "counting", "adjusting", "estimating", "finishing"]
    assert [stage.split()[0] for stage in stages] == expected
    for stage in stages:
        shares = [step.done for step in reported if step.stage == stage]
        assert shares == sorted(shares)
        assert 0.0 <= shares[0] <= shares[-1] <= 1.0

    def stop(step: Step) -> None:
        if step.stage.startswith("adjusting"):
            raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        bm.NGram(order=4).fit(b"a b\n", progress=stop)
