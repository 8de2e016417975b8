"""filter_corpus from end to end: what is kept is what the definition says."""

from __future__ import annotations

import json
import math
import random
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bitmeter as bm
from bitmeter.errors import BitmeterError, DamagedSourceError, FileFormatError, InputError
from tests.filter.made import TEXTS, model, read_jsonl, rows, values, write_jsonl


def ids(path: Path) -> list[int]:
    return [row["id"] for row in read_jsonl(path)]


@pytest.mark.parametrize("suffix", ["", ".gz"])
def test_limits_keep_order_and_every_byte_of_a_record(tmp_path: Path, suffix: str) -> None:
    name = model(tmp_path)
    source = write_jsonl(tmp_path / f"a.jsonl{suffix}", [
        f'{{"id":{number} ,  "x": 1e5, "text": {json.dumps(text)}, "nested": {{"a": [1.50]}}}}'
        for number, text in enumerate(TEXTS)
    ])  # fmt: skip
    figures = values(name, TEXTS)
    low, high = sorted(figures)[2], sorted(figures)[6]
    out, rejected = tmp_path / f"out.jsonl{suffix}", tmp_path / f"rej.jsonl{suffix}"
    found = bm.filter_corpus(name, source, out, min=low, max=high, rejected=rejected)
    kept = [number for number, value in enumerate(figures) if low <= value <= high]
    assert ids(out) == kept
    assert ids(rejected) == [number for number in range(len(TEXTS)) if number not in kept]
    lines = bm.Corpus(source)  # readable as a corpus
    assert lines.holds_rows
    if not suffix:
        assert out.read_bytes().splitlines() == [source.read_bytes().splitlines()[number] for number in kept]
    assert (found.share("kept").documents, found.share("dropped").documents) == (5, 5)
    assert found.share("kept").total_nats == pytest.approx(
        math.fsum(bm.score(name, TEXTS[number].encode()).nats for number in kept), rel=1e-12
    )


@settings(max_examples=12, deadline=None)
@given(st.integers(1, 100), st.integers(1, 5), st.randoms(use_true_random=False))
def test_a_share_is_exact_whatever_the_files_and_their_order(percent: int, files: int, chance: random.Random) -> None:
    import tempfile

    texts = [
        " ".join(chance.choices(["to", "be", "or", "not", "xyz", "mind"], k=chance.randint(1, 6))) for _ in range(30)
    ]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        records = rows(texts)
        chance.shuffle(records)
        (folder / "in").mkdir()
        for number in range(files):
            write_jsonl(folder / "in" / f"{number}.jsonl", records[number::files])
        found = bm.filter_corpus("zlib", folder / "in", folder / "out", keep=f"{percent}%")
        figures = values("zlib", texts)
        limit = sorted(figures)[math.ceil(Fraction(percent, 100) * len(texts)) - 1]
        kept = sorted(row["id"] for path in (folder / "out").glob("*.jsonl") for row in read_jsonl(path))
        assert kept == [number for number, value in enumerate(figures) if value <= limit]
        assert found.rule["settled"]["limits"][""][1] == pytest.approx(limit, rel=1e-14)
        assert found.share("kept").documents == len(kept)


def test_the_middle_half_and_buckets(tmp_path: Path) -> None:
    name = model(tmp_path)
    source = write_jsonl(tmp_path / "a.jsonl", rows())
    figures = values(name, TEXTS)
    order = sorted(range(len(TEXTS)), key=figures.__getitem__)
    bm.filter_corpus(name, source, tmp_path / "mid.jsonl", keep="20%-80%")
    assert ids(tmp_path / "mid.jsonl") == sorted(order[2:8])
    bm.filter_corpus(name, source, f"{tmp_path}/b/{{bucket}}", buckets="30%,60%")
    parts = {bucket: ids(tmp_path / "b" / bucket / "a.jsonl") for bucket in ("head", "middle", "tail")}
    assert parts == {"head": sorted(order[:3]), "middle": sorted(order[3:6]), "tail": sorted(order[6:])}
    bm.filter_corpus(name, source, tmp_path / "tag.jsonl", buckets="30%,60%", tag="bucket", add="value")
    tagged = read_jsonl(tmp_path / "tag.jsonl")
    assert [row["id"] for row in tagged] == list(range(len(TEXTS)))
    assert [row["bucket"] for row in tagged] == [
        next(bucket for bucket, found in parts.items() if number in found) for number in range(len(TEXTS))
    ]
    assert [row["value"] for row in tagged] == pytest.approx(figures, rel=1e-12)


def test_tables_by_language_as_in_ccnet(tmp_path: Path) -> None:
    records = [{**row, "lang": "en" if row["id"] % 2 else "de"} for row in rows()] + [
        {"id": 99, "text": "x", "lang": "fr"}
    ]
    source = write_jsonl(tmp_path / "a.jsonl", records)
    figures = values("kt", [*TEXTS, "x"])
    (tmp_path / "cutoff.csv").write_text("p,de,en\n30,6.4,6.5\n60,6.9,7.0\n")
    bm.filter_corpus(
        "kt",
        source,
        tmp_path / "o.jsonl",
        table=tmp_path / "cutoff.csv",
        buckets="30%,60%",
        language="lang",
        tag="bucket",
    )
    cuts = {"de": (6.4, 6.9), "en": (6.5, 7.0)}
    for row, value in zip(read_jsonl(tmp_path / "o.jsonl"), figures, strict=True):
        # CCNet's rule: head below the first cut, middle below the second, "all" for a language without cuts.
        head, tail = cuts.get(row["lang"], (None, None))
        expected = (
            "all" if head is None or tail is None else "head" if value < head else "middle" if value < tail else "tail"
        )
        assert row["bucket"] == expected
    with pytest.raises(InputError, match="--language"):
        bm.filter_corpus("kt", source, tmp_path / "p.jsonl", table="roots")


def test_sampling_depends_on_the_text_and_the_seed_alone(tmp_path: Path) -> None:
    texts = [f"text number {number}" for number in range(400)]
    records = rows(texts)
    source = write_jsonl(tmp_path / "a.jsonl", records)
    bm.filter_corpus("kt", source, tmp_path / "o.jsonl", sample="uniform:0.25", seed=3)
    kept = set(ids(tmp_path / "o.jsonl"))
    assert 60 <= len(kept) <= 140  # 100 are expected, with a standard deviation of 8.7
    random.Random(1).shuffle(records)
    (tmp_path / "in").mkdir()
    for number in range(3):
        write_jsonl(tmp_path / "in" / f"{number}.jsonl", records[number::3])
    bm.filter_corpus("kt", tmp_path / "in", tmp_path / "out", sample="uniform:0.25", seed=3)
    again = {row["id"] for path in (tmp_path / "out").glob("*.jsonl") for row in read_jsonl(path)}
    assert again == kept
    bm.filter_corpus("kt", source, tmp_path / "p.jsonl", sample="uniform:0.25", seed=4)
    assert set(ids(tmp_path / "p.jsonl")) != kept
    bm.filter_corpus("kt", source, tmp_path / "q.jsonl", sample="uniform:0.5", seed=3)
    assert set(ids(tmp_path / "q.jsonl")) > kept  # a larger share holds the smaller one


def test_languages_models_and_what_has_none(tmp_path: Path) -> None:
    name = model(tmp_path)
    Path(name).rename(tmp_path / "en.bmn")
    records = [
        {"id": 0, "text": "to be", "l": "en"},
        {"id": 1, "text": "sein", "l": "de"},
        {"id": 2, "text": "", "l": "en"},
    ]
    source = write_jsonl(tmp_path / "a.jsonl", records)
    pattern = f"{tmp_path}/{{lang}}.bmn"
    found = bm.filter_corpus(pattern, source, tmp_path / "o.jsonl", language="l", max=50.0)
    assert ids(tmp_path / "o.jsonl") == [0]
    assert found.share("unscored").documents == 2
    bm.filter_corpus(pattern, source, tmp_path / "p.jsonl", language="l", max=50.0, unscored="keep", add="value")
    assert [row["value"] is None for row in read_jsonl(tmp_path / "p.jsonl")] == [False, True, True]
    with pytest.raises(InputError, match="--language"):
        bm.filter_corpus(pattern, source, tmp_path / "q.jsonl", max=50.0)


def test_a_dry_run_writes_nothing_and_counts_the_same(tmp_path: Path) -> None:
    name = model(tmp_path)
    source = write_jsonl(tmp_path / "a.jsonl", [*rows(), "broken"])
    before = sorted(tmp_path.iterdir())
    keywords: list[dict[str, Any]] = [{"keep": "30%"}, {"max": 3.0}, {"sample": "uniform:0.5"}]
    dry = [bm.filter_corpus(name, source, dry_run=True, **keyword) for keyword in keywords]
    assert sorted(tmp_path.iterdir()) == before
    for number, keyword in enumerate(keywords):
        real = bm.filter_corpus(name, source, tmp_path / f"{number}.jsonl", **keyword)
        assert real.tally == dry[number].tally
        assert real.signature == dry[number].signature
    figures = values(name, TEXTS)
    assert [one.value for one in dry[0].examples] == pytest.approx(
        [sorted(figures)[max(0, math.ceil(k)) - 1 if k else 0] for k in range(11)], rel=1e-12
    )
    assert all(TEXTS[one.row - 1] == one.text for one in dry[0].examples)
    assert dry[0].bad == 1


def test_moore_and_lewis(tmp_path: Path) -> None:
    name = model(tmp_path)
    source = write_jsonl(tmp_path / "a.jsonl", rows())
    bm.filter_corpus(name, source, tmp_path / "o.jsonl", minus="kt", max=0.0)
    first, second = values(name, TEXTS), values("kt", TEXTS)
    assert ids(tmp_path / "o.jsonl") == [n for n, (a, b) in enumerate(zip(first, second, strict=True)) if a <= b]


def test_text_files(tmp_path: Path) -> None:
    same = b"a" * 50
    (tmp_path / "a.txt").write_bytes(same + b"\nxq\xff\n\n" + same)
    bm.filter_corpus("kt", tmp_path / "a.txt", tmp_path / "o.txt", max=5.0)
    assert (tmp_path / "o.txt").read_bytes() == same + b"\n" + same
    with pytest.raises(BitmeterError, match="docs"):
        bm.filter_corpus("kt", tmp_path / "a.txt", tmp_path / "p.txt", docs="file")


def test_outputs_that_do_not_go_together(tmp_path: Path) -> None:
    source = write_jsonl(tmp_path / "a.jsonl", rows())
    wrong: list[tuple[Any, dict[str, Any], str]] = [
        (None, {}, "-o OUT"), (f"{tmp_path}/{{bucket}}/x.jsonl", {}, "no buckets"),
        (tmp_path / "o.jsonl", {"buckets": "30%,60%"}, "must show"),
        (tmp_path / "o.jsonl", {"max": 1.0, "tag": "t", "rejected": tmp_path / "r.jsonl"}, "--rejected"),
        (tmp_path / "o.jsonl", {"tag": "t"}, "label all records alike"),
        (tmp_path / "o.jsonl", {"max": 1.0, "seed": 3}, "--seed 3 is the seed of --sample"),
        (source, {"max": 1.0}, "also an input"), (tmp_path / "none" / "o.jsonl", {"max": 1.0}, "no folder"),
        (tmp_path / "o.jsonl", {}, "a copy of the corpus"),
    ]  # fmt: skip
    for output, keywords, message in wrong:
        with pytest.raises(BitmeterError, match=message):
            bm.filter_corpus("kt", source, output, **keywords)
    assert read_jsonl(source) == rows()


def test_a_file_that_cannot_be_read_does_not_stop_the_others(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    for number in range(3):
        write_jsonl(tmp_path / "in" / f"{number}.jsonl.gz", rows())
    broken = tmp_path / "in" / "1.jsonl.gz"
    broken.write_bytes(broken.read_bytes()[:-30])
    found = bm.filter_corpus("kt", tmp_path / "in", tmp_path / "out", max=9.0)
    assert [name for name, _ in found.failed] == [str(broken)]
    assert sorted(path.name for path in (tmp_path / "out").glob("*.gz")) == ["0.jsonl.gz", "2.jsonl.gz"]
    write_jsonl(broken, rows())
    again = bm.filter_corpus("kt", tmp_path / "in", tmp_path / "out", max=9.0)
    assert (again.failed, again.skipped, again.documents) == ((), 2, 30)
    # A rule by shares must know all values.
    broken.write_bytes(broken.read_bytes()[:-30])
    with pytest.raises(DamagedSourceError):
        bm.filter_corpus("kt", tmp_path / "in", tmp_path / "other", keep="30%")
    assert list((tmp_path / "other").glob("*.gz")) == []


def test_what_is_there_is_not_overwritten(tmp_path: Path) -> None:
    source = write_jsonl(tmp_path / "a.jsonl", rows())
    (tmp_path / "o.jsonl").write_text("mine")
    with pytest.raises(FileFormatError, match="--force"):
        bm.filter_corpus("kt", source, tmp_path / "o.jsonl", max=9.0)
    assert (tmp_path / "o.jsonl").read_text() == "mine"
    bm.filter_corpus("kt", source, tmp_path / "o.jsonl", max=9.0, force=True)
    assert len(ids(tmp_path / "o.jsonl")) == len(TEXTS)


@pytest.mark.parametrize("name", ["a.txt", "a.txt.gz", "a.warc.wet"])
@pytest.mark.parametrize("asked", [{"add": "value"}, {"tag": "bucket"}], ids=str)
def test_fields_are_not_added_to_what_has_none(tmp_path: Path, name: str, asked: dict[str, Any]) -> None:
    (tmp_path / name).write_bytes(b"to be\n")
    option = "--add" if "add" in asked else "--tag"
    with pytest.raises(InputError, match=f"no fields, so {option} would be lost; give JSON lines"):
        bm.filter_corpus("kt", tmp_path / name, tmp_path / f"o{name}", max=9.0, **asked)
    assert [path.name for path in tmp_path.iterdir()] == [name]


@pytest.mark.parametrize("output", ["k/o", "k/o/{bucket}"])
def test_a_folder_of_outputs_is_made_with_those_above_it(tmp_path: Path, output: str) -> None:
    (tmp_path / "in").mkdir()
    write_jsonl(tmp_path / "in" / "a.jsonl", rows())
    rule: dict[str, Any] = {"buckets": "30%,60%"} if "{" in output else {"keep": "30%"}
    bm.filter_corpus("kt", tmp_path / "in", f"{tmp_path}/{output}", **rule)
    found = tmp_path / "k" / "o" / ("head" if "{" in output else "") / "a.jsonl"
    assert len(read_jsonl(found)) == 3
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(BitmeterError, match="file"):
        bm.filter_corpus("kt", tmp_path / "in", f"{tmp_path}/file/{output}", **rule)


def test_an_empty_document_has_no_perplexity(tmp_path: Path) -> None:
    bm.NGram(order=2).fit(b"to be or not to be\n").save(tmp_path / "m.arpa")
    source = write_jsonl(tmp_path / "a.jsonl", rows(["to be", "", " \t"]))
    for by in ("perplexity", "bits_per_token", "oov_share"):
        found = bm.filter_corpus(
            tmp_path / "m.arpa", source, tmp_path / f"{by}.jsonl", by=by, norm="ccnet", add="value", unscored="keep"
        )
        assert found.share("unscored").documents == 2
        assert [row["value"] is None for row in read_jsonl(tmp_path / f"{by}.jsonl")] == [False, True, True]
