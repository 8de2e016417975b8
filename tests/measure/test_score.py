"""Score: quotients of sums, adding up, and files at full precision."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import bitmeter as bm
from bitmeter import errors
from bitmeter.text.corpus.sample import sample_text

TEXT = sample_text()[:60_000].encode()


@pytest.fixture(scope="module")
def score() -> bm.Score:
    return bm.score("kt", TEXT, docs="blank")


def test_quotients_are_the_sum_by_the_counts(score: bm.Score) -> None:
    # M15: LL, WLL = LL/M, H = −WLL, PPL = 2^H.
    log_likelihood = score.log_likelihood("bits")
    assert log_likelihood == -score.bits
    for per, count in (("byte", score.bytes), ("char", score.chars), ("word", score.words), ("token", score.tokens)):
        assert score.per(per) == pytest.approx(-log_likelihood / count, rel=1e-14)  # type: ignore[arg-type,operator]
        if score.per(per) < 1000:  # type: ignore[arg-type]
            assert score.perplexity(per) == pytest.approx(2 ** (-log_likelihood / count), rel=1e-12)  # type: ignore[arg-type,operator]
    assert score.bits_per_byte == score.per("byte")
    assert score.bits_per_char == score.per("char")
    assert score.bits_per_word == score.per("word")
    assert score.bits_per_token == score.per("token")


def test_units_are_only_another_scale(score: bm.Score) -> None:
    # M22.
    nats, bits, hartleys = (score.log_likelihood(unit) for unit in ("nats", "bits", "hartleys"))
    assert bits * math.log(2) == pytest.approx(nats, rel=1e-14)
    assert hartleys * math.log(10) == pytest.approx(nats, rel=1e-14)
    assert score.per("byte", unit="nats") == pytest.approx(score.bits_per_byte * math.log(2), rel=1e-14)


def test_the_trace_sums_to_the_score(score: bm.Score) -> None:
    # M17, the chain rule: the text's probability is the product of its units' conditional probabilities.
    assert -math.fsum(score.trace.logprob) == pytest.approx(score.nats, abs=1e-9)


def test_disjoint_parts_add_up() -> None:
    corpus = [TEXT[:20_000], TEXT[20_000:45_000], TEXT[45_000:]]
    model = bm.Distribution.from_data(TEXT)
    parts = [bm.score(model, bm.Corpus.from_documents([part] * 4)) for part in corpus]
    whole = bm.score(model, bm.Corpus.from_documents([part for part in corpus for _ in range(4)]))
    total = parts[0] + parts[1] + parts[2]
    assert total.nats == pytest.approx(whole.nats, rel=1e-14)
    for name in ("bytes", "chars", "words", "tokens", "documents", "oov", "skipped", "invalid", "impossible"):
        assert getattr(total, name) == getattr(whole, name)
    assert total.interval is not None
    assert whole.interval is not None
    assert total.interval.half_width == pytest.approx(whole.interval.half_width, rel=1e-10)
    with pytest.raises(errors.IncomparableError, match="model"):
        parts[0] + bm.score("kt", bm.Corpus.from_documents([b"x"] * 6))
    with pytest.raises(TypeError):
        parts[0] + 3  # type: ignore[operator]
    with pytest.raises(errors.UndefinedError, match="compressor"):
        bm.score("zlib", TEXT) + bm.score("zlib", TEXT)


def test_a_sum_keeps_the_confidence_of_its_parts() -> None:
    parts = [bm.score("kt", bm.Corpus.from_documents([TEXT[:2000]] * 4), confidence=0.5) for _ in range(2)]
    total = parts[0] + parts[1]
    assert total.confidence == 0.5
    assert total.interval is not None
    assert total.interval.confidence == 0.5
    assert total.signature.interval == "serial-clusters(record) 0.5"
    assert total.interval == total.interval_per("byte")
    wide = total.interval_per("byte", 0.95)
    assert wide is not None
    assert wide.half_width > total.interval.half_width  # type: ignore[operator]


def test_parts_without_an_interval_know_their_confidence_too(tmp_path: Path) -> None:
    # Single short documents have no interval; six of them do, at the level that was asked for.
    parts = [bm.score("kt", bm.Corpus.from_documents([b"x" * (9 + i)]), confidence=0.8) for i in range(6)]
    assert [part.interval for part in parts] == [None] * 6
    parts[0].save(tmp_path / "run.json")
    total = bm.Score.load(tmp_path / "run.json")
    for part in parts[1:]:
        total = total + part
    assert total.interval is not None
    assert total.interval.confidence == 0.8


def test_scores_of_different_confidence_are_not_added() -> None:
    first, second = (bm.score("kt", TEXT, docs="line", confidence=level) for level in (0.5, 0.95))
    with pytest.raises(errors.IncomparableError, match="50 %, the other of 95 %"):
        first + second


def test_runs_of_earlier_versions_have_the_confidence_of_their_interval() -> None:
    found = bm.score("kt", TEXT, docs="line", confidence=0.9).to_dict()
    del found["confidence"]
    assert bm.Score.from_json(json.dumps(found)).confidence == 0.9
    assert bm.Score.from_json(json.dumps({**found, "interval": None})).confidence == 0.95


@pytest.mark.parametrize("model", ["kt", "uniform", "zstd:3"])
def test_json_gives_the_same_score_back(model: str, tmp_path: Path) -> None:
    score = bm.score(model, TEXT, docs="line")
    again = bm.Score.from_json(score.to_json())
    assert json.loads(again.to_json()) == json.loads(score.to_json())
    for name in ("nats", "known_nats", "bytes", "tokens", "signature", "interval", "notes", "confidence"):
        assert getattr(again, name) == getattr(score, name)
    score.save(tmp_path / "run.json")
    assert bm.Score.load(tmp_path / "run.json").nats == score.nats
    with pytest.raises(errors.FileFormatError, match="--force"):
        score.save(tmp_path / "run.json")
    score.save(tmp_path / "run.json", force=True)


def test_infinite_scores_survive_json() -> None:
    score = bm.score(bm.Distribution({"a": 1.0}), b"ab")
    again = bm.Score.from_json(score.to_json())
    assert again.nats == math.inf
    assert again.impossible == 1
    assert "NaN" not in score.to_json()
    assert "Infinity" not in score.to_json()


@given(st.one_of(st.text(), st.recursive(st.none() | st.integers() | st.text(), st.lists).map(json.dumps)))
def test_what_is_no_run_is_refused(text: str) -> None:
    with pytest.raises(errors.FileFormatError):
        bm.Score.from_json(text)


@pytest.mark.parametrize("key", ["schema", "nats", "signature", "by_document", "bytes"])
def test_a_damaged_run_is_refused(key: str, score: bm.Score) -> None:
    found: dict[str, Any] = score.to_dict()
    for broken in ({k: v for k, v in found.items() if k != key}, {**found, key: ["?"]}, {**found, key: {"?": 1}}):
        with pytest.raises((errors.FileFormatError, errors.SignatureError)):
            bm.Score.from_json(json.dumps(broken))


def test_saving_leaves_nothing_half_written(tmp_path: Path, score: bm.Score) -> None:
    with pytest.raises(errors.FileFormatError, match="cannot be written"):
        score.save(tmp_path / "no" / "such" / "folder.json")
    broken = replace(score, environment={"x": object()})  # type: ignore[dict-item]
    with pytest.raises(TypeError):
        broken.save(tmp_path / "run.json")
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(errors.FileFormatError, match="does not exist"):
        bm.Score.load(tmp_path / "run.json")


def test_intervals_by_document_along_the_text_and_none() -> None:
    by_document = bm.score("kt", TEXT, docs="blank")
    along = bm.score("kt", TEXT)
    tiny = bm.score("kt", b"x")
    assert by_document.interval is not None
    assert by_document.interval.method.startswith("serial-clusters(")
    assert by_document.signature.interval == f"{by_document.interval.method} 0.95"
    assert along.interval is not None
    assert along.interval.method.startswith("serial-")
    assert tiny.interval is None
    assert any("no interval" in note for note in tiny.notes)
    assert tiny.signature.interval == "none"
    for scored in (by_document, along):
        assert scored.interval is not None
        assert scored.bits_per_byte in scored.interval
        assert scored.interval.estimate == pytest.approx(scored.bits_per_byte, rel=1e-12)
        wider = scored.interval_per("byte", 0.99)
        assert wider is not None
        assert wider.half_width > scored.interval.half_width  # type: ignore[operator]
        words = scored.interval_per("word")
        assert words is not None
        assert words.estimate == pytest.approx(scored.bits_per_word, rel=1e-12)


def test_a_score_in_words(score: bm.Score) -> None:
    text = str(score)
    assert score.signature.short in text
    assert "bits/byte" in text
    assert f"{score.bytes:,} bytes" in text
    assert "∞" in str(bm.score(bm.Distribution({"a": 1.0}), b"ab"))
    assert "empty" in str(bm.score("kt", b""))


def test_blocks_stay_few_however_long_the_text() -> None:
    score = bm.score("uniform", bytes(3_000_000))
    assert score.by_block is not None
    assert len(score.by_block.nats) <= 8192
    assert np.all(score.by_block.bytes[:-1] == score.by_block.size)
    assert int(score.by_block.bytes.sum()) == 3_000_000


@pytest.mark.parametrize("per", ["page", None, 3])
def test_what_is_asked_is_checked(per: Any, score: bm.Score) -> None:
    for call in (score.per, score.perplexity, score.count, score.interval_per):
        with pytest.raises(bm.BitmeterError):
            call(per)
    with pytest.raises(bm.BitmeterError):
        score.log_likelihood("dits")  # type: ignore[arg-type]
