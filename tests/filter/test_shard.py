"""One file, scored now or before, gives the same outputs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bitmeter.errors import SourceError
from bitmeter.filter.plan import shards_of
from bitmeter.filter.records import Rows
from bitmeter.filter.rules import Between, Everything, parse_sample
from bitmeter.filter.scores import BAD, NO_FIGURE, RECORD, SCORED, Scorers
from bitmeter.filter.settings import Settings, settle
from bitmeter.filter.shard import decide, score_shard, tally_scores, write_shard
from bitmeter.filter.tally import Tally
from tests.filter.made import rows, write_jsonl


def settings(**more: Any) -> Settings:
    defaults = {"field": None, "language": None, "docs": None, "add": (), "prefix": "", "tag": None, "seed": 0}
    return settle(Everything(), **{**defaults, "unscored": "drop", **more})


def ignore(_: int) -> None:
    pass


def test_scores_that_were_written_give_the_same_outputs(tmp_path: Path) -> None:
    write_jsonl(tmp_path / "a.jsonl", [*rows(), "broken", {"text": ""}])
    chosen, scorers, decision = settings(add="nats"), Scorers("kt", None, None, "", {}), Between({"": (6.0, 7.0)})
    results = []
    for number in range(2):
        [shard] = shards_of(
            tmp_path / "a.jsonl",
            tmp_path / f"{number}.jsonl",
            tmp_path / f"r{number}.jsonl",
            tmp_path / f"b{number}.jsonl",
        )
        scores = None
        if number:
            scores = tmp_path / "scores"
            score_shard(shard, chosen, scorers, scores, ignore)
        tally, paths = write_shard(shard, chosen, scorers, decision, scores, ignore, force=False)
        results.append((tally, [path.read_bytes() for path in paths]))
    assert results[0] == results[1]
    tally = results[0][0]
    assert (sum(share.documents for share in tally.shares.values()), tally.bad) == (11, 1)
    counted = Tally()
    tally_scores(tmp_path / "scores", counted, decision, scorers.languages)
    assert counted.shares == tally.shares
    write_jsonl(tmp_path / "a.jsonl", rows() * 2)
    [shard] = shards_of(tmp_path / "a.jsonl", tmp_path / "x.jsonl", None, None)
    with pytest.raises(SourceError, match="has changed"):
        write_shard(shard, chosen, scorers, decision, tmp_path / "scores", ignore, force=False)
    assert not (tmp_path / "x.jsonl").exists()


def test_outcomes() -> None:
    records = np.zeros(4, dtype=RECORD)
    records["state"] = [SCORED, BAD, NO_FIGURE, SCORED]
    records["value"] = [1.0, 0.0, 0.0, 9.0]
    assert decide(records, None, Between({"": (0.0, 5.0)}), [""], 0).tolist() == [0, -1, 2, 1]


@pytest.mark.parametrize("seed", [0, 1, 2**600])
def test_draws_are_even(seed: int) -> None:
    texts = [str(number).encode() for number in range(2000)]
    records = np.zeros(len(texts), dtype=RECORD)
    batch = Rows(0, texts, list(range(len(texts))), texts)
    kept = decide(records, batch, parse_sample("uniform:0.5", seed, Everything()), [""], seed)
    assert 880 <= int((kept == 0).sum()) <= 1120  # 1,000 are expected, with a standard deviation of 22
