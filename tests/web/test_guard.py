"""Who may ask: each promise of the guard, with a request that breaks it."""

from __future__ import annotations

import re

import pytest

from bitmeter.web.guard import HEADERS, is_loopback
from bitmeter.web.limits import Limits
from tests.web.serving import client_of

TOKEN = "a-token-of-twenty-four-chars"


ODD = (
    "[127.0.0.1]evil.example", "[127.0.0.1]", "[::1]evil.example", "[::1", "::1", "127.0.0.1]", "127.0.0.1:",
    "localhost:x", "localhost:8719:8719", "user@localhost", "localhost/evil.example", "[[::1]]", "localhost#",
    "127.0.0.1:123456",
)  # fmt: skip


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:8719", "", "127.0.0.1.evil.example", "10.0.0.7:8719", *ODD]
)
def test_names_that_are_not_ours_are_refused(host: str) -> None:
    """DNS rebinding: a name of an attacker that resolves to this machine."""
    found = client_of().get("/api/page", headers={"Host": host})
    assert found.status_code == 421
    assert "open it by the address" in found.json()["detail"]


@pytest.mark.parametrize("host", ["127.0.0.1:8719", "localhost:1", "LOCALHOST", "[::1]:8719"])
def test_names_of_this_machine_are_ours(host: str) -> None:
    assert client_of().get("/api/page", headers={"Host": host}).status_code == 200


def test_a_server_for_others_is_called_by_address_or_by_a_given_name() -> None:
    """An address cannot be rebound; a name must have been given."""
    client = client_of(host="0.0.0.0", token=TOKEN, names=("Box.local",))
    right = {"Authorization": f"Bearer {TOKEN}"}
    for host, status in (("10.0.0.7:1", 200), ("box.local", 200), ("evil.example", 421)):
        assert client.get("/api/page", headers={"Host": host, **right}).status_code == status


@pytest.mark.parametrize(
    "origin", ["http://evil.example", "null", "http://127.0.0.1:9999", "https://127.0.0.1.evil:8719"]
)
@pytest.mark.parametrize("path", ["/api/page", "/", "/page.js"])
def test_pages_of_other_origins_are_refused(origin: str, path: str) -> None:
    assert client_of().get(path, headers={"Origin": origin}).status_code == 403


def test_the_own_origin_is_right() -> None:
    assert client_of().get("/api/page", headers={"Origin": "http://127.0.0.1:8719"}).status_code == 200


@pytest.mark.parametrize("site", ["cross-site", "same-site"])
def test_what_a_browser_marks_as_cross_site_is_refused(site: str) -> None:
    """A form or an image of another page has no Origin in some browsers; a link to the page itself may be followed."""
    client = client_of()
    marks = {"Sec-Fetch-Site": site, "Sec-Fetch-Mode": "navigate"}
    assert client.post("/api/live", json={"models": ["kt"], "text": "a"}, headers=marks).status_code == 403
    assert client.delete("/api/runs/1", headers=marks).status_code == 403
    assert client.get("/api/page", headers=marks).status_code == 403
    assert client.get("/", headers=marks).status_code == 200
    assert client.get("/", headers={"Sec-Fetch-Site": site, "Sec-Fetch-Mode": "no-cors"}).status_code == 403


def test_a_simple_form_is_not_json() -> None:
    """What a form of another page could send without being asked about is not read."""
    for kind in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data"):
        found = client_of().post(
            "/api/live", content=b'{"models": ["kt"], "text": "a"}', headers={"Content-Type": kind}
        )
        assert found.status_code == 415


def test_no_answer_allows_another_origin() -> None:
    found = client_of().options("/api/live", headers={"Access-Control-Request-Method": "POST"})
    assert "access-control-allow-origin" not in found.headers


@pytest.mark.parametrize(
    "given", [None, "Bearer", "Bearer wrong", f"Basic {TOKEN}", f"Bearer {TOKEN}x", f"bearer {TOKEN[:-1]}"]
)
def test_a_token_is_needed(given: str | None) -> None:
    client = client_of(token=TOKEN)
    headers = {} if given is None else {"Authorization": given}
    for path in ("/api/page", "/api/openapi.json", "/api/runs"):
        found = client.get(path, headers=headers)
        assert found.status_code == 401
        assert TOKEN not in found.text
    assert client.post("/api/live", json={"models": ["kt"], "text": "a"}, headers=headers).status_code == 401
    for path in ("/", "/api.js", "/page.js"):  # the page holds nothing of anybody
        assert client.get(path, headers=headers).status_code == 200


def test_the_right_token_is_taken() -> None:
    assert client_of(token=TOKEN).get("/api/page", headers={"Authorization": f"Bearer {TOKEN}"}).status_code == 200


def test_the_policy_allows_no_inline_script_and_no_other_site() -> None:
    for path in ("/", "/api/page", "/nothing"):
        found = client_of().get(path)
        policy = found.headers["content-security-policy"]
        assert policy == HEADERS["Content-Security-Policy"]
        assert "unsafe" not in policy
        assert "default-src 'none'" in policy
        for name in HEADERS:
            assert name.lower() in found.headers
    page = client_of().get("/").text
    assert not re.search(r"<script(?![^>]*\bsrc=)|<style|\son\w+=|\sstyle=|https?://", page)


def test_large_requests_are_refused_before_they_are_read() -> None:
    client = client_of(limits=Limits(body=1000))
    assert client.post("/api/live", json={"models": ["kt"], "text": "a" * 2000}).status_code == 413
    # A length that is not said, in parts.
    assert client.post("/api/log", content=(b"x" * 100 for _ in range(50))).status_code == 413
    assert client.post("/api/log", headers={"Content-Length": "1e3"}, content=b"x").status_code in (400, 413)


def test_headers_that_come_twice_are_refused() -> None:
    found = client_of().get("/api/page", headers=[("Origin", "http://127.0.0.1:8719"), ("Origin", "http://evil")])
    assert found.status_code == 400


@pytest.mark.parametrize(("host", "own"), [("127.0.0.5", True), ("::1", True), ("192.168.1.1", False), ("box", False)])
def test_loopback(host: str, own: bool) -> None:
    assert is_loopback(host) is own


@pytest.mark.parametrize("path", ["/", "/page.js", "/api/page", "/api/models", "/api/openapi.json", "/api/nothing"])
def test_head_is_get_without_a_body(path: str) -> None:
    client = client_of()
    found, like = client.head(path), client.get(path)
    assert found.status_code == like.status_code
    assert found.content == b""
    assert found.headers == like.headers


def test_a_method_that_a_path_does_not_have_is_refused() -> None:
    assert client_of().head("/api/live").status_code == client_of().get("/api/live").status_code == 404
    assert client_of().put("/api/live").status_code == 405
