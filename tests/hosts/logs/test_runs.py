"""Logs as runs: sums, intervals, traces, and what may be compared."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest

import bitmeter as bm
from bitmeter.errors import BitmeterError, IncomparableError
from bitmeter.measure.conventions.registry import CONVENTIONS
from tests.hosts.logs.made_logs import GENUINE, chat, completion, llama, position, vllm, write

TINY = Path(__file__).parents[2] / "parity" / "tiny"


def test_lm_eval_s_own_figures_come_out() -> None:
    """The README of the logs has what lm-eval printed for them."""
    found = bm.import_log(GENUINE / "lm-eval-rolling.jsonl")
    assert found.bits_per_byte == pytest.approx(3.998674796351028, rel=1e-12)
    assert found.perplexity("word") == pytest.approx(1183913.237562551, rel=1e-12)
    assert (found.documents, found.tokens, found.bytes) == (3, None, 222)
    assert found.interval is not None
    assert found.interval.clusters == 3
    assert CONVENTIONS["bitmeter"].figures(found) == {}


def test_a_log_compares_with_our_own_score_of_the_text(tmp_path: Path) -> None:
    log = bm.import_log(GENUINE / "lm-eval-rolling.jsonl", model="tiny")
    rows = [json.loads(line) for line in (GENUINE / "lm-eval-rolling.jsonl").read_text().splitlines()]
    text = write(tmp_path / "docs.jsonl", *(row["doc"] for row in rows))
    own = bm.score(f"hf:{TINY}", text, field="page")
    assert own.signature.text == log.signature.text
    assert own.signature.docs == log.signature.docs
    found = bm.compare(log, own)
    # The same model and the same windows: float32 against our float64 logarithm.
    assert found.rows[1].difference == pytest.approx(0.0, abs=1e-6)
    assert found.rows[1].test is not None
    assert own.by_document is not None
    assert log.by_document is not None
    assert own.by_document.nats == pytest.approx(log.by_document.nats, abs=1e-3)
    saved = tmp_path / "log.json"
    log.save(saved)
    assert bm.Score.load(saved) == log
    assert bm.check(saved, own, allow="0.1%").verdict in ("equal", "better", "undecided")


def test_answers_are_given_their_contexts() -> None:
    found = bm.import_log(GENUINE / "lm-eval-choice.jsonl")
    # The right answers: " harbour", " town", " bread".
    assert found.nats == pytest.approx(16.515052795410156 + 18.513961791992188 + 14.365452766418457, rel=1e-12)
    assert found.bytes == len(" harbour town bread")
    assert found.signature.first.startswith("given-")
    with pytest.raises(IncomparableError, match="first"):
        bm.compare(found, bm.score("kt", bm.Corpus.from_documents([" harbour", " town", " bread"])))


def test_other_contexts_are_another_figure(tmp_path: Path) -> None:
    a, b = (
        bm.import_log(write(tmp_path / f"{name}.json", chat(("yes", -1.0), prompt=name))) for name in ("one", "two")
    )
    assert a.signature.text == b.signature.text
    with pytest.raises(IncomparableError, match="first"):
        bm.compare(a, b)


def test_inspect_in_both_formats() -> None:
    found = [bm.import_log(GENUINE / name) for name in ("inspect.json", "inspect.eval")]
    for score in found:
        # As chosen: 0.5 + 2.25 + 0.125, 1.5 + 3, 0.75.
        assert score.nats == 8.125
        assert (score.tokens, score.bytes, score.model) == (6, 22, "mockllm/model")
        assert [unit.text for unit in score.trace] == ["The", " harbour", ".", "Ca", "fé", "bread"]
    assert found[0].by_document == found[1].by_document
    assert bm.compare(*found).rows[1].difference == 0.0


def test_lighteval_and_lm_eval_agree_on_the_same_questions() -> None:
    theirs = bm.import_log(GENUINE / "lighteval.parquet")
    harness = bm.import_log(GENUINE / "lm-eval-choice.jsonl")
    assert theirs.by_document is not None
    assert harness.by_document is not None
    assert theirs.by_document.nats == pytest.approx(harness.by_document.nats, abs=1e-4)


def test_openai_vllm_and_llama_server(tmp_path: Path) -> None:
    echoed = completion(("To", None), (" be", -1.0), (" or", -2.0))
    found = bm.import_log(write(tmp_path / "echo.json", echoed))
    assert any("but for tokens without a log-probability" in note for note in found.notes)  # it said: every token
    assert (found.nats, found.tokens, found.skipped, found.bytes) == (3.0, 2, 1, 6)
    assert found.signature.first == "skip"
    prompt = vllm(None, position(" be", -1.0, the=-0.5), position(" or", -2.0))
    found = bm.import_log(write(tmp_path / "vllm.json", prompt))
    assert (found.nats, found.bytes, found.signature.first) == (3.0, 6, "log-vllm")
    given = vllm(None, {"3": {"logprob": -9.0, "decoded_token": "x"}, "5": {"logprob": -1.0, "decoded_token": "y"}},
                 prompt_token_ids=[1, 5])  # fmt: skip
    assert bm.import_log(write(tmp_path / "ids.json", given)).nats == 1.0
    found = bm.import_log(write(tmp_path / "llama.json", llama(("ab", -1.5), ("c", -0.5), prompt="x")))
    assert (found.nats, found.bytes, found.model) == (2.0, 3, "tiny.gguf")
    rows = [chat(("a", -1.0)), chat(("b", -2.0))]
    found = bm.import_log(write(tmp_path / "chats.jsonl", *rows))
    assert (found.documents, found.nats, found.model) == (2, 3.0, "gpt-x")
    batch = [{"custom_id": "1", "response": {"status_code": 200, "body": row}} for row in rows]
    assert bm.import_log(write(tmp_path / "batch.jsonl", *batch)).nats == 3.0


def test_the_trace_is_saved_and_shown(tmp_path: Path) -> None:
    log = write(tmp_path / "a.jsonl", chat(("To", -1.0), (" be", -2.5)), chat(("or", -0.5)))
    score = bm.import_log(log, trace=tmp_path / "t.parquet")
    trace = bm.Trace.load(tmp_path / "t.parquet")
    assert trace.logprob.tolist() == [-1.0, -2.5, -0.5]
    assert trace.doc.tolist() == [0, 0, 1]
    assert trace.signature == score.signature
    assert [unit.text for unit in trace.top(1)] == [" be"]


def test_an_impossible_token_is_infinite(tmp_path: Path) -> None:
    found = bm.import_log(write(tmp_path / "a.json", chat(("a", -1.0), ("b", -9999.0))))
    assert (found.nats, found.impossible, found.known_nats) == (math.inf, 1, 1.0)
    assert bm.Score.from_json(found.to_json()) == found


def test_what_is_wrong_with_the_call(tmp_path: Path) -> None:
    log = write(tmp_path / "a.json", chat(("a", -1.0)))
    with pytest.raises(BitmeterError, match="not of vllm"):
        bm.import_log(log, tool="vllm")
    with pytest.raises(BitmeterError, match="tool"):
        bm.import_log(log, tool="chatgpt")
    with pytest.raises(BitmeterError, match="model"):
        bm.import_log(log, model=3)  # type: ignore[arg-type]
    assert bm.import_log(log, model="mine").model == "mine"


def test_without_tokens_there_is_no_trace(tmp_path: Path) -> None:
    with pytest.raises(BitmeterError, match="has no tokens"):
        bm.import_log(GENUINE / "lm-eval-choice.jsonl", trace=tmp_path / "t.parquet")
    assert not (tmp_path / "t.parquet").exists()
