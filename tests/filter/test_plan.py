"""Which files are read, and where what becomes of them goes."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from bitmeter.errors import BitmeterError, FileFormatError, InputError
from bitmeter.filter.plan import check_free, check_outputs, kept_path, shards_of

LABELS = ("kept", "dropped")


def files(folder: Path, *names: str) -> list[str]:
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("x\n")
    return [str(folder / name) for name in names]


def test_one_file_or_a_folder(tmp_path: Path) -> None:
    one, two = files(tmp_path, "in/a.txt", "in/sub/b.txt")
    [shard] = shards_of(one, tmp_path / "out.txt", None, None)
    assert (shard.kept, shard.name) == (tmp_path / "out.txt", "out.txt")
    [shard] = shards_of(one, f"{tmp_path}/new/", None, tmp_path / "bad.jsonl")
    assert shard.kept == tmp_path / "new" / "a.txt"
    found = shards_of(tmp_path / "in", tmp_path / "out", tmp_path / "rej", tmp_path / "bad")
    assert [shard.kept for shard in found] == [tmp_path / "out" / "a.txt", tmp_path / "out" / "sub" / "b.txt"]
    assert found[1].bad == tmp_path / "bad" / "sub" / "b.txt.bad.jsonl"
    assert [shard.source for shard in shards_of([one, two], None, None, None)] == [one, two]


def test_names_that_clash(tmp_path: Path) -> None:
    one, two = files(tmp_path, "x/a.txt", "y/a.txt")
    with pytest.raises(InputError, match="both be written to"):
        shards_of([one, two], tmp_path / "out", None, None)
    with pytest.raises(InputError, match="both be written to"):
        shards_of([one, one], tmp_path / "out", None, None)


def test_outputs_are_neither_inputs_nor_each_other(tmp_path: Path) -> None:
    [one] = files(tmp_path, "a.txt")
    os.link(one, tmp_path / "same.txt")
    for output in (one, tmp_path / "same.txt", f"{tmp_path}/./a.txt"):
        with pytest.raises(InputError, match="also an input"):
            check_outputs(shards_of(one, output, None, None), LABELS)
    with pytest.raises(InputError, match="two outputs"):
        check_outputs(shards_of(one, tmp_path / "o.txt", tmp_path / "o.txt", None), LABELS)


def test_what_is_no_file(tmp_path: Path) -> None:
    [one] = files(tmp_path, "a.txt")
    refused: list[Any] = ["-", "https://example.org/a.txt", []]
    for corpus in refused:
        with pytest.raises(InputError):
            shards_of(corpus, tmp_path / "o", None, None)
    for wrong in (str(tmp_path / "none.txt"), str(tmp_path / "*.none"), 3):
        with pytest.raises(BitmeterError):
            shards_of(wrong, tmp_path / "o", None, None)
    with pytest.raises(FileFormatError, match="name a folder"):
        shards_of([one, *files(tmp_path, "b.txt")], one, None, None)


def test_buckets_in_names() -> None:
    assert kept_path(Path("out/{bucket}/a.txt"), "head") == Path("out/head/a.txt")


def test_free(tmp_path: Path) -> None:
    [one] = files(tmp_path, "a.txt")
    with pytest.raises(FileFormatError, match="--force"):
        check_free(Path(one))
    check_free(tmp_path / "new" / "a.txt")
