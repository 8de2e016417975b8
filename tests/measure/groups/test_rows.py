"""One row per group."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import bitmeter as bm
from bitmeter.measure.groups.rows import groups_dict, macro, source_means

ROWS = [{"text": "ab " * (1 + i % 5), "d": "xyz"[i % 3]} for i in range(30)]


def test_figures_and_intervals() -> None:
    found = bm.score("kt", bm.Corpus.from_records(ROWS), group="d")
    assert [group.name for group in found.groups] == ["x", "y", "z"]
    for group in found.groups:
        assert group.figure == pytest.approx(group.nats / group.bytes / math.log(2))
        assert group.interval is not None
        assert group.interval.estimate == pytest.approx(group.figure)
        assert group.interval.clusters == 10
    mean = macro(found)
    assert mean is not None
    assert mean.estimate == pytest.approx(sum(group.figure or 0.0 for group in found.groups) / 3)


def test_a_group_without_bytes_has_no_figure() -> None:
    found = bm.score("kt", bm.Corpus.from_records([{"text": "", "d": "x"}, {"text": "a", "d": "y"}]), group="d")
    assert found.groups[0].figure is None
    mean = macro(found)
    assert mean is not None
    assert mean.estimate == found.groups[1].figure


def test_without_groups() -> None:
    with pytest.raises(bm.BitmeterError, match="scored without groups"):
        _ = bm.score("kt", b"x").groups


def test_json_has_what_the_panel_shows() -> None:
    found = bm.score("kt", bm.Corpus.from_records(ROWS), group="d")
    stated, mean = found.to_dict()["groups"], macro(found)
    assert mean is not None
    assert found.interval is not None
    assert stated["macro"] == {"estimate": mean.estimate, "low": mean.low, "high": mean.high}
    assert stated["micro"]["low"] == found.interval.low
    assert [row["bits_per_byte"] for row in stated["rows"]] == [group.figure for group in found.groups]
    ends = [None if group.interval is None else group.interval.high for group in found.groups]
    assert [row["high"] for row in stated["rows"]] == ends
    assert bm.Score.from_json(found.to_json()) == found
    older = {key: value for key, value in found.to_dict().items() if key != "groups"}
    assert bm.Score.from_json(json.dumps(older)) == found


def test_json_has_the_macro_average_of_answers() -> None:
    rows = [{"q": "ab", "a": "ab " * (1 + i % 5)} for i in range(12)]
    found = bm.score("kt", bm.Corpus.from_records(rows, field="a"), given="q")
    assert found.macro is not None
    stated = {"estimate": found.macro.estimate, "low": found.macro.low, "high": found.macro.high}
    assert found.to_dict()["macro"] == stated
    assert bm.Score.from_json(found.to_json()) == found
    endless = bm.score(bm.Distribution({"a": 1.0}), bm.Corpus.from_records(rows, field="a"), given="q", group="q")
    assert bm.Score.from_json(endless.to_json()).nats == math.inf


class Letters:
    """A byte a costs a bit, every other byte two."""

    name, fingerprint, units = "letters", "letters-1", bm.units_of("bytes")

    def logprobs(self, ids: Any, bounds: Any) -> Any:
        return np.where(ids == ord("a"), -math.log(2.0), -2.0 * math.log(2.0))


LETTERS = Letters()
NESTED = [
    ("aaaa", "wiki", "en"),
    ("ab", "wiki", "de"),
    ("abab", "books", "old"),
    ("aaab", "books", "new"),
    ("bbbb", "books", "new"),
    ("aa", "web", "1"),
]


def nested(group: str = "source,domain", **keywords: Any) -> bm.Score:
    rows = [{"text": text, "source": source, "domain": domain} for text, source, domain in NESTED]
    return bm.score(LETTERS, bm.Corpus.from_records(rows), group=group, eos="no", **keywords)


def test_domains_within_sources() -> None:
    """An a costs 1 bit and a b 2: en 1, de 1.5; old 1.5, new (1.25 · 4 + 2 · 4) / 8; web 1."""
    found = nested()
    assert [(group.source, group.name, group.figure) for group in found.groups] == [
        ("wiki", "wiki/en", 1.0),
        ("wiki", "wiki/de", 1.5),
        ("books", "books/old", 1.5),
        ("books", "books/new", 1.625),
        ("web", "web/1", 1.0),
    ]
    means = source_means(found)
    assert {name: mean and mean.estimate for name, mean in means.items()} == {"wiki": 1.25, "books": 1.5625, "web": 1.0}
    mean = macro(found)
    assert mean is not None
    assert mean.estimate == pytest.approx((1.25 + 1.5625 + 1.0) / 3, abs=1e-15)
    flat = macro(nested("domain"))
    assert flat is not None
    assert flat.estimate == pytest.approx((1.0 + 1.5 + 1.5 + 1.625 + 1.0) / 5, abs=1e-15)
    assert source_means(nested("domain")) == {}
    assert found.by_group is not None
    assert found.by_group.kind == "field.source,field.domain"
    assert bm.Score.from_json(found.to_json()) == found
    said = groups_dict(found, None)
    assert said["sources"]["wiki"]["estimate"] == 1.25  # type: ignore[index]


def test_the_interval_of_sources_is_that_of_independent_means() -> None:
    """The distances to the ends of each domain, over the number of domains and then of sources."""
    rows = [
        {"text": "ab" * (3 + i % 4) + "a" * (i % 5), "source": "st"[i % 2], "domain": "xyz"[i % 3]} for i in range(90)
    ]
    found = bm.score(LETTERS, bm.Corpus.from_records(rows), group="source,domain", eos="no")
    mean = macro(found)
    assert mean is not None
    assert mean.high is not None
    square = 0.0
    for group in found.groups:
        assert group.figure is not None
        assert group.interval is not None
        assert group.interval.high is not None
        square += ((group.interval.high - group.figure) / 3 / 2) ** 2
    assert mean.high - mean.estimate == pytest.approx(np.sqrt(square), rel=1e-12)


def test_files_within_folders_and_names_that_would_be_alike(tmp_path: Path) -> None:
    for name in ("a/x.txt", "a/y.txt", "b/x.txt"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(name)
    found = bm.score("uniform", [str(tmp_path / n) for n in ("a/x.txt", "a/y.txt", "b/x.txt")], group="folder,file")
    assert [group.source for group in found.groups] == [str(tmp_path / "a")] * 2 + [str(tmp_path / "b")]
    rows = [{"text": "ab", "s": "a/b", "d": "c"}, {"text": "abc", "s": "a", "d": "b/c"}]
    alike = bm.score("uniform", bm.Corpus.from_records(rows), group="s,d")
    assert len({group.name for group in alike.groups}) == 2
    assert bm.Score.from_json(alike.to_json()) == alike


@pytest.mark.parametrize("group", ["a,b,c", "source,source", ",domain", "source,"])
def test_what_is_no_pair_of_fields(group: str) -> None:
    with pytest.raises(bm.errors.InputError, match="such as source,domain"):
        nested(group)


def test_a_level_that_is_not_there_is_named() -> None:
    with pytest.raises(bm.errors.RecordError, match=r"no field 'sauce' to group by.*--group"):
        nested("sauce,domain")


def test_nested_groups_have_their_means_in_the_text() -> None:
    found = nested()
    lines = str(found).splitlines()
    assert all(len(line) <= 80 for line in lines)
    assert any(line.startswith("  macro books") for line in lines)
    assert "macro every source, and in a source every domain" in " ".join(str(found).split())
