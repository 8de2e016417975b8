"""The demonstration that `make demo` runs."""

from __future__ import annotations

import re

from typer.testing import CliRunner

from bitmeter.cli import app


def test_the_demonstration_ranks_the_models() -> None:
    result = CliRunner().invoke(app, ["demo"])
    assert result.exit_code == 0
    rates = {name: float(rate) for name, rate in re.findall(r"^(\S+) +([0-9.]+)", result.output, re.MULTILINE)}
    # More context is better, and every model is better than none.
    assert rates["5-gram"] < rates["bigram"] < rates["unigram"] < rates["uniform:256"] == 8.0
    assert {"zlib:9", "bz2:9", "zstd:19", "xz:9"} <= rates.keys()
