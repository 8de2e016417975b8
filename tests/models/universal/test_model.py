"""The universal model: what it says does not depend on the machine, adds up, can be decoded, and can be kept."""

from __future__ import annotations

import hashlib
import math
import struct
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bitmeter as bm
from bitmeter import _core
from bitmeter.errors import ChoiceError, FileFormatError, InputTypeError, ModelError
from bitmeter.models.protocols import Batch
from bitmeter.models.registry import primed
from bitmeter.models.universal.model import PRESETS, Universal, UniversalSession
from tests.coding.archive.forging import forged, parts
from tests.models.helpers.documents import cut_documents, in_parts, whole
from tests.peak import peak_of

TEXT = (
    b"It was a long way down to the harbour, and the lamps along the quay were lit one after the other.\n"
    b"No"
    b"body spoke. The boat had left at noon; the boat would be back by nine, or it would not be back at all.\n"
    b"\xc2\xabTu viens?\xc2\xbb \xe2\x80\x94 \xd0\x94\xd0\xb0, \xd0\xb8\xd0\xb4\xd1\x83. "
    b"\xe6\xb8\xaf\xe3\x81\xae\xe7\x81\xaf\xe3\x82\x8a\n"
    b"One lamp, two lamps, three lamps: they counted the lamps along the quay, and the lamps went out one by one.\n"
) * 3

ODD = {
    "empty": b"",
    "one": b"x",
    "all": bytes(range(256)),
    "zeros": bytes(5000),
    "noise": np.random.default_rng(1).bytes(5000),
    "not UTF-8": b"\xff\xfe\x80 h\xc3\xa9 \xc3",
    "text": TEXT,
}


#: One of each design: small, medium and large compute alike.
DESIGNS = pytest.mark.parametrize("preset", ["small", "fast", "max"])


def core(kernel: str = "best", preset: str = "small") -> _core.Universal:
    return _core.Universal(PRESETS.index(preset), kernel)


def rated(model: _core.Universal, data: bytes) -> np.ndarray:
    return model.score(np.frombuffer(data, dtype=np.uint8), np.zeros(0, dtype=np.int64))


def encoded(model: _core.Universal, data: bytes) -> bytes:
    return _core.UniversalCoder(model).encode(data)


def decoded(model: _core.Universal, data: bytes, size: int) -> bytes:
    return _core.UniversalCoder(model).decode(data, size)


@pytest.mark.parametrize(
    ("preset", "expected"),
    [
        ("small", "72c2ea04549e3181a6cb07865562bf80dab307637d3f571da5cb47fc90df6240"),
        ("fast", "da7f15b4b7e36f5eaadc8b11cf78eb114171d63b1a1ae3ce27e972631310c052"),
        ("max", "2c712b5e277b5474741b216d83bcac7088ca29a8b5b120facb133c06255880f7"),
    ],
)
def test_the_same_bytes_cost_the_same_everywhere(preset: str, expected: str) -> None:
    # The code of a text depends on every probability to the last bit: first computed on an x86-64, small with AVX-512,
    # fast and max with AVX2, and the same from all kernels.
    assert hashlib.sha256(encoded(core(preset=preset), TEXT + ODD["noise"] + ODD["all"])).hexdigest() == expected


@DESIGNS
@pytest.mark.parametrize("data", ODD.values(), ids=ODD.keys())
def test_every_kernel_gives_the_same(data: bytes, preset: str) -> None:
    expected = rated(core("baseline", preset), data)
    for kernel in _core.universal_kernels():
        assert (rated(core(kernel, preset), data) == expected).all()
        assert encoded(core(kernel, preset), data) == encoded(core("baseline", preset), data)


@DESIGNS
@pytest.mark.parametrize("data", ODD.values(), ids=ODD.keys())
def test_the_code_is_as_long_as_the_score_and_comes_back(data: bytes, preset: str) -> None:
    code = encoded(core(preset=preset), data)
    bits = -math.fsum(rated(core(preset=preset), data).tolist()) / math.log(2)
    assert abs(8 * len(code) - bits) <= 64 + 2e-4 * len(data)
    assert decoded(core(preset=preset), code, len(data)) == data


@DESIGNS
@settings(max_examples=25, deadline=None)
@given(data=st.binary(max_size=300), size=st.integers(1, 50))
def test_any_bytes_in_any_blocks(data: bytes, size: int, preset: str) -> None:
    encoder, decoder = (_core.UniversalCoder(core(preset=preset)) for _ in range(2))
    blocks = [data[i : i + size] for i in range(0, len(data), size)]
    codes = [encoder.encode(block) for block in blocks]
    assert [decoder.decode(code, len(block)) for code, block in zip(codes, blocks, strict=True)] == blocks
    costs = rated(core(preset=preset), data)
    assert math.isclose(encoder.bits, -math.fsum(costs.tolist()) / math.log(2), rel_tol=1e-9)


@DESIGNS
@settings(max_examples=25, deadline=None)
@given(data=st.binary(max_size=100))
def test_garbage_is_an_error_or_some_text(data: bytes, preset: str) -> None:
    try:
        found = decoded(core(preset=preset), data, 20_000)
    except _core.UniversalFormatError:
        return  # the bytes end before the text does
    assert len(found) == 20_000


def test_a_code_of_another_length_is_refused() -> None:
    code = encoded(core(), TEXT)
    with pytest.raises(_core.UniversalFormatError, match="end before the text does"):
        decoded(core(), code, 100 * len(TEXT))
    with pytest.raises(_core.UniversalFormatError, match="go on after the text"):
        decoded(core(), code, 100)  # the rest is more than the decoder reads ahead
    with pytest.raises(_core.UniversalFormatError, match="go on after the text"):
        decoded(core(), code + bytes(20), len(TEXT))


@DESIGNS
def test_predictions_sum_to_one_and_are_what_bytes_cost(preset: str) -> None:
    model = Universal(preset)
    data = np.frombuffer(TEXT[:700] + ODD["noise"][:300], dtype=np.uint8)  # noise enough to be stored as it is
    costs = model.logprobs(data, np.array([0, len(data)]))
    session, stepper = model.open(), model.stepper()
    for i, byte in enumerate(data.tolist()):
        prediction = stepper.predict()
        assert abs(math.fsum(np.exp(prediction).tolist()) - 1.0) < 1e-12
        assert prediction[byte] == costs[i]
        if i % 50 == 0:  # each copies the model
            assert (session.stepper().predict() == prediction).all()
            assert (model.predict(data[:i]) == prediction).all()
        assert session.logprobs(data[i : i + 1], np.array([0, 1]), i > 0)[0] == costs[i]
        stepper.take(byte)
    assert (model.predict(data[:10]) == Universal(preset).predict(data[:10])).all()  # a step back


@DESIGNS
def test_details_are_those_of_the_predictions(preset: str) -> None:
    data = np.frombuffer(TEXT[:1500], dtype=np.uint8)
    bounds = np.array([0, 400, len(data)])
    for model in (Universal(preset), Universal(preset).with_prime(TEXT).freeze()):
        session = model.open()
        details = session.details(data, bounds, continues=False, alternatives=3)
        costs = session.logprobs(data, bounds, continues=False)  # the session had not moved
        first = details.rank == 1
        assert first.any()
        assert (details.top_logprobs[first, 0] == costs[first]).all()
        assert ((details.top_logprobs[:, 0] >= costs) & (details.entropy >= 0)).all()
        assert len(session.details(data[:0], bounds[:1], continues=True, alternatives=3).rank) == 0


@DESIGNS
@settings(max_examples=30, deadline=None)
@given(documents_and_cuts=cut_documents(st.integers(0, 255)), frozen=st.booleans())
def test_parts_cost_what_the_whole_costs(
    documents_and_cuts: tuple[list[list[int]], list[int]], frozen: bool, preset: str
) -> None:
    documents, cuts = documents_and_cuts
    model = FROZEN[preset] if frozen else Universal(preset)
    at_once = whole(documents, np.uint8)
    expected = model.logprobs(at_once.ids, at_once.bounds)
    session = model.open()
    found = [session.logprobs(p.ids, p.bounds, p.continues) for p in in_parts(documents, cuts, np.uint8)]
    assert (np.concatenate([*found, np.zeros(0)]) == expected).all()


FROZEN = {preset: Universal(preset).with_prime(TEXT[:400]).freeze() for preset in ("small", "fast", "max")}


@DESIGNS
def test_priming_is_reading_what_comes_before(preset: str) -> None:
    before, after = TEXT[:500], TEXT[500:]
    model = Universal(preset).with_prime(before)
    both = bm.score(Universal(preset), before + after).trace.logprob
    assert (bm.score(model, after).trace.logprob == both[500:]).all()
    assert (model.learned, Universal(preset).with_prime(before[:200]).with_prime(before[200:]).learned) == (500, 500)
    assert primed(Universal(preset), before).fingerprint == model.fingerprint


@DESIGNS
def test_frozen_documents_know_nothing_of_each_other(preset: str) -> None:
    frozen = FROZEN[preset]
    lines = TEXT.splitlines(keepends=True)
    together = bm.score(frozen, TEXT, docs="line").trace.logprob
    apart = np.concatenate([bm.score(frozen, line).trace.logprob for line in lines])
    assert (together == apart).all()
    assert frozen.frozen
    with pytest.raises(ModelError, match="frozen model reads no more"):
        frozen.with_prime(b"more")


def test_fingerprints_tell() -> None:
    models = [
        Universal("small"),
        Universal("medium"),
        Universal("fast"),
        Universal("max"),
        FROZEN["small"],
        Universal("small").with_prime(TEXT[:400]),
    ]
    models.append(Universal("small").with_prime(TEXT[:399]))
    assert len({model.fingerprint for model in models}) == len(models)
    assert Universal("small").fingerprint == "universal-2-small"
    assert Universal("fast").fingerprint == "universal-2-fast"
    assert Universal("max").fingerprint == "universal-4-max"


@DESIGNS
@pytest.mark.parametrize("frozen", [False, True])
def test_a_saved_model_goes_on_where_it_was(tmp_path: Path, preset: str, *, frozen: bool) -> None:
    model = Universal(preset).with_prime(TEXT)
    model = model.freeze() if frozen else model
    model.save(tmp_path / "model.bmu")
    again = bm.load(tmp_path / "model.bmu")
    assert (again.fingerprint, again.frozen, again.name) == (model.fingerprint, frozen, f"universal:{preset}")
    assert bm.score(again, TEXT).nats == bm.score(model, TEXT).nats
    assert bm.load(f"universal:{tmp_path / 'model.bmu'}").fingerprint == model.fingerprint
    with pytest.raises(FileFormatError, match="exists already"):
        model.save(tmp_path / "model.bmu")
    with pytest.raises(FileFormatError, match=r"end its name in \.bmu"):
        model.save(tmp_path / "model.bin")
    with pytest.raises(FileFormatError, match="does not exist"):
        Universal.load(tmp_path / "other.bmu")


def _unsealed(data: bytes) -> bytes:
    """The file as bitmeter wrote it before the header had a checksum of its own."""
    return data[:8] + struct.pack("<I", 2) + data[12:20] + bytes(4) + data[24:]


def test_files_without_a_seal_are_still_read(tmp_path: Path) -> None:
    model = Universal("small").with_prime(TEXT)
    model.save(tmp_path / "model.bmu")
    (tmp_path / "old.bmu").write_bytes(_unsealed((tmp_path / "model.bmu").read_bytes()))
    assert bm.load(tmp_path / "old.bmu").fingerprint == model.fingerprint


@pytest.mark.parametrize("frozen", [False, True])
def test_no_bit_of_the_header_can_change(tmp_path: Path, *, frozen: bool) -> None:
    # The flag "frozen" was outside of the checksum: one flipped bit gave another model, without a word.
    file = tmp_path / "model.bmu"
    model = Universal("small").with_prime(TEXT)
    (model.freeze() if frozen else model).save(file)
    sound = file.read_bytes()
    for bit in range(8 * 48):
        damaged = bytearray(sound)
        damaged[bit // 8] ^= 1 << bit % 8
        file.write_bytes(damaged)
        with pytest.raises(FileFormatError, match="not a sound universal model"):
            Universal.load(file)


def test_damaged_files_are_reported(tmp_path: Path) -> None:
    file = tmp_path / "model.bmu"
    Universal("small").with_prime(TEXT).save(file)
    sound = file.read_bytes()
    unsealed = _unsealed(sound)
    damages = {
        "does not begin as one": b"X" + sound[1:],
        "has version 9": sound[:8] + struct.pack("<I", 9) + sound[12:],
        "impossible settings": unsealed[:12] + struct.pack("<I", len(PRESETS)) + sound[16:],
        "impossible size": unsealed[:24] + struct.pack("<Q", 1 << 60) + sound[32:],
        "list of blocks": unsealed[:32] + struct.pack("<Q", 1 << 60) + sound[40:],
        "checksum of its header": sound[:16] + struct.pack("<I", 1) + sound[20:],
        "checksum is wrong": sound[:-1] + bytes([sound[-1] ^ 1]),
        "ends too early": sound[:-1],
        "goes on after its end": sound + b"x",
    }
    damages |= {f"not a sound universal model{'':{i}}": sound[:i] for i in (0, 5, 47, 48, 1000)}
    for message, data in damages.items():
        file.write_bytes(data)
        with pytest.raises(FileFormatError, match=message.strip()):
            bm.load(file)


def test_any_flipped_byte_is_found(tmp_path: Path) -> None:
    file = tmp_path / "model.bmu"
    Universal("small").save(file)
    sound = bytearray(file.read_bytes())
    for place in [*range(48), *np.random.default_rng(2).integers(48, len(sound), 20).tolist()]:
        damaged = bytearray(sound)
        damaged[place] ^= 0x41
        file.write_bytes(damaged)
        with pytest.raises(FileFormatError, match="not a sound universal model"):
            Universal.load(file)


def test_threads_do_not_meet() -> None:
    expected = rated(core(), TEXT)
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda _: rated(core(), TEXT), range(8)))
    assert all((one == expected).all() for one in found)


def test_random_bytes_cost_little_more_than_they_must_and_zeros_nothing() -> None:
    noise = np.random.default_rng(3).bytes(30_000)
    for preset, most, zeros in (("small", 8.1, 200_000), ("fast", 8.002, 200_000), ("max", 8.002, 20_000)):
        assert bm.score(Universal(preset), noise).bits_per_byte < most
        assert bm.score(Universal(preset), bytes(zeros)).bits < 1000


@pytest.mark.parametrize("preset", ["fast", "max"])
def test_noise_is_stored_only_while_it_lasts(preset: str) -> None:
    """A text after noise costs little more than without: the escape ends within some bytes."""
    noise = np.random.default_rng(4).bytes(20_000)
    found = bm.score(Universal(preset), noise + TEXT).trace.bits
    assert found[:20_000].mean() < 8.003
    assert found[20_000:].sum() < bm.score(Universal(preset), TEXT).bits + 1000


def test_memory_is_as_said() -> None:
    documented = " ".join(str(Universal.__doc__).split())
    for size, said in zip(PRESETS, ("16 MB", "181 MB", "1.2 GB", "41 MB", "1.4 GB"), strict=True):
        number, unit = said.split()
        assert abs(Universal(size).memory / {"MB": 1e6, "GB": 1e9}[unit] - float(number)) < 0.5
        assert f'"{size}" ({said}' in documented


def test_schemes() -> None:
    assert bm.load("universal").name == "universal:medium"
    assert bm.load("universal:small").name == "universal:small"
    with pytest.raises(ModelError, match="is not a preset"):
        bm.load("universal:tiny")
    with pytest.raises(ChoiceError, match="preset"):
        Universal("tiny")
    with pytest.raises(ModelError, match="uniform:256 cannot read a text beforehand"):
        primed(bm.load("uniform"), b"text")
    with pytest.raises(InputTypeError, match="is not a model"):
        primed(3, b"text")
    assert isinstance(bm.load("universal:small").open(), UniversalSession)


def test_first_uniform_makes_each_first_byte_cost_eight_bits() -> None:
    """It chooses from 256 bytes; all other bytes cost what they cost otherwise."""
    documents = bm.Corpus.from_documents([b"to be", b"or not"])
    plain = bm.score("universal:small", documents).trace.bits
    found = bm.score("universal:small", documents, first="uniform").trace.bits
    assert found.tolist() == pytest.approx([8.0, *plain[1:5], 8.0, *plain[6:]])


def test_a_preset_that_does_not_fit_in_memory_is_an_error(tmp_path: Path) -> None:
    """An archive of some hundred bytes may name universal:large."""
    bm.compress("universal:small", b"to be", tmp_path / "x.bmz")
    fields, embedded, frames = parts((tmp_path / "x.bmz").read_bytes())
    large = {"model": "universal:large", "fingerprint": bm.Universal("large").fingerprint}
    (tmp_path / "large.bmz").write_bytes(forged(fields | large, embedded, frames))
    _, lines = peak_of(
        "import resource\n"
        "import bitmeter as bm\n"
        "from bitmeter.errors import ModelError\n"
        "bm.load('kt')\n"
        "used = int(open('/proc/self/statm').read().split()[0]) * resource.getpagesize()\n"
        "resource.setrlimit(resource.RLIMIT_AS, (used + (1 << 28), used + (1 << 28)))\n"
        "try:\n"
        "    bm.decompress(sys.argv[1], sys.argv[2])\n"
        "except ModelError as error:\n"
        "    print(error)\n",
        tmp_path / "large.bmz", tmp_path / "x",
    )  # fmt: skip
    assert lines[0].startswith("universal:large takes 1,2")


@DESIGNS
def test_a_session_begins_again_in_its_memory(preset: str) -> None:
    """As a new one would, whatever it has read: bit for bit."""
    data, bounds = np.frombuffer(TEXT[:3000], dtype=np.uint8), np.array([0, 1000, 3000])
    for model in (
        Universal(preset),
        Universal(preset).with_prime(TEXT[:500]),
        Universal(preset).with_prime(TEXT).freeze(),
    ):
        fresh = model.open().logprobs(data, bounds, continues=False)
        session = model.open()
        session.logprobs(data[::-1].copy(), bounds, continues=False)
        assert session.restart()
        assert (session.logprobs(data, bounds, continues=False) == fresh).all()
    first, second = core(preset=preset), core(preset=preset)
    first.learn(TEXT)
    second.assign(first)
    assert second.checksum() == first.checksum()
    first.reset()
    assert first.checksum() == core(preset=preset).checksum()
    with pytest.raises(ValueError, match="differ in size"):
        first.assign(_core.Universal(1))


def test_progress_within_a_batch_changes_no_figure() -> None:
    model, text = Universal("small"), TEXT * (1 + 100_000 // len(TEXT))
    ends = np.array([700, 40_000, len(text)])
    for details, size in ((None, len(text)), (2, 3000)):
        here = np.minimum(ends, size)
        steps: list[tuple[int, int]] = []
        batch = Batch(text[:size], here, model.units)
        found = model.open().score(batch, details, lambda done, of, steps=steps: steps.append((done, of)))  # type: ignore[misc]
        assert len(steps) > 2
        assert steps[-1] == (size, size)
        split = batch.split
        assert (found.logprobs == model.open().logprobs(split.ids, split.bounds, continues=False)).all()
        assert (found.details is None) == (details is None)
