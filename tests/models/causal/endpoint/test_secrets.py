"""A key reaches the server's header and nothing else; an address holds no secret."""

from __future__ import annotations

import traceback
from pathlib import Path
from typing import Any

import pytest

import bitmeter as bm
from bitmeter.errors import BitmeterError, InputTypeError, ModelError
from bitmeter.models.causal.endpoint.secrets import Secret, address_of
from tests.cli.running import run
from tests.models.networks import TINY
from tests.models.serving import serving

WORD = "s3cretW0rd"


def said(error: BaseException) -> str:
    """All that a program could print of an error: the message, its causes, its value."""
    lines = traceback.format_exception(error)
    return "".join(line for line in lines if not line.lstrip().startswith("File")) + repr(vars(error))


@pytest.mark.parametrize(
    ("key", "fault"),
    [(f"{WORD}\n", "ends in a newline"), (f"{WORD}\r\n", "ends in a newline"), (f" {WORD}", "white space"),
     (f"{WORD}\t", "white space"), (f"{WORD} {WORD}", "a space or a control character"),
     (f"{WORD}\x07x", "control character"), (f"{WORD}\n{WORD}", "control character"), (f"{WORD}é", "not ASCII"),
     (f"{WORD}\udc80", "not ASCII")],
)  # fmt: skip
def test_a_key_that_cannot_be_sent(
    key: str, fault: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.setenv("MY_KEY", key)
    with pytest.raises(ModelError, match=f"MY_KEY.*{fault}") as caught:
        bm.Endpoint("http://127.0.0.1:9/v1", "m", key="MY_KEY", retries=0)
    assert WORD not in str(caught.value) + repr(vars(caught.value))
    (tmp_path / "t").write_bytes(b"text")
    code, out, err = run(capsys, "score", "openai:http://127.0.0.1:9/v1#m,key=MY_KEY,retries=0", str(tmp_path / "t"))
    assert code == 1
    assert WORD not in out + err


@pytest.mark.parametrize("name", [WORD + "-x", "sk-" + WORD, "", "A B", "1A", "A\0", "Ä"])
def test_a_key_instead_of_the_name_of_its_variable(name: str) -> None:
    with pytest.raises(ModelError, match="is not the name of an environment variable") as caught:
        Secret(name)
    assert WORD not in said(caught.value)


def test_a_key_is_named_by_a_string() -> None:
    with pytest.raises(InputTypeError):
        Secret(3)
    assert Secret("SURELY_NOT_SET").headers == {}


@pytest.mark.parametrize(
    "url",
    [f"http://user:{WORD}@host/v1", f"http://{WORD}@host/v1", f"https://host/v1?api_key={WORD}", "http://host/v1?",
     f"http://host/v1?a=b&k={WORD}", f"http://[{WORD}/v1", f"http://host:{WORD}/v1", f"http://{WORD}@host:x",
     f"ftp://user:{WORD}@host", f"http://u:{WORD}@host/v1/chat/completions", "http://", "http:///v1", "http://h:99999/v1",
     f"http://u:{WORD}\n@host", f"http://ü:{WORD}@host"],
)  # fmt: skip
def test_addresses_hold_no_secret(url: str, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    with pytest.raises(ModelError) as caught:
        address_of(url)
    if "@" in url or "?" in url:
        assert WORD not in str(caught.value) + repr(vars(caught.value))
    (tmp_path / "t").write_bytes(b"text")
    saved = tmp_path / "run.json"
    for spec in (f"openai:{url}#m,retries=0", f"opena:{url}#m"):
        code, out, err = run(capsys, "score", spec, str(tmp_path / "t"), "-o", str(saved))
        assert code in (1, 2)  # what is no model may be taken for a text
        assert ("@" not in url and "?" not in url) or WORD not in out + err
    assert not saved.exists()


@pytest.mark.parametrize(
    ("url", "address"),
    [("http://h:8000/v1/", "http://h:8000/v1/completions"), ("https://h", "https://h/v1/completions"),
     ("http://h/v1/completions", "http://h/v1/completions"), ("http://[::1]:80/v1", "http://[::1]:80/v1/completions")],
)  # fmt: skip
def test_plain_addresses(url: str, address: str) -> None:
    assert address_of(url) == address


def test_what_a_server_repeats_is_hidden(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Some servers say which key was wrong; one that sends it in an answer does not get it into the cache."""
    monkeypatch.setenv("MY_KEY", WORD)
    options: dict[str, Any] = {"tokenizer": TINY, "key": "MY_KEY", "cache": tmp_path, "retries": 0}
    with serving("vllm") as server:
        server.spoil = lambda answer: {**answer, "echo": [WORD, {WORD: f"Bearer {WORD}"}]}
        made = bm.Endpoint(server.url, "tiny", **options)
        found = bm.score(made, b"The harbour")
        found.save(tmp_path / "run.json")
        server.spoil = lambda answer: {"error": f"wrong key {WORD}"}
        with pytest.raises(BitmeterError) as caught:
            bm.score(made, b"The boats")
        assert {headers["authorization"] for headers in server.headers} == {f"Bearer {WORD}"}
    assert WORD not in said(caught.value) + str(found) + repr(made) + str(found.signature)
    files = [file for file in tmp_path.rglob("*") if file.is_file()]
    assert len(files) > 2
    assert not any(WORD in file.read_text() + file.name for file in files)


def test_addresses_of_texts_are_shown_without_secrets() -> None:
    fsspec = pytest.importorskip("fsspec")
    with fsspec.open(f"memory://bucket/a?sig={WORD}", "wb") as file:
        file.write(b"some text")
    corpus = bm.Corpus(f"memory://bucket/a?sig={WORD}")
    score = bm.score("kt", corpus)
    assert (score.bytes, corpus.name) == (9, "memory:///bucket/a?…")
    assert WORD not in score.to_json() + str(score)
    with pytest.raises(BitmeterError) as caught:
        bm.score("kt", f"memory://bucket/absent?sig={WORD}")
    assert WORD not in str(caught.value) + repr(vars(caught.value))
