"""SentencePiece models, read and split by the core; the package of that name for kinds that the core does not split."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from bitmeter import _core
from bitmeter._util.arrays import Ints
from bitmeter._util.optional import require
from bitmeter.errors import DamagedSourceError
from bitmeter.text.units.base import Split
from bitmeter.text.units.tokenizers import REPLACED, FileUnits, piece_bytes

__all__ = ["SentencePiece", "pieces_by_package"]


class SentencePiece(FileUnits):
    """The pieces of a SentencePiece model, without begin and end marks. A document is split whole, as by `Tokenizer`.

    Unigram and byte-pair models are split by the core, into the pieces that the package `sentencepiece` finds. Models
    of whole words or single characters need that package.

    Parameters
    ----------
    path
        A ``.model`` file.
    """

    kind = "sentencepiece"
    _data: bytes
    _encoder: _core.PieceEncoder | None
    #: The package's, where the core does not split.
    _processor: Any

    @property
    def encoder(self) -> _core.PieceEncoder | None:
        """The compiled model; None where the package splits."""
        return self._encoder

    @property
    def marks(self) -> tuple[int | None, int | None]:
        """The ids of the marks for the beginning and the end of a text."""
        if self._encoder is not None:
            found = (self._encoder.begin_mark, self._encoder.end_mark)
        else:
            found = (self._processor.bos_id(), self._processor.eos_id())
        first, last = (int(number) if number >= 0 else None for number in found)
        return first, last

    @property
    def pieces(self) -> tuple[str, ...]:
        """The pieces as they are written, with U+2581 for a space."""
        if self._encoder is not None:
            return tuple(self._encoder.pieces())
        return tuple(self._processor.id_to_piece(number) for number in range(self._processor.get_piece_size()))

    def written(self, document: bytes) -> list[str]:
        """The pieces of one document as they are written; what has no piece in its own characters."""
        if self._encoder is not None:
            return list(self._encoder.written(document))
        text = document.decode("utf-8", "surrogateescape").translate(REPLACED)
        return list(self._processor.encode(text, out_type=str))

    def __getstate__(self) -> dict[str, Any]:
        return {key: value for key, value in vars(self).items() if key not in ("_encoder", "_processor")}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        self._load(self._data, self.path)

    def _load(self, data: bytes, path: str) -> None:
        self._data, self._encoder, self._processor = data, None, None
        try:
            self._encoder = _core.PieceEncoder(data)
        except _core.PieceUnsupportedError:
            self._processor = _package(data, path)
        except _core.PieceFormatError as error:
            message = f"{path} is not a SentencePiece model: {error}; fetch it again"
            raise DamagedSourceError(message, path=path) from error

    def _token_bytes(self, path: str) -> list[bytes | None]:
        if self._encoder is not None:
            return self._encoder.tokens()
        model = self._processor
        result: list[bytes | None] = []
        for number in range(model.get_piece_size()):
            if model.is_unknown(number) or model.is_control(number):
                result.append(None)
            else:
                result.append(piece_bytes(model.id_to_piece(number), meta=True, fallback=bool(model.is_byte(number))))
        return result

    def _split(self, data: bytes, ends: Ints) -> Split:
        if self._encoder is None:
            return super()._split(data, ends)
        return Split(*self._encoder.split(data, ends))

    def _encode(self, texts: list[str]) -> list[tuple[Sequence[int], Sequence[int]]]:
        return pieces_by_package(self._processor, texts)


def pieces_by_package(processor: Any, texts: list[str]) -> list[tuple[Sequence[int], Sequence[int]]]:
    """For each text the ids of its pieces, and at which character each begins, by a processor of the package."""
    result: list[tuple[Sequence[int], Sequence[int]]] = []
    for text in texts:
        if hasattr(processor, "encode_as_offset_mapping"):
            found = processor.encode_as_offset_mapping(text)
            result.append((found["ids"], [start for start, _ in found["offsets"]]))
        else:  # sentencepiece below 0.2.2
            pieces = processor.encode(text, out_type="immutable_proto").pieces
            result.append(([piece.id for piece in pieces], [piece.begin for piece in pieces]))
    return result


def _package(data: bytes, path: str) -> Any:
    """The model as the package reads it."""
    sentencepiece = require("sentencepiece", "Splitting by a SentencePiece model of words or characters")
    try:
        return sentencepiece.SentencePieceProcessor(model_proto=data)
    except Exception as error:  # RuntimeError or others, depending on the version
        message = f"{path} is not a SentencePiece model: {error}"
        raise DamagedSourceError(message, path=path) from error
