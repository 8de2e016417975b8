"""The module of KenLM, call by call, against the recorded figures of the real one; see parity/kenlm/README.md."""

from __future__ import annotations

import copy
import json
import math
import os
import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import bitmeter as bm
import bitmeter.kenlm as kenlm
from bitmeter.errors import InputError, InputTypeError

FOLDER = Path(__file__).parent / "parity" / "kenlm"
RECORDED = json.loads((FOLDER / "figures.json").read_text(encoding="utf-8"))
LINES: list[str] = RECORDED["lines"]
FILES = [*sorted(path.stem for path in FOLDER.glob("*.bin")), "tiny.arpa", "gaps.arpa"]


def file(name: str) -> str:
    return str(FOLDER / (name if name.endswith("arpa") else f"{name}.bin"))


@pytest.fixture(scope="module")
def own(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The model of tiny.arpa in our own forms."""
    folder = tmp_path_factory.mktemp("own")
    bm.convert(FOLDER / "tiny.arpa", folder / "tiny.bmn")
    bm.convert(FOLDER / "tiny.arpa", folder / "small.bmn", compact=True, bits=14)
    return {"fast": str(folder / "tiny.bmn"), "compact": str(folder / "small.bmn")}


@pytest.mark.parametrize("name", FILES)
def test_every_call_gives_the_float_that_kenlm_gives(name: str) -> None:
    """To the last bit: the same figures are added in the same order in single precision."""
    model = kenlm.Model(file(name))
    for line, (full, both, neither, end, begin, perplexity) in zip(LINES, RECORDED["models"][name], strict=True):
        found = list(model.full_scores(line))
        assert [(length, oov) for _, length, oov in found] == [(length, oov) for _, length, oov in full], line
        assert [p for p, _, _ in found] == [p for p, _, _ in full], line
        assert model.score(line) == both
        assert model.score(line, bos=False, eos=False) == neither
        assert model.score(line, False) == end
        assert model.score(line, eos=False) == begin
        assert model.score(line.encode()) == both
        assert model.perplexity(line) == pytest.approx(perplexity, rel=1e-12)


@pytest.mark.parametrize("name", FILES)
def test_states_go_word_by_word(name: str) -> None:
    model = kenlm.Model(file(name))
    for line, (full, both, *_) in zip(LINES, RECORDED["models"][name], strict=True):
        state, after, fuller = kenlm.State(), kenlm.State(), kenlm.State()
        model.BeginSentenceWrite(state)
        total = np.float32(0)
        for word, (logprob, length, oov) in zip([*line.encode().split(), b"</s>"], full, strict=True):
            found = model.BaseFullScore(state, word.decode(), fuller)
            assert (found.log_prob, found.ngram_length, found.oov) == (logprob, length, oov)
            assert model.BaseScore(state, word.decode(), after) == logprob
            assert after == fuller
            state, after = after, state
            total += np.float32(logprob)
        assert float(total) == both


@pytest.mark.parametrize("order", [1, 2, 4])
@pytest.mark.parametrize("bos", [True, False])
def test_the_words_of_a_long_sentence_are_scored_as_one_by_one(order: int, bos: bool, tmp_path: Path) -> None:
    """It is scored in parts, each of which begins with the words before it."""
    random = np.random.default_rng(order)
    words = [f"w{i}" for i in range(40)]
    rows = [" ".join(random.choice(words[:30], size=9)) for _ in range(300)]
    bm.NGram(order=order, prune=[0, 0, 1][:order] if order > 2 else None).fit("\n".join(rows).encode()).save(
        tmp_path / "model.bmn"
    )
    model = kenlm.Model(str(tmp_path / "model.bmn"))
    for size in (0, 1, 23, 24, 25, 61, 143, 144, 145, 700):
        line = " ".join(random.choice(words, size=size))
        state, after = kenlm.State(), kenlm.State()
        (model.BeginSentenceWrite if bos else model.NullContextWrite)(state)
        expected = []
        for word in [*line.split(), "</s>"]:
            found = model.BaseFullScore(state, word, after)
            expected.append((found.log_prob, found.ngram_length, found.oov))
            state, after = after, state
        assert list(model.full_scores(line, bos=bos)) == expected
        assert list(model.full_scores(line, bos=bos, eos=False)) == expected[:-1]


@pytest.mark.parametrize("name", ["probing", "tiny.arpa"])
def test_words_are_whole_wherever_they_stand(name: str) -> None:
    """Sentences are split some hundred bytes at a time: a border within a word or in white space changes nothing."""
    model = kenlm.Model(file(name))
    line = max(LINES, key=lambda line: len(line.split()))
    words = line.encode().split()
    expected = list(model.full_scores(b" ".join(words)))
    for size in (*range(8), *range(500, 520), 1023, 1024, 1025, 5000):
        white = b" \t\n\v\f\r"[size % 6 : size % 6 + 1]
        assert list(model.full_scores(white * size + (white * (1 + size % 3)).join(words) + white * size)) == expected
        long = [b"q" * (size + 1), *words]  # a word that no model knows
        by_word, state = [], kenlm.State()
        model.BeginSentenceWrite(state)
        for word in (*long, b"</s>"):
            after = kenlm.State()
            found = model.BaseFullScore(state, word, after)
            by_word.append((found.log_prob, found.ngram_length, found.oov))
            state = after
        assert list(model.full_scores(b" ".join(long))) == by_word


def test_our_own_forms_say_the_same(own: dict[str, str]) -> None:
    peer = kenlm.Model(file("tiny.arpa"))
    for form, path in own.items():
        model = kenlm.Model(path)
        loose = 0.0 if form == "fast" else 2e-3
        for line in LINES:
            assert model.score(line) == pytest.approx(peer.score(line), abs=loose + 1e-12)
            lengths = [length for _, length, _ in model.full_scores(line, bos=False)]
            assert lengths == [length for _, length, _ in peer.full_scores(line, bos=False)]


@pytest.mark.parametrize("name", ["probing", "trie", "tiny.arpa"])
def test_states_are_equal_where_nothing_can_tell_them_apart(name: str) -> None:
    model = kenlm.Model(file(name))

    def after(*words: str) -> kenlm.State:
        state = kenlm.State()
        model.NullContextWrite(state)
        for word in words:
            model.BaseScore(state, word, state)
        return state

    # An unknown word has no n-gram that goes on from it, so that all before it is forgotten.
    assert after("to", "be", "zebra") == after("zebra") == kenlm.State()
    assert after("to", "be") != after("be")
    assert hash(after("or", "not")) == hash(after("or", "not"))
    assert len({after("be"), after("be"), after("to")}) == 2
    assert sorted([after("to", "be"), kenlm.State()])[0] == kenlm.State()
    for made in (copy.copy(after("to")), copy.deepcopy(after("to")), pickle.loads(pickle.dumps(after("to")))):
        assert made == after("to")
        assert isinstance(made, kenlm.State)
        assert model.BaseScore(made, "be", kenlm.State()) == model.BaseScore(after("to"), "be", kenlm.State())


def test_a_state_of_another_model_is_refused(own: dict[str, str]) -> None:
    one, other, state = kenlm.Model(file("probing")), kenlm.Model(own["fast"]), kenlm.State()
    one.BeginSentenceWrite(state)
    with pytest.raises(InputError, match="another model"):
        other.BaseScore(state, "to", state)
    fresh = kenlm.State()
    assert one.BaseScore(fresh, "to", kenlm.State()) == one.score("to", bos=False, eos=False)
    with pytest.raises(InputError, match="pickled"):
        kenlm.State.__new__(kenlm.State).__setstate__(b"\xff" * 136)


@pytest.mark.parametrize("name", ["probing", "quant", "tiny.arpa"])
def test_many_sentences_in_one_call(name: str) -> None:
    model = kenlm.Model(file(name))
    lines = LINES * 100
    each = [model.score(line) for line in lines]
    # Of KenLM's own files the same floats; of our own forms the sum is in double precision.
    exact = 0.0 if name != "tiny.arpa" else 1e-6
    columns = [pa.array(lines, kind) for kind in (pa.string(), pa.large_string(), pa.string_view(), pa.binary())]
    chunks = pa.chunked_array([lines[:7], lines[7:]])
    for given in (lines, tuple(lines), [line.encode() for line in lines], chunks, *columns):
        np.testing.assert_allclose(model.scores(given), each, rtol=exact)
    np.testing.assert_allclose(model.scores(lines, threads=2), each, rtol=exact)
    np.testing.assert_allclose(
        model.scores(lines, bos=False, eos=False), [model.score(line, False, False) for line in lines], rtol=exact
    )
    np.testing.assert_allclose(model.perplexities(lines), [model.perplexity(line) for line in lines], rtol=1e-5)
    assert model.scores(pa.array(lines).slice(5, 3)).tolist() == pytest.approx(each[5:8], rel=exact)
    assert model.scores([]).tolist() == model.scores(pa.array([], pa.string())).tolist() == []


def test_bad_arguments_are_errors_that_say_so() -> None:
    model = kenlm.Model(file("probing"))
    with pytest.raises(InputTypeError, match=r"sentences\[1\] is of the type int"):
        model.scores(["to", 5])
    with pytest.raises(InputError, match=r"sentences\[1\] is null"):
        model.scores(pa.array(["to", None]))
    with pytest.raises(InputTypeError, match="no strings"):
        model.scores(pa.array([1, 2]))
    with pytest.raises(InputTypeError, match="one string"):
        model.scores("to be")
    with pytest.raises(InputTypeError, match="list of strings"):
        model.scores(5)
    with pytest.raises(TypeError):
        model.score(5)
    with pytest.raises(InputError, match="surrogate"):
        model.score("\ud800")
    with pytest.raises(OSError, match=r"Cannot read model 'nothing\.bin'"):
        kenlm.Model("nothing.bin")
    with pytest.raises(TypeError):
        kenlm.Model(5)  # type: ignore[arg-type]
    with pytest.raises(InputTypeError, match="Config"):
        kenlm.Model(file("probing"), "lazy")  # type: ignore[arg-type]


def test_the_rest_of_the_module() -> None:
    config = kenlm.Config()
    config.load_method, config.show_progress, config.arpa_complain = (
        kenlm.LoadMethod.LAZY, False, kenlm.ARPALoadComplain.NONE,
    )  # fmt: skip
    model = kenlm.LanguageModel(file("probing"), config)
    config.load_method = kenlm.LoadMethod.READ
    assert kenlm.Model(file("probing"), config).score("to be") == model.score("to be")
    with pytest.raises(OSError, match="Cannot read"):
        kenlm.Model(str(FOLDER / "README.md"), config)
    assert model.order == 4
    assert model.path == os.fsencode(file("probing"))
    assert repr(model) == "<Model from b'probing.bin'>"
    assert ("to" in model, b"to" in model, "zebra" in model, "<unk>" in model) == (True, True, False, False)
    assert ("<s>" in model, "</s>" in model) == (True, True)
    back = pickle.loads(pickle.dumps(model))
    assert type(back) is kenlm.LanguageModel
    assert back.score("to be") == model.score("to be")
    assert repr(kenlm.FullScoreReturn(-1.5, 2, True)) == "FullScoreReturn(-1.5, 2, True)"
    # The enumerations of util/mmap.hh and lm/config.hh.
    assert [kenlm.LoadMethod.LAZY, kenlm.LoadMethod.PARALLEL_READ, kenlm.ARPALoadComplain.ALL] == [0, 4, 0]


def doc_lm(model: Any, text: str) -> float:
    """The loop of CCNet's DocLM: log10 p of each line, divided by pieces and ends."""
    logs, length = 0.0, 0
    for line in text.split("\n"):
        logs += model.score(line)
        length += len(line.split()) + 1
    return float(round(10.0 ** (-logs / length), 1))


def perplexity_of(model: Any, text: str) -> float:
    """The loop of edugp's models, as in datatrove's: the same by document, one decimal."""
    total, count = 0.0, 0
    for line in text.split("\n"):
        total += model.score(line)
        count += len(line.split()) + 1
    return round(float(10.0 ** (-total / count)), 1)


@pytest.mark.parametrize("name", ["probing", "quant", "trie"])
def test_the_loops_of_the_field_print_the_same(name: str) -> None:
    document = "\n".join(line for line in LINES if "<" not in line and "\r" not in line)
    peer = [
        rows for line, rows in zip(LINES, RECORDED["models"][name], strict=True) if "<" not in line and "\r" not in line
    ]
    logs, length = sum(rows[1] for rows in peer), sum(len(rows[0]) for rows in peer)
    expected = round(10.0 ** (-logs / length), 1)
    model = kenlm.Model(file(name))
    assert doc_lm(model, document) == perplexity_of(model, document) == expected


def beam(module: Any, model: Any, words: list[str]) -> list[float]:
    """The calls of pyctcdecode's LanguageModel: a start state, a score for each partial word, and one at the end."""
    start = module.State()
    model.BeginSentenceWrite(start)
    scores, state = [], start
    for word in words:
        end_state = module.State()
        scores.append(model.BaseScore(state, word, end_state))
        if word not in model:
            scores.append(-10.0)
        state = end_state
    last = module.State()
    return [*scores, model.BaseScore(state, "</s>", last)]


def test_the_calls_of_pyctcdecode_work() -> None:
    model = kenlm.Model(file("probing"))
    row = RECORDED["models"]["probing"][3]
    expected = [p for p, _, oov in row[0] for p in ([p, -10.0] if oov else [p])]
    assert beam(kenlm, model, LINES[3].split()) == expected


def test_install_puts_it_in_the_place_of_kenlm() -> None:
    code = f"import bitmeter.kenlm; bitmeter.kenlm.install(); import kenlm; print(kenlm.Model({file('trie')!r}).order)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "4\n"


def test_what_no_ngram_has_is_minus_a_hundred_as_in_kenlm() -> None:
    assert kenlm.Model(file("gaps.arpa")).score("six", bos=False, eos=False) == -100.0
    assert bm.NGram.load(file("gaps.arpa")).logprob("six") == -math.inf
