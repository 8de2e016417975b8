"""The demonstration that `make demo` runs."""

from __future__ import annotations

import re

from typer.testing import CliRunner

from bitmeter.cli import app


def test_the_demonstration_ranks_the_models() -> None:
    result = CliRunner().invoke(app, ["demo"])
    assert result.exit_code == 0
    rates = {
        name: float(rate)
        for name, rate in re.findall(r"^(\S+|universal primed) +([0-9]+\.[0-9]+)", result.output, re.MULTILINE)
    }
    # More context is better, and every model is better than none.
    assert rates["5-gram"] < rates["bigram"] < rates["unigram"] < rates["uniform:256"] == 8.0
    assert {"zlib:9", "bz2:9", "zstd:19", "xz:9"} <= rates.keys()
    # The universal model knows nothing beforehand and beats every compressor; primed, it beats the n-gram models too.
    assert rates["universal"] < min(rates[name] for name in ("zlib:9", "bz2:9", "zstd:19", "xz:9"))
    assert rates["universal primed"] < min(rates["universal"], rates["5-gram"])
    read = dict(re.findall(r"^(\S+|universal primed) +[0-9.]+ .* (nothing|first part)$", result.output, re.MULTILINE))
    assert {name for name, what in read.items() if what == "first part"} == {
        "unigram", "bigram", "5-gram", "universal primed"
    }  # fmt: skip
    assert read.keys() == rates.keys()
    assert max(map(len, result.output.splitlines())) <= 80
