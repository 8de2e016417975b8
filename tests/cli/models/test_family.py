"""The options that every kind of model is trained with."""

from __future__ import annotations

from dataclasses import fields

from bitmeter.cli.models.family import FamilyOptions, TrainingOptions
from bitmeter.cli.models.train_networks import NetworkOptions
from bitmeter.cli.models.train_ngram import NGramOptions


def test_the_shared_options_are_optional() -> None:
    assert TrainingOptions().as_keywords() == {
        "docs": None, "field": None, "units": None, "vocab_size": None, "heldout": None, "threads": 0, "force": False,
    }  # fmt: skip


def test_each_family_has_its_own_section_name_and_remedy() -> None:
    families: tuple[type[FamilyOptions], ...] = (NGramOptions, NetworkOptions)
    for attribute in ("section", "title", "remedy"):
        assert len({vars(family)[attribute] for family in families}) == 2
    assert [len(fields(family)) for family in families] == [13, 11]
