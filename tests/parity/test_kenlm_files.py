"""Binaries of KenLM, scored in place, against what KenLM itself says of the same text; see kenlm/README.md."""

from __future__ import annotations

import contextlib
import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import bitmeter as bm
from bitmeter import _core
from bitmeter.cli import _run
from bitmeter.errors import BitmeterError, FileFormatError, ModelError
from bitmeter.measure.conventions.registry import convention

FOLDER = Path(__file__).parent / "kenlm"
RECORDED = json.loads((FOLDER / "figures.json").read_text(encoding="utf-8"))
LINES: list[str] = RECORDED["lines"]
BINARIES = sorted(path.stem for path in FOLDER.glob("*.bin"))
WITH_WORDS = [name for name in BINARIES if not name.endswith("nowords")]
#: Lines without the names that our own units never find in a text.
PLAIN = [i for i, line in enumerate(LINES) if "<" not in line]


def tokens(name: str, lines: list[int]) -> list[tuple[float, int, bool]]:
    return [tuple(row) for i in lines for row in RECORDED["models"][name][i][0]]


def text(lines: list[int]) -> bytes:
    return "".join(LINES[i].replace("\r", "") + "\n" for i in lines).encode()


@pytest.mark.parametrize("name", BINARIES)
def test_each_token_costs_what_kenlm_says(name: str) -> None:
    model = bm.NGram.load(FOLDER / f"{name}.bin")
    scored = model.score(text(PLAIN))
    expected = tokens(name, PLAIN)
    # KenLM adds in single precision, which shows beside its -100 for a missing <unk>.
    np.testing.assert_allclose(scored.logprobs / math.log(10), [p for p, _, _ in expected], atol=1e-6, rtol=6e-8)
    assert (scored.ids < 0).tolist() == [unknown for _, _, unknown in expected]


@pytest.mark.parametrize("name", BINARIES)
def test_all_ways_through_a_text_agree(name: str) -> None:
    model = bm.NGram.load(FOLDER / f"{name}.bin").with_oov("class")
    data = text(PLAIN) * 40
    whole = model.score(data)
    by_ids = model.logprobs(whole.ids, whole.bounds)
    np.testing.assert_array_equal(by_ids, whole.logprobs)
    model.threads = 1
    np.testing.assert_array_equal(model.score(data).logprobs, whole.logprobs)
    sums = np.add.reduceat(whole.logprobs, whole.bounds[:-1])
    each = [model.logprob(line) for line in data.split(b"\n")[:-1]]
    np.testing.assert_allclose(each, sums, rtol=1e-12)
    row = model.predict(whole.ids[:3])
    assert row[max(whole.ids[3], 0)] == pytest.approx(whole.logprobs[3], abs=1e-12)
    assert row[1] == -math.inf
    if "quant" not in name and "gaps" not in name:
        assert np.exp(row).sum() == pytest.approx(1.0, abs=1e-5)  # lmplz computes in single precision


@pytest.mark.parametrize("name", BINARIES)
def test_the_convention_of_kenlm_is_kenlm_s_own_figure(name: str) -> None:
    score = bm.score(FOLDER / f"{name}.bin", text(PLAIN), like="kenlm")
    expected = tokens(name, PLAIN)
    total = math.fsum(p for p, _, _ in expected)
    figures = convention("kenlm").figures(score)
    assert figures["Tokens"] == len(expected)
    assert figures["OOVs"] == sum(unknown for _, _, unknown in expected)
    assert figures["Perplexity including OOVs"] == pytest.approx(10 ** (-total / len(expected)), rel=1e-6)
    assert score.signature.oov == "class"
    assert f"ngram:{name}.bin" in score.model


def test_the_model_says_what_it_is() -> None:
    model = bm.NGram.load(FOLDER / "quant-array.bin")
    assert (model.order, model.counts[0], model.of_words) == (4, 81, True)
    assert model.traits.oov == ("class",)
    assert "quantised" in model.traits.caveats[0]
    assert bm.NGram.load(FOLDER / "trie.bin").traits.caveats == ()
    assert model.fingerprint != bm.NGram.load(FOLDER / "quant.bin").fingerprint
    assert model.fingerprint == bm.NGram.load(FOLDER / "quant-array.bin").fingerprint
    assert model.word_id("be") > 2 > model.word_id("zebra")
    model.verify()
    with pytest.raises(ModelError, match=r"bitmeter convert MODEL new\.bmn --spelling TEXT"):
        model.with_oov("spelled")
    with pytest.raises(ModelError, match=r"for states use bitmeter\.kenlm"):
        model.begin()


@pytest.mark.parametrize("name", WITH_WORDS)
@pytest.mark.parametrize("target", ["new.bmn", "new.arpa", "small.bmn"])
def test_conversion_changes_no_figure(name: str, target: str, tmp_path: Path) -> None:
    """Tries hold the words of their n-grams; of a small hash table they can all be found."""
    source = FOLDER / f"{name}.bin"
    done = bm.convert(source, tmp_path / target, compact=target.startswith("small"), bits=14, heldout=text(PLAIN))
    before, after = bm.NGram.load(source), bm.NGram.load(tmp_path / target)
    assert done.form == {"new.bmn": "fast", "new.arpa": "ARPA", "small.bmn": "compact"}[target]
    filled = (7, 4) if name == "gaps-probing" else before.counts[1:]  # its head does not count what KenLM put in
    assert after.counts[1:] == filled
    a, b = before.score(text(PLAIN)).logprobs, after.score(text(PLAIN)).logprobs
    if "gaps" in name:  # KenLM's -100 for a missing <unk> is no probability in ARPA, nor in ours
        assert (b[a < -200] == -math.inf).all()
        a, b = a[a > -200], b[a > -200]
    np.testing.assert_allclose(b, a, atol=1e-6 if target != "small.bmn" else 2e-3)


def test_the_arpa_of_a_trie_is_that_it_came_from(tmp_path: Path) -> None:
    bm.convert(FOLDER / "trie.bin", tmp_path / "back.arpa")
    bm.convert(FOLDER / "tiny.arpa", tmp_path / "same.arpa")
    back, same = ((tmp_path / name).read_text().splitlines() for name in ("back.arpa", "same.arpa"))
    assert sorted(back) == sorted(same)


def test_what_a_file_does_not_hold_is_said() -> None:
    for name in ("probing-nowords", "trie-nowords"):
        model = bm.NGram.load(FOLDER / f"{name}.bin")
        with pytest.raises(ModelError, match="does not list its words"):
            model.fast()
    table = _core.KenlmModel.open(str(FOLDER / "probing.bin"))
    with pytest.raises(_core.NgramUnableError, match="trials"):
        table.expanded(1, 100)


def test_a_kenlm_model_can_learn_to_spell(tmp_path: Path) -> None:
    done = bm.convert(FOLDER / "trie.bin", tmp_path / "new.bmn", spelling=text(PLAIN))
    assert done.form == "fast"
    score = bm.score(tmp_path / "new.bmn", text(PLAIN))
    assert score.signature.oov == "spelled"
    assert score.bits_per_byte > 0


def test_models_travel_to_other_processes() -> None:
    import pickle

    model = bm.NGram.load(FOLDER / "probing.bin").with_oov("class")
    back = pickle.loads(pickle.dumps(model))
    assert back.fingerprint == model.fingerprint
    assert back.logprob("to be") == model.logprob("to be")


def test_the_command_line_takes_them(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "text.txt").write_bytes(text(PLAIN))
    (tmp_path / "en.arpa.bin").write_bytes((FOLDER / "probing.bin").read_bytes())
    assert _run(["score", str(tmp_path / "en.arpa.bin"), str(tmp_path / "text.txt"), "--like", "kenlm"]) == 0
    expected = tokens("probing", PLAIN)
    perplexity = 10 ** (-math.fsum(p for p, _, _ in expected) / len(expected))
    assert f"{perplexity:.4g}" in capsys.readouterr().out
    assert _run(["convert", str(tmp_path / "en.arpa.bin"), str(tmp_path / "en.bmn")]) == 0
    assert "order 4, 81 + 126 + 121 + 108 n-grams, fast form" in " ".join(capsys.readouterr().out.split())
    assert _run(["verify", str(tmp_path / "en.arpa.bin"), str(tmp_path / "text.txt")]) in (0, 1)
    assert "Traceback" not in capsys.readouterr().err
    (tmp_path / "plain.bin").write_bytes((FOLDER / "probing-nowords.bin").read_bytes())
    assert _run(["convert", str(tmp_path / "plain.bin"), str(tmp_path / "new.bmn")]) == 1
    assert "does not list its words" in " ".join(capsys.readouterr().err.split())
    assert not (tmp_path / "new.bmn").exists()


def open_all(data: bytes, path: Path) -> Any:
    """All that can be done with a file, with errors of ours alone."""
    path.write_bytes(data)
    model = bm.NGram.load(path).with_oov("class")
    scored = model.score(text(PLAIN))
    assert not np.isnan(scored.logprobs).any()
    model.verify()
    model.predict(np.array([3, 4]))
    return model.fast()


@pytest.mark.parametrize("name", BINARIES)
def test_cut_files_are_refused(name: str, tmp_path: Path) -> None:
    data = (FOLDER / f"{name}.bin").read_bytes()
    end = len(data) - (0 if "nowords" in name else 1)  # the last NUL
    for size in [*range(33, 260), *range(260, end, 97)]:
        with pytest.raises(FileFormatError):
            open_all(data[:size], tmp_path / "cut.bin")


@pytest.mark.parametrize("name", BINARIES)
def test_damaged_files_give_typed_errors(name: str, tmp_path: Path) -> None:
    data = (FOLDER / f"{name}.bin").read_bytes()
    random = np.random.default_rng(5)
    for _ in range(150):
        bad = bytearray(data)
        for _ in range(int(random.integers(1, 4))):
            bad[int(random.integers(33, len(bad)))] = int(
                random.choice([0, 1, 127, 128, 255, int(random.integers(256))])
            )
        with contextlib.suppress(BitmeterError):  # and nothing else
            open_all(bytes(bad), tmp_path / "bad.bin")


@pytest.mark.parametrize(
    ("at", "value", "said"),
    [
        (49, b"4", "another version"),
        (56, b"\1", "another machine"),
        (88, b"\1", "order"),
        (88, b"\x20", "order"),
        (92, b"\0\0\0\0", "size"),
        (96, b"\7", "number 7"),
        (104, b"\7", "another version"),
        (108, b"\0\0\0\0\0\0\0\0", "no words"),
        (116, b"\xff\xff\xff\xff\0", "more bytes"),
        (116, b"\xff\xff\xff\xff\xff\xff\xff\xff", "more n-grams"),
    ],
)
def test_the_head_is_checked(at: int, value: bytes, said: str, tmp_path: Path) -> None:
    data = bytearray((FOLDER / "probing.bin").read_bytes())
    data[at : at + len(value)] = value
    (tmp_path / "bad.bin").write_bytes(data)
    with pytest.raises(FileFormatError, match=said):
        bm.NGram.load(tmp_path / "bad.bin")


def test_a_file_that_kenlm_did_not_finish_is_named_so(tmp_path: Path) -> None:
    (tmp_path / "bad.bin").write_bytes(b"mmap lm http://kheafield.com/code incomplete\n" + bytes(200))
    with pytest.raises(FileFormatError, match="did not finish"):
        bm.NGram.load(tmp_path / "bad.bin")


def test_figures_that_are_no_numbers_are_refused(tmp_path: Path) -> None:
    data = (FOLDER / "gaps-probing.bin").read_bytes()
    at = data.index(np.array([-0.5], "<f4").tobytes(), 150)  # the back-off of "two", behind the head
    bad = data[:at] + np.array([math.nan], "<f4").tobytes() + data[at + 4 :]
    (tmp_path / "bad.bin").write_bytes(bad)
    model = bm.NGram.load(tmp_path / "bad.bin")
    with pytest.raises(FileFormatError, match="not a number"):
        model.score(b"two one\n")
    with pytest.raises(FileFormatError, match="not a number"):
        model.verify()
