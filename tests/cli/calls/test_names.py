"""Names of files that are not UTF-8, or unusual in other ways: as text, as model, as output, in every verb."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from bitmeter import cli
from tests.cli.running import MAIN

FOLDER = os.fsdecode(b"d\xe8r")
TEXT, MODEL = os.fsdecode(b"d\xe8r/caf\xe9.txt"), os.fsdecode(b"d\xe8r/m\xff.bmn")


@pytest.fixture(scope="module")
def here(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("names")
    (folder / FOLDER).mkdir()
    (folder / TEXT).write_bytes(b"to be or not to be\nthat is the question\n" * 20)
    (folder / "plain.txt").write_bytes((folder / TEXT).read_bytes())
    assert run(folder, "train", TEXT, "-o", MODEL, "--order", "2")
    return folder


def run(folder: Path, *words: str) -> bytes:
    """What a command prints; it must succeed."""
    done = subprocess.run([*MAIN, *words], cwd=folder, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode(errors="replace")
    assert done.stderr == b""
    return done.stdout


def test_a_score_is_printed_and_saved_as_text(here: Path) -> None:
    saved = os.fsdecode(b"d\xe8r/r\xfe.json")
    printed = run(here, "score", MODEL, TEXT, "-o", saved, "--trace", os.fsdecode(b"d\xe8r/t\xfe.parquet"))
    assert b"ngram:m\\xff.bmn" in printed
    found = json.loads((here / saved).read_bytes().decode("utf-8"))
    assert (found["model"], found["text"]) == ("ngram:m\\xff.bmn", "d\\xe8r/caf\\xe9.txt")
    json.dumps(found, ensure_ascii=False).encode()  # no lone surrogates
    quick = float(run(here, "score", MODEL, TEXT, "-q"))
    assert quick == float(run(here, "score", MODEL, "plain.txt", "-q"))
    assert run(here, "explain", saved)
    assert run(here, "trace", os.fsdecode(b"d\xe8r/t\xfe.parquet"), "--top", "1")


def test_models_and_archives_are_written_and_read(here: Path) -> None:
    small, other, mixed, packed, back = (
        os.fsdecode(b"d\xe8r/" + name) for name in (b"c\xff.bmn", b"c\xff.arpa.gz", b"x\xff.bmx", b"\xff.bmz", b"b\xff")
    )
    assert b"d\\xe8r/c\\xff.bmn: order 2" in run(here, "convert", MODEL, small, "--compact")
    assert run(here, "convert", MODEL, other)
    assert run(here, "mix", MODEL, small, "--heldout", TEXT, "-o", mixed)
    assert float(run(here, "score", mixed, TEXT, "-q")) < 8
    assert float(run(here, "score", other, TEXT, "-q", "--per", "token", "--oov", "class")) < 20
    assert b"d\\xe8r/\\xff.bmz: 800 bytes" in run(here, "compress", MODEL, TEXT, "-o", packed, "--embed")
    assert run(here, "decompress", packed, "-o", back)
    assert (here / back).read_bytes() == (here / TEXT).read_bytes()


def test_temporary_files_and_word_lists_have_such_names_too(here: Path) -> None:
    words = os.fsdecode(b"d\xe8r/w\xf6rter")
    (here / words).write_bytes(b"to\nbe\nor\n")
    out = os.fsdecode(b"d\xe8r/v\xff.bmn")
    assert run(here, "train", TEXT, "-o", out, "--order", "2", "--temp", FOLDER, "--memory", "64M", "--vocab", words)


def test_a_missing_file_is_named_with_escapes(here: Path) -> None:
    done = subprocess.run(
        [*MAIN, "score", "kt", os.fsdecode(b"no\xff.txt")], cwd=here, capture_output=True, check=False
    )
    assert done.returncode == 1
    assert done.stderr == b"error: there is no file 'no\\udcff.txt'\n"


@pytest.mark.parametrize("name", ["two\nlines.txt", "a|b:c.txt", "[x].txt", "-x.txt", "n" * 251 + ".txt", "é　.txt"])
def test_unusual_names_are_names(name: str, tmp_path: Path) -> None:
    (tmp_path / name).write_bytes(b"to be or not to be\n")
    found = json.loads(run(tmp_path, "score", "--json", "-o", f"{name[:240]}.json", "--", "kt", name))
    assert found["bytes"] == 19
    assert found["text"] == name.replace("\n", "\\n")
    loaded = json.loads((tmp_path / f"{name[:240]}.json").read_bytes())
    assert loaded["signature"] == found["signature"]


def test_characters_that_stdout_does_not_have_are_escaped(monkeypatch: pytest.MonkeyPatch) -> None:
    raw = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(raw, encoding="utf-8"))
    assert cli._run(["--version"]) == 0
    print("x\udcff")
    sys.stdout.flush()
    assert raw.getvalue().endswith(b"x\\udcff\n")
