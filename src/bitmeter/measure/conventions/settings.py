"""The settings of a score: the values that each can have, what they mean, and the defaults."""

from __future__ import annotations

from bitmeter.errors import ChoiceError

#: For each setting its possible values and what they mean.
MEANINGS: dict[str, dict[str, str]] = {
    "docs": {
        "file": "each file is a document",
        "line": "each line is a document",
        "blank": "blank lines end a document",
        "record": "each record is a document",
        "joined": "all files or records are one document, joined without a separator",
        "joined-line": "all files or records are one document, joined by a newline",
        "joined-blank": "all files or records are one document, joined by two newlines",
    },
    "first": {
        "bos": "a document's first unit is predicted from the model's beginning of text",
        "eos": "a document's first unit is predicted from the end-of-text token",
        "skip": "a document's first unit is not scored",
        "uniform": "a document's first unit costs log2 of the number of units",
    },
    "eos": {
        "no": "the end of a document is not predicted",
        "yes": "the end of each document is predicted and counted as a unit",
        "nonblank": "the end of each document that has words is predicted and counted as a unit",
    },
    "oov": {
        "none": "an unknown unit costs what the model says, which may be infinite",
        "skipped": "an unknown unit is not scored",
        "class": "an unknown unit costs as much as the class <unk>, whatever its spelling",
        "spelled": "an unknown unit costs <unk> and its spelling, so that the model covers all texts",
    },
    "den": {
        "scored": "divided by the bytes that were scored",
        "original": "divided by all bytes of the text, scored or not",
    },
    "norm": {
        "none": "the text is used as it is",
        "nfc": "Unicode normal form C",
        "nfkc": "Unicode normal form KC",
        "lower": "lower case",
        "newlines": "CR LF and CR are replaced by LF",
        "ccnet": "as CCNet: lower case, no accents, each digit 0, plain punctuation, no control characters",
        "edugp": "as edugp/kenlm: each digit 0, plain punctuation, no control characters",
        "roots": "as ROOTS: each digit 0, plain punctuation, plain spaces, no control characters",
        "datatrove": "as datatrove: lower case, no accents, each number 0, plain punctuation, no control characters",
        "data-juicer": "as Data-Juicer, which uses the text as it is: the same as none",
    },
}

#: Values that are another's name for the same; signatures have the second.
_SAME = {"data-juicer": "none"}

#: Of so many values an error says what each means; of more, it would be too long to read.
_EXPLAINED = 7

#: The value of each setting that neither the caller nor the convention gives. "auto" leaves the context to the model.
DEFAULTS = {
    "docs": "file",
    "first": "bos",
    "eos": "no",
    "oov": "none",
    "den": "scored",
    "norm": "none",
    "ctx": "auto",
}


def setting(key: str, value: object) -> str:
    """Check that a setting can have this value; the name that signatures have for it."""
    options = MEANINGS[key]
    if not isinstance(value, str) or value not in options:
        if len(options) > _EXPLAINED:
            listed = ", ".join(map(repr, options))
        else:
            listed = "; ".join(f"{option!r}: {meaning}" for option, meaning in options.items())
        message = f"{key} is {value!r:.40}; it can be {listed}"
        raise ChoiceError(message, value=value)
    return _SAME.get(value, value)
