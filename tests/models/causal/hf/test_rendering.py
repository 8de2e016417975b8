"""The program that runs chat templates."""

from __future__ import annotations

import pytest

from bitmeter.models.causal.hf.rendering import render

SAID = [{"role": "user", "content": "a"}]


def test_what_templates_use_is_there() -> None:
    assert render("{% generation %}{{ messages[0].content }}{% endgeneration %}", SAID, {}, 9) == "a"
    assert (
        render("{{ bos_token }}{% for m in messages %}{% break %}{% endfor %}", SAID, {"bos_token": "<s>"}, 9) == "<s>"
    )
    assert render("{{ messages | tojson }}", SAID, {}, 99) == '[{"role": "user", "content": "a"}]'
    assert render("{{ strftime_now('%Y') }}", SAID, {}, 99)


def test_the_output_is_bounded() -> None:
    with pytest.raises(ValueError, match="more than 3 characters"):
        render("{{ messages[0].role }}", SAID, {}, 3)
