"""Schemes: the names of models on the command line."""

import dataclasses

import pytest

import bitmeter as bm
from bitmeter.models.scheme import Scheme


def test_a_scheme_is_what_a_plug_in_names() -> None:
    scheme = Scheme("toy", "toy:N", "a toy", lambda rest: bm.Uniform(int(rest or 2)))
    assert bm.Scheme is Scheme
    assert scheme.requires is None
    assert scheme.load("7").name == "uniform:7"
    with pytest.raises(dataclasses.FrozenInstanceError):
        scheme.name = "other"  # type: ignore[misc]
