"""The panel of a score, and the text of comparisons and refusals. Whole transcripts are in tests/cli/golden."""

from __future__ import annotations

import math
from dataclasses import replace

import bitmeter as bm
from bitmeter.measure.compare import Refusal
from bitmeter.measure.signature import differences
from bitmeter.reports.panel import describe, describe_comparison, describe_refusal, notes_of, remarks
from tests.measure.made import made_score

LINES = b"".join(b"line %d of a small text\n" % i for i in range(20))


def test_the_lines_of_a_panel() -> None:
    score = made_score([math.log(2) * 20.0] * 2, [10, 10], notes=("a remark",), text="data/made.txt", oov=3, invalid=1)
    assert describe(score).splitlines() == [
        "made on made.txt",
        "  bits/byte    2.0000                   2 docs · 20 bytes",
        "  perplexity   4.000 /token   4.000 /word   4.000 /char",
        "  of which     3 unknown, 1 bytes not UTF-8",
        "  note         a remark",
        f"  signature    {score.signature.short}",
    ]


def test_another_confidence_is_shown() -> None:
    for level, shown in ((0.5, "50 %"), (0.95, "95 %")):
        panel = describe(bm.score("kt", LINES, docs="line", confidence=level))
        assert f"\n  interval     {shown}, by line (20); their articles are not known\n" in panel


def test_the_figures_of_a_tool_follow_its_name() -> None:
    panel = describe(bm.score("kt", LINES, like="hf-evaluate", docs="line"))
    assert "\n  hf-evaluate  mean_perplexity  " in panel


def test_each_note_once_with_the_scores_that_it_is_about() -> None:
    a, b = made_score([1.0], [1], notes=("same",)), made_score([2.0], [1], notes=("same", "own"))
    assert notes_of([replace(a, model="a"), replace(b, model="b")]) == ["a, b: same", "b: own"]
    other = replace(a, model="a", text="other.txt")
    assert notes_of([replace(a, model="a"), replace(other, notes=())]) == ["a on made.txt: same"]


def test_a_comparison_line_by_line() -> None:
    found = bm.compare("uniform", "kt", "zlib", on=LINES, docs="line")
    lines = describe_comparison(found).splitlines()
    assert str(found).splitlines() == lines
    assert lines[0].split() == ["uniform:256", "8.000000", "bits/byte", "baseline"]
    assert f"{found.rows[1].difference:+.6f} [" in lines[1]
    assert lines[1].endswith("p < .001")
    assert lines[3:] == remarks(found)
    assert remarks(found)[0] == "Δ is in bits per byte against uniform:256 on text; below zero is better."
    assert "zlib:9: no p-value: a compressor gives only a total" in lines


def test_a_refusal_says_what_to_type() -> None:
    a, b = bm.score("kt", LINES), bm.score("kt", LINES, docs="line", first="skip")
    found = Refusal(a, b, tuple(d for d in differences(a.signature, b.signature) if d.decisive))
    text = describe_refusal(found)
    assert str(found) == text
    assert text.startswith("kt on text and kt on text must not be compared: docs differs (file, 1 document ≠ line, 20")
    assert text.endswith("with the same conventions: --docs, --first")
    spelled = replace(b, signature=a.signature.but(oov="spelled", units="words/1"))
    words = replace(a, signature=a.signature.but(units="words/1"))
    found = Refusal(words, spelled, tuple(d for d in differences(words.signature, spelled.signature) if d.decisive))
    assert "--spelling TEXT" in str(found)
