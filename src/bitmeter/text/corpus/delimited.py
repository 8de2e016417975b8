"""CSV and TSV: a line of names, then one record per row, quoted as RFC 4180 says."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator
from typing import Any

from bitmeter._util.check import shown
from bitmeter.errors import RecordError
from bitmeter.text.corpus.labels import Collector
from bitmeter.text.corpus.readers import Block, joined, text_of

__all__ = ["SEPARATORS", "delimited_blocks", "delimited_rows"]

#: What stands between two values, by format.
SEPARATORS = {"csv": ",", "tsv": "\t"}
#: The most characters of one value.
_LARGEST = 1 << 30
#: What the reader says of a file that ends within quotes.
_OPEN = "unexpected end of data"


def delimited_rows(blocks: Iterable[bytes], separator: str, path: str) -> Iterator[tuple[int, dict[str, Any]]]:
    r"""Each row below the line of names, with the number of the line on which it begins; blank lines are none.

    Parameters
    ----------
    blocks
        The bytes of the file.
    separator
        Between two values.
    path
        For messages.

    Examples
    --------
    >>> list(delimited_rows([b'id,text\n7,"one,', b' two"\n'], ",", "a.csv"))
    [(2, {'id': '7', 'text': 'one, two'})]
    """
    csv.field_size_limit(max(csv.field_size_limit(), _LARGEST))
    reader = csv.reader(_lines(blocks, path), delimiter=separator, strict=True)
    try:
        names = next(reader, None)
        if names is None:
            message = f"{path} is empty; it must begin with a line that names its columns"
            raise RecordError(message, path=path, line=1)
        if not names or len(set(names)) != len(names):
            message = f"{path} must begin with a line of names, of which none comes twice; found {shown(names)}"
            raise RecordError(message, path=path, line=1)
        begin = reader.line_num + 1
        for values in reader:
            if values and len(values) != len(names):
                message = f"{path}, line {begin} has {len(values)} values for {len(names)} names"
                raise RecordError(message, path=path, line=begin)
            if values:
                yield begin, dict(zip(names, values, strict=True))
            begin = reader.line_num + 1
    except csv.Error as error:
        why = {_OPEN: "the text ends within quotes"}.get(str(error), str(error))
        message = f"{path}, line {reader.line_num}: {why}. A quote within quotes is written twice, as RFC 4180 has it"
        raise RecordError(message, path=path, line=reader.line_num) from error


def _lines(blocks: Iterable[bytes], path: str) -> Iterator[str]:
    """Lines with their ends, as the reader of CSV needs them."""
    begun: list[bytes] = []
    first = True
    for block in blocks:
        if first and block.startswith((b"\xff\xfe", b"\xfe\xff")):
            message = f"{path} is in UTF-16; write it as UTF-8: iconv -f UTF-16 -t UTF-8 {path}"
            raise RecordError(message, path=path, line=1)
        if first:
            block, first = block.removeprefix(b"\xef\xbb\xbf"), False
        head, *lines = block.split(b"\n")
        begun.append(head)
        if lines:
            whole = [b"".join(begun), *lines[:-1]]
            begun = [lines[-1]]
            yield from (line.decode("utf-8", "surrogateescape") + "\n" for line in whole)
    if last := b"".join(begun):
        yield last.decode("utf-8", "surrogateescape")


def delimited_blocks(
    blocks: Iterable[bytes], separator: str, field: str, path: str, size: int, labels: Collector | None = None
) -> Iterator[Block]:
    """One document per row: the text of one column."""
    texts: list[bytes] = []
    length = 0
    for number, row in delimited_rows(blocks, separator, path):
        if field not in row:
            listed = ", ".join(map(repr, row))
            message = (
                f"{path} has no column {field!r}; it has {listed}. Choose one with --field (field=); the file as plain "
                f"text is scored from stdin: bitmeter score MODEL - < {path}"
            )
            raise RecordError(message, path=path, line=1)
        texts.append(text_of(row, field, path, number, "line"))
        if labels is not None:
            labels.add_row(row, path, number, "line")
        length += len(texts[-1])
        if length >= size or len(texts) >= size:
            yield joined(texts)
            texts, length = [], 0
    if texts:
        yield joined(texts)
