"""What the user gives for what a file refers to."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

import bitmeter as bm
from bitmeter.errors import InputTypeError, ModelError
from bitmeter.models.components import Components
from bitmeter.models.registry import components_of
from tests.models.mixture.made import HELDOUT, ONE, TWO


@pytest.fixture
def apart(tmp_path: Path) -> tuple[Path, Path]:
    """A mixture, and one of its models in another folder."""
    (tmp_path / "here").mkdir()
    ONE.save(tmp_path / "here" / "one.bmn")
    TWO.save(tmp_path / "two.bmn")
    made = bm.MixtureModel([str(tmp_path / "here" / "one.bmn"), str(tmp_path / "two.bmn")]).fit(HELDOUT)
    assert made.save(tmp_path / "here" / "mix.bmx") == (1,)
    return tmp_path / "here" / "mix.bmx", tmp_path / "two.bmn"


def test_a_model_is_known_by_its_content(apart: tuple[Path, Path], tmp_path: Path) -> None:
    mixture, other = apart
    with pytest.raises(ModelError, match=r"fingerprint.*labelled 'ngram:two.bmn'.*--with MODEL"):
        bm.load(mixture)
    shutil.copy(other, tmp_path / "renamed.bmn")
    for given in (str(other), other, str(tmp_path / "renamed.bmn"), bm.load(other)):
        found = bm.load(mixture, components=[given])
        assert found.fingerprint == bm.load(f"mixture:{mixture}", components=[given]).fingerprint
        assert bm.score(found, HELDOUT).nats == bm.score(bm.MixtureModel([ONE, TWO]).fit(HELDOUT), HELDOUT).nats


def test_a_model_of_the_folder_can_be_given_too(apart: tuple[Path, Path], tmp_path: Path) -> None:
    mixture, other = apart
    moved = (mixture.parent / "one.bmn").rename(tmp_path / "moved.bmn")
    assert bm.load(mixture, components=[moved, other]).name == "mixture:mix.bmx"


def test_wrong_and_idle_models_are_errors(apart: tuple[Path, Path]) -> None:
    mixture, other = apart
    with pytest.raises(ModelError, match=r"The models given are universal:small"):
        bm.load(mixture, components=["universal:small"])
    with pytest.raises(ModelError, match=r"kt \(kt-order0-bytes-1\) was given.*no model that is loaded refers to it"):
        bm.load(mixture, components=[other, "kt"])
    with pytest.raises(ModelError, match="refers to it"):
        bm.load("kt", components=["uniform"])
    with pytest.raises(ModelError, match="gives only a total"):
        bm.load(mixture, components=["zlib"])


@pytest.mark.parametrize("given", ["kt", Path("x"), 3, None])
def test_what_is_no_list_of_models(given: Any) -> None:
    with pytest.raises(InputTypeError):
        bm.load("kt", components=given)


def test_components_are_made_once() -> None:
    made = Components([])
    assert components_of(made) is made
    assert not made
    assert made.listed() == "none"
