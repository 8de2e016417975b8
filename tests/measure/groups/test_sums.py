"""Groups add up to the whole, to the last bit, whatever the batches."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bitmeter as bm
from bitmeter.measure import sums
from bitmeter.measure.exact import rounded
from bitmeter.measure.groups.sums import GroupSums

ROWS = st.lists(st.tuples(st.text("abc é\n", max_size=9), st.sampled_from(["x", "y", "z"])), min_size=1, max_size=20)
WORDS = bm.NGram(order=2).fit(b"a b c\nab c\n" * 5)


def by(rows: list[tuple[str, str]], model: Any = "kt", **keywords: Any) -> bm.Score:
    records = [{"text": text, "domain": domain} for text, domain in rows]
    return bm.score(model, bm.Corpus.from_records(records), group="domain", **keywords)


def groups(score: bm.Score) -> GroupSums:
    assert score.by_group is not None
    return score.by_group


def check_whole(score: bm.Score) -> None:
    found = groups(score)
    assert rounded([part for parts in found.exact for part in parts]) == score.nats
    for name in ("bytes", "chars", "words", "tokens", "documents"):
        assert int(getattr(found, name).sum()) == getattr(score, name)


@settings(deadline=None)
@given(ROWS)
def test_groups_add_up(rows: list[tuple[str, str]]) -> None:
    for model in ("kt", WORDS):
        found = by(rows, model)
        check_whole(found)
        assert bm.Score.from_json(found.to_json()) == found
        plain = bm.score(model, bm.Corpus.from_records([{"text": text} for text, _ in rows]))
        assert (found.nats, found.signature) == (plain.nats, plain.signature)


@settings(deadline=None)
@given(ROWS)
def test_a_group_is_its_documents(rows: list[tuple[str, str]]) -> None:
    found = by(rows, WORDS)
    assert found.by_document is not None
    for k, name in enumerate(groups(found).names):
        own = [text for text, domain in rows if domain == name]
        alone = bm.score(WORDS, bm.Corpus.from_documents(own))
        assert groups(found).nats[k] == alone.nats  # the model does not learn
        assert groups(found).chars[k] == alone.chars
        assert (np.flatnonzero(groups(found).rows == k) == [i for i, (_, d) in enumerate(rows) if d == name]).all()


def test_documents_that_are_summed_in_pairs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sums, "MOST_DOCUMENTS", 4)
    mixed = by([("ab", "x"), ("c", "y")] * 5)
    check_whole(mixed)
    assert groups(mixed).rows is None
    assert all(group.interval is None for group in mixed.groups)
    in_turn = by([("ab", "x")] * 8 + [("c", "y")] * 8)
    check_whole(in_turn)
    assert groups(in_turn).rows is not None


def test_blocks_change_nothing(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    rows = [{"text": "word " * (1 + i * 37 % 4000), "domain": "abc"[i % 3]} for i in range(90)]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    read, memory = bm.score("kt", path, group="domain"), bm.score("kt", bm.Corpus.from_records(rows), group="domain")
    assert read.by_group == memory.by_group
    check_whole(read)


def test_files_and_folders(tmp_path: Path) -> None:
    for name in ("a/1.txt", "a/2.txt", "b/1.txt"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(f"{name}\nmore\n")
    files = bm.score("kt", tmp_path, docs="line", group="file")
    folders = bm.score("kt", tmp_path, docs="line", group="folder")
    assert [Path(name).name for name in groups(files).names] == ["1.txt", "2.txt", "1.txt"]
    assert [Path(name).name for name in groups(folders).names] == ["a", "b"]
    assert groups(folders).documents.tolist() == [4, 2]
    check_whole(files)
    check_whole(folders)


def test_impossible_groups_are_infinite() -> None:
    found = by([("a", "x"), ("q", "y")], bm.Distribution({"a": 0.5, "b": 0.5}))
    assert groups(found).nats.tolist() == [pytest.approx(np.log(2)), np.inf]
    assert found.groups[1].figure == np.inf
    assert bm.Score.from_json(found.to_json()) == found


def test_names_of_values() -> None:
    rows = [{"text": "a", "d": 1}, {"text": "b", "d": "1"}, {"text": "c", "d": None}, {"text": "d", "d": "x\ny"}]
    found = bm.score("kt", bm.Corpus.from_records(rows), group="d")
    assert groups(found).names == ("1 (int)", "1 (str)", "None", "x\\ny")
    assert bm.Score.from_json(found.to_json()) == found


@pytest.mark.parametrize(
    ("text", "keywords", "message"),
    [
        (b"text", {"group": "domain"}, "plain text, which has no field"),
        (bm.Corpus.from_records([{"text": "a"}]), {"group": "domain"}, "has no field 'domain' to group by"),
        (bm.Corpus.from_records([{"text": "a", "d": []}]), {"group": "d"}, "short string or a number"),
        (bm.Corpus.from_records([{"text": "a", "d": "x"}]), {"group": "d", "first": "skip"}, "--den original"),
        (b"text", {"group": 3}, "must be the name of a field"),
    ],
)
def test_refusals(text: Any, keywords: dict[str, Any], message: str) -> None:
    with pytest.raises(bm.BitmeterError, match=message):
        bm.score("kt", text, **keywords)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda g: g | {"bytes": [b + 1 for b in g["bytes"]]}, "its groups have"),
        (lambda g: g | {"exact": [[1.0]] * len(g["exact"])}, "its groups cost"),
        (lambda g: g | {"names": ["x"] * len(g["names"])}, "one name"),
        (lambda g: g | {"rows": g["rows"][1:]}, "rows are known"),
        (lambda g: g | {"rows": g["rows"][::-1]}, "the cost of its documents"),
        (lambda g: g | {"rows": [0, 0, 0]}, "not those of their documents"),
        (lambda g: g | {"schema": "bitmeter.groups/2"}, "it must be bitmeter.groups/1"),
        (lambda g: g | {"exact": 3}, "a list of lists"),
        (lambda g: g | {"documents": g["documents"][1:]}, "different lengths"),
    ],
)
def test_a_forged_run_is_refused(change: Any, message: str) -> None:
    run = json.loads(by([("ab", "x"), ("c", "y"), ("dd", "y")]).to_json())
    run["by_group"] = change(run["by_group"])
    with pytest.raises(bm.BitmeterError, match=message):
        bm.Score.from_json(json.dumps(run))
