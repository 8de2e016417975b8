"""Items of a reading experiment."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import bitmeter as bm
from bitmeter.errors import BitmeterError
from bitmeter.measure.surprisal.items import Stimulus, check_spillover, item_surprisals, read_stimuli


def test_texts_of_a_table(tmp_path: Path) -> None:
    path = tmp_path / "items.csv"
    path.write_text('id,text\nx,"To be, or not."\ny,To see. To hear.\n')
    stimuli, columns = read_stimuli(path, text="text", item="id")
    assert columns == ("id", "text")
    assert [(one.item, one.text) for one in stimuli] == [("x", b"To be, or not."), ("y", b"To see. To hear.")]
    found = item_surprisals("kt", stimuli, columns)
    assert found.sentence == (1, 1, 1, 1, 1, 1, 2, 2)
    assert found.index == (1, 2, 3, 4, 1, 2, 3, 4)
    assert found.row_of(5)["id"] == "y"
    apart = bm.word_surprisals("kt", bm.Corpus.from_documents([b"To be, or not.", b"To see. To hear."]))
    assert found.words.nats.tolist() == apart.nats.tolist()


def test_jsonl_and_plain_text(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text(json.dumps({"t": "one two"}) + "\n")
    assert read_stimuli(tmp_path / "a.jsonl", text="t")[0][0].text == b"one two"
    (tmp_path / "a.txt").write_text("one two \n\n  three\n")
    stimuli, columns = read_stimuli(tmp_path / "a.txt")
    assert ([one.text for one in stimuli], columns) == ([b"one two", b"three"], ())
    assert item_surprisals("uniform", stimuli).words.texts == ["one", "two", "three"]


def test_regions_and_rows_of_words(tmp_path: Path) -> None:
    (tmp_path / "r.txt").write_text("The dog | chased|the cat.\n")
    ((stimulus,), _) = read_stimuli(tmp_path / "r.txt", delimiter="|")
    assert (stimulus.text, stimulus.spans) == (b"The dog chased the cat.", ((0, 7), (8, 14), (15, 23)))
    assert item_surprisals("uniform", [stimulus]).words.texts == ["The dog", "chased", "the cat."]
    (tmp_path / "w.csv").write_text("w,n,rt\n今日,1,5\nは,1,6\nNo,2,7\n")
    stimuli, _ = read_stimuli(tmp_path / "w.csv", word="w", item="n", joiner="")
    assert [one.text.decode() for one in stimuli] == ["今日は", "No"]
    found = item_surprisals("uniform", stimuli)
    assert [found.row_of(k)["rt"] for k in range(3)] == ["5", "6", "7"]
    assert found.words.tokens.tolist() == [6, 3, 2]


def test_what_cannot_be(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("a,b\nx,\n")
    (tmp_path / "a.txt").write_text("x\n")
    (tmp_path / "empty.csv").write_text("a,b\n")
    wrong = [
        ({"source": "a.csv"}, "--text COLUMN"), ({"source": "a.csv", "text": "a", "word": "b"}, "one of them"),
        ({"source": "a.csv", "text": "c"}, "no field 'c'"), ({"source": "a.csv", "text": "a", "item": "c"}, "--item"),
        ({"source": "a.txt", "text": "a"}, "plain text"), ({"source": "a.csv", "word": "b"}, "is empty"),
        ({"source": "a.txt", "delimiter": ""}, "delimiter is empty"),
    ]  # fmt: skip
    for keywords, said in wrong:
        source = tmp_path / keywords.pop("source")
        with pytest.raises(BitmeterError, match=said):
            read_stimuli(source, **keywords)
    with pytest.raises(BitmeterError, match="holds no items"):
        item_surprisals("uniform", read_stimuli(tmp_path / "empty.csv", text="a")[0])
    with pytest.raises(BitmeterError):
        check_spillover(-1)
    assert len(item_surprisals("uniform", [Stimulus(1, b"")]).words) == 0
