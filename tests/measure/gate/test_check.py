"""check(): runs, models and both together against an allowance."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import bitmeter as bm
from bitmeter.errors import BitmeterError, IncomparableError, InputError
from bitmeter.measure.gate.check import conventions_of, is_run

TEXT = b"".join(b"line %d of a small text that goes on and on\n" % (i * 7919 % 1000) for i in range(60))


@pytest.fixture
def saved(tmp_path: Path) -> tuple[Path, Path]:
    paths = tmp_path / "kt.json", tmp_path / "uniform.json"
    for model, path in zip(("kt", "uniform"), paths, strict=True):
        bm.score(model, TEXT, docs="line").save(path)
    return paths


def test_runs_are_compared_without_scoring(saved: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    def never(*words: object, **options: object) -> None:
        raise AssertionError("scored")

    monkeypatch.setattr("bitmeter.measure.gate.check.score", never)
    found = bm.check(*saved, allow="0.5%")
    assert (found.verdict, found.passed) == ("worse", False)
    assert bm.check(saved[1], saved[0]).verdict == "better"
    assert bm.check(saved[0], saved[0]).verdict == "equal"


def test_a_run_and_a_model_meet_by_the_conventions_of_the_run(saved: tuple[Path, Path]) -> None:
    found = bm.check(saved[0], "kt", on=TEXT)
    assert found.verdict == "equal"
    assert found.limits[0].value == 0.0
    assert found.new.docs == "line"
    both = bm.check("kt", "uniform", on=TEXT, docs="line", allow="0.5%")
    assert both.limits == bm.check(*saved, allow="0.5%").limits


def test_the_difference_is_that_of_compare(saved: tuple[Path, Path]) -> None:
    row = bm.compare(*saved).rows[1]
    limit = bm.check(*saved, allow=0.1).limits[0]
    assert (limit.value, limit.low, limit.high) == (row.difference, row.low, row.high)


def test_other_texts_are_refused(saved: tuple[Path, Path]) -> None:
    with pytest.raises(IncomparableError, match="text"):
        bm.check(saved[0], "kt", on=TEXT[:-50])
    with pytest.raises(IncomparableError, match="first"):
        bm.check(saved[0], "kt", on=TEXT, first="skip")


def test_divergence_of_two_models(tmp_path: Path) -> None:
    path = tmp_path / "text.txt"
    path.write_bytes(TEXT)
    one, two = bm.NGram(order=3).fit(path), bm.NGram(order=2).fit(path)
    found = bm.check(one, two, on=TEXT, docs="line", allow=9.0, kl=9.0, same_top="1%")
    assert [limit.name for limit in found.limits] == ["difference", "mean KL", "different top"]
    assert found.divergence is not None
    assert found.limits[1].value == pytest.approx(found.divergence.mean, rel=1e-12)
    assert found.limits[2].value == pytest.approx(1 - found.divergence.same_top_rate, rel=1e-12)
    strict = bm.check(one, two, on=TEXT, docs="line", allow=9.0, kl=0.0)
    assert (strict.verdict, strict.passed) == ("worse", False)
    assert bm.check(one, one, on=TEXT, docs="line", kl=0.0, same_top=1.0).verdict == "equal"


def test_undecided_passes_unless_strict() -> None:
    text = TEXT[:400]
    middle = bm.compare("kt", "uniform", on=text, docs="line").rows[1].difference
    found = [bm.check("kt", "uniform", on=text, docs="line", allow=middle * 1.01, strict=s) for s in (False, True)]
    assert [f.verdict for f in found] == ["undecided", "undecided"]
    assert [f.passed for f in found] == [True, False]
    assert found[0].limits[0].more is not None


def test_json_holds_all_figures(saved: tuple[Path, Path]) -> None:
    found = bm.check(*saved, allow="1%")
    read = json.loads(found.to_json())
    assert read["schema"] == "bitmeter.check/1"
    assert (read["verdict"], read["passed"]) == ("worse", False)
    assert read["limits"][0]["value"] == found.limits[0].value
    assert read["comparison"]["rows"][1]["difference"] == found.limits[0].value


@pytest.mark.parametrize(
    ("words", "options", "pattern"),
    [
        (("kt", "uniform"), {}, "on=TEXT"),
        (("RUN", "kt"), {}, "the new one"),
        (("RUN", "RUN"), {"on": TEXT}, "scored already"),
        (("RUN", "RUN"), {"docs": "line"}, "docs is for scoring"),
        (("RUN", "kt"), {"on": TEXT, "kl": 0.1}, "holds only sums"),
        (("kt", "kt"), {"on": TEXT, "allow": "much"}, "allow"),
        (("kt", "kt"), {"on": TEXT, "weights": "word"}, "weights"),
        (("kt", "kt"), {"on": TEXT, "strict": 1}, "strict"),
        (("kt", "kt"), {"on": TEXT, "kl": -1.0}, "kl"),
    ],
)
def test_what_cannot_be_checked(
    words: tuple[str, str], options: dict[str, object], pattern: str, saved: tuple[Path, Path]
) -> None:
    chosen = [saved[0] if word == "RUN" else word for word in words]
    with pytest.raises(BitmeterError, match=pattern):
        bm.check(*chosen, **options)  # type: ignore[arg-type]


def test_a_run_is_known_by_its_content(saved: tuple[Path, Path], tmp_path: Path) -> None:
    other = tmp_path / "other.json"
    other.write_text('{"schema": "else"}')
    assert is_run(saved[0])
    assert is_run(str(saved[1]))
    assert is_run(bm.Score.load(saved[0]))
    assert not is_run(other)
    assert not is_run(tmp_path)
    assert not is_run("kt")
    assert not is_run(3)
    assert not is_run("a\0b")


def test_conventions_that_differ_from_the_defaults_are_kept() -> None:
    signature = bm.Signature(docs="blank.3.x", norm="lower", first="skip", eos="yes", den="original")
    assert conventions_of(signature) == {
        "docs": "blank", "norm": "lower", "first": "skip", "eos": "yes", "den": "original",
    }  # fmt: skip
    assert conventions_of(bm.Signature(docs="record.3.x")) == {}
    with pytest.raises(InputError):
        bm.check(bm.Score.load, "kt")
