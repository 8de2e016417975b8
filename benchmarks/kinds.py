"""Ten kinds of files, found on any machine or made: what compressors are compared on.

Found: the language reference and the library of Python, and the machine code of numpy. All others are made, from fixed
seeds and in whole numbers, so that they are the same bytes everywhere. A file of your own may stand for any of them.
"""

from __future__ import annotations

import hashlib
import sysconfig
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from bitmeter.text.corpus.sample import sample_text

Ints = NDArray[np.int64]
#: Draws the same numbers in every version of numpy, which newer generators do not promise.
Random = np.random.RandomState


@dataclass(frozen=True)
class Kind:
    """A kind of file: what it is, and how so many bytes of it are had."""

    name: str
    what: str
    make: Callable[[int], bytes]


def write_kinds(folder: Path, size: int, given: dict[str, Path]) -> dict[str, Path]:
    """One file of each kind, at most `size` bytes long."""
    paths = {}
    for kind in KINDS:
        paths[kind.name] = folder / kind.name
        data = given[kind.name].read_bytes() if kind.name in given else kind.make(size)
        paths[kind.name].write_bytes(data[:size])
    return paths


def described(paths: dict[str, Path], given: dict[str, Path]) -> Iterator[str]:
    """A line on each file: its length, the start of its hash, and what it is."""
    for kind in KINDS:
        data = paths[kind.name].read_bytes()
        what = f"the file {given[kind.name].name}" if kind.name in given else kind.what
        yield f"{kind.name:<9}{len(data):>10,} bytes  {hashlib.sha256(data).hexdigest()[:8]}  {what}"


# ---- found ----------------------------------------------------------------------------------------------------------


def reference(size: int) -> bytes:
    return sample_text().encode()


def library(size: int) -> bytes:
    found = b""
    for path in sorted(Path(sysconfig.get_paths()["stdlib"]).glob("*.py")):
        found += path.read_bytes()
        if len(found) >= size:
            break
    return found


def machine_code(size: int) -> bytes:
    from numpy._core import _multiarray_umath  # type: ignore[attr-defined]

    data = Path(str(_multiarray_umath.__file__)).read_bytes()
    return data[len(data) // 4 :]


# ---- made texts -----------------------------------------------------------------------------------------------------


def ranks(rng: Random, size: int, number: int) -> Ints:
    """Ranks below `size`, each as frequent as 1/(rank + 3): Zipf's law as Mandelbrot bent it."""
    ends = np.cumsum(1_000_000_000 // (np.arange(size, dtype=np.int64) + 3))
    found: Ints = np.searchsorted(ends, rng.randint(0, int(ends[-1]), number), side="right")
    return found


def running_text(rng: Random, words: list[str], size: int, space: str, stops: str) -> bytes:
    """Sentences of words: three in ten are one of the eight that like to follow the word before, one in ten is one of
    the last sixty-four, and the others are drawn by their ranks.
    """
    number = size // min(6, len(words[0].encode()) + 3) + 100
    drawn, liked = ranks(rng, len(words), number).tolist(), ranks(rng, len(words), 8 * len(words)).tolist()
    ways, choices = rng.randint(0, 10, number).tolist(), rng.randint(0, 1 << 20, number).tolist()
    said: list[int] = [0]
    parts: list[str] = []
    left = length = 0
    for word, way, pick in zip(drawn, ways, choices, strict=True):
        if way < 3:
            word = liked[8 * said[-1] + pick % 8]
        elif way == 3:
            word = said[-1 - pick % min(64, len(said))]
        said.append(word)
        if left == 0:
            left = 4 + pick % 17
            written = words[word].capitalize()
        else:
            written = words[word]
        left -= 1
        mark = stops[1 + (pick >> 8) % 8 // 7] if left == 0 else stops[0] if pick >> 4 & 15 == 0 else ""
        end = "\n" if left == 0 and pick >> 12 & 7 == 0 else space
        parts.append(written + mark + end)
        length += len(parts[-1].encode())
        if length >= size:
            break
    return "".join(parts).encode()


def language(size: int) -> bytes:
    """An inflecting language with letters beyond ASCII: stems of one to three syllables, endings of three classes."""
    rng = Random(4)
    first, inner = [*"kptsvnmdlrjbzhčšř", "st", "pr", "kr", "hl"], [*"aeoiuáéíě", "ou"]
    endings = (["", "a", "u", "em", "y", "ů"], ["ý", "á", "ého", "ou", "ých"], ["t", "l", "la", "li", "me", "jí"])
    stems = []
    for _ in range(3000):
        syllables = 1 + int(ranks(rng, 3, 1)[0])
        stems.append("".join(first[a] + inner[b % 10] for a, b in rng.randint(0, 21, (syllables, 2))))
    words = [stem + ending for i, stem in enumerate(stems) for ending in endings[i % 3]]
    order = rng.permutation(len(words))
    return running_text(rng, ["a", "se", "na", "že", "v"] + [words[i] for i in order], size, " ", ",.?")


def ideographs(size: int) -> bytes:
    """Words of one to three of 3,000 ideographs, each three bytes of UTF-8, without spaces."""
    rng = Random(3)
    characters = [chr(0x4E00 + int(i)) for i in rng.permutation(20_000)[:3000]]
    words = list(dict.fromkeys(
        "".join(characters[rank] for rank in ranks(rng, 3000, 1 + int(length)))
        for length in ranks(rng, 3, 9000)
    ))  # fmt: skip
    return running_text(rng, words, size, "", "，。？")


def log_lines(size: int) -> bytes:
    rng = Random(5)
    services, levels = ["auth", "billing", "catalogue", "gateway", "mail", "search"], ["INFO"] * 12 + ["WARN", "ERROR"]
    paths = ["/api/v1/users/{}", "/api/v1/orders/{}/items", "/health", "/static/app.{}.js", "/search?q={}"]
    lines, length, clock = [], 0, 0
    while length < size:
        step, one, two, three, four, five = rng.randint(0, 1 << 30, 6).tolist()
        clock += step % 700
        date, time = (
            f"2026-03-{1 + clock // 86_400_000 % 31:02}",
            f"{clock // 3_600_000 % 24:02}:{clock // 60_000 % 60:02}",
        )
        when = f"{date}T{time}:{clock // 1000 % 60:02}.{clock % 1000:03}Z"
        path = paths[min(one % 7, 4)].format(two % 5000)
        lines.append(
            f'{{"time":"{when}","level":"{levels[three % 14]}","service":"{services[one % 6]}",'
            f'"host":"node-{three % 12:02}","request":"{four:08x}{five:08x}","path":"{path}",'
            f'"status":{[200, 200, 200, 201, 304, 404, 500][five % 7]},"ms":{four % 50 + (four % 19 == 0) * 400}}}\n'
        )
        length += len(lines[-1])
    return "".join(lines).encode()


def records(size: int) -> bytes:
    rng = Random(6)
    cities = ["Aarhus", "Bergen", "Coimbra", "Dresden", "Esbjerg", "Firenze", "Gent", "Hradec Kralove", "Innsbruck"]
    codes = [f"{chr(65 + i % 26)}{i * 7919 % 1000:03}-{i * 31 % 100:02}" for i in range(400)]
    costs = rng.randint(50, 20_000, 400).tolist()
    lines, length, number = ["id,date,product,quantity,price,customer,city,paid\n"], 0, 100_000
    while length < size:
        rank = int(ranks(rng, 400, 1)[0])
        one, two, three = rng.randint(0, 1 << 30, 3).tolist()
        number += 1 + one % 3
        day = (number - 100_000) // 40
        quantity = 1 + two % 9 * (two % 3 == 0)
        lines.append(
            f"{number},2025-{1 + day // 28 % 12:02}-{1 + day % 28:02},{codes[rank]},{quantity},"
            f"{quantity * costs[rank] / 100:.2f},{three % 20_000:05},{cities[three % 20_000 % 9]},"
            f"{'yes' if one % 8 else 'no'}\n"
        )
        length += len(lines[-1])
    return "".join(lines).encode()


# ---- made data ------------------------------------------------------------------------------------------------------


def nucleotides(size: int) -> bytes:
    """Bases, a letter each. Runs of new ones, of which each depends on the two before, take turns with copies of
    earlier ones; half of the copies are the reversed complement, and one base in twelve of a copy is changed.
    """
    rng = Random(8)
    ends = np.cumsum(rng.randint(2, 7, (16, 4)), axis=1)
    bases: list[int] = [0, 1]
    while len(bases) < size:
        length = 20 + int(ranks(rng, 2000, 1)[0])
        if len(bases) < 5000 or rng.randint(0, 3) == 0:
            for draw in rng.randint(0, 1 << 20, length).tolist():
                row = ends[4 * bases[-2] + bases[-1]]
                bases.append(int(np.searchsorted(row, draw % int(row[3]), side="right")))
        else:
            start = int(rng.randint(0, len(bases) - length))
            copied = bases[start : start + length]
            if rng.randint(0, 2):
                copied = [3 - base for base in reversed(copied)]
            change = rng.randint(0, 12, length).tolist()
            new = rng.randint(0, 4, length).tolist()
            bases += [b if c == 0 else a for a, b, c in zip(copied, new, change, strict=True)]
    return bytes(b"ACGT"[base] for base in bases[:size])


def bitmap(size: int) -> bytes:
    """An image of 640 pixels of three bytes in each row: smooth fields that the colours share, rectangles, noise."""
    rng = Random(9)
    width, height = 640, max(2, size // 1920 + 1)

    def smooth(reach: int) -> Ints:
        field = rng.randint(0, 1024, (height + 2 * reach, width + 2 * reach)).astype(np.int64)
        for axis in (0, 1, 0, 1):
            sums = np.cumsum(field, axis=axis)
            ahead, behind = np.take(sums, range(reach, sums.shape[axis]), axis=axis), np.take(
                sums, range(sums.shape[axis] - reach), axis=axis
            )  # fmt: skip
            field = (ahead - behind) // reach
        field = field[:height, :width]
        low, high = int(field.min()), int(field.max())
        found: Ints = (field - low) * 200 // max(1, high - low)
        return found

    light = smooth(40)
    image = np.stack([(3 * light + smooth(25)) // 4 + 20 for _ in range(3)], axis=-1)
    for _ in range(max(1, height // 12)):
        y, x, down, across = (int(rng.randint(0, most)) for most in (height, width, 60, 120))
        image[y : y + down, x : x + across] = rng.randint(0, 256, 3)
    image += rng.randint(-1, 2, image.shape)
    return np.clip(image, 0, 255).astype(np.uint8).tobytes()


def noise(size: int) -> bytes:
    return Random(10).bytes(size)


KINDS = (
    Kind("prose", "the language reference of Python", reference),
    Kind("code", "the library of Python", library),
    Kind("cjk", "made words of one to three ideographs", ideographs),
    Kind("language", "a made language with inflected words", language),
    Kind("log", "made lines of JSON", log_lines),
    Kind("records", "made lines of comma-separated values", records),
    Kind("binary", "machine code: numpy's largest module", machine_code),
    Kind("dna", "made bases with mutated repeats and reversed complements", nucleotides),
    Kind("bitmap", "a made image, three bytes per pixel", bitmap),
    Kind("random", "random bytes", noise),
)
