"""Files of n-gram models: the same model, or an error that says what is wrong."""

from __future__ import annotations

import os
import random
import struct
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import bitmeter as bm
from bitmeter import _core, errors
from tests.models.made_up import made_up_text

TEXT = made_up_text(400, 30)
MODEL = bm.NGram(order=3).fit(TEXT.encode())


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
        with pytest.raises(errors.FileFormatError, match="not a sound n-gram model"):
            bm.NGram.load(path)
    with pytest.raises(errors.MissingSourceError, match="bitmeter train"):
        bm.load(str(tmp_path / "absent.bmn"))
    with pytest.raises(errors.FileFormatError):
        bm.NGram.load(tmp_path)


FORMS = {
    "fast": MODEL,
    "compact": MODEL.compact(),
    "bytes": bm.NGram(order=3, units="bytes").fit(TEXT.encode()),
    "characters": bm.NGram(order=2, units="characters").fit(TEXT.encode()).compact(),
}
_SECTOR = 512


def _with_sector_damage(good: bytes, how: str, draw: random.Random) -> bytes:
    """What a failing disk gives: one to four sectors of zeros or noise, or two that are exchanged."""
    bad = bytearray(good)
    sectors = [_SECTOR * draw.randrange(len(good) // _SECTOR) for _ in range(draw.choice((1, 4)))]
    for at in sectors:
        if how == "swapped":
            other = _SECTOR * draw.randrange(len(good) // _SECTOR)
            bad[at : at + _SECTOR], bad[other : other + _SECTOR] = bad[other : other + _SECTOR], bad[at : at + _SECTOR]
        else:
            bad[at : at + _SECTOR] = bytes(_SECTOR) if how == "zeros" else draw.randbytes(_SECTOR)
    return bytes(bad)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("how", ["zeros", "noise", "swapped"])
def test_sector_damage_is_an_error_and_never_another_figure(tmp_path: Path, form: str, how: str) -> None:
    FORMS[form].save(tmp_path / "good.bmn")
    good = (tmp_path / "good.bmn").read_bytes()
    path, draw, refused = tmp_path / "bad.bmn", random.Random(form + how), 0
    for _ in range(25):
        bad = _with_sector_damage(good, how, draw)
        path.write_bytes(bad)
        if bad == good:
            continue
        with pytest.raises(errors.FileFormatError, match="not a sound n-gram model"):
            bm.NGram.load(path)
        refused += 1
    assert refused > 15


def test_no_verb_passes_damage_on(tmp_path: Path) -> None:
    MODEL.save(tmp_path / "good.bmn")
    good = (tmp_path / "good.bmn").read_bytes()
    middle = len(good) // 2
    bad, out, text = tmp_path / "bad.bmn", tmp_path / "out.bmn", tmp_path / "text.txt"
    text.write_text(TEXT)
    for place in (middle, len(good) - 1):  # in the n-grams, and in how words are spelled
        bad.write_bytes(good[:place] + bytes([good[place] ^ 1]) + good[place + 1 :])
        with pytest.raises(errors.FileFormatError):
            bm.convert(bad, out)
        with pytest.raises(errors.FileFormatError):
            bm.convert(bad, out, prune_entropy=1e-6, compact=True)
        with pytest.raises(errors.FileFormatError):
            bm.compress(str(bad), text, tmp_path / "out.bmz", embed=True)
        with pytest.raises(errors.FileFormatError):
            bm.MixtureModel([str(tmp_path / "good.bmn"), str(bad)])
    assert sorted(path.name for path in tmp_path.iterdir()) == ["bad.bmn", "good.bmn", "text.txt"]


def test_every_byte_of_how_words_are_spelled_is_checked(tmp_path: Path) -> None:
    small = bm.NGram(order=1).fit(b"to be or not to be\n")
    for form in (small, small.compact()):
        form.save(tmp_path / "good.bmn", force=True)
        good, path = (tmp_path / "good.bmn").read_bytes(), tmp_path / "bad.bmn"
        begin = good.index(b"bitmeter.spell")
        for place in (*range(begin, begin + 140), *range(begin + 140, len(good), 97)):
            path.write_bytes(good[:place] + bytes([good[place] ^ 4]) + good[place + 1 :])
            with pytest.raises(errors.FileFormatError, match=r"spelled|spelling"):
                bm.NGram.load(path)


def _checksum(data: bytes) -> int:
    """The file format's checksum, from its description and slowly: four lanes of 64 bits, rotated products."""
    mask, factor = 2**64 - 1, 0x9E3779B97F4A7C15

    def step(h: int, value: int) -> int:
        product = (h ^ value) * factor & mask
        return (product << 29 | product >> 35) & mask

    lanes, whole = [1, 2, 3, len(data)], len(data) // 32 * 32
    for values in struct.iter_unpack("<4Q", data[:whole]):
        lanes = [step(lane, value) for lane, value in zip(lanes, values, strict=True)]
    for byte in data[whole:]:
        lanes[0] = step(lanes[0], byte)
    total = 0
    for lane in lanes:
        total = step(total, lane ^ lane >> 31)
    return total ^ total >> 32


def test_a_file_cannot_claim_the_fingerprint_of_another(tmp_path: Path) -> None:
    small = bm.NGram(order=2).fit(b"to be or not to be\nthat is the question\n")
    small.save(tmp_path / "good.bmn")
    good = (tmp_path / "good.bmn").read_bytes()
    used = 16 + 4 * 4 + 22 * 8  # the header: magic, four settings, sizes and checksums
    size, body, head = struct.unpack_from("<3Q", good, used - 24)
    assert body == _checksum(good[used:size])
    assert head == _checksum(good[: used - 8])
    claimed = bytearray(good)
    claimed[used] ^= 1  # the checksum of the content, from which the fingerprint is made
    struct.pack_into("<Q", claimed, used - 16, _checksum(bytes(claimed[used:size])))
    struct.pack_into("<Q", claimed, used - 8, _checksum(bytes(claimed[: used - 8])))
    (tmp_path / "claimed.bmn").write_bytes(claimed)
    with pytest.raises(errors.FileFormatError, match="checksum of its content"):
        bm.NGram.load(tmp_path / "claimed.bmn")


def _with_sums(file: bytearray, extras: int) -> bytes:
    """The file with checksums that are right for its bytes; that of its content is left out, as earlier versions do."""
    used = 16 + 4 * 4 + 4 * extras + 22 * 8
    struct.pack_into("<Q", file, used, 0)
    (size,) = struct.unpack_from("<Q", file, used - 24)
    if used < size <= len(file):
        struct.pack_into("<Q", file, used - 16, _checksum(bytes(file[used:size])))
        struct.pack_into("<Q", file, used - 8, _checksum(bytes(file[: used - 8])))
    return bytes(file)


@pytest.mark.parametrize("form", ["words", "compact", "bytes", "characters"])
def test_forged_files_raise_only_typed_errors(tmp_path: Path, form: str) -> None:
    """Whatever a file with right checksums holds; `make fuzz` tries millions of them."""
    text = b"to be or not to be\nthat is the question\n"
    made = bm.NGram(order=3, units=form if form in ("bytes", "characters") else "words").fit(text)
    made = made.compact() if form == "compact" else made
    good, path, draw = tmp_path / "good.bmn", tmp_path / "forged.bmn", random.Random(form)
    made.save(good)
    data = good.read_bytes()
    note = data.index(b'{"')  # the metadata
    failed = 0
    for number in range(60):
        forged = bytearray(data)
        for _ in range(draw.choice((1, 3, 30))):
            place = draw.randrange(216, len(data)) if number % 3 else draw.randrange(note, note + 200)
            forged[place] = draw.choice((0, 255, 127, draw.randrange(256)))
        path.write_bytes(_with_sums(forged, 2 if form == "compact" else 0))
        for run in (
            lambda: bm.score(bm.NGram.load(path), text).bits_per_byte,
            lambda: bm.NGram.load(path).logprob("to be"),
            lambda: bm.NGram.load(path).predict(np.array([3])),
            lambda: bm.NGram.load(path).sample(2, seed=1, length=20),
            lambda: bm.NGram.load(path).prune(1e-3),
            lambda: bm.NGram.load(path).compact(),
            lambda: bm.NGram.load(path).verify(),
            lambda: bm.NGram.load(path).save(tmp_path / "out.arpa", force=True),
            lambda: bm.NGram.load(path).outcomes.names,
            lambda: bm.compress(bm.NGram.load(path), text, tmp_path / "out.bmz", force=True),
        ):
            try:
                run()
            except errors.BitmeterError:
                failed += 1
    assert failed > 100


_CUT = """
import os, pathlib, shutil, sys
import bitmeter as bm
from bitmeter.errors import FileFormatError

folder, size = pathlib.Path(sys.argv[1]), int(sys.argv[2])
text = b"w1 w2 w3 w4\\nw5 w6 new\\n" * 50
work = {
    "score": lambda model: bm.score(model, text).bits_per_byte,
    "logprob": lambda model: model.logprob("w1 w2"),
    "state": lambda model: model.begin().extend("w1"),
    "predict": lambda model: model.predict([3]),
    "sample": lambda model: model.sample(2, seed=1),
    "save": lambda model: model.save(folder / "other.bmn"),
    "arpa": lambda model: model.save(folder / "other.arpa"),
    "prune": lambda model: model.prune(1e-7),
    "compact": lambda model: model.compact(),
    "compress": lambda model: bm.compress(model, text, folder / "other.bmz"),
}
for name, run in work.items():
    path = folder / "used.bmn"
    shutil.copy(folder / "model.bmn", path)
    model = bm.NGram.load(path)
    with path.open("r+b") as file:
        if size >= 0:
            file.truncate(size)
        else:  # changed in place
            file.seek(path.stat().st_size // 3)
            file.write(bytes(4096))
    os.utime(path, ns=(0, 0))  # as a write after the next tick of the clock would
    try:
        print(name, "gave", run(model))
    except FileFormatError as error:
        print(name, "refused" if "was cut or changed while it was in use" in str(error) else error)
    path.unlink()
"""


@pytest.mark.skipif(sys.platform == "win32", reason="Windows refuses to cut or change a mapped file")
@pytest.mark.parametrize("form", ["fast", "compact"])
@pytest.mark.parametrize("size", [0, 5000, -1])
def test_a_file_that_is_cut_or_changed_in_use_is_an_error(tmp_path: Path, form: str, size: int) -> None:
    """In a process of its own, which a signal would end."""
    FORMS[form].save(tmp_path / "model.bmn")
    command = [sys.executable, "-c", _CUT, str(tmp_path), str(size)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done
    said = dict(line.split(" ", 1) for line in done.stdout.splitlines())
    assert set(said.values()) == {"refused"}, said
    assert len(said) == 10
    assert [path.name for path in tmp_path.iterdir()] == ["model.bmn"]  # nothing else was written


def test_a_file_that_is_replaced_or_removed_stays_in_use(tmp_path: Path) -> None:
    path, other = tmp_path / "model.bmn", tmp_path / "other.bmn"
    MODEL.save(path)
    model = bm.NGram.load(path)
    bm.NGram(order=1).fit(b"something else\n").save(other)
    other.replace(path)
    assert model.logprob("w1 w2 w3") == MODEL.logprob("w1 w2 w3")
    path.unlink()
    assert bm.score(model, b"w1 w2 w3\n").bits_per_byte == bm.score(MODEL, b"w1 w2 w3\n").bits_per_byte


@pytest.mark.skipif(sys.platform in ("win32", "darwin"), reason="file names are Unicode there")
def test_names_of_files_need_not_be_utf8(tmp_path: Path) -> None:
    path = str(tmp_path / os.fsdecode(b"mod\xe8le.bmn"))
    for form, reader in ((MODEL.own_form, _core.NgramModel), (FORMS["compact"].own_form, _core.CompactNgram)):
        form.save(path)
        assert reader.open(path).fingerprint() == form.fingerprint()
