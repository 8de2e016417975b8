"""compare(): paired differences, their intervals, and the refusal of what cannot be compared."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import bitmeter as bm
from bitmeter import errors
from bitmeter.measure.compare import compare_scores
from bitmeter.measure.interval.paired import paired
from bitmeter.text.corpus.sample import sample_text

TEXT = sample_text()[:80_000].encode()
FLAT = bm.Distribution.uniform(list(range(256)))
FITTED = bm.Distribution.from_data(TEXT)


def test_the_difference_is_paired_by_document() -> None:
    # M21: lower cross-entropy on the same data is the better model.
    found = bm.compare(FLAT, FITTED, "kt", on=TEXT, docs="blank")
    base, fitted, adaptive = found.rows
    assert base.reason == "baseline"
    assert found.best is fitted.score
    assert fitted.difference == pytest.approx(fitted.score.bits_per_byte - base.score.bits_per_byte, rel=1e-12)
    assert fitted.difference < adaptive.difference < 0.0
    for row in (fitted, adaptive):
        assert row.low is not None
        assert row.high is not None
        assert row.low < row.difference < row.high < 0.0
        assert row.p_value is not None
        assert row.p_value < 0.001
        assert row.clusters is not None
        assert 6 <= row.clusters <= base.score.documents
    # Pairing removes what makes texts hard for both models: far narrower than the difference of two intervals.
    close = bm.compare(FITTED, "kt", on=TEXT, docs="blank").rows[1]
    single = [score.interval.half_width for score in (fitted.score, adaptive.score) if score.interval is not None]
    assert (close.high - close.low) / 2 < 0.5 * min(single)  # type: ignore[operator,type-var]


def test_the_figures_are_those_of_the_paired_test() -> None:
    found = bm.compare(FITTED, bm.Uniform(), on=TEXT, docs="line", cluster="none")
    a, b = (row.score.by_document for row in found.rows)
    assert a is not None
    assert b is not None
    expected = paired(b.nats / math.log(2), a.nats / math.log(2), a.bytes, 0.95, kind="line")
    row = found.rows[1]
    assert row.test == expected
    assert row.difference == pytest.approx(expected.difference, rel=1e-9)
    assert row.p_value == expected.p_value  # one comparison: Holm changes nothing


def test_many_models_are_corrected() -> None:
    rng = np.random.default_rng(0)
    documents = bm.Corpus.from_documents([bytes(rng.integers(97, 105, 200, dtype=np.uint8)) for _ in range(30)])
    models = [bm.Distribution(rng.dirichlet(np.full(8, 300.0)), normalise=True) for _ in range(4)]
    labelled = [bm.Distribution(dict(zip(range(97, 105), model.probabilities, strict=True))) for model in models]
    found = bm.compare(*labelled, on=documents)
    raw = [row.test.p_value for row in found.rows[1:] if row.test is not None]
    corrected = [row.p_value for row in found.rows[1:]]
    assert all(c >= r for c, r in zip(corrected, raw, strict=True))  # type: ignore[operator]
    assert "corrected for 3 comparisons (Holm)" in str(found)


def test_few_documents_give_no_p_value_and_say_why() -> None:
    for documents, reason, method in (
        ([TEXT], "one document says too little", "conditional on this text"),
        ([TEXT[i : i + 16_000] for i in range(0, 80_000, 16_000)], "5 records are too few", "by record"),
    ):
        found = bm.compare(FITTED, "kt", on=bm.Corpus.from_documents(documents), cluster="none")
        row = found.rows[1]
        assert row.p_value is None
        assert reason in row.reason
        assert row.low is not None  # an interval remains, and says what it speaks of
        assert method in found.method
    six = bm.compare(
        FITTED, "kt", on=bm.Corpus.from_documents([TEXT[i : i + 13_334] for i in range(0, 80_000, 13_334)])
    )
    assert six.rows[1].p_value is not None


def test_units_of_other_sizes_are_paired_on_common_bytes() -> None:
    characters = bm.Distribution.from_data(TEXT.decode())
    found = bm.compare(FITTED, characters, on=TEXT)
    row = found.rows[1]
    assert row.low is not None
    assert row.low <= row.difference <= row.high  # type: ignore[operator]


def test_what_must_agree_is_refused_in_words(tmp_path: Path) -> None:
    kt, other = bm.score("kt", TEXT), bm.score("kt", TEXT[:-1])
    with pytest.raises(errors.IncomparableError, match="never on two texts") as caught:
        bm.compare(kt, other)
    assert caught.value.differences[0].key == "text"
    with pytest.raises(errors.IncomparableError, match="docs differs"):
        bm.compare(kt, bm.score("uniform", TEXT, docs="line"))
    with pytest.raises(errors.IncomparableError, match="first differs"):
        bm.compare(kt, bm.score("kt", TEXT, first="skip"))
    for name, score in (("a", kt), ("b", bm.score("uniform", TEXT))):
        score.save(tmp_path / f"{name}.json")
    found = bm.compare(tmp_path / "a.json", tmp_path / "b.json")
    assert found.rows[1].difference == pytest.approx(8.0 - kt.bits_per_byte, rel=1e-12)


def test_infinite_and_total_scores() -> None:
    impossible = bm.Distribution({"a": 1.0})
    found = bm.compare("kt", impossible, "zstd:3", on=TEXT, docs="line")
    assert found.rows[1].difference == math.inf
    assert "infinite" in found.rows[1].reason
    assert "only a total" in found.rows[2].reason
    assert found.rows[2].difference < 0.0
    with pytest.raises(errors.IncomparableError, match="both scores are infinite"):
        bm.compare(impossible, bm.Distribution({"b": 1.0}), on=TEXT)
    json.loads(found.to_json())
    assert "baseline" in str(found)


def test_what_is_refused() -> None:
    score = bm.score("kt", TEXT)
    with pytest.raises(errors.EmptyError):
        bm.compare("kt", on=TEXT)
    with pytest.raises(errors.EmptyError):
        bm.compare("kt", "uniform", on=b"")
    with pytest.raises(errors.InputError, match="without on"):
        bm.compare(score, score, docs="line")
    with pytest.raises(errors.InputTypeError):
        bm.compare(score, 3)
    with pytest.raises(errors.FileFormatError):
        bm.compare(score, "no-such-run.json")
    with pytest.raises(errors.RangeError):
        bm.compare(score, score, baseline=2)


def test_another_baseline() -> None:
    found = bm.compare("uniform", "kt", on=TEXT, baseline=1)
    assert found.baseline.model == "kt"
    assert found.rows[1].difference > 0


def test_words_that_do_not_pay_for_every_byte_are_not_ranked_against_bytes() -> None:
    """A uniform choice of 10,000 words needs fewer bits than kt, because it never pays for white space or spelling."""
    with pytest.raises(errors.IncomparableError, match=r"units differs .* leave bytes unpaid.*--oov spelled") as caught:
        bm.compare("kt", "uniform:10000", on=TEXT[:2000], docs="line")
    assert [d.key for d in caught.value.differences] == ["units"]
    assert bm.compare("uniform:10000", "uniform:20000", on=TEXT[:2000]).rows[1].difference > 0.0
    fitted = bm.NGram(order=2).fit(TEXT[:4000])
    assert len(bm.compare("kt", fitted, on=TEXT[:2000]).rows) == 2
    with pytest.raises(errors.IncomparableError):
        bm.compare("uniform:10000", fitted, on=TEXT[:2000])


def test_a_score_that_does_not_pay_for_every_byte_has_no_bits_per_byte() -> None:
    closed, paid = bm.score("uniform:10000", b"to be"), bm.score("uniform", b"to be")
    assert (closed.figure_per, paid.figure_per) == ("token", "byte")
    assert closed.to_dict()["bits_per_byte"] is None
    assert closed.to_dict()["bits_per_token"] == pytest.approx(math.log2(10_000))
    assert "closed vocabulary: spelling and white space cost nothing" in str(closed)
    assert paid.to_dict()["bits_per_byte"] == pytest.approx(8.0)
    assert bm.score("uniform:10000", b" \n").to_dict()["bits_per_token"] is None  # there is no token
    difference = bm.compare("uniform:10000", "uniform:20000", on=TEXT[:2000], docs="line")
    assert difference.per == "token"
    assert difference.rows[1].difference == pytest.approx(1.0)  # log2(20,000 / 10,000), on every word


def test_what_models_leave_out_must_be_the_same() -> None:
    one, two = (bm.NGram(order=2).fit(TEXT[:size]) for size in (1000, 4000))
    with pytest.raises(errors.IncomparableError, match="different words"):
        bm.compare(one, two, on=TEXT[4000:6000], oov="skipped")
    assert bm.compare(one, one, on=TEXT[4000:6000], oov="skipped").rows[1].difference == 0.0


def test_the_difference_lies_in_its_interval_where_units_are_skipped() -> None:
    # The difference was divided by the scored bytes, its interval by all of them.
    text = b"".join(b"ab%d\n" % i for i in range(100))
    row = bm.compare("uniform", "kt", on=text, docs="line", first="skip").rows[1]
    assert row.test is not None
    assert row.difference == pytest.approx(row.test.difference, rel=1e-9)
    assert row.low is not None
    assert row.high is not None
    assert row.low <= row.difference <= row.high


def test_models_that_skip_other_bytes_are_refused() -> None:
    letters = bm.Distribution({chr(256 + i): 1 / 1024 for i in range(1021)} | dict.fromkeys("ab\n", 1 / 1024))
    text = "".join(f"{chr(300 + i)}ab\n" for i in range(60)).encode()
    with pytest.raises(errors.IncomparableError, match="leave out different parts of the text"):
        bm.compare("uniform", letters, on=text, docs="line", first="skip")


def test_the_clusters_of_either_run_are_used_whichever_is_the_baseline() -> None:
    text = b"".join(b"# Head %d\n\n" % i + b"a word %d\n" % i * 9 + b"\n" for i in range(12))
    a, b = bm.score("uniform", text, docs="line"), bm.score("kt", text, docs="line", cluster="none")
    for found in (bm.compare(a, b), bm.compare(b, a)):
        assert found.method == "serial-clusters(heading,learning), by section"


def test_one_document_with_headings_cannot_be_weighed_by_document() -> None:
    text = b"".join(b"# Head %d\n\n" % i + b"word %d " % i * (20 + 200 * (i % 5)) + b"\n\n" for i in range(40))
    with pytest.raises(errors.IncomparableError, match="there is one document"):
        bm.compare("uniform", "kt", on=text, weights="document")


def test_notes_of_the_scores_are_kept() -> None:
    lines = b"".join(b"line %d\n" % i for i in range(20))
    found = bm.compare("kt", "uniform", on=lines, docs="line", cluster="heading")
    note = "no headings were found, so each document is a cluster of its own"
    assert all(note in row.notes for row in found.rows)
    assert str(found).replace("\n  ", " ").count(f"kt, uniform:256: {note}") == 1
    assert [note in row["notes"] for row in found.to_dict()["rows"]] == [True, True]
    # That the interval of one score is wide for a reason says nothing about a difference.
    short = bm.compare("kt", "uniform", on=b"short")
    assert not any("no interval" in note for row in short.rows for note in row.notes)


def test_one_model_in_two_precisions_is_said() -> None:
    score = bm.score("kt", b"to be or not to be\n" * 20)
    other = replace(score, signature=score.signature.but(precision="int8 weights"))
    note = "the precision is int8 weights, and that of the baseline of the same name float64"
    assert note in compare_scores([score, other], 0.95).rows[1].notes
    assert compare_scores([score, score], 0.95).rows[1].remarks == ()
    another = replace(other, model="another")  # models of two names differ anyway
    assert compare_scores([score, another], 0.95).rows[1].remarks == ()


def test_files_that_a_model_learns_afresh_do_not_depend_on_each_other(tmp_path: Path) -> None:
    for i in range(8):
        (tmp_path / f"{i}.txt").write_text(f"file {i} of some\n" * (3 + i))
    afresh, through = (bm.compare("kt", "uniform", on=tmp_path, ctx=ctx) for ctx in ("file", "full"))
    assert afresh.method == "serial-clusters(file), by document"
    assert "depend on each other" not in afresh.rows[1].reason
    assert "depend on each other" in through.rows[1].reason
    # Lines of a file still follow each other, and so does all of a single file.
    for docs, source in (("line", tmp_path), ("file", tmp_path / "7.txt")):
        assert bm.score("kt", source, ctx="file", docs=docs).learns
