"""Compressors as baselines: the size of the compressed file, header included; they score no single units."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial

from bitmeter._util.compressors import COMPRESSORS, XZ_EXTREME, SizeMeter
from bitmeter.errors import ModelError
from bitmeter.models.protocols import Compressor as CompressorModel
from bitmeter.models.protocols import Meter
from bitmeter.models.scheme import Scheme


class Compressor(CompressorModel):
    """A compressor at one setting.

    Parameters
    ----------
    name
        As it is typed, such as `zstd:19`.
    fingerprint
        The program, its version and its setting.
    begin
        Starts a compressed file.
    overhead
        What of the file is not the text; shown beside the figure.
    """

    name: str
    fingerprint: str
    overhead: str

    def __init__(self, name: str, fingerprint: str, begin: Callable[[], Meter], overhead: str) -> None:
        self.name, self.fingerprint, self.overhead = name, fingerprint, overhead
        self._begin = begin

    def meter(self) -> Meter:
        """Begin a file."""
        return self._begin()


def _load(scheme: str, rest: str) -> Compressor:
    """The compressor of a scheme, with the level that is typed after the colon."""
    entry = COMPRESSORS[scheme]
    extreme = scheme == "xz" and rest.endswith("e")
    digits = rest.removesuffix("e") if extreme else rest
    if digits and (not re.fullmatch("[0-9]{1,3}", digits) or not entry.lowest <= int(digits) <= entry.highest):
        message = (
            f"{scheme}:{digits:.20} needs a level from {entry.lowest} to {entry.highest}; "
            f"such as {scheme}:{entry.default}"
        )
        raise ModelError(message, value=digits)
    entry.check_installed(f"The model {scheme}")
    level = int(digits) if digits else entry.default
    setting = level | XZ_EXTREME if extreme else level

    name = f"{scheme}:{level}{'e' * extreme}"
    return Compressor(name, entry.fingerprint(setting), partial(_begin, scheme, setting), entry.overhead)


def _begin(scheme: str, setting: int) -> Meter:
    """A function of the module, so that a compressor can be pickled."""
    return SizeMeter(COMPRESSORS[scheme].start(setting))


def _scheme(name: str, usage: str, summary: str) -> Scheme:
    return Scheme(name, usage, summary, partial(_load, name), requires=COMPRESSORS[name].package)


SCHEMES = (
    _scheme("zlib", "zlib[:0-9]", "deflate, as in gzip"),
    _scheme("bz2", "bz2[:1-9]", "block sorting, as in bzip2"),
    _scheme("xz", "xz[:0-9][e]", "LZMA2, as in xz"),
    _scheme("zstd", "zstd[:1-22]", "Zstandard"),
    _scheme("brotli", "brotli[:0-11]", "Brotli"),
    _scheme("ppmd", "ppmd[:2-64]", "prediction by partial matching (PPMd variant H)"),
)
