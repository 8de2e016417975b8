"""A model behind a server gives the figures of the same model loaded directly, or an error that says what is wrong."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import bitmeter as bm
from tests.models.networks import TINY, tiny
from tests.models.serving import Server, serving

TEXT = (TINY / "joined.txt").read_bytes()[:900]
DOCUMENTS = (
    b"The harbour was quiet.\nThe boats came in; the \xc3\xa9migr\xc3\xa9s \xe2\x82\xac5 \xf0\x9f\x9a\xa2 paid.\n\nno\n"
)


def endpoint(server: Server, **options: Any) -> bm.Endpoint:
    return bm.Endpoint(server.url, "tiny", **{"wait": 0.001, "retries": 3, **options})


@pytest.mark.parametrize("dialect", ["vllm", "echo"])
@pytest.mark.parametrize("least", [0, 1])
def test_ids_sent_give_the_direct_score_windows_and_all(dialect: str, least: int) -> None:
    with serving(dialect, least=least) as server:
        made = endpoint(server, tokenizer=TINY, context=64)
        for text, ctx in ((DOCUMENTS, None), (TEXT, None), (TEXT, "32.16"), (TEXT, "rolling.63")):
            found = bm.score(made, text, docs="line" if text is DOCUMENTS else "file", ctx=ctx)
            direct = bm.score(tiny(), text, docs="line" if text is DOCUMENTS else "file", ctx=ctx)
            assert found.tokens == direct.tokens
            assert found.bits == pytest.approx(direct.bits, rel=1e-6)
            assert (found.signature.ctx, found.signature.first) == (direct.signature.ctx, direct.signature.first)


@pytest.mark.parametrize("dialect", ["vllm", "echo"])
@pytest.mark.parametrize("adds_bos", [False, True])
@pytest.mark.parametrize("least", [0, 1])
def test_text_sent_takes_the_servers_tokens(dialect: str, adds_bos: bool, least: int) -> None:
    text = b"The harbour was quiet.\nThe boats came in.\n"
    with serving(dialect, adds_bos=adds_bos, least=least) as server:
        found = bm.score(endpoint(server), text, docs="line")
    direct = bm.score(tiny(), text, docs="line", first="bos" if adds_bos else "skip", eos="no")
    assert found.signature.first == ("bos" if adds_bos else "skip")
    assert (found.tokens, found.bytes) == (direct.tokens, direct.bytes)
    assert found.bits == pytest.approx(direct.bits, rel=1e-6)


def test_tokens_that_are_no_whole_characters_have_their_bytes_by_echo_and_are_refused_else() -> None:
    with serving("echo") as server:
        made = endpoint(server)
        split = made.units.split(DOCUMENTS)
        assert np.array_equal(split.cuts, tiny().units.split(DOCUMENTS).cuts)
        assert b"".join(split.pieces(DOCUMENTS)) == DOCUMENTS
    with serving("vllm") as server, pytest.raises(bm.errors.ModelError, match="do not join to the text"):
        bm.score(endpoint(server), DOCUMENTS)


def test_text_that_is_not_utf8_needs_a_tokenizer() -> None:
    with serving("echo") as server, pytest.raises(bm.errors.ModelError, match=r"byte 1 of .* is not"):
        bm.score(endpoint(server), b"a\xff")


def test_the_dialect_is_found_and_the_cost_is_shown() -> None:
    with serving("echo") as server:
        made = endpoint(server, tokenizer=TINY)
        found = bm.score(made, b"The harbour was quiet.")
        sent, written = (sum(numbers) for numbers in zip(*[_cost(body) for body in server.bodies], strict=True))
        asked = len(server.bodies)
    assert any(
        f"{asked} requests to {server.url}/completions (echo): {sent} tokens sent, {written} written" in n
        for n in found.notes
    )


def _cost(body: dict[str, Any]) -> tuple[int, int]:
    return len(body["prompt"]), body["max_tokens"]


def test_another_tokenizer_is_found_out(tmp_path: Path) -> None:
    made = json.loads((TINY / "tokenizer.json").read_text())
    vocabulary = made["model"]["vocab"]
    names = list(vocabulary)
    made["model"]["vocab"] = {name: (0 if not i else len(names) - i) for i, name in enumerate(names)}
    (tmp_path / "tokenizer.json").write_text(json.dumps(made))
    with serving("echo") as server, pytest.raises(bm.errors.ModelError, match="another tokenizer"):
        bm.score(endpoint(server, tokenizer=tmp_path), b"The harbour was quiet")


def test_a_long_document_is_cut_or_refused() -> None:
    with serving("vllm") as server:
        with pytest.raises(bm.errors.ModelError, match="maximum context length is 65"):
            bm.score(endpoint(server, tokenizer=TINY), TEXT)
        with pytest.raises(bm.errors.ModelError, match="sees 64 at once"):
            bm.score(endpoint(server, tokenizer=TINY, context=64), TEXT, ctx="full")
        with pytest.raises(bm.errors.ModelError, match=r"rolling\.63"):
            bm.score(endpoint(server, tokenizer=TINY, context=64), TEXT, ctx="rolling")


def test_by_name() -> None:
    with serving("vllm", "echo") as server:
        made = bm.load(f"openai:{server.url}#tiny,tokenizer={TINY},ctx=64,dialect=echo,concurrency=2,wait=0.01")
        assert (made.context, made.name) == (64, f"openai:{server.url}#tiny")
        assert all("echo" in body for body in server.bodies)
    for name, said in (
        ("openai:", "needs an address"),
        ("openai:http://x/v1", "needs an address"),
        ("openai:http://x/v1#m,colour=red", "not an option"),
        ("openai:http://x/v1#m,ctx=many", "needs a number"),
        ("openai:ftp://x#m", "must begin with http"),
    ):
        with pytest.raises(bm.errors.ModelError, match=said):
            bm.load(name)


def test_it_scores_and_does_not_predict() -> None:
    """Predictions cannot be checked, peeking can; whatever needs the distribution is a typed error."""
    with serving("vllm") as server:
        made = endpoint(server, tokenizer=TINY, context=64)
        assert isinstance(made, bm.Model)
        assert not isinstance(made, bm.Predictor)
        found = bm.verify(made, DOCUMENTS, histories=3)
        assert found.sound is None
        assert not found.predicts
        assert np.isnan(found.sums)
        assert "does not expose its next-unit distribution" in " ".join(str(found).split())
        for call in (bm.sample, lambda model: bm.score(model, TEXT, alternatives=3), lambda m: bm.prove(m, b"no")):
            with pytest.raises(bm.errors.ModelError, match="does not expose"):
                call(made)
