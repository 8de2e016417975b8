"""Normalisers that do not fit a model are seen: by their name, or by what the vocabulary never has."""

from __future__ import annotations

from pathlib import Path

import pytest

import bitmeter as bm

WORDS = [f"{a}{b}{c}" for a in "bcdfghjklmnp" for b in "aeiou" for c in "klmnprstvwxyz" + "bcdfghj"]
LOWER = "\n".join(" ".join(WORDS[i : i + 12]) + " 00" for i in range(0, len(WORDS), 12)) + "\n"
RAW = LOWER.title().replace("00", "17") + "caf\u00e9\n" * 60


def caveats(score: bm.Score) -> list[str]:
    return [note for note in score.notes if "norm" in note and ("vocabulary" in note or "trained" in note)]


def test_a_model_knows_how_its_text_was_normalised(tmp_path: Path) -> None:
    model = bm.NGram(order=2).fit(RAW.encode(), norm="ccnet")
    assert model.norm == "ccnet" == model.traits.norm
    model.save(tmp_path / "model.bmn")
    loaded = bm.NGram.load(tmp_path / "model.bmn")
    assert loaded.norm == "ccnet"
    assert loaded.compact().norm == "ccnet"
    assert caveats(bm.score(loaded, RAW.encode(), docs="line", norm="ccnet", oov="class")) == []
    (note,) = caveats(bm.score(loaded, RAW.encode(), docs="line", oov="class"))
    assert "trained on text with --norm ccnet, and this text is scored as it is" in note
    (note,) = caveats(bm.score(loaded, RAW.encode(), docs="line", norm="edugp", oov="class"))
    assert "scored with --norm edugp" in note
    assert bm.NGram(order=2).fit(RAW.encode(), norm="data-juicer").norm is None


def test_normalised_training_is_training_on_the_normalised_text() -> None:
    from bitmeter.text.corpus.normalise import normaliser

    lines = RAW.encode().splitlines()
    by_hand = b"".join(normaliser("ccnet")(line) + b"\n" for line in lines)
    one, two = bm.NGram(order=2).fit(RAW.encode(), norm="ccnet"), bm.NGram(order=2).fit(by_hand)
    assert one.counts == two.counts
    assert one.logprob("bak bal 00") == two.logprob("bak bal 00")


@pytest.mark.parametrize(
    ("trained", "text", "said"),
    [
        (LOWER, RAW, "hardly any upper-case letters and hardly any digits but 0 and hardly any accents"),
        (LOWER, LOWER.replace("00", "17"), "try --norm edugp or --norm roots"),
        (LOWER, LOWER.title(), "try --norm lower"),
        (LOWER, LOWER, ""),
        (RAW, RAW, ""),
        (RAW, LOWER, "hardly any upper-case letters, which 100 % of the words of the vocabulary have"),
        ("to be or not to be\n", "To Be Or Not To Be 17\n", ""),  # too few words to conclude from
    ],
)  # fmt: skip
def test_what_the_vocabulary_never_has(trained: str, text: str, said: str, tmp_path: Path) -> None:
    path = tmp_path / "model.arpa"
    bm.NGram(order=2).fit(trained.encode()).save(path)
    found = caveats(bm.score(bm.NGram.load(path), text.encode(), docs="line", oov="class"))
    assert len(found) == bool(said)
    assert not said or said in found[0]
