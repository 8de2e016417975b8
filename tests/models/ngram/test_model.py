"""N-gram models: against a readable twin, as distributions, on disk, and under the instrument."""

from __future__ import annotations

import gzip
import math
import tempfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bitmeter as bm
from bitmeter import errors
from tests.models.made_up import made_up_text
from tests.models.twin import estimate

TEXT = made_up_text(400, 30)
MODEL = bm.NGram(order=3).fit(TEXT.encode())
sentences = st.lists(st.lists(st.sampled_from("abcdef"), max_size=6).map(" ".join), min_size=1, max_size=12)


def arpa(model: bm.NGram) -> dict[tuple[str, ...], tuple[float, float]]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.arpa"
        model.save(path)
        rows = [line.split("\t") for line in path.read_text().splitlines() if "\t" in line]
    return {tuple(row[1].split(" ")): (float(row[0]), float(row[2]) if len(row) > 2 else 0.0) for row in rows}


# ---- estimation ------------------------------------------------------------------------------------------------------


@settings(max_examples=60)
@given(sentences, st.integers(1, 6))
def test_the_twin_agrees(lines: list[str], order: int) -> None:
    text = "\n".join(lines) + "\n"
    found, expected = arpa(bm.NGram(order=order).fit(text.encode())), estimate(text, order)
    assert found.keys() == expected.keys()
    for gram, (p, backoff) in expected.items():
        assert found[gram] == pytest.approx((p, backoff if gram[-1] != "</s>" else 0.0), abs=2e-7, rel=2e-7)


@pytest.mark.parametrize("order", [2, 4, 8])
def test_the_twin_agrees_on_a_longer_text(order: int) -> None:
    found, expected = arpa(bm.NGram(order=order).fit(TEXT.encode())), estimate(TEXT, order)
    assert found.keys() == expected.keys()
    worst = max(abs(found[gram][0] - expected[gram][0]) for gram in expected)
    assert worst < 3e-7


@pytest.mark.parametrize("order", [1, 2, 3, 5, 16])
def test_predictions_sum_to_one(order: int) -> None:
    model = bm.NGram(order=order).fit(TEXT.encode())
    for history in ([], [3], [3, 4], [5, 5, 5, 5], [-1], [4, -1, 3], list(range(3, 23))):
        logs = model.predict(np.array(history, dtype=np.int64))
        assert logs.shape == (model.size + 1,)
        assert math.fsum(np.exp(logs)) == pytest.approx(1.0, abs=1e-6)
        assert logs[1] == -math.inf


def test_a_prediction_holds_what_the_words_are_rated() -> None:
    history = MODEL.units.split(b"w0 w1 w2").ids
    logs = MODEL.with_oov("class").predict(history)
    for word in (0, 2, 3, 10, MODEL.size):
        ids = np.append(history, word)
        rated = MODEL.with_oov("class").logprobs(ids, np.array([0, len(ids)]))
        assert rated[-1] == pytest.approx(logs[word], rel=1e-12)


def test_threads_and_blocks_do_not_change_the_model() -> None:
    one, many = (bm.NGram(order=4, threads=n).fit(TEXT.encode()) for n in (1, 4))
    assert one.fingerprint == many.fingerprint


def test_small_texts_get_other_discounts_and_a_note() -> None:
    model = bm.NGram(order=3).fit(b"a b\n")
    assert "0.5, 1 and 1.5" in model.notes[0]
    assert not MODEL.notes or "order 1;" in MODEL.notes[0]


def test_reserved_words_are_refused_with_the_place() -> None:
    with pytest.raises(errors.InputError, match=r"sentence 2: the word <unk> .* unk_word=True"):
        bm.NGram(order=2).fit(b"a b\nc <unk>\n")
    with pytest.raises(errors.InputError, match="<s>"):
        bm.NGram(order=2, unk_word=True).fit(b"a <s> b\n")
    with pytest.raises(errors.EmptyError):
        bm.NGram(order=2).fit(b"")


def test_unk_as_a_word_is_as_if_it_were_renamed() -> None:
    text = TEXT.replace("w3", "<unk>").encode()
    as_word = bm.NGram(order=3, unk_word=True).fit(text)
    renamed = bm.NGram(order=3).fit(text.replace(b"<unk>", b"_unk_"))
    test = b"w1 <unk> w2\n<unk> zzz\n"
    a, b = bm.score(as_word, test, like="kenlm"), bm.score(renamed, test.replace(b"<unk>", b"_unk_"), like="kenlm")
    assert (a.nats, a.oov) == (b.nats, 1)
    assert a.oov == b.oov


# ---- files -----------------------------------------------------------------------------------------------------------


def test_a_saved_model_is_the_same_model(tmp_path: Path) -> None:
    path = tmp_path / "model.bmn"
    MODEL.save(path)
    for spec in (path, str(path), f"ngram:{path}"):
        again = bm.load(spec)
        assert (again.fingerprint, again.counts, again.notes) == (MODEL.fingerprint, MODEL.counts, MODEL.notes)
    again.verify()
    with pytest.raises(errors.FileFormatError, match="--force"):
        MODEL.save(path)
    MODEL.save(path, force=True)


@pytest.mark.parametrize("name", ["m.arpa", "m.arpa.gz", "m.arpa.zst"])
def test_arpa_there_and_back(tmp_path: Path, name: str) -> None:
    MODEL.save(tmp_path / name)
    again = bm.load(str(tmp_path / name))
    again.verify()
    assert again.counts == MODEL.counts
    ids, bounds = np.array([3, 4, 5, 9, 2]), np.array([0, 5])
    assert again.logprobs(ids, bounds).tolist() == MODEL.logprobs(ids, bounds).tolist()


def test_errors_in_arpa_name_the_line(tmp_path: Path) -> None:
    path = tmp_path / "bad.arpa"
    path.write_text("\\data\\\nngram 1=2\n\n\\1-grams:\n-1\ta\n0.5\tb\n\n\\end\\\n")
    with pytest.raises(errors.FileFormatError, match=r"bad\.arpa, line 6: the log-probability 0\.5 is above 0"):
        bm.NGram.load(path)
    (tmp_path / "cut.arpa.gz").write_bytes(gzip.compress(b"\\data\\\nngram 1=2\n")[:-4])
    with pytest.raises(errors.BitmeterError, match="cut short"):
        bm.NGram.load(tmp_path / "cut.arpa.gz")


def test_srilm_s_dialect(tmp_path: Path) -> None:
    path = tmp_path / "srilm.arpa"
    path.write_text("\n\\data\\\nngram 1=3\nngram 2=1\n\n\\1-grams:\n-0.3\t</s>\n-99\t<s>\t-0.2\n-0.3\ta\t-0.1\n\n"
                    "\\2-grams:\n-0.05\t<s> a\n\n\\end\\\n")  # fmt: skip
    model = bm.NGram.load(path)
    score = bm.score(model, b"a\n", like="kenlm")
    assert score.nats == pytest.approx((0.05 + 0.1 + 0.3) * math.log(10), rel=1e-6)
    assert bm.score(model, b"b\n", docs="line", oov="class").nats == math.inf  # it has no <unk>


def test_damaged_files_are_errors(tmp_path: Path) -> None:
    MODEL.save(tmp_path / "good.bmn")
    good = (tmp_path / "good.bmn").read_bytes()
    path = tmp_path / "bad.bmn"
    for size in (0, 1, 100, 511, 512, 5000, len(good) - 1):
        path.write_bytes(good[:size])
        with pytest.raises(errors.FileFormatError, match="not a sound n-gram model"):
            bm.NGram.load(path)
    for place in (3, 20, 40, 100):
        path.write_bytes(good[:place] + bytes([good[place] ^ 0x41]) + good[place + 1 :])
        with pytest.raises(errors.FileFormatError):
            bm.NGram.load(path)
    for place in range(5000, len(good), 4001):
        path.write_bytes(good[:place] + bytes([good[place] ^ 0xFF]) + good[place + 1 :])
        with pytest.raises(errors.FileFormatError):
            bm.NGram.load(path).verify()
    with pytest.raises(errors.MissingSourceError, match="bitmeter train"):
        bm.load(str(tmp_path / "absent.bmn"))
    with pytest.raises(errors.FileFormatError):
        bm.NGram.load(tmp_path)


# ---- under the instrument --------------------------------------------------------------------------------------------


def test_kenlm_s_figures_with_and_without_unknown_words() -> None:
    test = "w0 w1 zzz\nw2\n\nw5 w0 w0\n"
    table = estimate(TEXT, 3)

    def logprob(history: tuple[str, ...], word: str) -> float:
        gram = (*history, word)
        if gram in table:
            return table[gram][0]
        return (table[history][1] if history in table else 0.0) + logprob(history[1:], word)

    total = known = 0.0
    for line in test.split("\n")[:-1]:
        words = ["<s>", *(w if (w,) in table else "<unk>" for w in line.split()), "</s>"]
        for i in range(1, len(words)):
            value = logprob(tuple(words[max(0, i - 2) : i]), words[i])
            total += value
            known += value if words[i] != "<unk>" else 0.0
    score = bm.score(MODEL, test.encode(), like="kenlm")
    assert (score.count("token"), score.oov) == (11, 1)
    assert -score.nats / math.log(10) == pytest.approx(total, rel=1e-6)
    assert -score.known_nats / math.log(10) == pytest.approx(known, rel=1e-6)


def test_unknown_words_are_impossible_unless_asked() -> None:
    assert bm.score(MODEL, b"w0 zzz\n", oov="none").nats == math.inf
    assert math.isfinite(bm.score(MODEL, b"w0 zzz\n", oov="class").nats)
    assert math.isfinite(bm.score(MODEL, b"w0 zzz\n", oov="skipped").nats)
    for spelled in (b"<s> w0\n", b"</s> w0\n", b"<unk> w0\n"):
        assert bm.score(MODEL, spelled, oov="class").oov == 1


def test_a_long_document_goes_by_in_pieces() -> None:
    stream = MODEL.stream()
    ids = MODEL.units.split(TEXT.replace("\n", " ").encode()).ids
    whole = MODEL.logprobs(ids, np.array([0, len(ids)]))
    parts = []
    for i in range(0, len(ids), 7):
        part = ids[i : i + 7]
        parts.append(stream.logprobs(part, np.array([0, len(part)]), continues=i > 0))
    assert np.concatenate(parts).tolist() == whole.tolist()


def test_the_trace_tells_entropy_and_alternatives() -> None:
    score = bm.score(MODEL, b"w0 w1\n", docs="line", eos="yes", alternatives=3)
    best = score.trace.alternatives(0)
    logs = MODEL.predict(np.zeros(0, dtype=np.int64))
    names = MODEL.outcomes.names
    assert [name for name, *_ in best] == [names[i] for i in np.argsort(-logs, kind="stable")[:3]]


def test_comparing_orders() -> None:
    found = bm.compare(bm.NGram(order=1).fit(TEXT.encode()), MODEL, on=TEXT.encode(), docs="line")
    assert "ngram(order 1)" in str(found)
    assert "ngram(order 3)" in str(found)


def test_an_unfitted_model_says_so() -> None:
    with pytest.raises(errors.ModelError, match=r"fit\(text\)"):
        bm.score(bm.NGram(), b"a")
    with pytest.raises(errors.FileFormatError, match=r"\.bmn"):
        MODEL.save("model.txt")
