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


def test_the_dialect_is_found_and_the_cost_is_told() -> None:
    with serving("echo") as server:
        made = endpoint(server, tokenizer=TINY)
        found = bm.score(made, b"The harbour was quiet.")
        sent = sum(len(body["prompt"]) for body in server.bodies)
    # What is asked in vLLM's dialect first has one token written; the echo form none.
    assert any(
        f"3 requests to {server.url}/completions (echo): {sent} tokens sent, 1 written" in n for n in found.notes
    )


@pytest.mark.parametrize("fault", [429, (429, {"Retry-After": "0"}), 500, 503, "hang up"])
def test_what_passes_is_tried_again(fault: Any) -> None:
    with serving("vllm") as server:
        made = endpoint(server, tokenizer=TINY)
        server.faults = [fault, fault]
        found = bm.score(made, b"The harbour was quiet.")
        assert len(server.bodies) == 4  # the probe, two failures, success
    assert found.bits == pytest.approx(bm.score(tiny(), b"The harbour was quiet.").bits, rel=1e-6)


def test_retry_after_is_waited_for() -> None:
    with serving("vllm") as server:
        made = endpoint(server, tokenizer=TINY)
        server.faults = [(429, {"Retry-After": "0.3"})]
        bm.score(made, b"The harbour")
        assert server.times[-1] - server.times[-2] >= 0.3
        server.faults = [(429, {"Retry-After": "86400"})]
        with pytest.raises(bm.errors.ModelError, match="come back in 86400 seconds"):
            bm.score(made, b"The boats")


def test_a_time_out_is_tried_again_and_then_named() -> None:
    with serving("vllm") as server:
        made = endpoint(server, tokenizer=TINY, timeout=0.25, retries=1)
        server.faults = ["sleep"]
        bm.score(made, b"The harbour")
        server.faults = ["sleep", "sleep"]
        with pytest.raises(bm.errors.ModelError, match=r"failed 2 times.*did not answer in time"):
            bm.score(made, b"The boats")


def test_errors_that_stay_are_named() -> None:
    with serving("vllm") as server:
        made = endpoint(server, tokenizer=TINY, retries=1)
        for fault, said in (
            (500, "failed 2 times.*HTTP 500: .*come back later"),
            (401, "BITMETER_API_KEY"),
            (400, "refused"),
            ("page", "not JSON"),
            ("hang up", "failed 2 times"),
        ):
            server.faults = [fault, fault]
            with pytest.raises(bm.errors.ModelError, match=said):
                bm.score(made, b"The harbour")
            server.faults = []


def _spoilt(change: Any) -> Any:
    def spoil(answer: dict[str, Any]) -> dict[str, Any]:
        change(answer["choices"][0])
        return answer

    return spoil


def test_answers_that_would_spoil_a_figure_are_refused() -> None:
    def log(value: Any) -> Any:
        return _spoilt(lambda c: c["logprobs"]["token_logprobs"].__setitem__(2, value))

    for spoil, said in (
        (log(None), "null for the log-probability of token 2"),
        (log(-9999.0), "−inf"),
        (log(float("nan")), "nan"),
        (log(0.5), "above 0"),
        (log("x"), "'x'"),
        (_spoilt(lambda c: c["logprobs"]["tokens"].pop()), "tokens where there are"),
        (_spoilt(lambda c: c.__setitem__("logprobs", None)), "no log-probabilities"),
        (_spoilt(lambda c: c["logprobs"].pop("tokens")), "another form"),
        (lambda answer: {"choices": []}, "another form"),
        (lambda answer: [], "JSON object"),
    ):
        with serving("echo") as server:
            made = endpoint(server, tokenizer=TINY)
            server.spoil = spoil
            with pytest.raises(bm.errors.ModelError, match=said):
                bm.score(made, b"The harbour")


def test_a_server_that_does_not_echo_is_found_out() -> None:
    def own_words(choice: dict[str, Any]) -> None:
        choice["text"] = " the"
        choice["logprobs"] = {"tokens": [" the"], "token_logprobs": [-1.0]}

    for tokenizer in (None, TINY):
        with serving("echo", least=1) as server:
            server.spoil = _spoilt(own_words)
            with pytest.raises(bm.errors.ModelError, match="does not echo the prompt"):
                endpoint(server, tokenizer=tokenizer, dialect="echo")


def test_what_is_not_there_is_told_by_the_servers_own_list() -> None:
    """Whatever words the server finds for it."""
    with serving() as server:
        server.models = ["another", "tiny-chat"]
        with pytest.raises(bm.errors.ModelError, match="no model 'tiny'; it has another, tiny-chat"):
            endpoint(server)
        server.models = []
        with pytest.raises(bm.errors.ModelError, match="it has none"):
            endpoint(server)
        server.models = None
        with pytest.raises(bm.errors.ModelError, match="no completions endpoint at this address"):
            endpoint(server)
    with serving("vllm", "echo") as server:
        server.models = ["other"]
        with pytest.raises(bm.errors.ModelError, match="no model 'tiny'; it has other"):
            endpoint(server)


def test_a_server_that_fails_is_not_taken_for_one_of_another_dialect() -> None:
    for fault, said in (("page", "not JSON"), (401, "wants a key"), (500, "failed 1 times")):
        with serving("vllm", "echo") as server:
            server.faults = [fault]
            with pytest.raises(bm.errors.ModelError, match=said):
                endpoint(server, retries=0)
            assert len(server.bodies) == 1


def test_chat_only_is_refused_with_the_reason() -> None:
    with serving() as server, pytest.raises(bm.errors.ModelError, match="for chats only, and a chat endpoint tells"):
        endpoint(server)
    with pytest.raises(bm.errors.ModelError, match="chat endpoint tells nothing"):
        bm.Endpoint("http://localhost/v1/chat/completions", "m")


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


def test_answers_are_kept_on_disk_and_asked_for_once(tmp_path: Path) -> None:
    with serving("vllm") as server:
        first = bm.score(endpoint(server, tokenizer=TINY, cache=tmp_path / "kept"), DOCUMENTS, docs="line")
        asked = len(server.bodies)
        second = bm.score(endpoint(server, tokenizer=TINY, cache=tmp_path / "kept"), DOCUMENTS, docs="line")
        assert len(server.bodies) == asked
        assert second.bits == first.bits
        files = sorted((tmp_path / "kept").rglob("*.json"))
        assert len(files) == asked
        assert not list((tmp_path / "kept").rglob(".*"))
        for file in files:
            file.write_text("{")
        with pytest.raises(bm.errors.FileFormatError, match="delete it to ask again"):
            endpoint(server, tokenizer=TINY, cache=tmp_path / "kept")


def test_the_key_is_sent_and_never_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_KEY", "secret-word")
    with serving("vllm") as server:
        bm.score(endpoint(server, tokenizer=TINY, key="MY_KEY", cache=tmp_path), b"The harbour")
        assert {headers["authorization"] for headers in server.headers} == {"Bearer secret-word"}
    assert not any("secret-word" in file.read_text() for file in tmp_path.rglob("*.json"))


def test_by_name() -> None:
    with serving("vllm", "echo") as server:
        made = bm.load(f"openai:{server.url}#tiny,tokenizer={TINY},ctx=64,dialect=echo,concurrency=2,wait=0.01")
        assert (made.context, made.name) == (64, f"openai:{server.url}#tiny")
        assert all("echo" in body for body in server.bodies)
    for name, said in (
        ("openai:", "needs an address"),
        ("openai:http://x/v1", "needs an address"),
        ("openai:http://x/v1#m,colour=red", "no option"),
        ("openai:http://x/v1#m,ctx=many", "needs a number"),
        ("openai:ftp://x#m", "must begin with http"),
    ):
        with pytest.raises(bm.errors.ModelError, match=said):
            bm.load(name)
