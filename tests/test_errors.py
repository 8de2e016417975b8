"""The exception tree: everything that bitmeter raises on purpose is a BitmeterError, and keeps what was found."""

from __future__ import annotations

import inspect
import pickle

import pytest

from bitmeter import errors

CLASSES = [found for _, found in inspect.getmembers(errors, inspect.isclass) if issubclass(found, Exception)]


@pytest.mark.parametrize("kind", CLASSES, ids=lambda kind: kind.__name__)
def test_every_class_is_in_the_tree_and_in_its_drawing(kind: type[Exception]) -> None:
    assert issubclass(kind, errors.BitmeterError)
    assert kind.__name__ in (errors.__doc__ or "")
    assert kind.__doc__


def test_errors_of_input_are_also_those_of_python() -> None:
    assert issubclass(errors.InputError, ValueError)
    assert issubclass(errors.InputTypeError, TypeError)


def test_an_error_keeps_the_place_and_the_value() -> None:
    error = errors.ModelError("m gives NaN", index=7, value="x")
    assert (str(error), error.index, error.value) == ("m gives NaN", 7, "x")


def test_errors_travel_between_processes() -> None:
    again = pickle.loads(pickle.dumps(errors.ModelError("m gives NaN", index=7)))
    assert (type(again), str(again)) == (errors.ModelError, "m gives NaN")
