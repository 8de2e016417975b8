"""Requests: repeated where that helps, cached, and never with a key on disk."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import bitmeter as bm
from tests.models.networks import TINY, tiny
from tests.models.serving import Server, serving

DOCUMENTS = (
    b"The harbour was quiet.\nThe boats came in; the \xc3\xa9migr\xc3\xa9s \xe2\x82\xac5 \xf0\x9f\x9a\xa2 paid.\n\nno\n"
)


def endpoint(server: Server, **options: Any) -> bm.Endpoint:
    return bm.Endpoint(server.url, "tiny", **{"wait": 0.001, "retries": 3, **options})


@pytest.mark.parametrize("fault", [429, (429, {"Retry-After": "0"}), 500, 503, "hang up", "cut"])
def test_what_passes_is_tried_again(fault: Any) -> None:
    with serving("vllm") as server:
        made = endpoint(server, tokenizer=TINY)
        server.faults, before = [fault, fault], len(server.bodies)
        found = bm.score(made, b"The harbour was quiet.")
        assert len(server.bodies) == before + 3  # two failures, success
    assert found.bits == pytest.approx(bm.score(tiny(), b"The harbour was quiet.").bits, rel=1e-6)


def test_retry_after_is_waited_for() -> None:
    with serving("vllm") as server:
        made = endpoint(server, tokenizer=TINY)
        server.faults = [(429, {"Retry-After": "0.3"})]
        bm.score(made, b"The harbour")
        assert server.times[-1] - server.times[-2] >= 0.3
        server.faults = [(429, {"Retry-After": "86400"})]
        with pytest.raises(bm.errors.ModelError, match="asks to wait 86400 seconds"):
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
            ("cut", "failed 2 times.*its answer breaks off"),
        ):
            server.faults = [fault, fault]
            with pytest.raises(bm.errors.ModelError, match=said):
                bm.score(made, b"The harbour")
            server.faults = []


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


def test_what_cannot_be_used_is_not_kept(tmp_path: Path) -> None:
    """One null was kept, and every later run failed without naming the cache."""

    def one_null(answer: dict[str, Any]) -> dict[str, Any]:
        (row,) = answer["choices"][0]["prompt_logprobs"][2].values()
        row["logprob"] = None
        return answer

    with serving("vllm") as server:
        made = endpoint(server, tokenizer=TINY, cache=tmp_path)
        before = set(tmp_path.rglob("*.json"))
        server.spoil = one_null
        with pytest.raises(bm.errors.ModelError, match="gave null for the log-probability of token 2"):
            bm.score(made, b"The harbour")
        assert set(tmp_path.rglob("*.json")) == before
        server.spoil = None
        found = bm.score(endpoint(server, tokenizer=TINY, cache=tmp_path), b"The harbour")
    assert found.bits == pytest.approx(bm.score(tiny(), b"The harbour").bits, rel=1e-6)


def test_a_bad_answer_of_an_earlier_version_is_named_with_its_file(tmp_path: Path) -> None:
    with serving("vllm") as server:
        made = endpoint(server, tokenizer=TINY, cache=tmp_path)
        before = set(tmp_path.rglob("*.json"))
        bm.score(made, b"The harbour")
        (file,) = set(tmp_path.rglob("*.json")) - before
        kept = json.loads(file.read_text())
        (row,) = kept["answer"]["choices"][0]["prompt_logprobs"][2].values()
        row["logprob"] = None
        file.write_text(json.dumps(kept))
        with pytest.raises(bm.errors.ModelError, match="null") as caught:
            bm.score(endpoint(server, tokenizer=TINY, cache=tmp_path), b"The harbour")
        assert f"the cached answer {file}; delete it to ask again" in str(caught.value)
