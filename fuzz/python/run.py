"""A saved run: read, printed, written again, compared with a sound one and added to it."""

from __future__ import annotations

import math

from engine import main, mutated_json

import bitmeter as bm

TEXT = b"to be or not to be\nthat is the question\n" * 4
SOUND = bm.score("kt", TEXT, docs="line")


def seeds() -> list[bytes]:
    scores = [SOUND, bm.score("kt", TEXT), bm.score("zlib", TEXT), bm.score("uniform", b""),
              bm.score(bm.Distribution({"a": 0.5, "b": 0.5}), b"abac"), SOUND + SOUND,
              bm.score("kt", TEXT, docs="line", first="skip")]  # fmt: skip
    return [score.to_json().encode() for score in scores]


def run(data: bytes) -> None:
    score = bm.Score.from_json(data.decode("utf-8", "surrogateescape"))
    assert not math.isnan(score.nats), "NaN"
    assert not math.isnan(score.known_nats), "NaN"
    assert bm.Score.from_json(score.to_json()) == score, "written otherwise than read"
    str(score)
    for step in (lambda: bm.compare(SOUND, score), lambda: score + SOUND, lambda: score.per("word")):
        try:
            str(step())
        except bm.BitmeterError:
            continue


if __name__ == "__main__":
    main("run", run, seeds, mutated_json)
