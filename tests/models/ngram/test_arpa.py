"""ARPA files, both ways and in other dialects."""

from __future__ import annotations

import gzip
import math
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
