"""`bitmeter entropy`: what it prints, for whom, and what it says when something is wrong."""

from __future__ import annotations

import json
import math
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

MAIN = [sys.executable, "-c", "from bitmeter.cli import main; main()"]


def bitmeter(*words: str, data: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    return subprocess.run([*MAIN, *words], input=data, capture_output=True, check=False)


def measured(*words: str, data: bytes = b"") -> dict[str, Any]:
    done = bitmeter("entropy", "--json", *words, data=data)
    assert done.returncode == 0, done.stderr
    result: dict[str, Any] = json.loads(done.stdout)
    return result


def test_the_table_has_every_group_and_only_text() -> None:
    done = bitmeter("entropy", "-", data=b"to be or not to be, that is the question. " * 40)
    text = done.stdout.decode()
    assert done.returncode == 0
    assert done.stderr == b""  # progress is for terminals
    assert "\x1b" not in text
    for word in ("standard input · 1,680 bytes", "no context", "5 before", "Chao-Wang-Jost", "NSB", "CTW", "xz"):
        assert word in text
    assert max(map(len, text.splitlines())) <= 80


def test_figures_of_a_text_that_can_be_worked_out_by_hand() -> None:
    # "ab" over and over: one bit for a letter alone, none once the letter before is known.
    result = measured(data=b"ab" * 500)
    order = {row["order"]: row for row in result["rows"] if row["group"] == "order"}
    assert order[0]["value"] == pytest.approx(1.0, abs=1e-12)
    assert order[1]["value"] == pytest.approx(0.0, abs=1e-12)
    assert (result["symbols"], result["kinds"], result["bytes"]) == (1000, 2, 1000)
    # The alphabet and the length: {97, 98} is 4 + 14 + 1 bits, 1000 is 16; 16 more bits to learn the rest.
    assert 35 / 1000 < result["headline"]["value"] < 0.06


def test_json_rows_say_what_they_are() -> None:
    result = measured("--sample")
    assert result["schema"] == "bitmeter.entropy/1"
    rates = {row["method"]: row for row in result["rows"] if row["group"] == "rate"}
    assert {name for name, row in rates.items() if row["upper_bound"]} == {
        "universal", "ctw", "xz", "zstd", "bz2", "zlib"
    }  # fmt: skip
    assert rates["universal"]["value"] < 0.8 * rates["xz"]["value"]
    orders = [row for row in result["rows"] if row["group"] == "order"]
    values = [row["value"] for row in orders]
    assert values == sorted(values, reverse=True)  # more context never raises the empirical entropy of a long text
    assert orders[0]["reliable"]
    assert not orders[5]["reliable"]
    assert result["headline"] == {"name": "ctw", "value": rates["ctw"]["value"]}
    assert 1.2 < rates["ctw"]["value"] < 2.2


def test_units_of_entropy_are_only_units() -> None:
    data = b"she sells sea shells by the sea shore" * 5
    bits, nats, hartleys = (measured("--unit", unit, data=data) for unit in ("bits", "nats", "hartleys"))
    for a, b, c in zip(bits["rows"], nats["rows"], hartleys["rows"], strict=True):
        assert b["value"] == pytest.approx(a["value"] * math.log(2), rel=1e-12, abs=1e-15)
        assert c["value"] == pytest.approx(a["value"] * math.log10(2), rel=1e-12, abs=1e-15)


def test_quiet_is_one_number_the_headline() -> None:
    data = b"abracadabra" * 20
    done = bitmeter("entropy", "-q", data=data)
    assert float(done.stdout) == pytest.approx(measured(data=data)["headline"]["value"], abs=1e-6)
    assert len(done.stdout.split()) == 1


def test_chars_count_code_points_and_keep_what_is_not_utf_8() -> None:
    result = measured("--units", "chars", data="né".encode() * 50 + b"\xff\xfe")
    assert result["symbols"] == 102
    assert result["kinds"] == 4
    assert result["undecoded"] == 2
    shown = bitmeter("entropy", "--units", "chars", data="né".encode() * 50 + b"\xff\xfe")
    assert "2 bytes are not UTF-8" in shown.stdout.decode()


def test_words() -> None:
    result = measured("--units", "words", data=b"to be or not to be\n" * 30)
    assert (result["symbols"], result["kinds"]) == (180, 4)
    order = next(row for row in result["rows"] if row.get("order") == 0)
    # to 1/3, be 1/3, or 1/6, not 1/6
    assert order["value"] == pytest.approx(math.log2(3) * 2 / 3 + math.log2(6) / 3, abs=1e-12)


def test_a_file_is_read_by_its_name(tmp_path: Path) -> None:
    file = tmp_path / "a text.txt"
    file.write_bytes(b"banana" * 10)
    result = measured(str(file))
    assert result["source"] == "a text.txt"
    assert result["bytes"] == 60


def test_one_symbol_alone_can_be_measured() -> None:
    # One kind (1 bit), which is 120 (its number 241 has 8 digits: 14 bits), without gaps (1); one symbol (1).
    assert measured(data=b"x")["headline"]["value"] == 17.0


def test_no_row_is_called_a_bound_that_lies_below_the_entropy_of_unseen_words() -> None:
    # Draws of 65,536 equally likely words: 16 bits each. The rows that are not bounds show how low figures can be.
    drawn = np.random.default_rng(0).integers(0, 65_536, 1000)
    result = measured("--units", "words", data=" ".join(f"w{number:05d}" for number in drawn).encode())
    rates = [row for row in result["rows"] if row["group"] == "rate"]
    assert all(row["value"] > 16 for row in rates if row["upper_bound"])
    assert min(row["value"] for row in rates) < 16


def test_a_primed_row_is_no_bound_for_those_without_the_priming_text(tmp_path: Path) -> None:
    prime = tmp_path / "prime.txt"
    prime.write_bytes(b"how much wood would a woodchuck chuck if a woodchuck could chuck wood? " * 20)
    data = b"how much wood could a woodchuck chuck"
    rows = {row.get("method"): row for row in measured("--prime", str(prime), data=data)["rows"]}
    assert rows["universal-primed"]["value"] < rows["universal"]["value"] / 2
    assert rows["universal"]["upper_bound"]
    assert not rows["universal-primed"]["upper_bound"]
    text = bitmeter("entropy", "--prime", str(prime), "--units", "words", data=data).stdout.decode()
    assert "bound, given prime" in text
    assert max(map(len, text.splitlines())) <= 80
    assert b"--prime does not change" in bitmeter("entropy", "-q", "--prime", str(prime), data=data).stderr


@pytest.mark.parametrize(
    ("words", "data", "code", "says"),
    [
        (["entropy", "no/such/file"], b"", 1, "there is no file no/such/file"),
        (["entropy", "."], b"", 1, ". is a folder"),
        (["entropy"], b"", 1, "the text is empty"),
        (["entropy", "--units", "words"], b" \n ", 1, "no words"),
        (["entropy", "--units", "letters"], b"x", 2, "letters"),
        (["entropy", "--orders", "-1"], b"x", 2, "--orders"),
        (["entropy", "--sample", "file"], b"", 2, "--sample"),
        (["entropy", "--json", "-q"], b"x", 2, "--json and -q"),
        (["entropie"], b"", 2, "entropie"),
        (["--nonsense"], b"", 2, "--nonsense"),
    ],
)
def test_mistakes_are_answered_without_a_traceback(words: list[str], data: bytes, code: int, says: str) -> None:
    done = bitmeter(*words, data=data)
    message = done.stderr.decode()
    assert done.returncode == code
    assert done.stdout == b""
    assert message.startswith("error: ")
    assert says in message
    assert "Traceback" not in message


def test_a_file_that_may_not_be_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from bitmeter.cli.text.entropy import _read
    from bitmeter.errors import InputError

    def refuse(_: Path) -> bytes:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "read_bytes", refuse)
    with pytest.raises(InputError, match="cannot be read \\(Permission denied\\)"):
        _read(str(tmp_path / "x"), sample=False)
