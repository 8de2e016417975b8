"""Models behind a server that gives the log-probabilities of a prompt's tokens."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from bitmeter._util.check import choice, integer, real, shown
from bitmeter._util.files import as_path
from bitmeter.errors import InputTypeError, ModelError
from bitmeter.models.causal.base import Causal
from bitmeter.models.causal.endpoint.answers import DIALECTS, Answer, AnswerError, body_of, read_answer
from bitmeter.models.causal.endpoint.client import Client, RefusedError
from bitmeter.models.protocols import Traits
from bitmeter.models.scheme import Scheme
from bitmeter.models.session import Watch
from bitmeter.text.units.base import Split, Units
from bitmeter.text.units.tokenizers import SentencePiece, Tokenizer, asking_tokenizer

__all__ = ["Endpoint"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
_PROBE = "The cat sat."
#: HTTP statuses for an address that does not exist or has no such method.
_NOT_THERE = (404, 405, 501)
_CHAT = "a chat endpoint gives no log-probabilities of a prompt's tokens, so perplexity cannot be computed"


class Endpoint(Causal):
    """A model behind a completions endpoint that gives the log-probabilities of a prompt's tokens.

    With a tokenizer, token ids are sent, so that bitmeter knows each token's bytes and can put BOS before a text and
    cut long ones into windows. Without one, text is sent and the server's own tokens are taken; they must join to the
    text again.

    Parameters
    ----------
    url
        Such as "http://localhost:8000/v1".
    model
        The name by which the server knows it.
    tokenizer
        A tokenizer.json, a SentencePiece model, or a folder with one of them: the same as the server's.
    dialect
        "vllm" (`prompt_logprobs`), "echo" (`echo=true`), or "auto" to try both.
    context
        How many tokens a prompt may have: for vLLM one less than its max_model_len, because it writes one token; 0
        for no bound that bitmeter knows of.
    concurrency
        Requests under way at once.
    timeout
        Seconds that an answer may take.
    retries
        How often a failed request is sent again.
    wait
        Seconds before the first time; twice as long each time after. `Retry-After` is honoured.
    cache
        A folder in which answers are kept, so that the same request is never paid for twice.
    key
        The environment variable that holds the key, if one is needed.

    Examples
    --------
    >>> Endpoint("localhost", "m")
    Traceback (most recent call last):
    bitmeter.errors.ModelError: url is 'localhost'; it must begin with http:// or https://, ...
    """

    def __init__(
        self,
        url: str,
        model: str,
        *,
        tokenizer: Any = None,
        dialect: str = "auto",
        context: int = 0,
        concurrency: int = 4,
        timeout: float = 120.0,
        retries: int = 6,
        wait: float = 1.0,
        cache: Any = None,
        key: str = "BITMETER_API_KEY",
    ) -> None:
        address = _address(url)
        if not isinstance(model, str) or not isinstance(key, str) or "\0" in key:
            message = f"model is {shown(model)} and key {shown(key)}; both must be strings"
            raise InputTypeError(message, value=model)
        if not model or any("\ud800" <= letter <= "\udfff" for letter in model + key):
            message = f"model is {model!r:.60} and key {key!r:.60}; both must be names that can be sent"
            raise ModelError(message, value=model)
        asked = choice(dialect, "dialect", ("auto", *DIALECTS))
        self.context = integer(context, "context", low=0, high=1 << 30) or None
        settings: dict[str, Any] = {
            "concurrency": integer(concurrency, "concurrency", low=1, high=256),
            "timeout": real(timeout, "timeout", low=0.001, high=86_400),
            "retries": integer(retries, "retries", low=0, high=100),
            "wait": real(wait, "wait", low=0.0, high=600.0),
            "cache": None if cache is None else as_path(cache),
        }
        found = None if tokenizer is None else _tokenizer_files(as_path(tokenizer))
        self._client = Client(address, key=key, **settings)
        self.name = f"openai:{url}#{model}"
        self._model = model
        self.precision = "as the server has it"
        if found is None:
            self._own: _ServerTokens | None = _ServerTokens(self)
            self._units: Units = self._own
            self.size = 1 << 40
        else:
            self._own = None
            self._units, self.bos_id, self.eos_id, self.adds_bos = found
            self.size = self._units.vocabulary_size or 0
        self._dialect, self._most, answer = self._probe(DIALECTS if asked == "auto" else (asked,))
        if self._own is not None and self._own.lead_of(answer, _PROBE.encode()) is not None:
            self.bos_id, self.adds_bos = self._own.lead, True

    # ---- what the server can do ----------------------------------------------------------------------------------

    def _probe(self, dialects: Sequence[str]) -> tuple[str, int, Answer]:
        """The first dialect in which the server answers, how few tokens it can be asked to write, and the answer."""
        prompt: str | list[int] = _PROBE
        if self._own is None:
            prompt = self._units.split(_PROBE.encode()).ids.tolist()
        reasons = []
        for dialect, most in [(d, m) for d in dialects for m in ((1,) if d == "vllm" else (0, 1))]:
            try:
                (raw,) = self._client.ask([body_of(dialect, self._model, prompt, most)])
                return dialect, most, read_answer(dialect, raw, prompt, most, self.name)
            except RefusedError as error:
                if error.status in _NOT_THERE:
                    message = f"{self.name} cannot be used: {self._why_not_there()}. It said: {error}"
                    raise ModelError(message, value=self.name) from error
                reasons.append(f"{dialect}: {error}")
            except AnswerError as error:  # another dialect may do; what is wrong with the server itself is not caught
                reasons.append(f"{dialect}: {error}")
        message = f"{self.name} gives no log-probabilities of a prompt. {' | '.join(dict.fromkeys(reasons))}"
        raise ModelError(message, value=self.name)

    def _why_not_there(self) -> str:
        """Why there is nothing at the address of completions, by the server's own list of models."""
        names = self._client.models()
        if names is None:
            return f"there is no completions endpoint at this address; if the server only chats, {_CHAT}"
        if self._model in names:
            return f"the server has this model, but for chats only, and {_CHAT}"
        return f"the server has no model {self._model!r}; it has {', '.join(names[:10]) or 'none'}"

    def _answers(self, prompts: Sequence[str | list[int]], watch: Watch | None = None) -> list[Answer]:
        bodies = [body_of(self._dialect, self._model, prompt, self._most) for prompt in prompts]
        raw = self._client.ask(bodies, watch) if bodies else []
        return [
            read_answer(self._dialect, answer, prompt, self._most, self.name)
            for answer, prompt in zip(raw, prompts, strict=True)
        ]

    # ---- as a causal model ---------------------------------------------------------------------------------------

    @property
    def units(self) -> Units:
        """The tokenizer's tokens, or the server's."""
        return self._units

    @property
    def weights_fingerprint(self) -> str:
        """The address and the name: what is behind them cannot be seen."""
        text = json.dumps([self._client.url, self._model, self._units.fingerprint, self._dialect])
        return f"endpoint-{hashlib.sha256(text.encode()).hexdigest()[:24]}"

    @property
    def traits(self) -> Traits:
        """Without a tokenizer, the number of tokens is not known."""
        size = self.size if self._own is None else None
        return replace(super().traits, vocabulary=size, caveats=self._seen_by_the_client())

    def _seen_by_the_client(self) -> tuple[str, ...]:
        """What it cost, and what cannot be known."""
        client = self._client
        cost = (
            f"{client.requests:,} requests to {client.url} ({self._dialect}): {client.prompt_tokens:,} tokens sent, "
            f"{client.completion_tokens:,} written, {client.cached:,} answers from the cache"
        )
        return (cost, "the server's weights and arithmetic cannot be seen: the signature knows its address and name")

    @property
    def default_first(self) -> str:
        """As other models; without a tokenizer the size of the vocabulary is unknown."""
        found = super().default_first
        return "skip" if found == "uniform" and self._own is not None else found

    def with_context(self, ctx: str, first: str, bos: str | None = None) -> Self:
        """The same model with another windowing; see `Causal.with_context`."""
        if self._own is not None and (first == "uniform" or (first != "bos" and self.bos_id is not None)):
            why = "puts BOS before each text itself" if self.bos_id is not None else "does not say how many tokens"
            right = "bos" if self.bos_id is not None else "skip"
            message = f"{self.name} {why}, so first={first} needs a tokenizer (,tokenizer=FILE), or first={right}"
            raise ModelError(message, value=first)
        found = super().with_context(ctx, first, bos)
        room = self.context
        if room is not None and found.windowing.kind == "rolling" and found.windowing.window >= room:
            message = (
                f"a server must be sent the last token of a window too, so rolling windows over {self.name} can have "
                f"{room - 1:,} tokens at most: rolling.{room - 1}"
            )
            raise ModelError(message, value=ctx)
        return found

    def score_sequences(
        self, sequences: Sequence[Ints], firsts: Sequence[int], watch: Watch | None = None
    ) -> list[Floats]:
        """ln p of each token of each sequence from `first` on."""
        asked = [number for number, (ids, first) in enumerate(zip(sequences, firsts, strict=True)) if first < len(ids)]
        found = [np.zeros(0) for _ in sequences]
        if self._own is not None:
            prompts: list[Any] = [self._own.text_of(sequences[number]) for number in asked]
        else:
            prompts = [sequences[number].tolist() for number in asked]
        for number, answer in zip(asked, self._answers(prompts, watch), strict=True):
            ids = sequences[number]
            if self._own is not None:
                self._own.check_same(ids, answer, self.name)
            else:
                _check_pieces(answer, self._units.token_bytes or (), self.name)
            found[number] = np.array(answer.logprobs[firsts[number] :], dtype=np.float64)
        return found

    def __repr__(self) -> str:
        return f"<Endpoint {self.name}, {self._dialect}>"


class _ServerTokens(Units):
    """The tokens that a server makes of a text, numbered as they come. They must join to the text again."""

    def __init__(self, model: Endpoint) -> None:
        self._owner = model
        self.name = f"tokens of {model.name}"
        self.fingerprint = f"endpoint-tokens/1@{hashlib.sha256(model.name.encode()).hexdigest()}"
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
        name = self._owner.name
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
            f"a text that is sent to {self._owner.name} must be UTF-8, and byte {error.start} of {data!r:.60} is not; "
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
        answers = iter(self._owner._answers([text for text in texts if text]))
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


def _check_pieces(answer: Answer, names: Sequence[bytes | None], name: str) -> None:
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


# ---- settings --------------------------------------------------------------------------------------------------------


def _address(url: Any) -> str:
    if not isinstance(url, str):
        message = f"url is {shown(url)}; it must be a string such as 'http://localhost:8000/v1'"
        raise InputTypeError(message, value=url)
    if not url.startswith(("http://", "https://")) or not url.isascii() or any(c <= " " for c in url):
        message = f"url is {url!r:.60}; it must begin with http:// or https://, such as http://localhost:8000/v1"
        raise ModelError(message, value=url)
    base = url.rstrip("/")
    if base.endswith("/chat/completions"):
        message = f"url is {url:.80}: {_CHAT}; give the address of the completions endpoint, if there is one"
        raise ModelError(message, value=url)
    if base.endswith("/completions"):
        return base
    host = base.split("://", 1)[1]
    return f"{base}/completions" if "/" in host else f"{base}/v1/completions"


def _tokenizer_files(path: Path) -> tuple[Units, int | None, int | None, bool]:
    """The units, the ids of BOS and EOS, and whether the tokenizer puts BOS before a text."""
    folder = path if path.is_dir() else path.parent
    places = [folder / "tokenizer.json", folder / "tokenizer.model"] if path.is_dir() else [path]
    file = next((place for place in places if place.exists()), None)
    if file is None:
        message = f"there is no tokenizer at {path}: it must be a tokenizer.json, a .model, or a folder with one"
        raise ModelError(message, value=str(path))
    if file.suffix == ".model":
        pieces = SentencePiece(file)
        ends = [pieces._processor.bos_id(), pieces._processor.eos_id()]
        first, last = (int(number) if number >= 0 else None for number in ends)
        return pieces, first, last, False
    units = Tokenizer(file)
    import tokenizers

    fast = tokenizers.Tokenizer.from_file(str(file))
    settings = folder / "tokenizer_config.json"
    try:
        config = json.loads(settings.read_bytes()) if settings.exists() else {}
        names = [config.get(which) for which in ("bos_token", "eos_token")]
    except (ValueError, AttributeError, OSError, RecursionError) as error:
        message = f"{settings} cannot be read: {type(error).__name__}: {error}"
        raise ModelError(message, value=str(settings)) from error
    words = [name.get("content") if isinstance(name, dict) else name for name in names]
    bos, eos = (fast.token_to_id(word) if isinstance(word, str) else None for word in words)
    with asking_tokenizer(str(file)):
        adds = bos is not None and fast.encode("a").ids[:1] == [bos]
    return units, bos, eos, adds


# ---- by name ---------------------------------------------------------------------------------------------------------

_NUMBERS = {"ctx": int, "concurrency": int, "timeout": float, "retries": int, "wait": float}
_WORDS = ("tokenizer", "dialect", "cache", "key")


def _load(rest: str) -> Endpoint:
    url, hash_sign, behind = rest.partition("#")
    model, *parts = behind.split(",")
    if not hash_sign or not url or not model:
        message = "openai needs an address and a model: openai:http://localhost:8000/v1#MODEL,tokenizer=FOLDER"
        raise ModelError(message, value=rest)
    options: dict[str, Any] = {}
    for part in parts:
        name, _, value = part.partition("=")
        if name in _NUMBERS:
            try:
                options["context" if name == "ctx" else name] = _NUMBERS[name](value)
            except ValueError as error:
                message = f"{part!r:.40} needs a number"
                raise ModelError(message, value=part) from error
        elif name in _WORDS and value:
            options[name] = value
        else:
            known = ", ".join(f"{name}=…" for name in (*_WORDS, *_NUMBERS))
            message = f"{part!r:.40} is not an option of an endpoint; they are {known}"
            raise ModelError(message, value=part)
    return Endpoint(url, model, **options)


SCHEMES = (
    Scheme(
        "openai",
        "openai:URL#MODEL",
        "a server's model that gives log-probabilities",
        _load,
        "httpx",
    ),
)
