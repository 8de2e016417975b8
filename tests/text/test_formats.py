"""What a file holds by its name, and what separates words."""

from __future__ import annotations

from bitmeter.text.formats import COMPRESSIONS, ROW_FORMATS, SEPARATORS, is_url, kind_of


def test_kinds_by_name() -> None:
    expected = {
        "x": "text", "x.txt": "text", "x.gz": "text", "x.json": "text", "x.jsonl": "jsonl", "X.JSONL.GZ": "jsonl",
        "x.ndjson.zst": "jsonl", "x.parquet": "parquet", "x.pq": "parquet", "s3://b/x.jsonl.xz": "jsonl",
    }  # fmt: skip
    assert {name: kind_of(name) for name in expected} == expected
    assert is_url("s3://bucket/x")
    assert is_url("memory://x")
    assert not is_url("a/b://c")
    assert not is_url("x.txt")


def test_every_suffix_of_rows_may_be_compressed() -> None:
    for suffix, kind in ROW_FORMATS.items():
        assert {kind_of(f"x{suffix}{packed}") for packed in ("", *COMPRESSIONS)} == {kind}
        assert kind_of(suffix) == "text"  # a hidden file without a suffix
        assert kind_of(f"folder{suffix}/x") == "text"


def test_separators_are_white_space_and_lmplz_has_the_zero_byte() -> None:
    assert set(SEPARATORS["ascii"]) == {byte for byte in range(256) if bytes([byte]).isspace()}
    assert SEPARATORS["kenlm"] == SEPARATORS["ascii"]
    assert set(SEPARATORS["lmplz"]) == set(b"\0\t\n\r ")
    assert set(SEPARATORS["srilm"]) == set(b"\t\n\r ")
