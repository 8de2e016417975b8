r"""The conventions under which a figure was measured, in one line.

`key:value|key:value|…`, with `\`, `|`, `:` and line ends escaped by a backslash, so that `parse(format(s))` is `s` for
every content. Two scores are compared only if the keys that decide what was measured agree.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING

from bitmeter._util.asking import ask
from bitmeter._version import __version__
from bitmeter.errors import InputTypeError, SignatureError
from bitmeter.text.formats import NOT_JOINED

if TYPE_CHECKING:
    from bitmeter.text.units.base import Units

#: The version of this format; a figure of another schema is not compared.
SCHEMA = "1"

#: Marks units of another package whose ids do not restore the bytes.
_UNJOINED = "unjoined"
_ESCAPES = {"\\": "\\\\", "|": "\\p", ":": "\\c", "\n": "\\n", "\r": "\\r"}
_PLAIN = {escaped[1]: plain for plain, escaped in _ESCAPES.items()}


@dataclass(frozen=True, slots=True)
class Signature:
    """The conventions of a figure; every field is a short string.

    Attributes
    ----------
    schema, text, norm, docs, first, eos, oov, den, given
        What must agree for two figures to be compared: this format, the hash and size of the scored bytes, their
        normalisation, where documents end, how a document's first unit is conditioned, whether its end is predicted
        and counted, what an unknown unit costs, which bytes are the denominator, and the contexts that answers are
        given: how the border is drawn, their bytes and a hash of them ("none", and left out of the line, without).
    units, ctx, model, precision, interval, like, version
        What may differ: the model's units, how a long text is fitted to a bounded context, the model and its
        fingerprint, its arithmetic, how the interval was computed, whose convention was followed, and the version of
        bitmeter.

    Examples
    --------
    >>> import bitmeter as bm
    >>> found = bm.score("kt", b"to be or not to be", docs="line").signature
    >>> found.docs.partition(".")[0], found.first, found.eos, found.model
    ('line', 'bos', 'no', 'kt/kt-order0-bytes-1')
    >>> bm.Signature.parse(str(found)) == found
    True
    """

    schema: str = SCHEMA
    text: str = ""
    norm: str = "none"
    docs: str = "file"
    first: str = "bos"
    eos: str = "no"
    oov: str = "none"
    den: str = "scored"
    given: str = "none"
    units: str = ""
    ctx: str = "full"
    model: str = ""
    precision: str = "float64"
    interval: str = "none"
    like: str = "bitmeter"
    version: str = __version__

    def __post_init__(self) -> None:
        for field in fields(self):
            value: object = getattr(self, field.name)
            if not isinstance(value, str):
                message = f"the signature's {field.name} is {value!r:.40}; it must be a string"
                raise InputTypeError(message, value=value)

    def __str__(self) -> str:
        shown = {field.name: getattr(self, field.name) for field in fields(self)}
        if shown["given"] == "none":
            del shown["given"]  # so that a text without contexts has the line that it always had
        return "|".join(f"{key}:{_escape(value)}" for key, value in shown.items())

    @property
    def short(self) -> str:
        """Eight digits of the whole line's hash: `bm1-7c19e0a4`."""
        line = str(self).encode("utf-8", "surrogatepass")
        return f"bm{self.schema}-{hashlib.sha256(line).hexdigest()[:8]}"

    @property
    def test_set(self) -> str | None:
        """The name of the public test set that the text is, known by its hash: "wikitext2:test"; None for others."""
        digits, _, size = self.text.removeprefix("sha256-").partition(".")
        if not (size.isascii() and size.isdigit() and len(size) < 20):
            return None
        found: str | None = ask("the test set of a hash", digits, int(size))
        return found

    @classmethod
    def parse(cls, line: object) -> Signature:
        r"""Parse the line of a signature.

        Examples
        --------
        >>> s = Signature(model="a|b:c\\d")
        >>> Signature.parse(str(s)) == s
        True
        """
        if not isinstance(line, str):
            message = f"{line!r:.60} is not a signature; it must be a line of key:value|key:value"
            raise InputTypeError(message, value=line)
        known = [field.name for field in fields(cls)]
        values: dict[str, str] = {}
        for part in line.split("|"):
            key, colon, value = part.partition(":")
            if not colon or key not in known or key in values:
                reason = "occurs twice" if key in values else "is not a key of a signature" if colon else "has no colon"
                message = f"{part!r:.60} {reason}; a signature is key:value|key:value with the keys {', '.join(known)}"
                raise SignatureError(message, value=line)
            values[key] = _unescape(value, line)
        if values.get("schema") != SCHEMA:
            message = (
                f"this signature has schema {values.get('schema', 'none')}; this bitmeter ({__version__}) knows schema "
                f"{SCHEMA}. Measure again, or read it with the version that wrote it"
            )
            raise SignatureError(message, value=line)
        return cls(**values)

    def but(self, **changes: str) -> Signature:
        """The same with some fields changed."""
        return replace(self, **changes)


def _escape(value: str) -> str:
    return "".join(_ESCAPES.get(letter, letter) for letter in value)


def _unescape(value: str, line: str) -> str:
    found, letters = [], iter(value)
    for letter in letters:
        if letter in ":\n\r":
            message = f"an unescaped {letter!r} in {value!r:.60}; it must be escaped with a backslash"
            raise SignatureError(message, value=line)
        if letter == "\\":
            escaped = next(letters, "")
            if escaped not in _PLAIN:
                message = f"'\\{escaped}' in {value!r:.60} is not an escape; known are {', '.join(_ESCAPES.values())}"
                raise SignatureError(message, value=line)
            letter = _PLAIN[escaped]
        found.append(letter)
    return "".join(found)


#: The keys that must agree, and their meaning.
MUST_AGREE = {
    "schema": "the format of the signature",
    "text": "the scored bytes",
    "norm": "how the text was normalised",
    "docs": "where documents begin and end",
    "first": "how a document's first unit is conditioned",
    "eos": "whether the end of a document is predicted and counted",
    "oov": "what an unknown unit costs",
    "den": "which bytes the figure is divided by",
    "given": "the contexts that answers are given",
}

#: The keys that may differ, and their meaning.
MAY_DIFFER = {
    "units": "the units that the model predicts",
    "ctx": "how much of the preceding text is seen",
    "model": "the model",
    "precision": "the arithmetic of the model",
    "interval": "how the interval was computed",
    "like": "whose convention was followed",
    "version": "the version of bitmeter",
}


@dataclass(frozen=True, slots=True)
class Difference:
    """One key in which two signatures differ."""

    key: str
    first: str
    second: str
    #: Whether it makes the figures incomparable.
    decisive: bool
    #: What the key means.
    meaning: str

    def __str__(self) -> str:
        return f"{self.key}: {self.first or '(empty)'} ≠ {self.second or '(empty)'} ({self.meaning})"


def differences(first: object, second: object) -> tuple[Difference, ...]:
    """The keys in which two signatures differ, the decisive ones first.

    Examples
    --------
    >>> [d.key for d in differences(Signature(docs="line"), Signature(docs="file", model="kt"))]
    ['docs', 'model']
    """
    first, second = _checked(first), _checked(second)
    found: list[Difference] = []
    for keys, decisive in ((MUST_AGREE, True), (MAY_DIFFER, False)):
        for key, meaning in keys.items():
            a, b = getattr(first, key), getattr(second, key)
            if a != b:
                found.append(_weighed(key, a, b, first, second, decisive=decisive, meaning=meaning))
    return tuple(sorted(found, key=lambda difference: not difference.decisive))


def _weighed(
    key: str, a: str, b: str, first: Signature, second: Signature, *, decisive: bool, meaning: str
) -> Difference:
    """Units and the cost of unknown ones decide together whether bits per byte are those of distributions over texts.

    Where both are, neither key matters. Where one alone is, they must not be compared; where neither is, the units must
    be of one kind, which then leave out the same.
    """
    covered = covers_all_texts(first), covers_all_texts(second)
    if key == "oov" and all(covered):
        decisive = False
    if key == "units":
        decisive = covered[0] != covered[1] or not (all(covered) or _kind(a) == _kind(b))
    return Difference(key, a, b, decisive, meaning)


def _checked(value: object) -> Signature:
    if not isinstance(value, Signature):
        message = f"{value!r:.60} is not a Signature; Signature.parse reads one from its line"
        raise InputTypeError(message, value=value)
    return value


def covers_all_texts(signature: Signature) -> bool:
    """Whether the figure is of a distribution over texts: every byte is paid for.

    Units from whose ids the bytes can be restored pay for every byte. Words and the like do not pay for white space,
    nor for how an unknown one is spelled, unless that is asked for.

    Examples
    --------
    >>> covers_all_texts(Signature(units="bytes/bytes/1")), covers_all_texts(Signature(units="words/words/1"))
    (True, False)
    """
    head = signature.units.partition("/")[0].partition(":")[0]
    return signature.oov == "spelled" or (signature.oov == "none" and head not in (*NOT_JOINED, _UNJOINED))


def units_value(units: Units) -> str:
    """The units of a model as a signature has them: their name and fingerprint.

    Those of another package whose ids do not restore the bytes are marked; of our own, the name says it.
    """
    marked = not units.joins and units.name.partition(":")[0] not in NOT_JOINED
    return f"{f'{_UNJOINED}:' * marked}{units.name}/{units.fingerprint}"


#: What the text of a sum of scores begins with.
JOINED_TEXT = "joined-"
#: Two primes, just below the numbers that 27 and 8 hexadecimal digits can hold, and a number below both.
_TEXT_PRIME, _ENDS_PRIME, _BASE = (1 << 107) - 1, (1 << 32) - 5, 0x9E3779B1


def joined_text(first: Signature, second: Signature) -> tuple[str, str]:
    """The text and the ends of documents of two texts, one after the other, in values that do not grow.

    The hashes of all parts are the digits of a number in a fixed base, taken modulo a prime: so it depends on their
    order, but not on the order in which sums are taken, and a million parts have a value as long as two.

    Examples
    --------
    >>> a, b, c = (Signature(text=f"sha256-{n}.{n}", docs=f"line.1.{n}") for n in range(3))
    >>> ab, bc = (Signature(text=t, docs=f"line.2.{e}") for t, e in (joined_text(a, b), joined_text(b, c)))
    >>> joined_text(ab, c) == joined_text(a, bc), joined_text(ab, c) == joined_text(c, ab)
    (True, False)
    >>> joined_text(a, b)[0].rpartition(".")[0][-2:], joined_text(a, b)[0].rpartition(".")[2]
    ('.2', '1')
    """
    (a, one, size), (b, two, more) = (_text_parts(found.text) for found in (first, second))
    text = (a * pow(_BASE, two, _TEXT_PRIME) + b) % _TEXT_PRIME
    (c, d) = (_ends_value(found.docs) for found in (first, second))
    ends = (c * pow(_BASE, two, _ENDS_PRIME) + d) % _ENDS_PRIME
    return f"{JOINED_TEXT}{text:027x}.{one + two}.{size + more}", f"{ends:08x}"


def _text_parts(value: str) -> tuple[int, int, int]:
    """The number, the count of parts and the bytes of a text, whichever way it is written."""
    if "+" in value:  # as sums were written before
        found, many, size = 0, 0, 0
        for part in value.split("+"):
            number, _, more = _text_parts(part)
            found, many, size = (found * _BASE + number) % _TEXT_PRIME, many + 1, size + more
        return found, many, size
    head, _, length = value.rpartition(".")
    size = int(length) if length.isascii() and length.isdigit() and len(length) < 20 else 0
    if value.startswith(JOINED_TEXT):
        digits, _, many_text = head.removeprefix(JOINED_TEXT).partition(".")
        try:
            return int(digits, 16) % _TEXT_PRIME, int(many_text), size
        except ValueError:
            pass
    return int(hashlib.sha256(value.encode("utf-8", "surrogatepass")).hexdigest()[:27], 16) % _TEXT_PRIME, 1, size


def _ends_value(docs: str) -> int:
    try:
        return int(docs.rpartition(".")[2], 16) % _ENDS_PRIME
    except ValueError:
        return 0


def split_value(key: str, value: str) -> tuple[str, str]:
    """The name and the fingerprint of a model or of units; a name may have slashes, and units' fingerprints have one.

    Examples
    --------
    >>> split_value("model", "org/name-7b/log-0123"), split_value("units", "hf:org/name/hf/1@89ab")
    (('org/name-7b', 'log-0123'), ('hf:org/name', 'hf/1@89ab'))
    >>> split_value("units", "log-vllm/tokens"), split_value("model", "kt")
    (('log-vllm', 'tokens'), ('kt', ''))
    """
    parts = value.split("/")
    behind = parts[-1]
    # The fingerprint of units is KIND/VERSION, and more behind it.
    own = 2 if key == "units" and len(parts) > 2 and (behind[:1].isdigit() or "@" in behind) else 1
    return ("/".join(parts[:-own]), "/".join(parts[-own:])) if len(parts) > 1 else (value, "")


def _kind(units: str) -> str:
    name = split_value("units", units)[0]
    return name if name.startswith(f"{_UNJOINED}:") else name.partition(":")[0]
