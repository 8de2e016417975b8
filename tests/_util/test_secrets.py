"""Addresses without secrets."""

import pytest

from bitmeter._util.secrets import without_secrets


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("http://host/v1", "http://host/v1"),
        ("http://user:s3cret@host/v1", "http://…@host/v1"),
        ("http://s3cret@host", "http://…@host"),
        ("http://a@s3cret@host", "http://…@host"),
        ("https://host/a?api_key=s3cret", "https://host/a?…"),
        ("https://host/a?x=1&sig=s3cret and https://b/?s3cret", "https://host/a?… and https://b/?…"),
        ("404, url='https://host/a?sig=s3cret'", "404, url='https://host/a?…'"),
        ("openai:https://u:s3cret@h/v1?k=s3cret#model,key=K", "openai:https://…@h/v1?…#model,key=K"),
        ("a?b@c", "a?b@c"),
    ],
)
def test_what_is_shown(text: str, shown: str) -> None:
    assert without_secrets(text) == shown
    assert "s3cret" not in without_secrets(text)
