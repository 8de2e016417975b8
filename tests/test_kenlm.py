"""The module of KenLM, call by call, against the recorded figures of the real one; see parity/kenlm/README.md."""

from __future__ import annotations

import copy
import json
import math
import os
import pickle
import subprocess
import sys
from collections.abc import Callable
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
    with pytest.raises(InputError, match=r"sentences\[1\] has a lone surrogate"):
        model.scores(["to", "\ud800"])
    with pytest.raises(OSError, match=r"Cannot read model 'nothing\.bin'"):
        kenlm.Model("nothing.bin")
    with pytest.raises(TypeError):
        kenlm.Model(5)  # type: ignore[arg-type]
    with pytest.raises(InputTypeError, match="Config"):
        kenlm.Model(file("probing"), "lazy")  # type: ignore[arg-type]


def test_a_lone_surrogate_is_the_error_that_kenlm_raises() -> None:
    model, state = kenlm.Model(file("probing")), kenlm.State()
    calls: list[Callable[[], object]] = [
        lambda: model.score("\ud800"),
        lambda: model.perplexity("\ud800"),
        lambda: model.full_scores("\ud800"),
        lambda: model.BaseScore(state, "\ud800", kenlm.State()),
        lambda: model.BaseFullScore(state, "\ud800", kenlm.State()),
        lambda: "\ud800" in model,
    ]
    for call in calls:
        with pytest.raises(UnicodeEncodeError, match="surrogates not allowed"):
            call()


@pytest.mark.parametrize("name", ["probing", "tiny.arpa"])
def test_whatever_is_true_begins_and_ends_a_sentence(name: str) -> None:
    model = kenlm.Model(file(name))
    for true, false in [(1, 0), (np.True_, np.False_), ("yes", ""), ([0], None)]:
        for bos, eos in [(True, False), (False, True)]:
            given: Any = {"bos": true if bos else false, "eos": true if eos else false}
            assert model.score("to be", **given) == model.score("to be", bos, eos)
            assert list(model.full_scores("to be", **given)) == list(model.full_scores("to be", bos, eos))
            assert model.scores(["to be"], **given) == model.scores(["to be"], bos, eos)
    with pytest.raises(ValueError, match="ambiguous"):  # of NumPy, as in kenlm
        model.score("to", bos=np.array([1, 2]))


@pytest.mark.parametrize("name", ["probing", "tiny.arpa"])
def test_arguments_have_the_names_that_kenlm_gives_them(name: str) -> None:
    model, state, after, named = kenlm.Model(file(name)), kenlm.State(), kenlm.State(), kenlm.State()
    model.BeginSentenceWrite(state=named)
    model.BeginSentenceWrite(state)
    assert state == named
    logprob = model.BaseScore(state, "to", after)
    assert model.BaseScore(in_state=state, word="to", out_state=named) == logprob
    assert after == named
    model.NullContextWrite(state=named)
    assert named == kenlm.State()
    full = model.BaseFullScore(state, word="to", out_state=named)
    assert (full.log_prob, full.ngram_length, full.oov) == (logprob, 2, False)
    assert after == named
    assert model.score(sentence="to be", bos=True, eos=True) == model.score("to be")
    assert model.perplexity(sentence="to be") == model.perplexity("to be")
    assert list(model.full_scores(sentence="to be", bos=True, eos=True)) == list(model.full_scores("to be"))


def test_calls_with_other_arguments_are_type_errors() -> None:
    """These methods take arguments by position on a way of their own, which leaves all else to that of names."""
    model, state = kenlm.Model(file("probing")), kenlm.State()
    calls: list[tuple[Any, tuple[Any, ...], dict[str, Any]]] = [
        (model.BaseScore, (state, "to"), {}),
        (model.BaseScore, (state, "to", state, state), {}),
        (model.BaseScore, (state, "to"), {"after": state}),
        (model.BaseScore, (state, "to", state), {"word": "to"}),
        (model.BaseScore, (None, "to", state), {}),
        (model.BaseScore, (state, 5, state), {}),
        (model.BaseFullScore, (state, "to", "be"), {}),
        (model.BeginSentenceWrite, (), {}),
        (model.BeginSentenceWrite, (None,), {}),
        (model.NullContextWrite, (state, state), {}),
        (kenlm.Model.BaseScore, (5, state, "to", state), {}),
    ]
    for call, given, named in calls:
        with pytest.raises(TypeError):
            call(*given, **named)
    assert state == kenlm.State()


@pytest.mark.filterwarnings("ignore:nanobind:RuntimeWarning")  # it says the same as the error
def test_objects_that_were_never_made_are_type_errors() -> None:
    model, state = kenlm.Model(file("probing")), kenlm.State()
    for call in (model.BaseScore, model.BaseFullScore):
        for before, after in ((kenlm.State.__new__(kenlm.State), state), (state, kenlm.State.__new__(kenlm.State))):
            with pytest.raises(TypeError):
                call(before, "to", after)
    with pytest.raises(TypeError):
        kenlm.Model.__new__(kenlm.Model).BaseScore(state, "to", state)
    with pytest.raises(TypeError):
        kenlm.Model.__new__(kenlm.Model).NullContextWrite(state)


def test_a_state_is_not_equal_to_what_is_no_state() -> None:
    state, nothing = kenlm.State(), None
    assert not (state == nothing)  # noqa: SIM201 - both operators are asked
    assert state != nothing
    assert state not in [None, 5, "state"]


def test_options_are_checked_as_in_kenlm() -> None:
    config: Any = kenlm.Config()
    with pytest.raises(AttributeError):
        config.bogus = 1
    for name in ("load_method", "arpa_complain"):
        for value in ("x", None):
            with pytest.raises(TypeError, match=name):
                setattr(config, name, value)
        with pytest.raises(InputError, match=name):  # kenlm takes it, and the process ends when a model is opened
            setattr(config, name, 99)
    config.show_progress = 0
    assert (config.load_method, config.show_progress, config.arpa_complain) == (2, False, 0)


@pytest.mark.parametrize("bos", [True, False])
def test_long_sentences_are_added_in_single_precision(own: dict[str, str], bos: bool) -> None:
    """Word after word, as kenlm adds: its rounding of 40,000 words is part of the figure."""
    # score("to be " * 20000, bos=bos) of the module kenlm 0.3.0 on tiny.arpa.
    expected = -46596.41015625 if bos else -46596.4375
    for path in (file("tiny.arpa"), own["fast"], file("probing")):
        model = kenlm.Model(path)
        assert model.score("to be " * 20_000, bos=bos) == expected
        for many in (23, 24, 25, 100):
            line = "to be or not " * many
            total = np.float32(0)
            for logprob, _, _ in model.full_scores(line, bos=bos):
                total += np.float32(logprob)
            assert model.score(line, bos=bos) == float(total)


@pytest.mark.parametrize("name", ["gaps-probing", "gaps-trie", "gaps.arpa"])
def test_an_unknown_word_costs_the_same_after_a_conversion_to_arpa(name: str, tmp_path: Path) -> None:
    """KenLM gives an <unk> that the model lacks -100; ARPA files have -99 for what is impossible."""
    bm.convert(file(name), tmp_path / "made.arpa")
    lines = (tmp_path / "made.arpa").read_text(encoding="utf-8").splitlines()
    assert [line.split()[:2] for line in lines if "<unk>" in line] == [["-100", "<unk>"]]
    before, after = kenlm.Model(file(name)), kenlm.Model(str(tmp_path / "made.arpa"))
    for line, row in zip(LINES, RECORDED["models"][name], strict=True):
        assert after.score(line) == before.score(line) == row[1]


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
