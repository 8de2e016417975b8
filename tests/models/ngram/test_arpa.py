"""ARPA files, both ways and in other dialects."""

from __future__ import annotations

import gzip
import math
import random
from pathlib import Path

import numpy as np
import pytest

import bitmeter as bm
from bitmeter import errors
from tests.models.made_up import made_up_text

TEXT = made_up_text(400, 30)
MODEL = bm.NGram(order=3).fit(TEXT.encode())


@pytest.mark.parametrize("name", ["m.arpa", "m.arpa.gz", "m.arpa.zst"])
def test_arpa_there_and_back(tmp_path: Path, name: str) -> None:
    MODEL.save(tmp_path / name)
    again = bm.load(str(tmp_path / name))
    again.verify()
    assert again.counts == MODEL.counts
    ids, bounds = np.array([3, 4, 5, 9, 2]), np.array([0, 5])
    assert again.logprobs(ids, bounds).tolist() == MODEL.logprobs(ids, bounds).tolist()


def test_errors_in_arpa_name_the_line(tmp_path: Path) -> None:
    path = tmp_path / "bad.arpa"
    path.write_text("\\data\\\nngram 1=2\n\n\\1-grams:\n-1\ta\n0.5\tb\n\n\\end\\\n")
    with pytest.raises(errors.FileFormatError, match=r"bad\.arpa, line 6: the log-probability 0\.5 is above 0"):
        bm.NGram.load(path)
    (tmp_path / "cut.arpa.gz").write_bytes(gzip.compress(b"\\data\\\nngram 1=2\n")[:-4])
    with pytest.raises(errors.BitmeterError, match="truncated"):
        bm.NGram.load(tmp_path / "cut.arpa.gz")


def test_srilm_s_dialect(tmp_path: Path) -> None:
    path = tmp_path / "srilm.arpa"
    path.write_text("\n\\data\\\nngram 1=3\nngram 2=1\n\n\\1-grams:\n-0.3\t</s>\n-99\t<s>\t-0.2\n-0.3\ta\t-0.1\n\n"
                    "\\2-grams:\n-0.05\t<s> a\n\n\\end\\\n")  # fmt: skip
    model = bm.NGram.load(path)
    score = bm.score(model, b"a\n", like="kenlm")
    assert score.nats == pytest.approx((0.05 + 0.1 + 0.3) * math.log(10), rel=1e-6)
    assert bm.score(model, b"b\n", docs="line", oov="class").nats == math.inf  # it has no <unk>


HEAD = b"\\data\\\nngram 1=3\nngram 2=1\n\n\\1-grams:\n-0.3\t</s>\n-99\t<s>\t-0.2\n"


def test_an_error_quotes_bytes_that_are_not_utf8(tmp_path: Path) -> None:
    path = tmp_path / "bad.arpa"
    for line, where in ((b"-0.\xff3\ta\n", 8), (b"-0.3\ta\n\n\\2-grams:\n-0.05\t<s> \xe9t\xe9\n", 11)):
        path.write_bytes(HEAD + line)
        with pytest.raises(errors.FileFormatError, match=rf"bad\.arpa, line {where}: .*\\x(ff|e9)") as caught:
            bm.NGram.load(path)
        assert caught.value.index == where
    long = "\u00e9".encode() * 30  # quoted up to the middle of a character
    path.write_bytes(HEAD + b"-0.3 a\n\n\\2-grams:\n-0.05 <s> x" + long + b"\n")
    with pytest.raises(errors.FileFormatError, match=r"line 11: the word 'x\u00e9+'"):
        bm.NGram.load(path)


def test_words_are_bytes_of_any_encoding(tmp_path: Path) -> None:
    """Latin-1 here: the words of a text in the same encoding are known."""
    path = tmp_path / "latin.arpa"
    path.write_bytes(HEAD + b"-0.3\t\xe9t\xe9\t-0.1\n\n\\2-grams:\n-0.05\t<s> \xe9t\xe9\n\n\\end\\\n")
    model = bm.NGram.load(path)
    assert model.logprob(b"\xe9t\xe9") == pytest.approx(-(0.05 + 0.1 + 0.3) * math.log(10), rel=1e-6)
    model.save(tmp_path / "again.arpa")
    assert b"<s> \xe9t\xe9" in (tmp_path / "again.arpa").read_bytes()


def test_changed_bytes_are_typed_errors_or_a_model(tmp_path: Path) -> None:
    """Only errors of the tree, whatever byte comes where; hundreds of cases out of all."""
    MODEL.prune(1e-3).save(tmp_path / "good.arpa")
    good, path, draw = (tmp_path / "good.arpa").read_bytes(), tmp_path / "bad.arpa", random.Random(1)
    refused = 0
    for _ in range(400):
        bad = bytearray(good)
        for _ in range(draw.choice((1, 1, 8))):
            bad[draw.randrange(len(bad))] = draw.choice(b"\x00\xff\xc3\n\t -.0e\\")
        path.write_bytes(bad)
        try:
            bm.NGram.load(path).logprob("w1 w2 w3")
        except errors.FileFormatError as error:
            refused += "line" in str(error)
    assert refused > 100
