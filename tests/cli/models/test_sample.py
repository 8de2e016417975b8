"""`bitmeter sample`: the texts of the library, one per line."""

from __future__ import annotations

import csv
import json
import re
import subprocess
from pathlib import Path

import pytest

import bitmeter as bm
from bitmeter.models.sampling import samples
from tests.cli.running import MAIN


@pytest.fixture
def model(tmp_path: Path) -> str:
    bm.NGram(order=2).fit(b"to be or not to be\nthat is the question\n").save(tmp_path / "m.bmn")
    return str(tmp_path / "m.bmn")


def sampled(*words: str) -> bytes:
    return subprocess.run([*MAIN, "sample", *words], capture_output=True, check=True).stdout


def test_the_texts_are_those_of_the_library(model: str) -> None:
    lines = sampled(model, "-n", "5", "--seed", "7").splitlines()
    expected = [text.data.rstrip(b"\n") for text in samples(model, 5, 7)]
    assert lines == expected


def test_json_has_the_bits_of_each_text(model: str) -> None:
    document = json.loads(sampled(model, "-n", "3", "--seed", "7", "--json"))
    rows = document["rows"]
    expected = list(samples(model, 3, 7))
    assert [row["text"] for row in rows] == [str(text) for text in expected]
    assert [row["bits"] for row in rows] == pytest.approx([text.bits for text in expected], rel=1e-12)
    assert all(row["ended"] for row in rows)
    assert document["seed"] == 7
    assert [
        json.loads(line) for line in sampled(model, "-n", "3", "--seed", "7", "--format", "jsonl").splitlines()
    ] == rows


def test_the_length_of_a_text_without_an_end_is_bounded() -> None:
    assert json.loads(sampled("uniform", "--seed", "1", "--length", "20", "--json"))["rows"][0]["tokens"] == 20
    assert json.loads(sampled("uniform", "--seed", "1", "--json"))["rows"][0]["tokens"] == 256


def test_the_seed_that_was_used_draws_the_texts_again(model: str, tmp_path: Path) -> None:
    out = tmp_path / "out.csv"
    said = sampled(model, "-n", "4", "-o", str(out)).decode()
    seed = re.search(r"4 texts of ngram:m\.bmn, seed (\d+)", " ".join(said.split()))
    assert seed
    with out.open(newline="") as file:
        texts = [row["text"] for row in csv.DictReader(file)]
    assert sampled(model, "-n", "4", "--seed", seed[1]).decode().splitlines() == texts
