"""Models behind a server that gives the log-probabilities of a prompt's tokens."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from bitmeter._util.check import choice, flag, integer, real, shown
from bitmeter._util.files import as_path
from bitmeter.errors import InputTypeError, ModelError
from bitmeter.models.causal.base import SPECIAL, Causal
from bitmeter.models.causal.endpoint.alignment import BEGINNINGS, ENDINGS, check_endings, check_written
from bitmeter.models.causal.endpoint.answers import (
    DIALECTS,
    Answer,
    AnswerError,
    Written,
    body_of,
    read_answer,
    read_written,
    writing_body,
)
from bitmeter.models.causal.endpoint.client import Client, RefusedError
from bitmeter.models.causal.endpoint.secrets import Secret, address_of
from bitmeter.models.causal.endpoint.tokens import Check, ServerTokens, check_pieces, tokenizer_files
from bitmeter.models.protocols import Traits
from bitmeter.models.scheme import Scheme
from bitmeter.models.session import Watch
from bitmeter.text.units.base import Units

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
    special
        With a tokenizer: take the name of a special token in a text for that token.

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
        special: bool = False,
    ) -> None:
        address, secret = address_of(url), Secret(key)
        given: Any = model
        if not isinstance(given, str):
            message = f"model is {shown(model)}; it must be a string"
            raise InputTypeError(message, value=model)
        if not model or any("\ud800" <= letter <= "\udfff" for letter in model):
            message = f"model is {model!r:.60}; it must be a name that can be sent"
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
        named = flag(special, "special")
        if named and tokenizer is None:
            message = (
                "special= needs the model's tokenizer (,tokenizer=FOLDER): of a text that is sent, the server decides"
            )
            raise ModelError(message, value=special)
        found = None if tokenizer is None else tokenizer_files(as_path(tokenizer), special=named)
        self.caveats = (SPECIAL,) * named
        self._client = Client(address, secret=secret, **settings)
        self.name = f"openai:{url}#{model}"
        self._model = model
        self.precision = "as the server has it"
        if found is None:
            self._own: ServerTokens | None = ServerTokens(self.name, self._answers)
            self._units: Units = self._own
            self.size = 1 << 40
        else:
            self._own = None
            self._units, self.bos_id, self.eos_id, self.adds_bos = found
            self.size = self._units.vocabulary_size or 0
        self._dialect, self._most, answer = self._probe(DIALECTS if asked == "auto" else (asked,))
        if self._own is not None and self._own.lead_of(answer, _PROBE.encode()) is not None:
            self.bos_id, self.adds_bos = self._own.lead, True
        self._aligned = self._check_alignment()

    # ---- what the server can do ----------------------------------------------------------------------------------

    def _probe(self, dialects: Sequence[str]) -> tuple[str, int, Answer]:
        """The first dialect in which the server answers, how few tokens it can be asked to write, and the answer."""
        prompt: str | list[int] = _PROBE
        if self._own is None:
            prompt = self._units.split(_PROBE.encode()).ids.tolist()
        reasons = []
        for dialect, most in [(d, m) for d in dialects for m in ((1,) if d == "vllm" else (0, 1))]:
            try:
                body = body_of(dialect, self._model, prompt, most)
                (answer,) = self._client.ask([body], self._reader(dialect, [prompt], most))
                return dialect, most, answer
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

    def _reader(
        self, dialect: str, prompts: Sequence[str | list[int]], most: int, check: Check | None = None
    ) -> Callable[[int, dict[str, Any]], Answer]:
        """Reads the answer to each prompt, and checks it further."""

        def read(number: int, raw: dict[str, Any]) -> Answer:
            found = read_answer(dialect, raw, prompts[number], most, self.name)
            if check is not None:
                check(number, found)
            return found

        return read

    def _answers(
        self, prompts: Sequence[str | list[int]], check: Check | None = None, watch: Watch | None = None
    ) -> list[Answer]:
        bodies = [body_of(self._dialect, self._model, prompt, self._most) for prompt in prompts]
        return (
            self._client.ask(bodies, self._reader(self._dialect, prompts, self._most, check), watch) if bodies else []
        )

    def _check_alignment(self) -> bool:
        """Refuse log-probabilities that are not those of their tokens; False where a part could not be checked."""
        prompts = self._endings()
        if self.context is not None and max(map(len, prompts)) > self.context:
            return False
        bodies = [writing_body(self._dialect, self._model, prompt) for prompt in prompts]
        names = self._units.token_bytes or ()
        own = None if self._own is not None else lambda _, answer: check_pieces(answer, names, self.name)
        plain = self._reader(self._dialect, prompts, 1, own)
        try:
            answered = self._client.ask(bodies, lambda number, raw: (plain(number, raw), read_written(raw)))
        except RefusedError:  # it does not write and score at once
            check_endings(self._answers(prompts), self.name)
            return False
        check_endings([answer for answer, _ in answered], self.name)
        longer = []
        for prompt, (answer, written) in zip(prompts, answered, strict=True):
            following = None if written is None else self._followed(prompt, written)
            if written is not None and following is not None:
                longer.append((answer, written, following))
        pairs = []
        asked = self._answers([following for _, _, following in longer])
        for (answer, written, _), found in zip(longer, asked, strict=True):
            last = found.logprobs[-1]
            if len(found.logprobs) == len(answer.logprobs) + 1 and last is not None:
                pairs.append((written, last))
        return check_written(pairs, self.name)

    def _endings(self) -> list[Any]:
        """Prompts that differ in their last tokens."""
        if self._own is not None:
            return [BEGINNINGS + ending for ending in ENDINGS]
        words = [self._units.split((BEGINNINGS + ending).encode()).ids.tolist() for ending in ENDINGS]
        shared = len(self._units.split(BEGINNINGS.encode()).ids)
        return [ids[: shared + 1] for ids in words]

    def _followed(self, prompt: str | list[int], written: Written) -> str | list[int] | None:
        """The prompt with the token that was written behind it; None where its id or its letters are not known."""
        if isinstance(prompt, str):
            try:
                return prompt + written.piece.decode()
            except UnicodeDecodeError:
                return None
        names = self._units.token_bytes or ()
        ids = [number for number, piece in enumerate(names) if piece == written.piece]
        return [*prompt, ids[0]] if len(ids) == 1 else None

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
        caveats = (*self.caveats, *self._seen_by_the_client())
        return replace(super().traits, vocabulary=size, caveats=caveats, metered=True)

    def _seen_by_the_client(self) -> tuple[str, ...]:
        """What it cost, and what cannot be known."""
        client = self._client
        cost = (
            f"{client.requests:,} requests to {client.url} ({self._dialect}): {client.prompt_tokens:,} tokens sent, "
            f"{client.completion_tokens:,} written, {client.cached:,} answers from the cache"
        )
        unseen = (
            ()
            if self._aligned
            else ("the server shows no token of its own: the order of log-probabilities could be checked in part only",)
        )
        texts = (
            ()
            if self._own is None
            else (
                "texts were sent, in which the server may take the names of special tokens for those tokens; with its "
                "tokenizer (,tokenizer=FOLDER) ids are sent, and text is text",
            )
        )
        return (
            cost,
            *unseen,
            *texts,
            "the server's weights and arithmetic cannot be seen: the signature knows its address and name",
        )

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
        names = self._units.token_bytes or ()

        def check(place: int, answer: Answer) -> None:
            if self._own is not None:
                self._own.check_same(sequences[asked[place]], answer, self.name)
            else:
                check_pieces(answer, names, self.name)

        for number, answer in zip(asked, self._answers(prompts, check, watch), strict=True):
            found[number] = np.array(answer.logprobs[firsts[number] :], dtype=np.float64)
        return found

    def __repr__(self) -> str:
        return f"<Endpoint {self.name}, {self._dialect}>"


# ---- by name ---------------------------------------------------------------------------------------------------------

_NUMBERS = {"ctx": int, "concurrency": int, "timeout": float, "retries": int, "wait": float}
_WORDS = ("tokenizer", "dialect", "cache", "key", "special")


def _load(rest: str) -> Endpoint:
    url, hash_sign, behind = rest.partition("#")
    model, *parts = behind.split(",")
    if not hash_sign or not url or not model:
        message = "openai needs an address and a model: openai:http://localhost:8000/v1#MODEL,tokenizer=FOLDER"
        raise ModelError(message)  # without the value, which may hold a secret
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
            options[name] = choice(value, name, ("yes", "no")) == "yes" if name == "special" else value
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
