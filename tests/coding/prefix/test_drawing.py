"""Drawings of code trees."""

from __future__ import annotations

from bitmeter.coding.prefix.code import PrefixCode


def test_a_deep_tree_is_cut() -> None:
    code = PrefixCode.huffman({i: 2.0 ** -min(i + 1, 19) for i in range(20)})
    assert "… 10 words" in code.tree(deepest=10)
    assert len(code.tree(deepest=30).splitlines()) == 20
