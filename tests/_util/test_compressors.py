"""The table of compressors: one setting for each, the same for models and for `estimate_rate`."""

from __future__ import annotations

import bz2
import importlib
import lzma
import zlib
from collections.abc import Callable
from types import ModuleType
from typing import Any

import pytest

import bitmeter as bm
from bitmeter._util.compressors import BLOCK, COMPRESSORS, XZ_EXTREME, SizeMeter
from bitmeter.text.corpus.sample import sample_text

TEXT = sample_text().encode()[:60_000]

#: Python's own compressors in one call.
ONE_CALL: dict[str, Callable[[bytes, int], bytes]] = {
    "zlib": lambda data, level: zlib.compress(data, level),
    "bz2": lambda data, level: bz2.compress(data, level),
    "xz": lambda data, level: lzma.compress(data, preset=level),
}


@pytest.mark.parametrize("name", COMPRESSORS)
def test_score_and_estimate_rate_give_the_same_size(name: str) -> None:
    size = COMPRESSORS[name].size(TEXT)
    assert bm.estimate_rate(TEXT, name).parameters["bytes"] == size
    assert bm.score(name, TEXT).bits == pytest.approx(8 * size, rel=1e-15)


@pytest.mark.parametrize("name", ONE_CALL)
@pytest.mark.parametrize("data", [b"", b"a", TEXT], ids=["nothing", "a byte", "a text"])
def test_sizes_are_those_of_one_call(name: str, data: bytes) -> None:
    entry = COMPRESSORS[name]
    for level in (1, entry.highest):  # stored blocks, zlib's level 0, are as long as the output buffer
        assert entry.size(data, level) == len(ONE_CALL[name](data, level))
    assert entry.size(data) == entry.size(data, entry.default)


def test_extreme_xz_is_that_of_lzma() -> None:
    preset = 1 | XZ_EXTREME
    assert COMPRESSORS["xz"].size(TEXT, preset) == len(lzma.compress(TEXT, preset=1 | lzma.PRESET_EXTREME))
    assert COMPRESSORS["xz"].fingerprint(preset) == "xz:1e-liblzma"


@pytest.mark.parametrize("name", COMPRESSORS)
def test_a_fingerprint_names_the_level(name: str) -> None:
    entry = COMPRESSORS[name]
    levels = range(entry.lowest, entry.highest + 1)
    assert len({entry.fingerprint(level) for level in levels}) == len(levels)
    assert entry.lowest <= entry.default <= entry.highest


def test_a_meter_hands_over_blocks_of_one_size() -> None:
    seen: list[int] = []

    def compress(data: bytes) -> bytes:
        seen.append(len(data))
        return data[:2]

    meter = SizeMeter((compress, lambda: b"end"))
    for size in (10, BLOCK - 10, BLOCK + 1, 0, 5):
        meter.feed(bytes(size))
    assert meter.finish() == 2 * 3 + 3
    assert seen == [BLOCK, BLOCK, 6]


@pytest.mark.parametrize("name", [name for name, entry in COMPRESSORS.items() if entry.package])
def test_a_missing_package_is_named_with_its_purpose(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    package, real = COMPRESSORS[name].package, importlib.import_module

    def without(module: str, *rest: Any) -> ModuleType:
        if module == package:
            raise ModuleNotFoundError(f"No module named {module!r}", name=module)
        return real(module, *rest)

    monkeypatch.setattr(importlib, "import_module", without)
    with pytest.raises(bm.errors.MissingPackageError, match=f"^method='{name}' needs the package {package}"):
        bm.estimate_rate(b"abc", name)
