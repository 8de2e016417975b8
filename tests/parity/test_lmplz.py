"""KenLM's lmplz on a made-up text.

These files are what lmplz (of the kenlm 0.3.0 source package) printed for `made_up_text(60, 12)`:

    lmplz -o 3 --discount_fallback < text > lmplz/order3.arpa
    lmplz -o 4 --prune 0 1 1 2 --discount_fallback < text > lmplz/order4-pruned.arpa

and, by lmplz of KenLM 4cb443e, for `SEPARATED`, which has vertical tabs, form feeds, NULs and carriage returns:

    lmplz -o 3 --discount_fallback < separated > lmplz/separators.arpa
"""

from __future__ import annotations

from pathlib import Path

import pytest

import bitmeter as bm
from bitmeter import errors
from tests.models.helpers import twin
from tests.models.helpers.twin import discounts, estimate
from tests.models.made_up import made_up_text

HERE = Path(__file__).parent
SEPARATED = 3 * (
    b"to be or not to be\nthat is\vthe question\nto be\fis\0to be\nor not\r\nthe\v\vquestion\n\nis it to be\n"
)


def figures(path: Path) -> dict[str, tuple[float, float]]:
    """log10 p and back-off of each n-gram in an ARPA file, read the plain way."""
    rows = [line.split("\t") for line in path.read_bytes().decode().split("\n") if "\t" in line]
    return {row[1]: (float(row[0]), float(row[2]) if len(row) > 2 else 0.0) for row in rows}


def test_training_gives_the_ngrams_and_figures_of_lmplz(tmp_path: Path) -> None:
    bm.NGram(order=3).fit(made_up_text(60, 12).encode()).save(tmp_path / "ours.arpa")
    ours, theirs = figures(tmp_path / "ours.arpa"), figures(HERE / "lmplz" / "order3.arpa")
    assert ours.keys() == theirs.keys()
    assert max(abs(ours[gram][i] - theirs[gram][i]) for gram in theirs for i in (0, 1)) < 1e-6


def test_words_are_separated_as_by_lmplz_when_asked(tmp_path: Path) -> None:
    model = bm.NGram(order=3).fit(SEPARATED, like="lmplz")
    model.save(tmp_path / "ours.arpa")
    ours, theirs = figures(tmp_path / "ours.arpa"), figures(HERE / "lmplz" / "separators.arpa")
    assert ours.keys() == theirs.keys()
    assert max(abs(ours[gram][i] - theirs[gram][i]) for gram in theirs for i in (0, 1)) < 1e-6
    assert model.traits.oov == ("class",)  # its words may hold white space, so it does not spell
    bm.NGram(order=3).fit(SEPARATED).save(tmp_path / "default.arpa")
    assert figures(tmp_path / "default.arpa").keys() != theirs.keys()
    with pytest.raises(errors.ChoiceError, match="like is 'srilm'"):
        bm.NGram(order=3).fit(SEPARATED, like="srilm")
    with pytest.raises(errors.InputError, match="lmplz trains models of words"):
        bm.NGram(order=3, units="bytes").fit(SEPARATED, like="lmplz")


def test_pruning_is_that_of_lmplz(tmp_path: Path) -> None:
    bm.NGram(order=4, prune=(0, 1, 1, 2)).fit(made_up_text(60, 12).encode()).save(tmp_path / "ours.arpa")
    ours, theirs = figures(tmp_path / "ours.arpa"), figures(HERE / "lmplz" / "order4-pruned.arpa")
    assert ours.keys() == theirs.keys()
    assert max(abs(ours[gram][i] - theirs[gram][i]) for gram in theirs for i in (0, 1)) < 1e-6


def test_the_twin_gives_them_too() -> None:
    found, theirs = estimate(made_up_text(60, 12), 3), figures(HERE / "lmplz" / "order3.arpa")
    assert {" ".join(gram) for gram in found} == theirs.keys()
    for gram, values in found.items():
        assert values == pytest.approx(theirs[" ".join(gram)], abs=1e-6)


def test_the_text_meets_the_corner_case_of_the_last_ngram(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without it, the discounts and so the figures would be others: the files above would not catch its loss."""
    text = made_up_text(60, 12)
    counts = twin.occurrences(text, 3)
    exact = discounts(text, counts, twin.adjusted(counts))
    monkeypatch.setattr(twin, "last_in_suffix_order", lambda text, order: ("?",) * order)
    assert discounts(text, counts, twin.adjusted(counts)) != exact


def test_an_arpa_file_of_lmplz_goes_through_unchanged(tmp_path: Path) -> None:
    model = bm.NGram.load(HERE / "lmplz" / "order3.arpa")
    model.verify()
    model.save(tmp_path / "again.arpa")
    assert figures(tmp_path / "again.arpa") == figures(HERE / "lmplz" / "order3.arpa")
