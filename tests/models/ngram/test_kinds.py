"""N-gram models are known by what they hold: other tools' users name them .lm, .binary, .gz, or anything."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

import bitmeter as bm
from bitmeter.cli import _run
from bitmeter.models.ngram.kinds import NGRAM_MAGIC, begins_as_kenlm, holds_ngrams
from bitmeter.models.registry import names_model

TEXT = b"to be or not to be\nthat is the question\n"
#: The first bytes of what build_binary (KenLM 0.3.0) and ngram -write-bin-lm (SRILM 1.7) write.
KENLM = b"mmap lm http://kheafield.com/code format version 5\n\0" + bytes(200)
SRILM = b"SRILM_BINARY_NGRAM_002\n" + bytes(200)


@pytest.fixture
def model() -> bm.NGram:
    return bm.NGram(order=2).fit(TEXT)


@pytest.mark.parametrize("name", ["model.lm", "3gram", "model.txt", "model.gz"])
def test_arpa_under_any_name(name: str, model: bm.NGram, tmp_path: Path) -> None:
    model.save(tmp_path / "model.arpa")
    content = (tmp_path / "model.arpa").read_bytes()
    path = tmp_path / name
    path.write_bytes(gzip.compress(content) if name.endswith(".gz") else content)
    found = bm.load(str(path))
    assert found.counts == model.counts
    assert found.logprob("to be") == bm.load(str(tmp_path / "model.arpa")).logprob("to be")
    assert bm.load(f"ngram:{path}").counts == model.counts


def test_our_own_file_under_another_name(model: bm.NGram, tmp_path: Path) -> None:
    for form in (model, model.compact()):
        form.save(tmp_path / "model.bmn", force=True)
        path = (tmp_path / "model.bmn").rename(tmp_path / "model.bin")
        assert bm.load(str(path)).counts == model.counts
    model.save(tmp_path / "model.bmn")
    assert (tmp_path / "model.bmn").read_bytes().startswith(NGRAM_MAGIC)


@pytest.mark.parametrize(("head", "program"), [(SRILM, "SRILM"), (b"Qblmt 3 1\n", "IRSTLM")])
@pytest.mark.parametrize("name", ["model.binary", "model.arpa"])
def test_a_binary_of_another_program_is_named(head: bytes, program: str, name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_bytes(head)
    with pytest.raises(bm.errors.FileFormatError, match=f"a binary of {program}.*ARPA file"):
        bm.load(str(path))


def test_score_does_not_take_a_model_for_a_text(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    # It gave a table: so many bits for the binary by the universal model, and so many for the text.
    (tmp_path / "lm.binary").write_bytes(KENLM)
    (tmp_path / "text").write_bytes(TEXT)
    assert _run(["score", str(tmp_path / "lm.binary"), str(tmp_path / "text")]) == 1
    said = capsys.readouterr()
    assert said.out == ""
    assert "is not a sound n-gram model" in said.err


def test_a_binary_of_kenlm_under_any_name(tmp_path: Path) -> None:
    made = (Path(__file__).parents[2] / "parity" / "kenlm" / "trie.bin").read_bytes()
    for name in ("en.arpa.bin", "model.arpa", "lm", "model.bmn"):
        (tmp_path / name).write_bytes(made)
        assert bm.load(str(tmp_path / name)).order == 4
        assert begins_as_kenlm(str(tmp_path / name))
    assert not begins_as_kenlm(str(tmp_path / "nothing"))


def test_texts_are_texts(tmp_path: Path) -> None:
    for content in (b"", TEXT, b"the line \\data\\ stands\nin ARPA files\n", b"\xff\x00", gzip.compress(TEXT)):
        path = tmp_path / "text"
        path.write_bytes(content)
        assert not holds_ngrams(str(path))
        assert not names_model(str(path))
    path = tmp_path / "broken.gz"
    path.write_bytes(b"no gzip at all")
    assert not holds_ngrams(str(path))
    assert not holds_ngrams(str(tmp_path))
    assert not holds_ngrams("-")
