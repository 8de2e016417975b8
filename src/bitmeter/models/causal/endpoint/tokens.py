"""The tokens of a prompt: those that a server makes of a text, or those of a tokenizer that is given."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Sequence
from itertools import pairwise
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from bitmeter._util.files import as_utf8, read_whole
from bitmeter.errors import ModelError
from bitmeter.models.causal.endpoint.answers import Answer
from bitmeter.text.units.base import Split, Units
from bitmeter.text.units.sentencepiece import SentencePiece
from bitmeter.text.units.tokenizers import Tokenizer, asking_tokenizer

__all__ = ["Check", "ServerTokens", "check_pieces", "tokenizer_files"]

Ints = NDArray[np.int64]
#: Checks the answer to the prompt of a number.
Check = Callable[[int, Answer], None]
#: Gives the answers to some prompts, each checked.
Ask = Callable[[Sequence[str | list[int]], Check], list[Answer]]


class ServerTokens(Units):
    """The tokens that a server makes of a text, numbered as they come. They must join to the text again."""

    def __init__(self, name: str, ask: Ask) -> None:
        self._model, self._ask = name, ask
        self.name = f"tokens of {name}"
        self.fingerprint = f"endpoint-tokens/1@{hashlib.sha256(name.encode()).hexdigest()}"
        self._numbers: dict[bytes, int] = {}
        self._pieces: list[bytes] = []
        self.lead = self._number(b"")

    @property
    def token_bytes(self) -> tuple[bytes, ...]:
        """The bytes of each token seen so far."""
        return tuple(self._pieces)

    def _number(self, piece: bytes) -> int:
        if piece not in self._numbers:
            self._numbers[piece] = len(self._pieces)
            self._pieces.append(piece)
        return self._numbers[piece]

    def lead_of(self, answer: Answer, text: bytes) -> int | None:
        """1 if a token that is not of the text stands before it, None if not."""
        return 1 if len(self._of_text(answer, text)) < len(answer.pieces) else None

    def _of_text(self, answer: Answer, text: bytes) -> list[bytes]:
        """The tokens of the text, without one before it."""
        for pieces in (answer.pieces, answer.pieces[1:]):
            known = [piece for piece in pieces if piece is not None]
            if len(known) == len(pieces) and b"".join(known) == text:
                return known[1:] if known and not known[0] else known
        name = self._model
        message = (
            f"the tokens of {name} do not join to the text {text!r:.60} again, so their bytes are not known; give the "
            f"model's tokenizer, of which ids are sent: {name},tokenizer=FOLDER"
        )
        raise ModelError(message, value=name)

    def text_of(self, ids: Ints) -> str:
        """The text of these tokens."""
        numbers = ids.tolist()
        data = b"".join(self._pieces[number] for number in numbers)
        try:
            return data.decode()
        except UnicodeDecodeError as error:
            raise self._no_text(data, error) from error

    def check_same(self, ids: Ints, answer: Answer, name: str) -> None:
        """That the server cut this text as it cut the whole document."""
        known = [self._pieces[number] for number in ids.tolist()]
        text = b"".join(known)
        found = self._of_text(answer, text)
        led = len(answer.pieces) - len(found)
        if found != [piece for piece in known if piece] or len(answer.pieces) != len(ids):
            why = "puts a token before it" if led and len(found) == len(ids) else "makes other tokens of it"
            message = (
                f"{name} {why} when given the window {text!r:.60} of a longer document by itself; give the model's "
                f"tokenizer, of which ids are sent: {name},tokenizer=FOLDER"
            )
            raise ModelError(message, value=name)

    def _no_text(self, data: bytes, error: UnicodeDecodeError) -> ModelError:
        message = (
            f"a text that is sent to {self._model} must be UTF-8, and byte {error.start} of {data!r:.60} is not; "
            "with the model's tokenizer ids are sent instead (,tokenizer=FOLDER)"
        )
        return ModelError(message, index=error.start)

    def _split(self, data: bytes, ends: NDArray[np.int64]) -> Split:
        documents = [data[a:b] for a, b in pairwise([0, *ends.tolist()])]
        texts = []
        for document in documents:
            try:
                texts.append(document.decode())
            except UnicodeDecodeError as error:
                raise self._no_text(document, error) from error
        written = [text for text in texts if text]
        answers = iter(
            self._ask(written, lambda place, answer: _ignored(self._of_text(answer, written[place].encode())))
        )
        ids: list[int] = []
        lengths: list[int] = []
        bounds = [0]
        for document in documents:
            pieces = self._of_text(next(answers), document) if document else []
            ids += [self._number(piece) for piece in pieces]
            lengths += [len(piece) for piece in pieces]
            bounds.append(len(ids))
        cuts = np.concatenate(([0], np.cumsum(np.array(lengths, dtype=np.int64))))
        return Split(np.array(ids, dtype=np.int64), cuts.astype(np.int64), np.array(bounds, dtype=np.int64))

    def _cut(self, data: bytes) -> int:
        return 0


def _ignored(_: object) -> None:
    """For a check whose result is made again."""


def check_pieces(answer: Answer, names: Sequence[bytes | None], name: str) -> None:
    """That what the server calls these ids is what the tokenizer calls them, spaces and broken characters apart."""
    sent = [
        (_plain(piece), _plain(names[number] or b""))
        for piece, number in zip(answer.pieces, answer.ids, strict=True)
        if piece is not None and number is not None and number < len(names)
    ]
    pairs = [(a, b) for a, b in sent if a and b and "�" not in a + b and not a.startswith("<")]
    wrong = [pair for pair in pairs if pair[0] != pair[1]]
    if len(wrong) * 2 > len(pairs):
        message = (
            f"{name} has another tokenizer than the one given: it calls {wrong[0][0]!r} what that one calls "
            f"{wrong[0][1]!r}; give the model's own"
        )
        raise ModelError(message, value=wrong[0][0])


def _plain(piece: bytes) -> str:
    return piece.decode("utf-8", "replace").replace("▁", " ").strip()


def tokenizer_files(path: Path, *, special: bool) -> tuple[Units, int | None, int | None, bool]:
    """The units, the ids of BOS and EOS, and whether the tokenizer puts BOS before a text."""
    folder = path if path.is_dir() else path.parent
    places = [folder / "tokenizer.json", folder / "tokenizer.model"] if path.is_dir() else [path]
    file = next((place for place in places if place.exists()), None)
    if file is None:
        message = f"there is no tokenizer at {path}: it must be a tokenizer.json, a .model, or a folder with one"
        raise ModelError(message, value=str(path))
    if file.suffix == ".model":
        if special:
            message = f"special= cannot be used with {file.name}: a SentencePiece model takes no name for a token"
            raise ModelError(message, value=str(file))
        pieces = SentencePiece(file)
        first, last = pieces.marks
        return pieces, first, last, False
    units = Tokenizer(file, special=special)
    import tokenizers

    with as_utf8(file) as name:
        fast = tokenizers.Tokenizer.from_file(name)
    settings = folder / "tokenizer_config.json"
    try:
        config = json.loads(read_whole(settings)) if settings.exists() else {}
        names = [config.get(which) for which in ("bos_token", "eos_token")]
    except (ValueError, AttributeError, OSError, RecursionError) as error:
        message = f"{settings} cannot be read: {type(error).__name__}: {error}"
        raise ModelError(message, value=str(settings)) from error
    words = [name.get("content") if isinstance(name, dict) else name for name in names]
    bos, eos = (fast.token_to_id(word) if isinstance(word, str) else None for word in words)
    with asking_tokenizer(str(file)):
        adds = bos is not None and fast.encode("a").ids[:1] == [bos]
    return units, bos, eos, adds
