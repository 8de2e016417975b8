"""Texts that come with the page."""

from __future__ import annotations

from bitmeter.web.examples import examples, find_example
from tests.web.serving import client_of


def test_every_example_can_be_measured() -> None:
    client = client_of()
    for example in examples():
        found = client.get(f"/api/examples/{example.name}").json()
        assert found["text"] == example.text
        assert (
            client.post("/api/live", json={"models": ["kt", "sample-words"], "text": found["text"]}).status_code == 200
        )
    assert find_example("nothing") is None
    assert client.get("/api/examples/nothing").status_code == 404
