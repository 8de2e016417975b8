"""Results as HTML: well formed, nothing of a text or a name is markup, and the figures are those of the text."""

from __future__ import annotations

from html.parser import HTMLParser
from typing import Any

import pytest

import bitmeter as bm
from bitmeter._util.rendering import HTML, rendered_html

#: A text and names that would be markup.
NASTY = b"<script>alert(1)</script> & \"quoted\" 'words' \xff\x1b[2J\n"
NAME = "<img src=x onerror=alert(1)>"


class Checker(HTMLParser):
    """Knows which tags are open; a notebook needs none but these."""

    allowed = frozenset({"div", "table", "tr", "td", "th", "b", "code", "span", "pre", "details", "summary"})

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.words = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag in self.allowed
        assert {name for name, _ in attrs} <= {"style", "title"}
        self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.words += data


def words_of(html: str) -> str:
    """The text of a page, whose tags must be paired and known."""
    checker = Checker()
    checker.feed(html)
    checker.close()
    assert checker.open == []
    assert "\x1b" not in html
    return checker.words


def results() -> dict[str, Any]:
    model = bm.NGram(order=2).fit(NASTY)
    score = bm.score("kt", bm.Corpus.from_text(NASTY, name=NAME))
    return {
        "score": score,
        "infinite": bm.score(bm.Distribution({"a": 1.0}), b"ab"),
        "nothing": bm.score("kt", b""),
        "kenlm": bm.score(model, b"<b> to see\n", like="kenlm"),
        "compressor": bm.score("xz", NASTY),
        "comparison": bm.compare("uniform", "kt", "xz", on=bm.Corpus.from_text(NASTY, name=NAME)),
        "trace": score.trace,
        "infinite trace": bm.score(bm.Distribution({"a": 1.0}), b"ab").trace,
        "no trace": bm.score("kt", b"").trace,
        "long trace": bm.score("kt", NASTY * 40, alternatives=1).trace,
        "distribution": bm.Distribution({NAME: 0.5, "b" * 99: 0.5}),
        "many labels": bm.Distribution.uniform(range(100)),
        "markov": bm.Markov([[0.9, 0.1], [0.5, 0.5]], labels=[NAME, "rain"]),
        "second order": bm.Markov.fit("abracadabra", order=2),
        "large markov": bm.Markov.fit(bytes(range(256)) * 3),
        "two classes": bm.Markov([[1.0, 0.0], [0.0, 1.0]]),
        "estimate": bm.estimate_entropy("abracadabra"),
        "no interval": bm.estimate_entropy("abracadabra", resamples=0),
        "n-gram": model,
        "kt": bm.load("kt"),
        "universal": bm.load("universal"),
        "mixture": bm.MixtureModel(["kt", "uniform"]),
        "xz": bm.load("xz"),
        "words": bm.word_surprisals("kt", bm.Corpus.from_documents([NASTY, b"two words"])),
        "many words": bm.word_surprisals("uniform", b"a b " * 400),
        "no words": bm.word_surprisals("uniform", b""),
        "sweep": bm.sweep("kt", "uniform", on=bm.Corpus.from_text(NASTY * 9, name=NAME)),
        "preferences": bm.prefer("kt", [{"good": "<b>", "bad": "<i>", "group": NAME}]),
        "overlap": bm.overlap(bm.Corpus.from_text(NASTY, name=NAME), NASTY, length=5),
    }


RESULTS = results()


@pytest.mark.parametrize("name", RESULTS)
def test_html_is_well_formed_and_escaped(name: str) -> None:
    html = RESULTS[name]._repr_html_()
    words_of(html)
    assert "<script" not in html
    assert "<img" not in html
    assert len(html) < 200_000


@pytest.mark.parametrize("name", RESULTS)
def test_a_repr_is_one_short_line(name: str) -> None:
    shown = repr(RESULTS[name])
    assert len(shown.splitlines()) == 1
    assert len(shown) <= 200
    assert " object at 0x" not in shown


def test_the_figures_are_there() -> None:
    score = RESULTS["score"]
    words = words_of(score._repr_html_())
    assert f"{score.per('byte'):.3f}"[:4] in words
    assert score.signature.short in words
    assert "each file is a document" in words
    assert NAME in words
    assert "∞" in words_of(RESULTS["infinite"]._repr_html_())
    assert "unknown words" in words_of(RESULTS["kenlm"]._repr_html_()) or "<unk>" in words_of(
        RESULTS["kenlm"]._repr_html_()
    )
    assert "Perplexity including OOVs" in words_of(RESULTS["kenlm"]._repr_html_())
    assert "below zero is better" in " ".join(words_of(RESULTS["comparison"]._repr_html_()).split())
    assert "0.557496 bits per symbol" in words_of(RESULTS["markov"]._repr_html_())
    assert "80 more" in words_of(RESULTS["many labels"]._repr_html_())
    assert "more units" in words_of(RESULTS["long trace"]._repr_html_())
    assert "after'a' 'b'" not in words_of(RESULTS["second order"]._repr_html_())


def test_the_text_of_a_trace_is_whole() -> None:
    words = words_of(bm.score("kt", b"two lines,\nof text").trace._repr_html_())
    assert "two lines,↵\nof text" in words


def test_addresses_are_shown_without_their_secrets() -> None:
    from dataclasses import replace

    score = replace(RESULTS["score"], text="https://me:word@host/a?key=hidden")
    assert "word@" not in score._repr_html_()
    assert "hidden" not in score._repr_html_()


def test_every_renderer_is_tried_and_others_show_their_text() -> None:
    shown = {kind.__name__ for result in RESULTS.values() for kind in type(result).__mro__}
    assert set(HTML) <= shown
    assert rendered_html(bm.score("kt", NASTY).signature).startswith("<pre")
